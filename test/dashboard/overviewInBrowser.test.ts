import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { axe, runAxe } from "../support/axe.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { seedFleet } from "../support/fleet.ts"
import { seedSite } from "../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { screenshotPath } from "./arrangeDashboard.ts"
import { openContext, phone, Record, settled, signIn, startChromium } from "./browser.ts"

describeServer("Chromium", hasChromium(), "the overview in a browser", () => {
  const app = useTestApp()
  let place: TestWorkspace
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record

  beforeAll(async () => {
    place = await app.workspace()
    await app.run(seedFleet({ workspaceId: place.workspaceId, devices: 400 }))
    await app.sql(
      (sql) => sql`UPDATE devices SET commands = '{battery:set-operating-mode}',
          static_state = '{"capacity": 13500, "maxChargeRate": 5000, "maxDischargeRate": 5000}'
        WHERE workspace_id = ${place.workspaceId} AND type = 'battery'`
    )
    await app.sql(
      (sql) => sql`INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
          disconnected_at, created_at, updated_at)
        SELECT 'caccount', ${place.workspaceId}, slug, 'x', 'ada@example.com', 'user-1', '{}', 'failed', now(), now(), now()
        FROM manufacturers LIMIT 1`
    )
    const made = await app.call("POST", "/v1/destinations", {
      key: place.keys.SERVER,
      body: {
        label: "Billing",
        destinationType: "WEBHOOK",
        url: "https://example.com/hook",
        eventTypes: ["ALERT_CREATED"]
      }
    })
    await app.sql((sql) => sql`UPDATE destinations SET failing_since = now() WHERE id = ${made.body.id}`)
    browser = await startChromium()
    record = new Record(app.url)
    context = await openContext(browser, record, { viewport: { width: 1280, height: 720 } })
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, place.keys.MANAGEMENT)
  })
  afterAll(() => browser?.close())

  test("the sign-in leads to it, and it fits one screen of a desktop and of a phone without a violation of WCAG 2.2 AA", async () => {
    expect(new URL(page.url()).pathname).toBe("/")
    await expect.poll(() => page.locator("h1").innerText()).toBe("Overview")
    await page.evaluate(axe)
    for (const [device, size] of [
      ["desktop", { width: 1280, height: 720 }],
      ["phone", phone]
    ] as const) {
      await page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        const path = screenshotPath(`overview-${colorScheme}-${device}`)
        if (path !== undefined) await page.screenshot({ path, fullPage: true })
        expect(await page.evaluate(runAxe), `${device}, ${colorScheme}`).toEqual([])
        expect
          .soft(await page.evaluate("document.documentElement.scrollHeight"), device)
          .toBeLessThanOrEqual(size.height)
        expect.soft(await page.evaluate("document.documentElement.scrollWidth"), device).toBeLessThanOrEqual(size.width)
      }
    }
    await page.setViewportSize({ width: 1280, height: 720 })
    expect(record.takeComplaints()).toEqual([])
  })

  test("a new reading moves the picture, whose lines stand still for whom movement disturbs", async () => {
    const solar = page.locator(".overview-part.at-solar .overview-part-value")
    const seen = await solar.innerText()
    await app.sql(
      (sql) => sql`UPDATE device_states SET at = now(), state = jsonb_set(state, '{power}', '5000000')
        WHERE device_id = (SELECT id FROM devices WHERE workspace_id = ${place.workspaceId} AND type = 'inverter'
          AND disconnected_at IS NULL ORDER BY id LIMIT 1)`
    )
    await expect.poll(() => solar.innerText()).not.toBe(seen)
    expect(await solar.innerText()).toMatch(/^[5-6][.\d]*\sMW$/)
    const line = page.locator(".overview-line.at-solar .overview-current")
    expect(await line.getAttribute("data-flow")).toBe("in")
    const iterations = () =>
      page.evaluate(
        `getComputedStyle(document.querySelector(".overview-line.at-solar .overview-current")).animationIterationCount`
      )
    expect(await iterations()).toBe("1")
    await page.emulateMedia({ reducedMotion: "no-preference" })
    expect(await iterations()).toBe("infinite")
    await page.emulateMedia({ reducedMotion: "reduce" })
  })

  test("an alert appears by the live stream, and each need leads to its page in one click", async () => {
    const before = await page.getByText(/^Critical alerts:/).innerText()
    const { id: siteId } = await seedSite(app, place.keys.SERVER)
    const { status, text } = await app.call("POST", "/v1/alerts", {
      key: place.keys.SERVER,
      body: { title: "Fire in the cellar", severity: "CRITICAL", type: "SAFETY", siteId, sourceSystem: "scada" }
    })
    expect(status, text).toBe(201)
    await expect.poll(() => page.locator(".overview-need").first().innerText()).toContain("Fire in the cellar")
    expect(await page.getByText(/^Critical alerts:/).innerText()).not.toBe(before)
    for (const [step, address, shown] of [
      ["Look at the alert", /dashboard\/alerts\?.*alert=/, /Fire in the cellar/],
      ["Sign in again", /dashboard\/connections\?.*account=/, /ada@example\.com/],
      ["Look at the destination", /dashboard\/destinations\/\w+/, /example\.com/],
      ["Find the cause", /dashboard\/devices\/\w+/, /offline/i]
    ] as const) {
      await page.getByRole("link", { name: step }).click({ timeout: 10_000 })
      await expect.poll(() => page.url(), { timeout: 10_000 }).toMatch(address)
      await expect.poll(() => page.locator("body").innerText(), { timeout: 10_000, message: step }).toMatch(shown)
      await page.goto(app.url)
      await settled(page)
    }
  })

  test("the figures that nothing is known of say so", async () => {
    const thermostats = page.getByRole("row", { name: /Thermostats/ })
    expect(await thermostats.innerText()).toMatch(/–\s*not reported/)
    const charging = page.getByRole("row", { name: /Charging/ })
    expect(await charging.innerText()).toMatch(/–\s*not controllable/)
  })
})
