import { chooseLanguage } from "@edp/server/platform/pages/language"
import { expect, test } from "vitest"

test.each([
  [null, "en"],
  ["", "en"],
  ["es", "es"],
  ["es-MX,es;q=0.9,en;q=0.8", "es"],
  ["en-GB, es;q=0.9", "en"],
  ["en;q=0.2, es;q=0.9", "es"],
  ["fr, pt;q=0.9, es;q=0.1", "es"],
  ["fr, pt", "en"],
  ["de-AT, en;q=0.8", "de"],
  ["es;q=0", "en"],
  ["es;q=0, *;q=0.5", "en"],
  ["en;q=0, *", "es"],
  ["ES", "es"],
  ["es ; q=0.7 , en;q=0.3", "es"],
  ["es;q=2, en;q=0.1", "en"],
  [";;;,,,=", "en"],
  ["x".repeat(100_000), "en"]
])("Accept-Language: %j leads to %s", (header, language) => {
  expect(chooseLanguage(null, header)).toBe(language)
})

test("the language of the session goes before the header", () => {
  expect(chooseLanguage("es", "en")).toBe("es")
})
