import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { useTestApp } from "../support/TestApp.ts"
import { openContext, Record, settled, startChromium } from "./browser.ts"

describeServer("Chromium", hasChromium(), "fields for dates and times", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  afterEach(() => context.close())

  /** Opens a page of a workspace in Berlin for a person whose browser is in California. */
  const open = async (path: string, locale: string) => {
    const record = new Record(app.url)
    context = await openContext(browser, record, { locale })
    const page = await context.newPage()
    const { keys, workspaceId } = await app.workspace()
    const body = { timezone: "Europe/Berlin" }
    const changed = await callAt(app.url, "PATCH", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT, body })
    expect(changed.status, changed.text).toBe(200)
    await page.goto(app.url)
    await page.locator("input").first().waitFor()
    await page.locator("input").first().fill(keys.MANAGEMENT)
    await page.keyboard.press("Enter")
    await page.waitForSelector("main#content h1")
    await page.goto(app.url + path)
    await settled(page)
    const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
    return { page, parameter, record }
  }

  test("have the format of the page's language, and the time zone of the workspace", async () => {
    const { page, parameter, record } = await open("/dashboard/events", "de-DE")
    const from = page.getByRole("group", { name: "Von" })
    const shown = async () => (await from.innerText()).replaceAll(/\s/g, "")
    await expect.poll(shown).toMatch(/^tt\.mm\.jjjj,.*ME(S?)Z$/)
    await from.getByRole("spinbutton").first().focus()
    await page.keyboard.type("030420261430")
    await expect.poll(() => parameter("from")).toBe("2026-04-03T12:30:00.000Z")
    expect(await shown()).toMatch(/^3\.4\.2026,.*14:30.*MESZ$/)
    expect(record.takeComplaints()).toEqual([])
  })

  test("are set by a day of a month that opens, and emptied there", async () => {
    const { page, parameter, record } = await open("/dashboard/audit?from=2026-04-03T12:30:00.000Z", "en-US")
    const choose = page.getByRole("button", { name: "Choose a day" }).first()
    await choose.click()
    await page.getByRole("button", { name: /Thursday, April 9, 2026/ }).click()
    await expect.poll(() => parameter("from")).toBe("2026-04-09T12:30:00.000Z")
    await choose.click()
    await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click()
    await expect.poll(() => parameter("from")).toBeNull()
    expect(record.takeComplaints()).toEqual([])
  })

  test("say what is missing before a form is sent, and take the focus there", async () => {
    const { page } = await open("/dashboard/keys?create=new", "en-US")
    await page.getByRole("button", { name: "Create a key" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Key")
    const month = dialog.getByRole("group", { name: "Expires" }).getByRole("spinbutton").first()
    await month.focus()
    await page.keyboard.type("1")
    await dialog.getByRole("button", { name: "Create a key" }).click()
    await dialog.getByText("Complete this date or time.").waitFor()
    await month.and(page.locator(":focus")).waitFor()
  })
})
