import { renderPage } from "@edp/server/connections/pages/renderPage"
import { texts } from "@edp/server/connections/pages/texts/texts"
import type { PageContext, PageRequest } from "@edp/server/platform/pages/layout"
import { describe, expect, test } from "vitest"
import { branded, errorCodes, fixtures, fixtureView } from "./fixtures.ts"

const request: PageRequest = {
  base: "/connect/token-of-a-session",
  assets: { styles: "/s.css", script: "/s.js", icon: "/i.svg", accent: (hex) => `/accent-${hex.slice(1)}.css` },
  logoPath: (url) => `/logo/${encodeURIComponent(url)}`,
  refreshes: true
}

const render = (name: string, context: Partial<PageContext> = {}, more: Partial<PageRequest> = {}) =>
  renderPage(fixtureView(name, context), { ...request, ...more })

/** The value of an attribute in a tag. */
const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
const all = (markup: string, pattern: RegExp) => [...markup.matchAll(pattern)].map(([found]) => found)
const strip = (markup: string) => markup.replaceAll(/<[^>]*>/g, "")

const pages = fixtures.flatMap(({ name }) => (["en", "es"] as const).map((language) => [name, language] as const))

/** A text that would do harm wherever it were put as it is. */
const hostile = `"><script>alert(1)</script><img src=x onerror='x'>&amp;`

const poison = <Value>(value: Value): Value => {
  if (typeof value === "string") return hostile as Value
  if (Array.isArray(value)) return value.map(poison) as Value
  if (typeof value !== "object" || value === null) return value
  // Codes are the contract's own words; everything else is somebody's text.
  const codes = [
    "page",
    "language",
    "error",
    "type",
    "kind",
    "code",
    "blocks",
    "actor",
    "problems",
    "problem",
    "deviceType",
    "deviceTypes",
    "commands",
    "authorization",
    "colorScheme",
    "accentColor"
  ]
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, codes.includes(name) ? inner : poison(inner)])
  ) as Value
}

/** Every text of a table, with the path to it; functions are called with names. */
const flatten = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (typeof value === "string") return [[path, value]]
  if (typeof value === "function") return flatten(value("Acme", "Tesla"), path)
  return Object.entries(value as object).flatMap(([name, inner]) => flatten(inner, `${path}.${name}`))
}
const [english, spanish] = [new Map(flatten(texts.en)), new Map(flatten(texts.es))]

