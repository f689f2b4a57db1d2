import { join } from "node:path"
import type { Language } from "@edp/domain/shared/Language"
import type { EnrollFlow, EnrollResult } from "@edp/server/enrollments/flow/EnrollFlow"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Browser, hasChromium, openBrowser, type Page } from "../../support/chromium.ts"
import { type Brand, describeLooks, logo, sizes } from "../../support/hosted-pages/describeLooks.ts"
import { describeServer } from "../../support/describeServer.ts"
import { type GuardedFolder, guardedFolder } from "../../support/guardedFolder.ts"
import { fixtureView as connectView } from "../connect/fixtures.ts"
import { type PagesServer, startPages } from "../../support/hosted-pages/PagesServer.ts"
import { ScriptedFlow } from "../../support/hosted-pages/ScriptedFlow.ts"
import { branded, fixtures, fixtureView } from "./fixtures.ts"

const pagePath = (name: string, language: Language, brand: Brand) => `/enroll/fixture--${name}--${language}--${brand}`

/** Each slug names a page; each form that is sent is answered with the page of problems. */
const shown = (pageSlug: string, name?: string): Effect.Effect<EnrollResult> =>
  Effect.sync(() => {
    const [, own, language, brand] = pageSlug.split("--")
    const view = fixtureView(name ?? own!, { language: language as Language, ...(brand === "branded" && branded) })
    return { kind: "view", view }
  })

const flow: EnrollFlow["Service"] = {
  open: (pageSlug) => shown(pageSlug),
  form: (pageSlug) => shown(pageSlug, "apply"),
  submit: (pageSlug) => shown(pageSlug, "apply-problems"),
  refuse: (pageSlug, _, __, failure) => shown(pageSlug, `apply-${failure.replaceAll("_", "-")}`),
  enrollment: (pageSlug) => shown(pageSlug),
  connect: (pageSlug) => shown(pageSlug),
  sendAgain: (pageSlug) => shown(pageSlug),
  emailLink: (pageSlug) => shown(pageSlug),
  confirmEmail: (pageSlug) => shown(pageSlug, "confirm-confirmed"),
  comeBack: (pageSlug) => shown(pageSlug, "returned")
}

describeServer("Chromium", hasChromium(), "the enrollment pages in a browser", () => {
  let folder: GuardedFolder
  let server: PagesServer
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    folder = await guardedFolder("edp-enroll")
    const connect = new ScriptedFlow(() => Effect.succeed({ kind: "view", view: connectView("consent") }))
    server = await startPages(connect.flow, {
      enrollment: flow,
      remote: () => new Response(logo, { headers: { "content-type": "image/svg+xml" } })
    })
    browser = await openBrowser(join(folder.path, "profile"))
    page = await browser.newPage()
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await folder.remove()
  })

  describeLooks(
    fixtures.map(({ name }) => name),
    () => page,
    async (name, language, brand) => {
      await page.goTo(server.url + pagePath(name, language, brand))
      expect(await page.evaluate("document.body.dataset.page")).toBe(fixtureView(name).page)
    }
  )

  test("no request left the pages' origin, and their policy allowed everything", () => {
    expect(page.requests.length).toBeGreaterThan(fixtures.length)
    expect([...new Set(page.requests.map((url) => new URL(url).origin))]).toEqual([server.url])
    expect(page.complaints.filter((text) => !/status of (404|410|422)/.test(text))).toEqual([])
  })

  test("the form is gone through by keyboard from top to bottom, the terms included", async () => {
    await page.emulate({ size: sizes.desktop, scheme: "light" })
    await page.goTo(server.url + pagePath("apply", "en", "plain"))
    const reached: Array<string> = []
    for (;;) {
      await page.press("Tab")
      const now = await page.evaluate(
        `document.activeElement === document.body ? "" : document.activeElement.name || document.activeElement.getAttribute("aria-label") || document.activeElement.textContent.trim()`
      )
      if (now === "" || reached.length > 40) break
      reached.push(now)
    }
    const person = ["firstName", "lastName", "email", "phone"]
    const address = ["streetOne", "streetTwo", "city", "state", "postalCode", "country"]
    expect(reached).toEqual([...person, ...address, "Terms of the program", "accept", "Continue", "Español", "Deutsch"])
  })

  test("the summary of problems has the focus, and leads to the checkbox of the terms", async () => {
    await page.goTo(server.url + pagePath("apply-problems", "en", "plain"))
    await page.until(`document.activeElement.classList.contains("summary")`)
    await page.evaluate(`document.querySelector('.summary a[href="#field-accept"]').click()`)
    await page.until(`document.activeElement.name === "accept"`)
  })

  test("dates are in the reader's own time zone with a script, and in UTC without", async () => {
    const date = `document.querySelector("time").textContent`
    await page.goTo(server.url + pagePath("program", "en", "plain"))
    await page.until(`!${date}.includes("UTC")`)
    await page.emulate({ scripts: false })
    await page.goTo(server.url + pagePath("program", "en", "plain"))
    expect(await page.evaluate(date)).toBe("May 31, 2026 at 11:59 PM UTC")
    await page.emulate({ scripts: true })
  })

  describe("without scripts", () => {
    beforeAll(() => page.emulate({ scripts: false, size: sizes.phone }))
    afterAll(() => page.emulate({ scripts: true }))

    test("the program leads to the form, and a form of another page is refused in it", async () => {
      await page.goTo(server.url + pagePath("program", "en", "plain"))
      await page.follow("a.button.main")
      expect(await page.evaluate("document.body.dataset.page")).toBe("apply")
      // The token of the fixture is not the browser's.
      await page.follow("button.main")
      await page.until(`document.querySelector(".summary")?.textContent.includes("came from our page")`)
    })

    test("a change of the language keeps the page", async () => {
      await page.goTo(`${server.url}${pagePath("program", "en", "plain")}/apply`)
      await page.follow(".languages a")
      expect(await page.evaluate("location.pathname")).toMatch(/\/apply$/u)
    })
  })
})
