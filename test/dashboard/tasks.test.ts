import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { arrangeDestinations } from "../server/destinations/arrangeDestinations.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { type Receiver, startReceiver } from "../support/peers/webhookReceiver.ts"
import { seedDevice, seedSite } from "../support/Seed.ts"
import { useTestApp } from "../support/TestApp.ts"
import { openContext, Record, settled, signIn, startChromium } from "./browser.ts"

/** Tasks of a day, from a page of the navigation to their end, in a browser that keeps left pages for the way back. */
describeServer("Chromium", hasChromium(), "a task of a day", () => {
  const app = useTestApp({ own: true })
  let browser: Browser
  let page: Page
  let record: Record
  let receiver: Receiver
  let scene: Awaited<ReturnType<typeof arrangeDestinations>>
  let clicks = 0

  beforeAll(async () => {
    browser = await startChromium({ keepsPages: true })
    receiver = await startReceiver()
    scene = await arrangeDestinations(app)
    record = new Record(app.url)
    page = await (await openContext(browser, record)).newPage()
    await page.goto(app.url)
    await signIn(page, scene.keys.MANAGEMENT)
  })
  afterAll(async () => {
    await browser?.close()
    await receiver.stop()
  })
  beforeEach(() => {
    clicks = 0
  })

  const click = async (target: Locator) => {
    await target.click()
    clicks++
  }
  const button = (name: string | RegExp) => page.getByRole("button", { name })
  const openPage = async (name: string) => {
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click()
    await page.getByRole("heading", { level: 1, name }).waitFor()
    await settled(page)
  }
  /** A page that was left is there again by the buttons of the browser. */
  const expectWayBack = async () => {
    const heading = await page.locator("h1").innerText()
    await page.goto("about:blank")
    await page.goBack({ waitUntil: "commit" })
    await page.getByRole("heading", { level: 1, name: heading }).waitFor()
    expect(record.takeComplaints()).toEqual([])
  }

  test("a key is rotated in four clicks: the new one works, and the old one no longer", async () => {
    const { body } = await app.call("POST", "/v1/api-keys", {
      key: scene.keys.MANAGEMENT,
      body: { name: "Back end", type: "SERVER", workspaceId: scene.workspaceId }
    })
    const statusWith = async (key: string) => (await app.call("GET", "/v1/sites", { key })).status
    expect(await statusWith(body.key)).toBe(200)
    await openPage("Keys")
    await click(page.getByRole("row", { name: /Back end/ }).getByRole("button"))
    await click(page.getByRole("menuitem", { name: "Rotate" }))
    await click(button("Create the replacement"))
    const dialog = page.getByRole("dialog")
    const replacement = await dialog.locator("code").first().innerText()
    expect([await statusWith(replacement), await statusWith(body.key)]).toEqual([200, 200])
    await dialog.getByRole("textbox").fill("Back end")
    await click(button("Revoke the old key"))
    await dialog.waitFor({ state: "detached" })
    expect([await statusWith(replacement), await statusWith(body.key)]).toEqual([200, 401])
    expect(clicks).toBe(4)
    await expectWayBack()
  })

  test("the events that a webhook missed are sent again in four clicks", async () => {
    receiver.respond((response) => response.writeHead(500).end())
    const { id } = await scene.destination({ url: receiver.url, label: "Billing" })
    const { id: customerId } = await scene.customer({ firstName: "Ada" })
    await scene.deliverUntil("the delivery is given up", async () => {
      await scene.timePasses()
      return (await scene.deliveries(id, "&status=failed")).length === 1
    })
    receiver.respond((response) => response.writeHead(204).end())
    receiver.received.length = 0
    await openPage("Destinations")
    await click(page.getByRole("link", { name: /Billing/ }))
    await click(button("More"))
    await click(page.getByRole("menuitem", { name: "Replay a time span" }))
    await click(page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }))
    await page.getByText("1 delivery is queued again.").waitFor()
    expect(clicks).toBe(4)
    await scene.deliverUntil("the event arrives", () => receiver.received.length > 0)
    expect(receiver.received.map(({ event }) => event.data.customer.id)).toEqual([customerId])
    await expectWayBack()
  })

  test("a device is found by its street in two clicks", async () => {
    const address = { streetOne: "15 Alder Street", city: "Sacramento", state: "CA", postalCode: "95814" }
    const { id: siteId } = await seedSite(app, scene.keys.SERVER, { address, name: "Smith family" })
    await seedDevice(app, scene.workspaceId, { siteId, name: "Garage battery" })
    await click(button("Search"))
    await page.getByRole("combobox", { name: /^Search devices/ }).fill("alder")
    await click(page.getByRole("option", { name: /^Garage battery/ }))
    await page.getByRole("heading", { level: 1, name: "Garage battery" }).waitFor()
    expect(clicks).toBe(2)
    await expectWayBack()
  })
})
