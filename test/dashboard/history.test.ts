import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { useTestApp } from "../support/TestApp.ts"
import { openContext, Record, settled, signIn, startChromium } from "./browser.ts"

describeServer("Chromium", hasChromium(), "the browser's way back", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  afterEach(() => context.close())

  const open = async (path: string) => {
    context = await openContext(browser, new Record(app.url))
    page = await context.newPage()
    const { keys, workspaceId } = await app.workspace()
    await page.goto(app.url)
    await signIn(page, keys.MANAGEMENT)
    await page.goto(app.url + path)
    await settled(page)
    return { keys, workspaceId }
  }
  const address = () => {
    const { pathname, search } = new URL(page.url())
    return pathname.replace("/dashboard", "") + search
  }
  const expectAddress = (expected: string) => expect.poll(address).toBe(expected)
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click()
  const back = async (expected: string) => {
    await page.goBack()
    await expectAddress(expected)
  }

  test("leads from each period to the one before, and a date that is typed or chosen is one step", async () => {
    await open("/dashboard/energy?unit=day&day=2025-06-21")
    await press("Month")
    await expectAddress("/energy?unit=month&day=2025-06-01")
    await press("Earlier")
    await expectAddress("/energy?unit=month&day=2025-05-01")
    const date = page.getByRole("dialog", { name: "Date" })
    await press("May 2025")
    await date.getByRole("spinbutton", { name: /month/ }).click()
    await page.keyboard.type("3012024")
    await page.keyboard.press("Enter")
    await expectAddress("/energy?unit=month&day=2024-03-01")
    await press("March 2024")
    await date.getByRole("button", { name: "Next month" }).click()
    await date.getByRole("button", { name: /April 9, 2024/ }).click()
    await expectAddress("/energy?unit=month&day=2024-04-01")
    await back("/energy?unit=month&day=2024-03-01")
    await back("/energy?unit=month&day=2025-05-01")
    await back("/energy?unit=month&day=2025-06-01")
    await back("/energy?unit=day&day=2025-06-21")
    await page.getByText("Saturday, June 21, 2025").first().waitFor()
  })

  test("undoes a filter, and a whole text that was searched", async () => {
    await open("/dashboard/connections?tab=sessions")
    await page.getByRole("tab", { name: "Accounts" }).click()
    await expectAddress("/connections?tab=accounts")
    await page.getByRole("tab", { name: "Accounts", selected: true }).waitFor()
    const status = page.locator("main select").first()
    const value = (await status.locator("option").nth(1).getAttribute("value"))!
    await status.selectOption(value)
    await expectAddress(`/connections?tab=accounts&status=${value}`)
    await back("/connections?tab=accounts")
    await back("/connections?tab=sessions")
    await page.goto(`${app.url}/dashboard/sites`)
    await settled(page)
    const search = page.getByRole("searchbox").first()
    // Letters with pauses between them, each of which is searched.
    for (const text of ["a", "ab", "abc"]) {
      await search.fill(text)
      await expectAddress(`/sites?q=${text}`)
    }
    await back("/sites")
    await expect.poll(() => search.inputValue()).toBe("")
  })
})
