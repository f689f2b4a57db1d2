import { renderConnectPage } from "@edp/hosted-pages/render"
import { messages } from "@edp/hosted-pages/connect/messages"
import { type Language, languages } from "@edp/domain/shared/Language"
import type { PageContext, PageRequest } from "@edp/hosted-pages/scene/scene"
import { write } from "@edp/hosted-pages/scene/messages"
import { describe, expect, test } from "vitest"
import { all, attribute, flatten, poison, requestTo, strip } from "../../support/hosted-pages/markup.ts"
import { branded, errorCodes, fixtures, fixtureView } from "./fixtures.ts"

const request = requestTo("/connect/token-of-a-session", true)

const render = (name: string, context: Partial<PageContext> = {}, more: Partial<PageRequest> = {}) =>
  renderConnectPage(fixtureView(name, context), { ...request, ...more })

const pages = fixtures.flatMap(({ name }) => languages.map((language) => [name, language] as const))

/** Codes are the contract's own words; everything else is somebody's text. */
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

const textsIn = (language: Language) => flatten(messages[language]).map(([, text]) => text)

describe.each(pages)("the page %s in %s", (name, language) => {
  const markup = render(name, { language })

  test("is a document in its language, with one heading of the first level and none left out", () => {
    expect(markup).toMatch(/^<!doctype html> <html lang="(en|es|de)"/)
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

  test("escapes all messages of others", () => {
    const poisoned = renderConnectPage(poison(fixtureView(name, { language, ...branded }), codes), request)
    expect(poisoned).not.toContain("<script>alert")
    expect(poisoned).not.toContain("<img src=x")
    expect(all(poisoned, /<script/g)).toHaveLength(1)
  })

  test("says nothing in another language", () => {
    const words = strip(markup)
    const own = new Set(textsIn(language))
    for (const other of languages.filter((each) => each !== language)) {
      const foreign = textsIn(other).filter((text) => text.length > 9 && !own.has(text))
      expect(foreign.length).toBeGreaterThan(100)
      expect(foreign.filter((text) => words.includes(text))).toEqual([])
    }
  })
})

describe("the messages", () => {
  test.each(errorCodes)("say for %s what happened and what to do", (error) => {
    for (const language of languages) {
      const { happened, title, wayOn } = messages[language].errors[error]
      const values = { asker: "Acme", manufacturer: "Tesla" }
      expect(write(happened, values)).toMatch(/^\p{Lu}[^.]*\.$/u)
      expect(write(wayOn, values)).toMatch(/\.$/)
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
      expect(markup).toMatch(/<div class="notice bad summary" role="alert"/)
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
    renderConnectPage({ ...fixtureView("error-access-denied"), returnUrl } as ReturnType<typeof fixtureView>, request)

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
    expect(renderConnectPage(view, request)).not.toContain("acme-app:")
  })
})

describe("a waiting page", () => {
  test("refreshes itself where scripts do not run, until the visitor stops it", () => {
    expect(render("waiting")).toContain(`<noscript><meta http-equiv="refresh" content="10"/></noscript>`)
    expect(render("waiting", {}, { refreshes: false })).not.toContain("http-equiv")
  })
})

describe("the consent", () => {
  test("says that an account is connected again, whose devices are kept", () => {
    expect(render("consent")).toContain("Connect Tesla with")
    const again = render("consent-again")
    expect(again).toContain("Reconnect Tesla with")
    expect(again).toContain("no longer has access to your Tesla devices")
  })
})

describe("branding", () => {
  test("shows the logo by our own origin and the accent by a style sheet", () => {
    const markup = render("consent", branded)
    expect(markup).toContain(`<img class="logo" src="/logo/https%3A%2F%2Facme.example%2Flogo.svg" alt="Acme Energy"/>`)
    expect(markup).toContain(`<link rel="stylesheet" href="/accent-ffb400.css"/>`)
  })

  test("names the ways to ask in the foot, and says nothing of them where there are none", () => {
    const markup = render("consent", branded)
    expect(markup).toContain(`Questions? <span><a href="mailto:help@acme.example">help@acme.example</a></span>`)
    expect(markup).toContain(`<a href="tel:+19165550142">+1 (916) 555-0142</a>`)
    expect(markup).toContain(
      `<a href="https://acme.example/help?from=&lt;app&gt;" rel="noreferrer">acme.example/help?from=&lt;app&gt;</a>`
    )
    expect(render("consent")).not.toContain("Questions?")
  })

  test("keeps to the session's colour scheme", () => {
    expect(render("consent", { colorScheme: "dark" })).toContain(`<html lang="en" data-scheme="dark">`)
    expect(render("consent")).toContain(`<html lang="en">`)
  })
})

test("a page without a session has no forms", () => {
  for (const { name } of fixtures) expect(render(name, {}, { base: null })).not.toContain("<form")
})
