import { type Language, languages } from "@edp/domain/shared/Language"
import { describe, expect, test } from "vitest"
import { axe, runAxe } from "../axe.ts"
import type { Page } from "../chromium.ts"
import { pickInTurn } from "../rounds.ts"

export type Brand = "plain" | "branded"

export const sizes = { phone: [390, 844], desktop: [1280, 900] } as const

/** A logo for a brand. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="40"><rect width="180" height="40" fill="#ffb400"/></svg>`

/** All languages in both schemes. The brands alternate, so that each is seen with every language and with both schemes. */
const looks = languages.flatMap((language, n) =>
  (["light", "dark"] as const).map((scheme, m) => [language, scheme, (n + m) % 2 === 0 ? "plain" : "branded"] as const)
)

const smallControls = `[...document.querySelectorAll("button, input:not([type=hidden]):not([type=checkbox]), select, a.button")]
  .map((each) => [each.outerHTML.slice(0, 100), each.getBoundingClientRect().height]).filter(([, height]) => height < 36)`

/** The checks of the looks of hosted pages. `open` goes to the page of a name. */
export const describeLooks = (
  names: ReadonlyArray<string>,
  page: () => Page,
  open: (name: string, language: Language, brand: Brand) => Promise<void>
): void =>
  describe.each(names.map((name, n) => [name, n] as const))("the page %s", (name, n) => {
    // Loading the page and the checker costs as much as a check, so one load is checked in both sizes.
    test.each(pickInTurn(1, looks, n))(
      "has no violation of WCAG 2.2 AA in %s, %s, %s, on a phone and on a desktop",
      async (...given) => {
        const [language, scheme, brand] = given
        await page().emulate({ size: sizes.phone, scheme })
        await open(name, language, brand)
        await page().evaluate(axe)
        for (const size of [sizes.phone, sizes.desktop]) {
          await page().emulate({ size })
          expect(await page().evaluate(runAxe)).toEqual([])
        }
      }
    )

    test("fits into 320 pixels, with controls that a finger hits", async () => {
      await page().emulate({ size: [320, 640], scheme: "light" })
      await open(name, "de", "branded")
      expect(await page().evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320)
      expect(await page().evaluate(smallControls)).toEqual([])
    })
  })
