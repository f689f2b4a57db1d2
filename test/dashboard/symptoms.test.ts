import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect } from "effect"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { arrangeAccounts } from "../server/accounts/arrangeAccounts.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { seedFleet } from "../support/fleet.ts"
import { scriptedAdapter } from "../support/scriptedAdapter.ts"
import { useTestApp } from "../support/TestApp.ts"
import { checkLooks, openContext, Record, settled, signIn, startChromium } from "./browser.ts"

const DEVICES = 300
const message = "The service responded with 503"

describeServer("Chromium", hasChromium(), "from a symptom to its cause", () => {
  const scripted = scriptedAdapter()
  const app = useTestApp({ own: true, adapters: [scripted.adapter] })
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  let scene: Awaited<ReturnType<typeof arrangeAccounts>>
  let failing: { readonly id: string; readonly deviceId: string }
  let siteId: string

  beforeAll(async () => {
    browser = await startChromium()
    scene = await arrangeAccounts(app, scripted)
    await app.run(seedFleet({ workspaceId: scene.workspaceId, devices: DEVICES }))
    const person = scripted.account()
    failing = await scene.link(person)
    await scene.perform(failing.id)
    person.account.read = () => Effect.fail(AdapterError.of("vendor_fault", message))
    await scene.perform(failing.id)
    const address = { streetOne: "1 Elm Street", city: "Sacramento", state: "CA", postalCode: "95814" }
    siteId = (await scene.call("POST", "/v1/sites", { name: "Elm House", address })).body.id
    const customer = { firstName: "Ada", lastName: "Okafor", siteIds: [siteId] }
    expect((await scene.call("POST", "/v1/customers", customer)).status).toBe(201)
    expect((await scene.call("PUT", `/v1/sites/${siteId}/devices/${failing.deviceId}`)).status).toBeLessThan(300)
    record = new Record(app.url)
    context = await openContext(browser, record, { viewport: { width: 1280, height: 720 } })
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, scene.keys.MANAGEMENT)
  })
  afterAll(() => browser?.close())

  const deviceName = async () => (await scene.device(failing.deviceId)).name as string
  const why = () => page.locator(".card").filter({ has: page.getByRole("heading", { name: "Why" }) })
  const critical = () => page.getByRole("navigation").getByText(/\d critical/)

  /** Counts the clicks of a task. */
  const clicking = () => {
    let clicks = 0
    return { click: async (target: Locator) => void (await target.click(), clicks++), count: () => clicks }
  }
  const expectAccessible = async () => {
    for (const offset of [0, 1, 2, 3]) expect(await checkLooks(page, offset, () => undefined)).toEqual([])
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize({ width: 1280, height: 720 })
  }

  /** The device is silent: its newest reading is older than the window. */
  const silence = () =>
    app.sql(
      (sql) =>
        sql`UPDATE device_states SET at = at - interval '2 hours' WHERE device_id = ${failing.deviceId} RETURNING 1`
    )

  test("a device whose latest attempt failed is not green, though its reading is within the window", async () => {
    await page.goto(`${app.url}/dashboard/devices/${failing.deviceId}`)
    await settled(page)
    expect((await scene.device(failing.deviceId)).onlineStatus).toBe("online")
    await page.locator(".device-lead .badge.warn", { hasText: "Not responding" }).waitFor()
    expect(await page.locator(".device-lead .badge.good").count()).toBe(0)
  })

  test("the cause of an offline device is two clicks from the fleet, in the words of the adapter, with the next step", async () => {
    await silence()
    await page.goto(`${app.url}/dashboard/fleet`)
    await settled(page)
    const { click, count } = clicking()
    await click(page.getByRole("button", { name: /^offline/ }))
    await page.waitForURL(/onlineStatus=offline/)
    await click(page.getByRole("link", { name: await deviceName(), exact: true }))
    await why().getByText(message).waitFor()
    expect(count()).toBe(2)
    const text = await why().innerText()
    expect(text).toMatch(/manufacturer's service fails/)
    expect(text).toMatch(/A person's account/)
    expect(text).toMatch(/Next attempt/)
    await page.locator(".device-lead .badge.bad", { hasText: "Offline" }).waitFor()
    await why().getByRole("button", { name: "Connection guide" }).click()
    await page.getByRole("dialog").getByText("Read the last error").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await expectAccessible()
  })

  test("an account without access leads to a new sign-in, whose link is made there", async () => {
    const lost = scripted.account()
    const { deviceId, id } = await scene.link(lost)
    await scene.perform(id)
    lost.account.read = () => Effect.fail(AdapterError.of("grant_lost", "The owner withdrew the permission"))
    await scene.perform(id)
    await page.goto(`${app.url}/dashboard/devices/${deviceId}`)
    await why().getByText("The owner withdrew the permission").waitFor()
    await why().getByRole("button", { name: "Sign in again" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Create a link to sign in again" }).click()
    await page
      .getByRole("dialog")
      .getByText(/\/connect\//)
      .waitFor()
    await page.keyboard.press("Escape")
  })

  test("the newest critical alert is first in the list, with site and customer, and its device one click further", async () => {
    await page.goto(app.url)
    await settled(page)
    expect(await critical().count()).toBe(0)
    const alert = { siteId, sourceSystem: "watch", deviceId: failing.deviceId, title: "Breaker is open" }
    const created = await scene.call("POST", "/v1/alerts", { ...alert, severity: "CRITICAL" })
    expect(created.status, created.text).toBe(201)
    await scene.call("POST", "/v1/alerts", { ...alert, severity: "WARNING", title: "Fan is slow" })
    // The count follows without a reload.
    await page.getByRole("navigation").getByText("1 critical", { exact: true }).waitFor()
    const { click, count } = clicking()
    await click(page.getByRole("navigation").getByRole("link", { name: /^Alerts/ }))
    const first = page.locator("main tbody tr").first()
    await first.getByText("Breaker is open").waitFor()
    expect(await first.innerText()).toMatch(/Elm House[^]*Ada Okafor/)
    const severities = await page.locator("main tbody tr .badge").allInnerTexts()
    expect(severities).toEqual(severities.toSorted((one, other) => rank(one) - rank(other)))
    await expectAccessible()
    await click(first.getByRole("link", { name: await deviceName(), exact: true }))
    await why().getByText("Breaker is open").waitFor()
    expect(count()).toBe(2)
    expect(record.takeComplaints()).toEqual([])
  })
})

const rank = (severity: string) => ["Critical", "Warning", "Info"].indexOf(severity)
