import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compileMessages, type CompiledTree, type MessageTree } from "@edp/dashboard/build/messages"
import { findValues } from "@edp/dashboard/build/messageTypes"
import { type Language, languages } from "@edp/domain/shared/Language"
import { describe, expect, test } from "vitest"

/** English messages that stay as they are: names, and words that a language shares with English. */
const kept: { readonly [language in Language]?: ReadonlyArray<string> } = {
  en: [
    "API",
    "CSV",
    "Energy Device Platform",
    "Home Assistant",
    "Kafka",
    "Node.js",
    "PostgreSQL",
    "Redis",
    "SMS",
    "Sensor",
    "URL",
    "VEN",
    "MQTT",
    "Webhook",
    "{asker, select, null {{heading}} other {{heading} – {asker}}}"
  ],
  es: ["Brokers", "Eco", "Error", "Error: ", "eco"],
  de: [
    "Browser",
    "Client",
    "Clients",
    "Connect",
    "Details",
    "Details: {name}",
    "Generator",
    "Host",
    "Link",
    "Live",
    "Logo",
    "Name",
    "Offline",
    "Online",
    "Partition",
    "Ping",
    "Port",
    "Reserve, %",
    "Server",
    "Solar",
    "Status",
    "Thermostat",
    "Topic",
    "Version",
    "offline",
    "online"
  ]
}

/** A value before a noun in the plural: a word that ends in s, or one that German writes with a capital letter. */
const beforePlural: { readonly [language in Language]: RegExp } = {
  en: /\{(\w+)\} (?:[a-z]+ ){0,2}[a-z]+s\b/gu,
  es: /\{(\w+)\} (?!(?:o )?(?:más|menos)\b)(?:\p{Ll}+ )?\p{Ll}+s\b/gu,
  de: /\{(\w+)\} (?!ohne )(?:\p{Ll}+ )?\p{Lu}/gu
}

const translated = languages.filter((language) => language !== "en")

const read = (part: string, language: Language): MessageTree =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../../packages/${part}/${language}.json`, import.meta.url)), "utf8")
  )

/** Each message by its path, as a list. */
const flatten = <Message>(
  tree: object,
  isMessage: (each: unknown) => each is Message,
  path = ""
): ReadonlyArray<readonly [string, Message]> =>
  Object.entries(tree).flatMap(([name, each]) => {
    const here = path === "" ? name : `${path}.${name}`
    return isMessage(each) ? [[here, each] as const] : flatten(each as object, isMessage, here)
  })

const isText = (each: unknown): each is string => typeof each === "string"
const isCompiled = (each: unknown): each is Parameters<typeof findValues>[0] => isText(each) || Array.isArray(each)

/** The values that each message inserts, with their kinds. */
const listValues = (tree: CompiledTree) =>
  flatten(tree, isCompiled).map(([path, message]) => [path, Object.fromEntries([...findValues(message)].toSorted())])

describe.each(["dashboard/src/messages", "hosted-pages/src/messages"])("the messages of %s", (part) => {
  const english = read(part, "en")

  test.each(translated)("in %s are those of the English file, with the same values", (language) => {
    expect(listValues(compileMessages(read(part, language)))).toEqual(listValues(compileMessages(english)))
  })

  test.each(translated)("in %s are translated, but for words that both languages share", (language) => {
    const texts = new Map(flatten(read(part, language), isText))
    const words = new Set([...kept.en!, ...(kept[language] ?? [])])
    const same = flatten(english, isText)
      .filter(([path, text]) => texts.get(path) === text && /\p{L}{3}/u.test(text.replaceAll(/\{[^{}]*\}/g, "")))
      .map(([, text]) => text)
    expect(same.filter((text) => !words.has(text))).toEqual([])
  })

  test.each(languages)("in %s have a form for one where a number stands before a noun in the plural", (language) => {
    const values = flatten(compileMessages(read(part, language)), isCompiled).flatMap(([, each]) => [
      ...findValues(each)
    ])
    const numbers = new Set(values.filter(([, kind]) => kind === "number").map(([name]) => name))
    const inserted = flatten(read(part, language), isText).filter(([, text]) =>
      [...text.matchAll(beforePlural[language])].some(([, name]) => numbers.has(name!))
    )
    expect(inserted).toEqual([])
  })

  test.each(languages)("in %s leave no text empty", (language) => {
    expect(flatten(read(part, language), isText).filter(([, text]) => text.trim() === "")).toEqual([])
  })
})
