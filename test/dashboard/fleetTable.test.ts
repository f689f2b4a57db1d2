import { readFileSync } from "node:fs"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { seedFleet } from "../support/fleet.ts"
import { type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { checkLooks, openContext, Record, settled, signIn, startChromium } from "./browser.ts"

const DEVICES = 300

/** The rows that are wholly in view, with the header of the list, its filters and the title of the page. */
const rowsInView = `(() => {
  const isInView = (element) => {
    const { bottom, top } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight && bottom > top
  }
  const parts = ["h1", ".fleet-counts", ".fleet-filters", ".fleet-head"]
  if (!parts.every((part) => isInView(document.querySelector(part)))) return -1
  const frame = document.querySelector(".virtual-frame").getBoundingClientRect()
  return [...document.querySelectorAll("[data-row]")].filter((row) => {
    const { bottom, top } = row.getBoundingClientRect()
    return isInView(row) && top >= frame.top && bottom <= frame.bottom
  }).length
})()`

describeServer("Chromium", hasChromium(), "the list of the fleet", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  let place: TestWorkspace
  let other: TestWorkspace

  beforeAll(async () => {
    browser = await startChromium()
    place = await app.workspace()
    other = await app.workspace(place.organizationId)
    for (const { workspaceId } of [place, other]) await app.run(seedFleet({ workspaceId, devices: DEVICES }))
    record = new Record(app.url)
    context = await openContext(browser, record, { viewport: { width: 1280, height: 720 } })
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, place.keys.MANAGEMENT)
  })
  afterAll(() => browser?.close())

  const open = async (query = "", workspaceId = place.workspaceId) => {
    await page.goto(`${app.url}/dashboard/fleet?workspace=${workspaceId}${query}`)
    await settled(page)
    await page.waitForSelector("[data-row] a")
  }
  const columns = () => page.locator(".fleet-head [role=columnheader]").allInnerTexts()

  test("shows 15 devices at 1280 by 720 below its filters, also when a filter holds", async () => {
    await open()
    expect(await page.evaluate(rowsInView)).toBeGreaterThanOrEqual(15)
    await page.getByRole("button", { name: /^online/ }).click()
    await page.getByRole("button", { name: "Clear filters" }).waitFor()
    await settled(page)
    expect(await page.evaluate(rowsInView)).toBeGreaterThanOrEqual(15)
  })

  test("has no violation of WCAG 2.2 AA, in light and dark, on a desktop and a phone", async () => {
    await open()
    for (const offset of [0, 1, 2, 3]) expect(await checkLooks(page, offset, () => undefined)).toEqual([])
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  test("has power and charge of each device in columns, which agree with the newest reading", async () => {
    await open("&type=battery&sort=name")
    const [index, charge] = await Promise.all(["Power", "Charge"].map(async (name) => (await columns()).indexOf(name)))
    expect(index).toBeGreaterThan(0)
    const row = page.locator("[data-row='0']")
    const number = Number(/\d+$/.exec(await row.locator("a").first().innerText())![0])
    const cells = await row.locator("[role=cell]").allInnerTexts()
    expect(cells[charge!]).toBe(`${number % 101}%`)
    expect(cells[index!]).toMatch(/W$/)
  })

  test("the counts are filters in one line", async () => {
    await open()
    const { height } = (await page.locator(".fleet-counts").boundingBox())!
    expect(height).toBeLessThan(48)
    const count = Number.parseInt((await page.locator(".fleet-count").first().innerText()).replaceAll(/\D/g, ""), 10)
    await page.locator(".fleet-count").first().click()
    await page.locator(`.virtual[aria-rowcount="${count + 1}"]`).waitFor()
    await page.getByRole("button", { name: "Type" }).click()
    await page.getByRole("menuitem", { name: /Battery/ }).click()
    await page.waitForURL(/type=battery/)
    await page.getByRole("button", { name: "Type: Battery" }).waitFor()
  })

  describe("a selection", () => {
    const check = (row: number) => page.locator(`[data-row='${row}'] input`)
    const bar = () => page.getByRole("group", { name: "Selected devices" })
    const dialog = () => page.getByRole("dialog")
    const ids = (query: string) =>
      app
        .call("GET", `/v1/devices?perPage=100${query}`, { key: place.keys.SERVER })
        .then(({ body }) => body.data.map(({ id }: { readonly id: string }) => id) as ReadonlyArray<string>)
    const file = async () => {
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        bar().getByRole("button", { name: "CSV" }).click()
      ])
      const text = readFileSync(await saved.path(), "utf8")
      return text.trimEnd().split("\r\n").slice(1)
    }

    test("made of a range of rows gets a tag, becomes a collection and is saved as CSV", async () => {
      await open()
      await check(2).check()
      await check(5).click({ modifiers: ["Shift"] })
      await bar().getByText("4 selected").waitFor()
      const shown = await page.evaluate(
        "[2, 3, 4, 5].map((row) => document.querySelector(`[data-row='${row}'] a`).pathname.split('/').at(-1))"
      )
      expect((await file()).map((line) => line.split(",")[0])).toEqual(shown)

      await bar().getByRole("button", { name: "Add a tag" }).click()
      await dialog().getByLabel("Tag").fill("spring-check")
      await dialog().getByRole("button", { name: "Add a tag" }).click()
      await page.getByText("4 devices have the tag spring-check").waitFor()
      expect(new Set(await ids("&tag=spring-check"))).toEqual(new Set(shown as ReadonlyArray<string>))

      await bar().getByRole("button", { name: "Add to a collection" }).click()
      await dialog().getByLabel("Name").fill("Spring check")
      await dialog().getByRole("button", { name: "Add to a collection" }).click()
      await page.getByText("4 devices are in Spring check").waitFor()
      const { body } = await app.call("GET", "/v1/collections", { key: place.keys.SERVER })
      expect(body.data).toMatchObject([{ name: "Spring check", dynamic: false, criteria: {} }])
      expect(new Set(await ids(`&collectionId=${body.data[0].id}`))).toEqual(new Set(shown as ReadonlyArray<string>))
    })

    test("made of all that match is saved as CSV and becomes a collection of the filters, and gets no tag", async () => {
      await open("&type=battery")
      await page.getByLabel("Select all devices that match").check()
      await bar()
        .getByText(/^All 90 devices/)
        .waitFor()
      expect(await file()).toHaveLength(90)
      expect(await bar().getByRole("button", { name: "Add a tag" }).count()).toBe(0)
      await bar().getByRole("button", { name: "Make a collection" }).click()
      await dialog().getByLabel("Name").fill("Batteries")
      await dialog().getByRole("button", { name: "Make a collection" }).click()
      await page.getByText("Made the collection Batteries").waitFor()
      const { body } = await app.call("GET", "/v1/collections?dynamic=true", { key: place.keys.SERVER })
      expect(body.data).toMatchObject([{ name: "Batteries" }])
      expect(new Set(await ids(`&collectionId=${body.data[0].id}`))).toEqual(new Set(await ids("&type=battery")))
      // Criteria know no search.
      await open("&q=Garage")
      await page.getByLabel("Select all devices that match").check()
      await bar().getByText(/^All /).waitFor()
      expect(await bar().getByRole("button", { name: "Make a collection" }).count()).toBe(0)
    })
  })

  describe("chosen columns", () => {
    test("hold at once, are kept after a reload, and are those of the workspace alone", async () => {
      await open()
      const usual = await columns()
      expect(usual).toContain("Customer")
      await page.getByRole("button", { name: "Columns" }).click()
      await page.getByRole("dialog").getByLabel("Customer").uncheck()
      await page.getByRole("dialog").getByLabel("Serial number").check()
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
      const chosen = [...usual.filter((name) => name !== "Customer" && name !== "Alerts"), "Serial number", "Alerts"]
      await expect.poll(columns).toEqual(chosen)
      await page.reload()
      await page.waitForSelector("[data-row] a")
      expect(await columns()).toEqual(chosen)
      await open("", other.workspaceId)
      expect(await columns()).toEqual(usual)
      expect(record.takeComplaints()).toEqual([])
    })
  })
})
