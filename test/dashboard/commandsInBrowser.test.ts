import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { axe, runAxe } from "../support/axe.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { movableClock } from "../support/movableClock.ts"
import { useTestApp } from "../support/TestApp.ts"
import { arrangeDispatches } from "../server/dispatches/arrangeDispatches.ts"
import { commandSweeps } from "../server/commands/arrangeConfirmations.ts"
import { arrangeDirect } from "../server/readings/ingest/arrangeDirect.ts"
import { screenshotPath } from "./arrangeDashboard.ts"
import { openContext, phone, Record, settled, signIn, startChromium } from "./browser.ts"

const rated = { capacity: 10_000, maxChargeRate: 4000, maxDischargeRate: 5000 }
const idle = {
  chargingState: "idle",
  charge: 6000,
  chargePercentage: 60,
  whConsumed: null,
  chargeRate: 0,
  backupReserve: 20,
  gridPower: 600
}

describeServer("Chromium", hasChromium(), "commands and dispatches in a browser", () => {
  const clock = movableClock(Date.now())
  const app = useTestApp({ own: true, clock })
  const record = new Record(app.url)
  let browser: Browser
  let clicks = 0
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  const open = async (key: string): Promise<Page> => {
    const context = await openContext(browser, record, { viewport: { width: 1280, height: 720 } })
    const page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, key)
    clicks = 0
    return page
  }
  const click = async (page: Page, role: "link" | "button" | "tab" | "radio", name: string | RegExp) => {
    clicks += 1
    await page.getByRole(role, { name }).first().click()
  }
  const check = async (page: Page, name: string) => {
    await page.evaluate(axe)
    for (const [device, size] of [
      ["desktop", { width: 1280, height: 720 }],
      ["phone", phone]
    ] as const) {
      await page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        const path = screenshotPath(`${name}-${colorScheme}-${device}`)
        if (path !== undefined) await page.screenshot({ path, fullPage: true })
        expect(await page.evaluate(runAxe), `${name}, ${device}, ${colorScheme}`).toEqual([])
      }
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  }

  test("a battery is discharged and its effect is seen in 5 clicks, without export", async () => {
    const place = await arrangeDirect(app)
    const { confirm } = commandSweeps(app)
    const device = await place.device("battery")
    await app.sql(
      (sql) =>
        sql`UPDATE devices SET static_state = ${JSON.stringify(rated)}::jsonb WHERE id = ${device.id} RETURNING 1`
    )
    const report = async (state: object) => {
      const body = { state: { ...idle, ...state } }
      const { status, text } = await app.call("POST", `/devices/${device.id}/telemetry`, { key: place.key, body })
      expect(status, text).toBe(200)
    }
    await report({})
    const page = await open(place.keys.MANAGEMENT)

    await click(page, "link", "Fleet")
    await click(page, "link", new RegExp(device.name))
    await click(page, "tab", "Commands")
    await click(page, "radio", "Discharge")
    const forecast = page.locator(".command-forecast")
    await expect
      .poll(() => forecast.innerText())
      .toMatch(/The home uses 600\sW and export is off: the battery would deliver 600\sW\./)
    expect(await forecast.innerText()).toMatch(/By the newest readings: Battery/)
    // Only fields of the mode are there, and export is off.
    const labels = await page.locator("form .field label, form label.check").allInnerTexts()
    expect(labels.join("; ")).toContain("Allow export to the grid")
    expect(labels.join("; ")).toContain("Stop discharging at (%)")
    expect(labels.join("; ")).not.toContain("Stop charging at")
    expect(await page.getByLabel("Allow export to the grid").isChecked()).toBe(false)
    await check(page, "command-form")
    await click(page, "button", "Send")

    const effect = page.locator(".command-effect")
    await expect.poll(() => effect.innerText()).toMatch(/Asked\s+Mode: Discharge[\s\S]*No reading since/)
    const taken = await app.call("GET", `/devices/${device.id}/commands?status=pending`, { key: place.key })
    expect(taken.body.data).toMatchObject([{ input: { operatingMode: "discharge" } }])
    expect(taken.body.data[0].input).not.toHaveProperty("enableGridInteraction")
    clock.move(5000)
    await report({ chargingState: "discharging", chargeRate: 600, gridPower: 0 })
    await confirm()
    await expect.poll(() => effect.innerText(), { timeout: 20_000 }).toMatch(/Confirmed[\s\S]*Discharging, 600\sW/)
    expect(clicks).toBe(5)
    await check(page, "command-effect")
    await page.context().close()
  })

  test("a dispatch that begins in 10 minutes is made in 4 clicks, after its preview", async () => {
    const { home, instance, keys, now, report, call } = await arrangeDispatches(app, clock)
    const made = await home({ staticState: rated })
    await report(made.deviceId, { at: new Date(now()), state: idle })
    const full = await home({ staticState: rated })
    await report(full.deviceId, { at: new Date(now()), state: { ...idle, chargePercentage: 20 } })
    const page = await open(keys.MANAGEMENT)

    await click(page, "link", "Dispatches")
    await settled(page)
    await click(page, "button", "New dispatch")
    const forecast = page.locator(".dispatch-forecast")
    await expect
      .poll(() => forecast.innerText())
      .toMatch(
        /It reaches 1 of 2 sites by their present charge and limits\. Batteries would deliver 600\sW, 600\sWh in all\./
      )
    expect(await forecast.innerText()).toContain("the battery is at the charge at which discharging stops")
    await click(page, "radio", "In 10 minutes")
    await check(page, "dispatch-form")
    await click(page, "button", "Schedule dispatch")
    await expect.poll(() => page.url()).toMatch(/dashboard\/dispatches\/\w{20,}/)
    expect(clicks).toBe(4)
    const { body } = await call("GET", `/v1/programInstances/${instance.id}/dispatches`)
    expect(body.data).toMatchObject([
      {
        status: "scheduled",
        intervals: [{ durationSeconds: 3600, actions: { battery: { operatingMode: "discharge" } } }]
      }
    ])
    // The start is at a whole minute.
    const minutes = (Date.parse(body.data[0].startsAt) - now()) / 60_000
    expect(minutes).toBeGreaterThan(9)
    expect(minutes).toBeLessThanOrEqual(11)
    await page.context().close()
  })

  test("a program's states are chosen by name, and its condition is built by fields, in groups too, and told in words", async () => {
    const place = await arrangeDirect(app)
    const page = await open(place.keys.MANAGEMENT)
    await page.goto(`${app.url}/dashboard/programs`)
    await settled(page)
    await page.getByRole("button", { name: "New program" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Hot evenings")
    await dialog.getByRole("textbox", { name: /Slug/ }).fill(`hot-${place.workspaceId}`)
    await dialog.getByRole("button", { name: "Add a rule" }).click()
    await dialog.getByLabel("Value").selectOption("battery")
    await dialog.getByRole("button", { name: "Add a rule" }).click()
    await dialog.getByLabel("Attribute").last().selectOption("capacity")
    await dialog.getByLabel("Value").last().fill("5000")
    await dialog.getByText("All states", { exact: true }).click()
    for (const state of ["Nevada", "California"]) await dialog.getByLabel(state, { exact: true }).check()
    await check(page, "program-form")
    await dialog.getByRole("button", { name: "Create" }).click()
    await dialog.waitFor({ state: "detached" })
    const row = page.getByRole("row", { name: /Hot evenings/ })
    const condition = "The type is Battery and The battery capacity (Wh) is at least 5000"
    await expect.poll(() => row.innerText()).toContain(condition)
    const path = `/v1/programs/hot-${place.workspaceId}`
    const stored = async () => (await app.call("GET", path, { key: place.keys.MANAGEMENT })).body
    const rules = [
      { attribute: "type", operator: "eq", value: "battery" },
      { attribute: "staticState.capacity", operator: "gte", value: 5000 }
    ]
    expect(await stored()).toMatchObject({ states: ["NV", "CA"], eligibility: { all: rules } })

    const change = async () => {
      await page.getByRole("button", { name: "Change Hot evenings" }).click()
      await dialog.waitFor()
    }
    await change()
    await dialog.getByRole("button", { name: "Add a group" }).click()
    const group = dialog.getByRole("group", { name: "Group 3" })
    for (const [index, tag] of ["pilot", "early"].entries()) {
      await group.getByLabel("Attribute").nth(index).selectOption("tag")
      await group.getByLabel("Value").nth(index).fill(tag)
    }
    await check(page, "program-groups")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    await expect
      .poll(() => row.innerText())
      .toContain(`${condition} and (It has the tag pilot or It has the tag early)`)
    const tags = ["pilot", "early"].map((value) => ({ attribute: "tags", operator: "contains", value }))
    expect(await stored()).toMatchObject({ states: ["NV", "CA"], eligibility: { all: [...rules, { any: tags }] } })

    const deep = { not: { any: tags } }
    await app.call("PATCH", path, { key: place.keys.MANAGEMENT, body: { eligibility: deep } })
    await page.reload()
    await settled(page)
    await expect.poll(() => row.innerText()).toContain("not (tags contains pilot or tags contains early)")
    await change()
    await dialog.getByText("Edit as JSON").click()
    await dialog.getByLabel("Condition as JSON").fill("{")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Must be criteria in JSON.").waitFor()
    await dialog.getByLabel("Condition as JSON").fill(JSON.stringify({ not: tags[0] }))
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    expect(await stored()).toMatchObject({ states: ["NV", "CA"], eligibility: { not: tags[0] } })
    await page.context().close()
  })
})
