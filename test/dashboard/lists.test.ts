import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { arrangeEnrollments } from "../server/enrollments/arrangeEnrollments.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { someAddress } from "../support/Seed.ts"
import { useTestApp } from "../support/TestApp.ts"
import { openContext, Record, settled, signIn, startChromium, STREAM } from "./browser.ts"

/** More than a request for a list returns. */
const MANY = 101

describeServer("Chromium", hasChromium(), "the lists of the dashboard", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  afterEach(() => context.close())

  const arrange = async () => {
    const scene = await arrangeEnrollments(app)
    context = await openContext(browser, new Record(app.url))
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, scene.keys.MANAGEMENT)
    return scene
  }
  const open = async (path: string) => {
    await page.goto(app.url + path)
    await settled(page)
  }
  const card = (title: string) => page.locator(".card").filter({ has: page.getByRole("heading", { name: title }) })

  test("all sites of a customer can be reached, and all customers of a site", async () => {
    const { customer, required } = await arrange()
    const { id: customerId } = await customer({ firstName: "Landlord" })
    const sites = Array.from({ length: MANY }, (_, n) => ({ name: `Home ${n}`, customerId, address: someAddress() }))
    const made = await required(200, "POST", "/v1/sites/bulk", { sites })
    const siteId = made.results[0].site.id
    const customers = Array.from({ length: MANY }, (_, n) => ({ firstName: `Tenant ${n}`, siteIds: [siteId] }))
    const { results } = await required(200, "POST", "/v1/customers/bulk", { customers })
    expect(results.filter(({ customer: created }: { readonly customer?: object }) => created)).toHaveLength(MANY)

    await open(`/dashboard/customers/${customerId}`)
    await card("Sites").getByText(`${MANY} in all`).waitFor()
    await open(`/dashboard/customers/${customerId}?sites=5`)
    // Newest first, by the time of their ids.
    await card("Sites").getByText("Page 5 of 5").waitFor()
    expect(await card("Sites").locator("tbody tr").count()).toBe(1)
    await open(`/dashboard/sites/${siteId}`)
    await card("Customers")
      .getByText(`${MANY + 1} in all`)
      .waitFor()
    await card("Customers").getByRole("button", { name: "Next" }).click()
    await card("Customers").getByText("Page 2 of 5").waitFor()
  })

  test("all program instances can be chosen for dispatches", async () => {
    const { instanceFor, program } = await arrange()
    const { slug } = await program()
    await instanceFor(slug, { title: "The oldest" })
    for (let n = 1; n < MANY; n++) await instanceFor(slug, { title: `Instance ${n}` })
    await open("/dashboard/dispatches")
    await page.getByLabel("Program", { exact: true }).selectOption({ label: "The oldest" })
    await expect.poll(() => page.getByLabel("Program", { exact: true }).locator("option").count()).toBe(MANY)
  })

  test("a page of a list that cannot be read leaves nothing of the former page", async () => {
    const { required } = await arrange()
    const sites = Array.from({ length: 30 }, (_, n) => ({ name: `House ${n}`, address: someAddress() }))
    await required(200, "POST", "/v1/sites/bulk", { sites })
    await open("/dashboard/sites")
    await page.route(/\/v1\/sites\?.*page=2/u, (route) => route.fulfill({ status: 502, body: "" }))
    await page.route(STREAM, () => {})
    await page.getByRole("button", { name: "Next" }).click()
    await page.getByRole("alert").first().waitFor()
    expect(await page.getByText(/^House \d+$/u).count()).toBe(0)
    // The next attempt shows it.
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("Page 2 of 2").waitFor()
  })

  test("approved enrollments are no longer selected; a cancelled decision leaves the selection", async () => {
    const { enroll, home, instance } = await arrange()
    const run = await instance()
    for (let n = 0; n < 2; n++) await enroll(run.id, (await home()).customerId, { termsVersion: "1" })
    await open(`/dashboard/programs/${run.id}`)
    await page.getByLabel("Select all on this page").check()
    await page.getByText("2 selected").waitFor()
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByText("2 selected").waitFor()
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    await dialog.getByRole("button", { name: /^Approve/u }).click()
    await dialog.getByRole("button", { name: "Close" }).last().waitFor()
    // They are not selected any more while the dialog still tells the outcome.
    await expect.poll(() => page.locator("tbody input:checked").count()).toBe(0)
    expect(await page.getByText("2 selected").count()).toBe(0)
  })
})
