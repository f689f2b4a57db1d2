import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { files, mailTemplates, renderLeaving } from "@edp/hosted-pages/render"
import { expect, test } from "vitest"
import { sourceFiles } from "../architecture/repository.ts"

const hostile = `"><script>alert("1" & '2')</script>`
const escaped = "&lt;script&gt;alert(&quot;1&quot; &amp; &#x27;2&#x27;)&lt;/script&gt;"

test("no component makes markup of a text without escaping it", () => {
  const components = sourceFiles().filter(({ path }) => /^packages\/(?:hosted-pages|dashboard)\/.*\.tsx$/.test(path))
  const root = fileURLToPath(new URL("../../", import.meta.url))
  expect(components.length).toBeGreaterThan(50)
  for (const { path } of components) {
    expect(readFileSync(root + path, "utf8"), path).not.toMatch(/dangerouslySetInnerHTML|innerHTML/)
  }
})

test.each([
  ["for an event", mailTemplates.event({ headline: hostile, facts: [[hostile, hostile]], reason: hostile })],
  [
    "that confirms an address",
    mailTemplates.confirmation({
      language: "en",
      title: hostile,
      asker: hostile,
      link: `https://x/?a=${hostile}`,
      days: 3
    }).html
  ],
  ["to somebody who takes part", mailTemplates.takesPart({ language: "es", title: hostile, asker: hostile }).html]
])("the mail %s escapes all messages of others", (_, markup) => {
  expect(markup).toMatch(/^<!doctype html> <html lang="(en|es|de)">/)
  expect(markup).not.toContain("<script")
  expect(markup).toContain(escaped)
})

test("the address of a page that leads elsewhere stays within its attribute", () => {
  const assets = { styles: "/s.css", script: "/s.js", icon: "/i.svg", accent: () => "/a.css" }
  const request = { base: null, assets, logoPath: () => null, refreshes: false }
  const markup = renderLeaving("en", request, `https://acme.example/${hostile}`)
  expect(markup).not.toContain("<script>alert")
  expect(markup).toContain(`href="https://acme.example/&quot;&gt;${escaped}"`)
})

test("the built module needs nothing that is installed, and its style sheet only what older browsers know", () => {
  const built = readFileSync(fileURLToPath(import.meta.resolve("@edp/hosted-pages/render")), "utf8")
  const imported = [...built.matchAll(/\b(?:import|from|require)\s*\(?["`]([\w:@./-]+)["`]/g)].map(([, name]) => name)
  expect(imported).toContain("node:module")
  expect(imported.filter((name) => !/^(?:node:)?(?:module|util|crypto|async_hooks|stream)$/.test(name!))).toEqual([])
  expect(files.styles).toContain(".button")
  expect(files.styles).not.toMatch(/light-dark\(|@import/)
})
