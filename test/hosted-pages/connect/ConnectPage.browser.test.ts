import { join } from "node:path"
import type { Language } from "@edp/domain/shared/Language"
import type { FlowResult } from "@edp/server/connections/flow/ConnectFlow"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Browser, hasChromium, isPage, openBrowser, type Page } from "../../support/chromium.ts"
import { axe, runAxe } from "../../support/axe.ts"
import { type Brand, describeLooks, logo, sizes } from "../../support/hosted-pages/describeLooks.ts"
import { describeServer } from "../../support/describeServer.ts"
import { eventually } from "../../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../../support/guardedFolder.ts"
import { branded, fixtures, fixtureView } from "./fixtures.ts"
import { type PagesServer, startPages } from "../../support/hosted-pages/PagesServer.ts"
import { ScriptedFlow } from "../../support/hosted-pages/ScriptedFlow.ts"

/** Interventions and reasons come from adapters, in the adapters' words. */
const pagePath = (name: string, language: Language, brand: Brand) => `/connect/fixture_${name}_${language}_${brand}`

describeServer("Chromium", hasChromium(), "the connect pages in a browser", () => {
  let folder: GuardedFolder
  let server: PagesServer
  let browser: Browser
  let page: Page
  const scripted = new ScriptedFlow(({ token }) =>
    Effect.sync((): FlowResult => {
      const [, name, language, brand] = /^fixture_(.+)_(en|es|de)_(plain|branded)$/.exec(token!)!
      const context = { language: language as Language, ...(brand === "branded" && branded) }
      return { kind: "view", view: fixtureView(name!, context) }
    })
  )
  beforeAll(async () => {
    folder = await guardedFolder("edp-pages")
    server = await startPages(scripted.flow, {
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

  const violations = async () => {
    await page.evaluate(axe)
    return page.evaluate(runAxe)
  }

  test("the checker finds a control without a label, and text without contrast", async () => {
    await page.goTo(server.url + pagePath("customer", "en", "plain"))
    await page.evaluate(`document.querySelector("label").remove(), document.querySelector("h1").style.color = "#eee"`)
    expect(await violations()).toEqual([
      expect.stringMatching(/^color-contrast: <h1/),
      expect.stringMatching(/^label: <input id="field-firstName"/)
    ])
  })

  describeLooks(
    fixtures.map(({ name }) => name),
    () => page,
    (name, language, brand) => page.goTo(server.url + pagePath(name, language, brand))
  )

  test("the decision is in view on a phone before anything is scrolled, and below what it is about at the end", async () => {
    await page.emulate({ size: sizes.phone, scheme: "light" })
    await page.goTo(server.url + pagePath("consent", "en", "plain"))
    const isInView = `(() => {
      const { bottom, top } = document.querySelector("button[name=granted]").getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight && document.documentElement.scrollHeight > innerHeight
    })()`
    expect(await page.evaluate(isInView)).toBe(true)
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    expect(await page.evaluate(isInView)).toBe(true)
  })

  test("no request left the pages' origin, and their policy allowed everything", () => {
    expect(page.requests.length).toBeGreaterThan(fixtures.length)
    expect([...new Set(page.requests.map((url) => new URL(url).origin))]).toEqual([server.url])
    expect(page.complaints.filter((text) => !/status of (404|410|422)/.test(text))).toEqual([])
  })

  describe("by keyboard", () => {
    /** The elements that the Tab key reaches, by their name or text. */
    const tabOrder = async () => {
      const reached: Array<string> = []
      for (;;) {
        await page.press("Tab")
        const now = await page.evaluate(
          `document.activeElement === document.body ? "" : document.activeElement.name || document.activeElement.textContent.trim()`
        )
        if (now === "" || reached.length > 40) return reached
        reached.push(now)
      }
    }

    test("a form is gone through from top to bottom", async () => {
      await page.goTo(server.url + pagePath("customer", "en", "plain"))
      const person = ["firstName", "lastName", "email", "phone"]
      const address = ["streetOne", "streetTwo", "city", "state", "postalCode", "country"]
      expect(await tabOrder()).toEqual([...person, ...address, "Continue", "Cancel", "Español", "Deutsch"])
    })

    test("the focus is visible on everything that it reaches", async () => {
      for (const name of ["manufacturers", "system", "consent", "form", "waiting-dial", "waiting-steps"]) {
        await page.goTo(server.url + pagePath(name, "en", "branded"))
        for (;;) {
          await page.press("Tab")
          const outline = await page.evaluate(`(() => {
            const at = document.activeElement
            if (at === document.body) return "end"
            const shown = at.type === "checkbox" ? getComputedStyle(at.nextElementSibling, "::after") : getComputedStyle(at)
            return shown.outlineStyle + " " + shown.outlineWidth
          })()`)
          if (outline === "end") break
          expect(outline).toBe("solid 3px")
        }
      }
    })

    test("the summary of problems has the focus, and its links lead to the fields", async () => {
      await page.goTo(server.url + pagePath("customer-problems", "en", "plain"))
      await page.until(`document.activeElement.classList.contains("summary")`)
      await page.press("Tab")
      await page.press("Enter")
      await page.until(`document.activeElement.name === "lastName"`)
    })
  })

  describe("with a script", () => {
    test("a waiting page goes on as soon as the session does", async () => {
      const waiting = scripted.respond
      await page.goTo(server.url + pagePath("waiting", "en", "plain"))
      scripted.respond = () => Effect.succeed({ kind: "view", view: fixtureView("system") })
      await page.until(isPage("system"))
      scripted.respond = waiting
    })

    test("a waiting page asks one question at a time, so that a late response does not stop it from going on", async () => {
      await page.goTo(server.url + pagePath("waiting", "en", "plain"))
      await page.evaluate("{ const ask = fetch; window.fetch = (...all) => (window.asked++, ask(...all)) }")
      const show = `document.dispatchEvent(new Event("visibilitychange"))`
      // While an earlier question is open, none of these is asked.
      await page.until(`(window.asked = 0, ${show}, ${show}, window.most = asked, most > 0)`)
      expect(await page.evaluate("most")).toBe(1)
    })

    test("a second click sends nothing while the first waits for its response", async () => {
      const respond = scripted.respond
      await page.goTo(server.url + pagePath("consent", "en", "plain"))
      scripted.calls.length = 0
      const answered = Promise.withResolvers<FlowResult>()
      scripted.respond = (call) => (call.method === "consent" ? Effect.promise(() => answered.promise) : respond(call))
      const called = (name: string) => scripted.calls.filter(({ method }) => method === name)
      // The page itself tells when it has clicked: Chromium evaluates nothing for others while a page is being left.
      await page.evaluate(`{
        const click = () => document.querySelector("[value=yes]").click()
        const tell = () => fetch(location.href)
        click()
        // The page may have been loading still.
        dispatchEvent(new PageTransitionEvent("pageshow"))
        tell().then(click).then(tell)
      }`)
      await eventually("the page has clicked twice", () => called("open")[1])
      answered.resolve({ kind: "view", view: fixtureView("system") })
      scripted.respond = () => Effect.succeed({ kind: "view", view: fixtureView("system") })
      await page.until(isPage("system"))
      scripted.respond = respond
      expect(called("consent")).toHaveLength(1)
    })
  })

  describe("without scripts", () => {
    beforeAll(() => page.emulate({ scripts: false, size: sizes.phone }))
    afterAll(() => page.emulate({ scripts: true }))

    test("a waiting page asks again by itself", async () => {
      scripted.respond = () => Effect.succeed({ kind: "view", view: fixtureView("waiting") })
      await page.goTo(`${server.url}/connect/fixture_waiting_en_plain`)
      scripted.respond = () => Effect.succeed({ kind: "view", view: fixtureView("done") })
      await page.until(isPage("done"))
    })

    test("a form is sent by a click and shows what comes next, and a reload does not send it again", async () => {
      scripted.respond = ({ method }) =>
        Effect.succeed({ kind: "view", view: fixtureView(method === "consent" ? "waiting" : "consent") })
      await page.goTo(`${server.url}/connect/fixture_consent_en_plain`)
      await page.until(isPage("consent"))
      scripted.respond = () => Effect.succeed({ kind: "view", view: fixtureView("system") })
      scripted.calls.length = 0
      await page.follow("[value=yes]")
      await page.until(isPage("system"))
      await page.reload()
      expect(await page.evaluate("location.pathname")).toBe("/connect/fixture_consent_en_plain")
      expect(scripted.calls.map(({ method }) => method)).toEqual(["consent", "open", "open"])
    })

    test("the page that leads elsewhere goes there by itself", async () => {
      scripted.respond = () =>
        Effect.succeed({ kind: "redirect", url: `${server.url}/connect/elsewhere`, external: true })
      await page.goTo(`${server.url}/connect/fixture_consent_en_plain`)
      await page.until(`location.pathname === "/connect/elsewhere"`)
    })
  })
})
