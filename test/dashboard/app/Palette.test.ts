import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { axe, runAxe } from "../../support/axe.ts"
import { hasChromium } from "../../support/chromium.ts"
import { describeServer } from "../../support/describeServer.ts"
import { seedDevice, seedSite } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { screenshotPath } from "../arrangeDashboard.ts"
import { checkLooks, desktop, openContext, phone, Record, settled, signIn, startChromium } from "../browser.ts"

describeServer("Chromium", hasChromium(), "the search of the dashboard", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  beforeAll(async () => {
    browser = await startChromium()
    const { keys, workspaceId } = await app.workspace()
    const address = { streetOne: "15 Alder Street", city: "Sacramento", state: "CA", postalCode: "95814" }
    const { id: siteId } = await seedSite(app, keys.SERVER, { address, name: "Smith family" })
    await seedDevice(app, workspaceId, { siteId, name: "Garage battery" })
    const program = { slug: `evenings-${workspaceId}`, name: "Evenings" }
    await app.call("POST", "/v1/programs", { key: keys.MANAGEMENT, body: program })
    const instance = {
      programSlug: program.slug,
      slug: `${program.slug}-2026`,
      title: "Evenings 2026",
      description: "",
      eligibilityCriteria: "",
      programTerms: ""
    }
    const { status } = await app.call("POST", "/v1/programInstances", { key: keys.SERVER, body: instance })
    expect(status).toBe(201)
    record = new Record(app.url)
    context = await openContext(browser, record)
    page = await context.newPage()
    await page.goto(`${app.url}/dashboard/keys`)
    await signIn(page, keys.MANAGEMENT)
  })
  afterAll(() => browser?.close())

  const input = () => page.getByRole("combobox", { name: /^Search devices/ })
  const options = () => page.getByRole("listbox", { name: "Results" }).getByRole("option")
  const focused = () =>
    page.evaluate("document.activeElement.id || document.activeElement.querySelector('span')?.textContent")
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor()

  test("a device is found by its street in two steps, with the keyboard alone", async () => {
    await page.keyboard.press("Control+k")
    await input().fill("alder")
    await expect
      .poll(() => options().allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Smith family[^]*Site[^]*15 Alder Street/),
        expect.stringMatching(/^Garage battery[^]*Device[^]*15 Alder Street/)
      ])
    await expect.poll(() => page.locator(".palette [role=status]").innerText()).toBe("2 results")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await heading("Garage battery")
    await settled(page)
    // The keyboard goes on at the page that was opened.
    await expect.poll(focused).toBe("content")
    expect(await page.getByRole("dialog").count()).toBe(0)
  })

  test("Enter before the results are there opens the first of them", async () => {
    await page.keyboard.press("/")
    await input().fill("smith fam")
    await page.keyboard.press("Enter")
    await heading("Smith family")
  })

  test("letters are forgiven, nothing found is said, and pages and actions need no request", async () => {
    await page.keyboard.press("Control+k")
    await input().fill("aldr stret")
    await page.getByText("Nothing contains “aldr stret”. These are similar:").waitFor()
    await input().fill("zzyzx")
    await page.getByText("Nothing found for “zzyzx”").waitFor()
    const before = record.replies.length
    await input().fill("k")
    await expect
      .poll(() => options().allInnerTexts())
      .toEqual([/^Keys/, /^New key/, /^Keyboard shortcuts/].map((name) => expect.stringMatching(name)))
    expect(record.replies.slice(before).filter(({ of }) => of.includes("/v1/search?query=k&"))).toEqual([])
    await page.keyboard.press("Enter")
    await heading("Keys")
  })

  test.each([
    ["create site", "New site"],
    ["new cust", "New customer"],
    ["invite", "New connect link"],
    ["add coll", "New collection"],
    ["new sched", "New schedule"],
    ["new disp", "New dispatch"],
    ["new prog", "New program"],
    ["new inst", "New instance"],
    ["new dest", "New destination"],
    ["create key", "Create a key"]
  ])("“%s” leads to its open form", async (text, title) => {
    await page.keyboard.press("Control+k")
    await input().fill(text)
    await page.keyboard.press("Enter")
    await page.getByRole("dialog", { name: title, exact: true }).waitFor()
    await settled(page)
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
    expect(new URL(page.url()).searchParams.has("edit")).toBe(false)
  })

  test("a command is sent to the device that is chosen next", async () => {
    await page.keyboard.press("Control+k")
    await input().fill("send com")
    await page.keyboard.press("Enter")
    await page.getByText("Choose the device that gets the command.").waitFor()
    await input().fill("alder")
    await expect.poll(() => options().allInnerTexts()).toEqual([expect.stringMatching(/^Garage battery[^]*Device/)])
    await page.keyboard.press("Enter")
    await heading("Garage battery")
    await expect.poll(() => page.getByRole("tab", { selected: true }).innerText()).toBe("Commands")
    await settled(page)
  })

  test("Escape gives the focus back to the button, and the arrow keys go round", async () => {
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await input().fill("sett")
    await input().fill("")
    const count = await options().count()
    await page.keyboard.press("ArrowUp")
    expect(
      await options()
        .nth(count - 1)
        .getAttribute("aria-selected")
    ).toBe("true")
    await page.keyboard.press("ArrowDown")
    expect(await options().first().getAttribute("aria-selected")).toBe("true")
    await page.keyboard.press("Escape")
    await expect.poll(focused).toBe("Search")
  })

  test("keys open pages and the list of shortcuts, in which they can be turned off", async () => {
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await heading("Sites")
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
    // Within a dialog keys are no shortcuts.
    await page.keyboard.press("g")
    await page.keyboard.press("f")
    await page.getByLabel("Use single keys as shortcuts").uncheck()
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
    await heading("Sites")
    await page.keyboard.press("/")
    expect(await page.getByRole("dialog").count()).toBe(0)
    await page.keyboard.press("Control+k")
    await input().fill("shortcuts")
    await page.keyboard.press("Enter")
    await page.getByLabel("Use single keys as shortcuts").check()
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
  })

  test("a key that is typed into a field is text", async () => {
    const field = page.getByLabel("Name or street")
    await field.fill("")
    await field.pressSequentially("g/?")
    expect(await field.inputValue()).toBe("g/?")
    expect(await page.getByRole("dialog").count()).toBe(0)
    await field.fill("")
    await settled(page)
  })

  describe.each([
    ["desktop", desktop],
    ["phone", phone]
  ])("on a %s", (device, size) => {
    test("is opened by its button, in every look without a violation of accessibility rules", async () => {
      await page.setViewportSize(size)
      await page.getByRole("button", { name: "Search", exact: true }).click()
      await input().fill("alder")
      await expect.poll(() => options().count()).toBe(2)
      await page.evaluate(axe)
      expect(await page.evaluate(runAxe)).toEqual([])
      expect(await checkLooks(page, 1, (look) => screenshotPath(`palette-${device}-${look}`))).toEqual([])
      await page.setViewportSize(size)
      await options().nth(1).click()
      await heading("Garage battery")
      await page.keyboard.press("?")
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
      expect(await checkLooks(page, 2, (look) => screenshotPath(`shortcuts-${device}-${look}`))).toEqual([])
      await page.setViewportSize(size)
      await page.keyboard.press("Escape")
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
      expect(record.takeComplaints()).toEqual([])
    })
  })
})
