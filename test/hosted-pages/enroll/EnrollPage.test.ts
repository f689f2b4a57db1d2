import { renderEnrollPage } from "@edp/hosted-pages/render"
import { messages } from "@edp/hosted-pages/enroll/messages"
import { type Language, languages } from "@edp/domain/shared/Language"
import type { PageContext, PageRequest } from "@edp/hosted-pages/scene/scene"
import { describe, expect, test } from "vitest"
import { all, attribute, flatten, poison, requestTo, strip } from "../../support/hosted-pages/markup.ts"
import { branded, failures, fixtures, fixtureView } from "./fixtures.ts"

const request = requestTo("/enroll/evening-peak", false)

const render = (name: string, context: Partial<PageContext> = {}, more: Partial<PageRequest> = {}) =>
  renderEnrollPage(fixtureView(name, context), { ...request, ...more })

const pages = fixtures.flatMap(({ name }) => languages.map((language) => [name, language] as const))

/** Fields whose values are the platform's own words; everything else is somebody's text. */
const own = [
  "page",
  "link",
  "language",
  "code",
  "closed",
  "status",
  "failure",
  "actor",
  "intervention",
  "problems",
  "period"
]
const kept = [...own, "at", "activatesAt", "colorScheme", "accentColor"]

const textsIn = (language: Language) => flatten(messages[language]).map(([, text]) => text)

describe.each(pages)("the enrollment page %s in %s", (name, language) => {
  const markup = render(name, { language })

  test("is a document in its language, with one heading of the first level and none left out", () => {
    expect(attribute(/<html[^>]*>/.exec(markup)![0], "lang")).toBe(language)
    const levels = all(markup, /<h[1-6]/g).map((tag) => Number(tag[2]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1)
  })

  test("has nothing that is inline, undefined or of another origin", () => {
    expect(markup).not.toMatch(/\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)/)
    expect(strip(markup)).not.toMatch(/undefined|null|NaN|\[object|=>|Invalid/)
    for (const tag of all(markup, /<(?:script|img|link|form|a)\b[^>]*>/g)) {
      expect(attribute(tag, "src") ?? attribute(tag, "href") ?? attribute(tag, "action")).toMatch(/^[/#]/)
    }
  })

  test("labels every control, and every reference to an id has its element", () => {
    const ids = all(markup, /\sid="[^"]*"/g).map((each) => each.slice(5, -1))
    expect(new Set(ids).size).toBe(ids.length)
    for (const tag of all(markup, /<(?:input|select)\b[^>]*>/g)) {
      if (attribute(tag, "type") === "hidden") continue
      expect(markup).toContain(`<label for="${attribute(tag, "id")}">`)
    }
    for (const [, targets] of markup.matchAll(/\s(?:for|aria-describedby|href)="#?(field-[^"]*)"/g)) {
      for (const target of targets!.split(" ")) expect(ids).toContain(target)
    }
  })

  test("escapes all messages of others", () => {
    const poisoned = renderEnrollPage(poison(fixtureView(name, { language, ...branded }), kept), request)
    expect(poisoned).not.toContain("<script>alert")
    expect(poisoned).not.toContain("<img src=x")
    expect(all(poisoned, /<script/g)).toHaveLength(1)
  })

  test("says nothing in the other language", () => {
    const words = strip(markup)
    const own = new Set(textsIn(language))
    for (const other of languages.filter((each) => each !== language)) {
      const foreign = textsIn(other).filter((text) => text.length > 9 && !own.has(text))
      expect(foreign.length).toBeGreaterThan(100)
      expect(foreign.filter((text) => words.includes(text))).toEqual([])
    }
  })
})

describe("a form that was not taken", () => {
  test("lists each problem with a link to its field, the terms included", () => {
    const markup = render("apply-problems")
    const links = all(markup, /<a href="#[^"]+">/g).map((tag) => attribute(tag, "href")!.slice(1))
    expect(links).toEqual(["field-lastName", "field-email", "field-streetOne", "field-city", "field-accept"])
    const box = /<input[^>]*name="accept"[^>]*>/.exec(markup)![0]
    expect([attribute(box, "aria-invalid"), attribute(box, "aria-describedby")]).toEqual([
      "true",
      "field-accept-problem"
    ])
  })

  test.each(failures)("says %s first, and keeps the acceptance", (failure) => {
    const markup = render(`apply-${failure.replaceAll("_", "-")}`)
    expect(markup).toMatch(/<title>Error: /)
    expect(markup.replaceAll("&#x27;", "'")).toContain(messages.en.apply.failures[failure])
    expect(markup).toMatch(/name="accept"[^>]* checked/)
  })
})

test("the line breaks of the operator's messages are kept", () => {
  expect(render("program")).toContain("hot evenings.\n\nUp to 20 evenings")
})

test("a reason about devices, which is in English, is left out of other languages", () => {
  expect(render("ineligible-devices", { language: "en" })).toContain("5,000 Wh")
  expect(render("ineligible-devices", { language: "es" })).not.toContain("5,000 Wh")
})

test("a page without an address has no forms", () => {
  for (const { name } of fixtures) expect(render(name, {}, { base: null })).not.toContain("<form")
})
