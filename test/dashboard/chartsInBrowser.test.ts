import { readFileSync } from "node:fs"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { arrangeMetrics, states } from "../server/metrics/arrangeMetrics.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { useTestApp } from "../support/TestApp.ts"
import { screenshotPath } from "./arrangeDashboard.ts"
import { checkLooks, openContext, Record, settled, signIn, startChromium } from "./browser.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A time zone in which it is about noon, so that today has a past and a future. */
const noonZone = () => {
  const hours = 12 - new Date().getUTCHours()
  return `Etc/GMT${hours > 0 ? `-${hours}` : `+${-hours}`}`
}

describeServer("Chromium", hasChromium(), "the charts in a browser that keeps left pages", () => {
  const app = useTestApp()
  const now = Math.floor(Date.now() / MINUTE) * MINUTE
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  let battery: string
  let siteId: string
  let alertId: string

  beforeAll(async () => {
    browser = await startChromium({ keepsPages: true })
    const place = await arrangeMetrics(app)
    siteId = (await place.site({ timezone: noonZone() })).id
    const staticState = { capacity: 10_000, maxChargeRate: 5000, maxDischargeRate: 5000 }
    const commands = ["battery:set-reserve"]
    battery = await place.device({ siteId, type: "battery", name: "Garage battery", staticState, commands })
    const inverter = await place.device({ siteId, name: "Roof" })
    // Every five minutes for two days, and a discharge of five minutes two hours ago.
    const times = Array.from({ length: 576 }, (_, index) => now - (575 - index) * 5 * MINUTE)
    const isCommanded = (time: number) => time === now - 2 * HOUR
    await place.send(
      battery,
      times.map((time) => {
        const more = { charge: 5000, chargePercentage: 50, chargeRate: isCommanded(time) ? 4321 : -100, loadPower: 900 }
        return [time, states.battery(more)]
      })
    )
    await place.send(
      inverter,
      times.map((time) => [time, { power: 1000 }])
    )
    const body = { title: "Fan is slow", severity: "WARNING", type: "HARDWARE_FAULT", siteId, deviceId: battery }
    const alert = await place.call("POST", "/v1/alerts", { ...body, sourceSystem: "scada" })
    expect(alert.status, alert.text).toBe(201)
    alertId = alert.body.id
    const reserve = { type: "battery:set-reserve", input: { chargePercentage: 30 } }
    const sent = await place.call("POST", `/v1/devices/${battery}/commands`, reserve)
    expect(sent.status, sent.text).toBe(201)
    record = new Record(app.url)
    context = await openContext(browser, record, { viewport: { width: 1280, height: 900 }, acceptDownloads: true })
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, place.keys.MANAGEMENT)
  })
  afterAll(() => browser?.close())

  const open = async (path: string) => {
    await page.goto(app.url + path)
    await settled(page)
  }
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).first()
  const search = () => Object.fromEntries(new URL(page.url()).searchParams)
  const canvas = () => page.locator(".chart-frame canvas").first()
  /** Counts the clicks of a task. */
  const clicking = () => {
    let clicks = 0
    return { click: async (target: Locator) => void (await target.click(), clicks++), count: () => clicks }
  }
  const saved = async (act: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent("download"), act()])
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) }
  }
  const drag = async (from: number, to: number) => {
    await canvas().scrollIntoViewIfNeeded()
    const { height, width, x, y } = (await canvas().boundingBox())!
    // The plot lies within these margins.
    const at = (share: number) => x + 64 + share * (width - 64 - 32)
    await page.mouse.move(at(from), y + height / 2)
    await page.mouse.down()
    await page.mouse.move(at((from + to) / 2), y + height / 2, { steps: 3 })
    await page.mouse.move(at(to), y + height / 2, { steps: 3 })
    await page.mouse.up()
  }

  test("another day is laid over today with two clicks", async () => {
    await open("/")
    const { click, count } = clicking()
    await click(page.getByRole("link", { name: "Energy", exact: true }))
    await click(button("Day before"))
    await page
      .locator(".legend")
      .getByText(/^Generated, /)
      .waitFor()
    await page
      .locator(".legend")
      .getByText(/^Used, /)
      .waitFor()
    expect(count()).toBe(2)
    expect(search()).toMatchObject({ over: "day" })
  })

  test("a month is saved as CSV with at most four clicks", async () => {
    await open("/")
    const { click, count } = clicking()
    await click(page.getByRole("link", { name: "Energy", exact: true }))
    await click(button("Month"))
    await page.getByRole("heading", { name: "Energy by day" }).waitFor()
    const { content } = await saved(() => click(button("Save as CSV")))
    expect(count()).toBeLessThanOrEqual(4)
    const lines = content.toString().trim().split("\r\n")
    expect(lines[0]).toBe("time,Generated (Wh),Discharged (Wh),Used (Wh),Charged (Wh)")
    expect(lines.length).toBeGreaterThanOrEqual(29)
  })

  describe("on the page of a device", () => {
    const path = () => `/dashboard/devices/${battery}`

    test("show a command of five minutes today and in the last seven days, and save what they show", async () => {
      for (const range of ["6h", "7d"]) {
        await open(`${path()}?unit=${range}`)
        const { content, name } = await saved(() => button("Save as CSV").click())
        const rows = content.toString().split("\r\n")
        expect(rows[0]).toMatch(/^time,Battery power \(W\),/)
        expect(rows.filter((row) => row.split(",")[1] === "4321")).toHaveLength(1)
        expect(name).toMatch(/^Power-.*\.csv$/)
      }
      const { content, name } = await saved(() => button("Save as PNG").click())
      expect(name).toMatch(/\.png$/)
      expect(content.subarray(1, 4).toString()).toBe("PNG")
      expect(content.length).toBeGreaterThan(10_000)
    })

    test("zoom in by dragging, in all charts of the page, and a key leads back step by step", async () => {
      await open(`${path()}?unit=day&over=day`)
      const before = search()
      await drag(0.25, 0.5)
      await expect.poll(() => search()["unit"]).toBe("span")
      const first = search()
      const length = Date.parse(first["to"]!) - Date.parse(first["from"]!)
      expect(length).toBeGreaterThan(5.5 * HOUR)
      expect(length).toBeLessThan(6.5 * HOUR)
      await settled(page)
      await drag(0.2, 0.6)
      await expect.poll(() => search()["from"]).not.toBe(first["from"])
      await page.getByRole("group", { name: "From" }).getByRole("spinbutton").first().focus()
      await page.keyboard.press("Backspace")
      expect(search()["from"]).not.toBe(first["from"])
      await page.locator("h1").click()
      await page.keyboard.press("Backspace")
      await expect.poll(search).toEqual(first)
      await page.keyboard.press("Escape")
      await expect.poll(search).toEqual(before)
      await page.keyboard.press("Escape")
      await page.goForward()
      await expect.poll(search).toEqual(first)
      await button(/Zoom out/).click()
      await expect.poll(search).toEqual(before)
    })

    test("tell the value, its age and its colour at the pointer, and of the other day at the same time", async () => {
      await open(`${path()}?unit=6h&over=day`)
      await page
        .locator(".legend")
        .getByText(/^Battery power, /)
        .waitFor()
      await canvas().scrollIntoViewIfNeeded()
      const { height, width, x, y } = (await canvas().boundingBox())!
      const share = 1 - (Math.ceil(Date.now() / MINUTE) * MINUTE - (now - 2 * HOUR)) / (6 * HOUR)
      await page.mouse.move(x + 64 + (width - 96) * share, y + height / 2)
      const tip = page.locator(".chart-tip").first()
      await expect.poll(() => tip.innerText()).toMatch(/ · 2 hr\. ago\nBattery power: 4\.32\skW\n/)
      expect(await tip.innerText()).toMatch(/Battery power, .*: -100\sW/)
      const colors = (await page.evaluate(
        `[...document.querySelectorAll(".chart-tip .legend-mark")].map((mark) => getComputedStyle(mark).backgroundColor)`
      )) as ReadonlyArray<string>
      expect(new Set(colors).size).toBeGreaterThan(1)
      expect(colors).not.toContain("rgba(0, 0, 0, 0)")
    })

    test("have bands that lead to their alert and command, and the browser's way back leads to the same chart", async () => {
      await open(`${path()}?unit=1h`)
      await page.getByRole("link", { name: "Fan is slow" }).last().waitFor()
      await page.locator(".chart-bands").getByRole("link", { name: "Fan is slow" }).click()
      await expect.poll(search).toMatchObject({ alert: alertId })
      await page.goBack()
      await expect.poll(search).toMatchObject({ unit: "1h" })
      await page
        .locator(".chart-bands")
        .getByRole("link", { name: /^Command: / })
        .click()
      await expect.poll(() => new URL(page.url()).pathname).toBe("/dashboard/commands")
    })

    test("have no violation of WCAG 2.2 AA with everything shown", async () => {
      await open(`${path()}?unit=6h&over=week`)
      for (const offset of [0, 1, 2, 3])
        expect(await checkLooks(page, offset, () => undefined), `look ${offset}`).toEqual([])
      const picture = screenshotPath("charts-device")
      if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true })
      expect(record.takeComplaints()).toEqual([])
    })
  })

  test("the energy of a site has the charge of its batteries beneath, in percent", async () => {
    await open(`/dashboard/energy?site=${siteId}`)
    await page.getByRole("heading", { name: "State of charge" }).waitFor()
    const { content } = await saved(() => page.getByRole("button", { name: "Save as CSV" }).last().click())
    const rows = content.toString().trim().split("\r\n")
    expect(rows[0]).toBe("time,State of charge (%)")
    expect(rows[1]).toMatch(/,50$/)
    for (const offset of [0, 1, 2, 3])
      expect(await checkLooks(page, offset, () => undefined), `look ${offset}`).toEqual([])
    expect(record.takeComplaints()).toEqual([])
  })
})
