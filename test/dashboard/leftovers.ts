import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Page } from "playwright-core"

const sources = fileURLToPath(new URL("../../packages/dashboard/src", import.meta.url))

interface Messages {
  readonly [name: string]: unknown
}

/** Pairs of an English text and its Spanish one, however deep. Texts that are functions are left out. */
const pairs = (en: unknown, es: unknown): ReadonlyArray<readonly [string, string]> => {
  if (typeof en === "string" && typeof es === "string") return [[en, es]]
  if (typeof en !== "object" || en === null || typeof es !== "object" || es === null) return []
  return Object.keys(en).flatMap((name) => pairs((en as Messages)[name], (es as Messages)[name]))
}

const readTables = async () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((path) =>
    /[mM]essages\.ts$/.test(path)
  )
  const modules: ReadonlyArray<Messages> = await Promise.all(
    files.map((path) => import(/* @vite-ignore */ pathToFileURL(join(sources, path)).href))
  )
  return modules.flatMap(
    (module) => Object.values(module) as ReadonlyArray<{ readonly en: Messages; readonly es: Messages }>
  )
}

/** English messages of the page that stand for nothing in Spanish. */
export const englishMessages = async (): Promise<ReadonlySet<string>> => {
  const all = (await readTables()).flatMap(({ en, es }) => pairs(en, es))
  const spanish = new Set(all.map(([, es]) => es))
  return new Set(all.map(([en]) => en).filter((en) => !spanish.has(en)))
}

/** All messages of a page that a person sees or a screen reader reads. */
export const messagesOn = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const found = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) found.push(walker.currentNode.textContent.trim())
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      for (const each of document.querySelectorAll("[" + name + "]")) found.push(each.getAttribute(name))
    return [document.title.replace(/ · edp$/, ""), ...found].filter((text) => text !== "")
  })()`)
