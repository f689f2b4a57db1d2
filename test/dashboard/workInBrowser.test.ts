import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { arrangeSchedules, charge, rule } from "../server/schedules/arrangeSchedules.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { useTestApp } from "../support/TestApp.ts"
import { checkLooks, openContext, Record, settled, signIn, startChromium } from "./browser.ts"

describeServer("Chromium", hasChromium(), "work on devices in the dashboard", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  let place: Awaited<ReturnType<typeof arrangeSchedules>>
  let garage: string

  beforeAll(async () => {
    browser = await startChromium()
    place = await arrangeSchedules(app)
    garage = await place.battery({ name: "Garage", tags: ["fleet"] })
    record = new Record(app.url)
    context = await openContext(browser, record, { viewport: { width: 1280, height: 720 } })
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, place.keys.MANAGEMENT)
  })
  afterAll(() => browser?.close())

  /** Counts the clicks of a task. */
  const clicking = () => {
    let clicks = 0
    return { click: async (target: Locator) => void (await target.click(), clicks++), count: () => clicks }
  }
  const open = async (path: string) => {
    await page.goto(app.url + path)
    await settled(page)
  }
  const dialog = () => page.getByRole("dialog")
  const card = (title: string) => page.locator(".card").filter({ has: page.getByRole("heading", { name: title }) })
  const expectAccessible = async () => {
    for (const offset of [0, 1, 2, 3]) expect(await checkLooks(page, offset, () => undefined)).toEqual([])
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize({ width: 1280, height: 720 })
  }
  const schedules = async () => (await place.call("GET", "/v1/schedules")).body.data

  test("a schedule of a device is made in six clicks from the overview, as the form shows it", async () => {
    await open("/")
    const { click, count } = clicking()
    await click(page.getByRole("navigation").getByRole("link", { name: "Schedules" }))
    await click(page.getByRole("button", { name: "New schedule" }).first())
    await dialog().getByLabel("Name").and(page.locator(":focus")).waitFor()
    await page.keyboard.type("Nights")
    await click(dialog().getByRole("combobox", { name: "Device", exact: true }))
    await click(dialog().getByRole("option", { name: "Garage" }))
    const first = dialog().getByRole("group", { name: "Rule 1" })
    await click(first.getByRole("radio", { name: "Charge", exact: true }))
    await first.getByLabel("Stop charging at").fill("90")
    await first.getByRole("group", { name: "Until" }).getByRole("spinbutton").first().focus()
    await page.keyboard.type("530a")
    await click(dialog().getByRole("button", { name: "Save the schedule" }))
    await page.getByText("The schedule was created.").waitFor()
    expect(count()).toBe(6)
    const [stored] = await schedules()
    expect(stored).toMatchObject({ name: "Nights", target: { deviceId: garage }, deviceType: "battery", enabled: true })
    const everyDay = [0, 1, 2, 3, 4, 5, 6]
    const mode = { operatingMode: "charge", maximumBatteryReserve: 90 }
    expect(stored.rules).toEqual([{ daysOfWeek: everyDay, startTime: "22:00", endTime: "05:30", mode }])
    expect(stored.defaultMode).toBeNull()
    await page.getByRole("row", { name: /Nights.*Garage/ }).waitFor()
  })

  test("rules that overlap and a time zone that does not exist are refused at their fields", async () => {
    const before = (await schedules()).length
    await open("/dashboard/schedules?edit=new")
    await dialog().getByLabel("Name").fill("Twice")
    await dialog().getByLabel("Devices").selectOption("tag")
    await dialog().getByLabel("Tag").fill("fleet")
    await dialog().getByRole("button", { name: "Add a rule" }).click()
    for (const name of ["Rule 1", "Rule 2"]) {
      await dialog().getByRole("group", { name }).getByRole("radio", { name: "Charge", exact: true }).click()
    }
    await dialog().getByLabel("Time zone").fill("Nowhere/Land")
    await dialog().getByRole("button", { name: "Save the schedule" }).click()
    await dialog().getByText("Holds at the same time as rule 1.").waitFor()
    await dialog().getByText("Must be a time zone").waitFor()
    expect(await schedules()).toHaveLength(before)
    await expectAccessible()
  })

  test("the week shows each mode where it holds, and a change keeps what it does not touch", async () => {
    const [{ id }] = await schedules()
    await open(`/dashboard/schedules?schedule=${id}`)
    const days = dialog().locator(".schedules-week ol > li")
    await days.first().waitFor()
    expect(await days.count()).toBe(7)
    expect(await days.first().innerText()).toMatch(/00:00–05:30 Mode: Charge[^]*22:00–00:00 Mode: Charge/)
    const changes = dialog().locator(".schedules-changes li")
    await expect.poll(() => changes.count()).toBe(10)
    await expect.poll(async () => (await changes.allInnerTexts()).join()).not.toContain("outside of the rules")
    await expectAccessible()
    await dialog().getByRole("button", { name: "Change" }).click()
    await dialog().getByRole("group", { name: "Outside of the rules" }).getByLabel("Mode").selectOption("idle")
    await dialog().getByRole("button", { name: "Save the schedule" }).click()
    await page.getByText("The schedule was changed.").waitFor()
    const [changed] = await schedules()
    expect(changed).toMatchObject({ id, name: "Nights", defaultMode: { operatingMode: "idle" } })
    expect(changed.rules[0].mode).toEqual({ operatingMode: "charge", maximumBatteryReserve: 90 })
    await expect.poll(async () => (await changes.allInnerTexts()).join()).toContain("outside of the rules")
  })

  test("the page says which schedule a device follows and why, and a paused one gives way", async () => {
    await place.create({ name: "Of the tag", target: { tag: "fleet" }, rules: [rule("22:00", "06:00", charge)] })
    await open("/dashboard/schedules")
    const followed = card("Which schedule does a device follow?")
    await followed.getByLabel("Device").fill("Gar")
    await followed.getByRole("option", { name: "Garage" }).click()
    const order = followed.locator(".schedules-order > li")
    await expect
      .poll(() => order.allInnerTexts())
      .toEqual([
        expect.stringMatching(/Followed[^]*Nights[^]*device's own/),
        expect.stringMatching(/Not followed[^]*Of the tag[^]*has its own/)
      ])
    await expectAccessible()
    await order.first().getByRole("button", { name: "Nights" }).click()
    await dialog().getByRole("button", { name: "Pause" }).click()
    await page.getByText("The schedule is paused.").waitFor()
    await page.keyboard.press("Escape")
    await expect
      .poll(() => order.allInnerTexts())
      .toEqual([expect.stringMatching(/Followed[^]*Of the tag[^]*newest of the device's tags/)])
    await page.getByLabel("State").selectOption("false")
    await page.getByRole("row", { name: /Nights/ }).waitFor()
    expect(await page.getByRole("row", { name: /Of the tag/ }).count()).toBe(0)
    expect(record.takeComplaints()).toEqual([])
  })

  test("a collection by criteria shows its members before it is saved, refuses what the service would, and is changed and deleted", async () => {
    await place.battery({ name: "Attic" })
    await open("/dashboard/collections")
    await page.getByRole("button", { name: "New collection" }).first().click()
    await dialog().getByLabel("Name").fill("Of the name")
    await dialog().getByRole("button", { name: "Add a rule" }).click()
    const first = dialog().getByRole("group", { name: "Rule 1" })
    await first.getByLabel("Attribute").fill("colour")
    await first.getByLabel("Value").fill("Attic")
    await dialog().getByRole("button", { name: "Save the collection" }).click()
    await first.getByText("There is no such attribute.").waitFor()
    await first.getByLabel("Attribute").fill("name")
    await dialog().getByText("Attic (1 in all)").waitFor()
    await expectAccessible()
    await dialog().getByRole("button", { name: "Save the collection" }).click()
    await page.getByRole("heading", { name: "Of the name" }).waitFor()
    await card("Members").getByRole("link", { name: "Attic" }).waitFor()
    const [stored] = (await place.call("GET", "/v1/collections")).body.data
    expect(stored).toMatchObject({
      name: "Of the name",
      dynamic: true,
      criteria: { all: [{ attribute: "name", operator: "eq", value: "Attic" }] }
    })
    await page.getByRole("button", { name: "Change" }).click()
    await dialog().getByRole("group", { name: "Rule 1" }).getByLabel("Condition").selectOption("ne")
    await dialog().getByRole("button", { name: "Save the collection" }).click()
    await card("Members").getByRole("link", { name: "Garage" }).waitFor()
    expect(await card("Members").getByRole("link", { name: "Attic" }).count()).toBe(0)
    await page.getByRole("button", { name: "Delete" }).click()
    await dialog()
      .getByLabel(/^Type .* to confirm/)
      .fill("Of the name")
    await dialog().getByRole("button", { name: "Delete the collection" }).click()
    await page.getByText("No collections yet").waitFor()
    expect((await place.call("GET", "/v1/collections")).body.data).toEqual([])
  })

  test("a collection is filled one by one", async () => {
    await open("/dashboard/collections?edit=new")
    await dialog().getByLabel("Name").fill("Chosen")
    await dialog().getByLabel("Membership").selectOption("manual")
    await dialog().getByRole("button", { name: "Save the collection" }).click()
    await page.getByText("Add the first one below.").waitFor()
    await page.getByLabel("Add a member").fill("Gar")
    await page.getByRole("option", { name: /Garage/ }).click()
    await card("Members").getByRole("link", { name: "Garage" }).waitFor()
    await expectAccessible()
    await card("Members").getByRole("button", { name: "Remove" }).click()
    await dialog().getByRole("button", { name: "Remove" }).click()
    await page.getByText("Add the first one below.").waitFor()
  })

  test("a command goes to the selected rows, and to all that match, and the page follows the batch to its reasons", async () => {
    await place.device({ type: "meter", name: "Basement meter" })
    await open("/dashboard/fleet")
    for (const name of ["Garage", "Basement meter"]) {
      await page.getByRole("checkbox", { name: new RegExp(name) }).check()
    }
    await page.getByRole("button", { name: "Send a command" }).click()
    await dialog().getByLabel("Command", { exact: true }).selectOption("battery:set-reserve")
    await dialog().getByLabel("Reserve, %").fill("40")
    await expectAccessible()
    await dialog().getByRole("button", { name: "Send", exact: true }).click()
    await page.waitForURL(/\/dashboard\/commands\?.*batch=/)
    const batch = card("Batch").first()
    await batch.getByText("Set the backup reserve").waitFor()
    await batch.locator("summary").click()
    await batch.getByText(/Basement meter.*: it does not take the command/).waitFor()
    const id = new URL(page.url()).searchParams.get("batch")!
    const stored = (await place.call("GET", `/v1/batch-commands/${id}`)).body
    expect(stored).toMatchObject({ total: 1, skippedTotal: 1, input: { chargePercentage: 40 } })
    // The device of direct integration takes its commands by a destination, which the workspace does not have.
    await batch.getByText("Failed").first().waitFor()
    await expectAccessible()

    await open("/dashboard/fleet?type=battery")
    await page.getByRole("checkbox", { name: "Select all devices that match" }).check()
    await page.getByRole("button", { name: "Send a command" }).click()
    const offered = dialog().getByLabel("Command", { exact: true }).locator("option")
    await expect.poll(() => offered.count()).toBe(2)
    await dialog().getByLabel("Command", { exact: true }).selectOption("battery:set-reserve")
    await dialog().getByLabel("Reserve, %").fill("25")
    await dialog().getByRole("button", { name: "Send", exact: true }).click()
    await page.waitForURL(/\/dashboard\/commands\?.*batch=/)
    await card("Batch").first().getByText("Set the backup reserve").waitFor()
    const second = new URL(page.url()).searchParams.get("batch")!
    expect((await place.call("GET", `/v1/batch-commands/${second}`)).body.total).toBe(2)
    await page.getByRole("tab", { name: "Batches" }).click()
    await expect.poll(() => page.getByRole("row", { name: /Battery: Set the backup reserve/ }).count()).toBe(2)
  })

  test("the alert rules show whom they notify, and a destination is notified of new alerts by a click", async () => {
    const url = "http://127.0.0.1:9/hook"
    const { body } = await place.call("POST", "/v1/destinations", {
      destinationType: "WEBHOOK",
      label: "Night shift",
      url,
      eventTypes: ["DEVICE_CONNECTED"]
    })
    await open("/dashboard/alerts?tab=rules")
    const newAlerts = card("Who is notified").getByRole("checkbox", { name: "New alerts: Night shift" })
    expect(await newAlerts.isChecked()).toBe(false)
    await newAlerts.click()
    await page.getByText("The events of Night shift were changed.").waitFor()
    const read = async () => (await place.call("GET", `/v1/destinations/${body.id}`)).body.eventTypes
    expect(await read()).toEqual(["DEVICE_CONNECTED", "ALERT_CREATED"])
    await expect.poll(() => newAlerts.isChecked()).toBe(true)
    await expectAccessible()
    expect(record.takeComplaints()).toEqual([])
  })
})
