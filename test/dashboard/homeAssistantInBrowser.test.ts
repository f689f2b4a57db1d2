import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { useTestApp } from "../support/TestApp.ts"
import { checkLooks, openContext, Record, settled, signIn, startChromium } from "./browser.ts"

describeServer("Chromium", hasChromium(), "publications to Home Assistant", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test("a publication is made by a form that says at its fields what is wrong, is changed without its password, and is deleted", async () => {
    const { keys } = await app.workspace()
    const stored = async () =>
      (await app.call("GET", "/v1/home-assistant-publications", { key: keys.SERVER })).body.data
    const record = new Record(app.url)
    context = await openContext(browser, record)
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, keys.MANAGEMENT)
    await page.goto(`${app.url}/dashboard/connections?tab=home-assistant`)
    await settled(page)
    await page.getByText("Nothing is published to Home Assistant").waitFor()
    await page.getByRole("button", { name: "Publish to Home Assistant" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Address of the broker").fill("no broker")
    await dialog.getByLabel("User name").fill("edp")
    await dialog.getByLabel("Password").fill("correct horse battery")
    await dialog.getByRole("button", { name: "Publish" }).click()
    await expect.poll(() => page.locator(".field-problem").allInnerTexts()).toHaveLength(1)
    expect(await checkLooks(page, 0, () => undefined)).toEqual([])
    await dialog.getByLabel("Address of the broker").fill("broker.invalid")
    await dialog.getByRole("button", { name: "Publish" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByText("broker.invalid:1883").waitFor()
    expect(await stored()).toMatchObject([{ host: "broker.invalid", username: "edp", takesCommands: false, tag: null }])

    await page.getByRole("button", { name: "Actions for broker.invalid:1883" }).click()
    await page.getByRole("menuitem", { name: "Edit" }).click()
    await dialog.getByLabel("Only devices with the tag").fill("pilot")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByText("with the tag pilot").waitFor()
    expect(await stored()).toMatchObject([{ tag: "pilot", password: "********" }])

    await page.getByRole("button", { name: "Actions for broker.invalid:1883" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete the publication" }).click()
    await page.getByText("Nothing is published to Home Assistant").waitFor()
    expect(await stored()).toEqual([])
    await context.close()
  })
})
