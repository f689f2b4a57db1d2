import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { arrangeGrid, useFakeVtn } from "../server/grid/arrangeGrid.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { movableClock } from "../support/movableClock.ts"
import { useTestApp } from "../support/TestApp.ts"
import { checkLooks, openContext, Record, settled, signIn, startChromium } from "./browser.ts"

describeServer("Chromium", hasChromium(), "the pages of grid connections", () => {
  const clock = movableClock(Date.now())
  const app = useTestApp({ own: true, clock })
  const vtnNow = useFakeVtn()
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  afterEach(() => context.close())

  const arrange = async () => {
    const scene = await arrangeGrid(app, clock, vtnNow())
    record = new Record(app.url)
    context = await openContext(browser, record)
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, scene.keys.MANAGEMENT)
    return scene
  }
  const open = async (path: string) => {
    await page.goto(app.url + path)
    await settled(page)
  }
  const button = (name: string | RegExp) => page.getByRole("button", { name })
  const problems = () => page.locator(".field-problem").allInnerTexts()

  test("a utility is connected by a form that says at its fields what is wrong, and is paused and removed", async () => {
    const { must } = await arrange()
    await open("/dashboard/grid-connections")
    await page.getByText("No grid connections yet").waitFor()
    await button("Connect to a utility").first().click()
    await page.getByLabel("Name (required)", { exact: true }).fill("Example Utility")
    await button("Connect").last().click()
    expect(await problems()).toEqual(["This is required.", "This is required."])
    await page.getByLabel("VTN address").fill("ftp://vtn.example.com")
    await page.getByLabel("VEN name").fill("example-ven")
    await page.getByLabel("Client ID").fill(vtnNow().client.id)
    await button("Connect").last().click()
    await expect.poll(problems).toHaveLength(2)
    await page.getByLabel("VTN address").fill(vtnNow().url)
    await page.getByLabel("Client secret").fill(vtnNow().client.secret)
    await page.getByLabel("Targets").fill("zone-7\nzone-8")
    await button("Connect").last().click()
    await page.getByRole("heading", { level: 1, name: "Example Utility" }).waitFor()
    const [stored] = (await must(200, "GET", "/v1/grid-connections")).data
    expect(stored).toMatchObject({
      vtnUrl: vtnNow().url,
      targets: ["zone-7", "zone-8"],
      pollSeconds: 60,
      notifications: "automatic",
      enabled: true
    })

    await button("Pause").click()
    await page.getByText("The VTN is not polled").waitFor()
    await button("Resume").click()
    await button("Pause").waitFor()
    await button("Remove").click()
    await page.getByLabel("Type Example Utility to confirm").fill("Example Utility")
    await button("Remove the grid connection").click()
    await page.getByText("No grid connections yet").waitFor()
    expect((await must(200, "GET", "/v1/grid-connections")).data).toEqual([])
  })

  test("rules that are made by fields are followed: the event is dispatched, and the page leads to the dispatch", async () => {
    const { connect, event, home, list, poll } = await arrange()
    await home()
    const { id } = await connect()
    const program = vtnNow().program({ programName: "summer-peak" })
    event(program.id, "SIMPLE", [2], 60, "PT1H", { eventName: "Hot evening" })
    await poll()
    await open(`/dashboard/grid-connections/${id}`)
    await page.getByText("Events command nothing yet").waitFor()
    await page.getByText("Commands nothing: no rule matches the value").waitFor()
    await button("Go to its programs").click()
    await button("Edit the rules of summer-peak").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Program instance").selectOption({ index: 1 })
    await dialog.getByRole("button", { name: "Add a rule" }).click()
    await dialog.getByLabel("Values from").fill("1")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect.poll(problems).toEqual(["Set at least one type of device."])
    await dialog.getByLabel("Batteries").selectOption("mode")
    await dialog.getByLabel("Discharge").check()
    await dialog.getByLabel("Chargers").selectOption("power")
    await dialog.getByLabel("Power per device (W)").fill("0")
    expect(await checkLooks(page, 0, () => undefined)).toEqual([])
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.waitFor({ state: "detached" })
    const [stored] = await list(id, "programs")
    expect(stored.rules).toEqual([
      {
        payloadType: "SIMPLE",
        minimum: 1,
        actions: { battery: { operatingMode: "discharge" }, charger: { targetPowerW: 0 } }
      }
    ])
    await page.getByText("SIMPLE from 1").waitFor()
    await page.getByRole("tab", { name: "Events" }).click()
    await page
      .getByRole("row", { name: /Hot evening/ })
      .getByText("Dispatched")
      .waitFor()
    await page.getByRole("link", { name: "Open the dispatch" }).click()
    await page.waitForURL(/\/dashboard\/dispatches\//)
    expect(record.takeComplaints()).toEqual([])
  })

  test("the page of a program shows what the utility says of it, and leads to the connection", async () => {
    const { connect, instance, list, must, poll } = await arrange()
    const { id } = await connect()
    vtnNow().program({
      programName: "summer-peak",
      programDescriptions: [{ URL: "https://utility.example.com/summer-peak" }, { URL: "javascript:alert(1)" }],
      attributes: [
        { type: "RETAILER_NAME", values: ["Town Power"] },
        { type: "X_TIER", values: [2] }
      ],
      payloadDescriptors: [
        { objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "PRICE", units: "KWH", currency: "USD" }
      ]
    })
    await poll()
    const path = `/dashboard/programs/${instance.id}?view=terms`
    await open(path)
    expect(await page.getByText("Program of a utility").count()).toBe(0)
    const [program] = await list(id, "programs")
    await must(200, "PATCH", `/v1/grid-programs/${program.id}`, { programInstanceId: instance.id })
    await open(path)
    await page.getByRole("heading", { name: "Program of a utility: summer-peak" }).waitFor()
    await page.getByText("Town Power").waitFor()
    await page.getByText("X_TIER").waitFor()
    await page.getByText("PRICE (KWH, USD)").waitFor()
    expect(await page.getByRole("link", { name: "https://utility.example.com/summer-peak" }).count()).toBe(1)
    expect(await page.getByRole("link", { name: "javascript:alert(1)" }).count()).toBe(0)
    expect(await checkLooks(page, 0, () => undefined)).toEqual([])
    await page.getByRole("link", { name: "Example Utility" }).click()
    await page.getByRole("heading", { level: 1, name: "Example Utility" }).waitFor()
    expect(record.takeComplaints()).toEqual([])
  })
})