describe.each(pages)("the page %s in %s", (name, language) => {
  const markup = render(name, { language })

  test("is a document in its language, with one heading of the first level and none left out", () => {
    expect(markup).toMatch(/^<!doctype html> <html lang="(en|es)"/)
    expect(attribute(/<html[^>]*>/.exec(markup)![0], "lang")).toBe(language)
    const levels = all(markup, /<h[1-6]/g).map((tag) => Number(tag[2]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1)
  })

  test("has its heading in the title", () => {
    const heading = /<h1>([^<]+)<\/h1>/.exec(markup)![1]!
    expect(/<title>([^<]+)<\/title>/.exec(markup)![1]).toContain(heading)
  })

  test("has nothing that is inline, undefined or of another origin but links", () => {
    expect(markup).not.toMatch(/\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)/)
    expect(strip(markup)).not.toMatch(/undefined|null|NaN|\[object|function/)
    for (const tag of all(markup, /<(?:script|img|link|form)\b[^>]*>/g)) {
      expect(attribute(tag, "src") ?? attribute(tag, "href") ?? attribute(tag, "action")).toMatch(/^\//)
    }
  })

  test("labels every control, and every reference to an id has its element", () => {
    const ids = all(markup, /\sid="[^"]*"/g).map((each) => each.slice(5, -1))
    expect(new Set(ids).size).toBe(ids.length)
    for (const tag of all(markup, /<(?:input|select)\b[^>]*>/g)) {
      if (attribute(tag, "type") === "hidden") continue
      expect(markup).toContain(`<label for="${attribute(tag, "id")}">`)
    }
    for (const [, targets] of markup.matchAll(/\s(?:for|aria-describedby|href)="#?((?:field|device)-[^"]*)"/g)) {
      for (const target of targets!.split(" ")) expect(ids).toContain(target)
    }
  })

  test("escapes all texts of others", () => {
    const poisoned = renderPage(poison(fixtureView(name, { language, ...branded })), request)
    expect(poisoned).not.toContain("<script>alert")
    expect(poisoned).not.toContain("<img src=x")
    expect(all(poisoned, /<script/g)).toHaveLength(1)
  })

  test("says nothing in another language", () => {
    const words = strip(markup).replaceAll("&#39;", "'")
    const [own, other] = language === "en" ? [english, spanish] : [spanish, english]
    const foreign = [...other.values()].filter((text) => text.length > 9 && ![...own.values()].includes(text))
    expect(foreign.length).toBeGreaterThan(100)
    expect(foreign.filter((text) => words.includes(text))).toEqual([])
  })
})

describe("the texts", () => {
  test("are the same set in each language, and none is empty", () => {
    expect([...spanish.keys()]).toEqual([...english.keys()])
    for (const text of [...english.values(), ...spanish.values()]) expect(text.trim()).not.toBe("")
  })

  test("differ between the languages", () => {
    const same = [...english].filter(([path, text]) => spanish.get(path) === text && /[a-z]{4}/.test(text))
    expect(same.map(([path]) => path)).toEqual([".documentTitle", ".errorTitlePrefix"])
  })

  test.each(errorCodes)("say for %s what happened and what to do", (error) => {
    for (const language of ["en", "es"] as const) {
      const { happened, title, wayOn } = texts[language].errors[error]
      expect(happened("Acme", "Tesla")).toMatch(/^[A-ZÁÉÍÓÚ][^.]*\.$/)
      expect(wayOn("Acme", "Tesla")).toMatch(/\.$/)
      expect(title).not.toMatch(/\.$/)
    }
  })
})

describe("a page with problems", () => {
  test.each(["customer-problems", "form-problems", "system-problems"])(
    "%s lists each with a link to its field",
    (name) => {
      const markup = render(name)
      const links = all(markup, /<a href="#[^"]+">/g).map((tag) => attribute(tag, "href")!.slice(1))
      expect(links.length).toBeGreaterThan(0)
      for (const id of links) expect(markup).toMatch(new RegExp(`<(?:input|select)[^>]* id="${id}"`))
      expect(markup).toMatch(/<title>Error: /)
      expect(markup).toMatch(/<div class="summary" role="alert"/)
    }
  )

  test("describes a refused field by its problem", () => {
    const input = /<input[^>]*name="email"[^>]*>/.exec(render("customer-problems"))![0]
    expect(attribute(input, "aria-invalid")).toBe("true")
    expect(attribute(input, "aria-describedby")).toBe("field-email-problem")
    expect(attribute(input, "value")).toBe("ada@")
  })

  test("never sends a password back", () => {
    expect(render("form-problems")).not.toContain("never shown again")
  })
})

describe("links", () => {
  const link = (returnUrl: string) =>
    renderPage({ ...fixtureView("done"), returnUrl } as ReturnType<typeof fixtureView>, request)

  test.each(["https://acme.example/x", "http://localhost:3000/", "acme-app://connected"])("may lead to %s", (url) => {
    expect(link(url)).toContain(`href="${url}`)
  })

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://x/y",
    "nowhere"
  ])("may not lead to %s", (url) => {
    expect(link(url)).not.toContain(url.trim().slice(0, 8))
  })

  test("to the manufacturer are of the web alone", () => {
    const view = { ...fixtureView("waiting"), authorizationUrl: "acme-app://x" } as ReturnType<typeof fixtureView>
    expect(renderPage(view, request)).not.toContain("acme-app:")
  })
})

describe("a waiting page", () => {
  test("refreshes itself where scripts do not run, until the visitor stops it", () => {
    expect(render("waiting")).toContain(`<noscript><meta http-equiv="refresh" content="10" /></noscript>`)
    expect(render("waiting", {}, { refreshes: false })).not.toContain("http-equiv")
  })
})

describe("branding", () => {
  test("shows the logo by our own origin and the accent by a style sheet", () => {
    const markup = render("consent", branded)
    expect(markup).toContain(`<img class="logo" src="/logo/https%3A%2F%2Facme.example%2Flogo.svg" alt="Acme Energy" />`)
    expect(markup).toContain(`<link rel="stylesheet" href="/accent-ffb400.css" />`)
  })

  test("keeps to the session's colour scheme", () => {
    expect(render("consent", { colorScheme: "dark" })).toContain(`<html lang="en" data-scheme="dark">`)
    expect(render("consent")).toContain(`<html lang="en">`)
  })
})

test("a page without a session has no forms", () => {
  for (const { name } of fixtures) expect(render(name, {}, { base: null })).not.toContain("<form")
})
