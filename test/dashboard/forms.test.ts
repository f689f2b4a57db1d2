import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { arrangePrograms } from "../server/programs/arrangePrograms.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { checkLooks, openContext, Record, settled, startChromium } from "./browser.ts"

test("each form of the page is made by the kit, so that none shows a message of the browser", () => {
  const src = fileURLToPath(new URL("../../packages/dashboard/src", import.meta.url))
  const files = globSync("**/*.tsx", { cwd: src })
  const own = files.filter((file) => readFileSync(`${src}/${file}`, "utf8").includes("<form"))
  expect(files.length).toBeGreaterThan(100)
  expect(own).toEqual(["kit/Form.tsx"])
})

describeServer("Chromium", hasChromium(), "forms", () => {
  const app = useTestApp()
  let browser: Browser
  let context: BrowserContext
  let place: TestWorkspace
  let page: Page
  let record: Record
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  afterEach(() => context.close())

  const open = async (path: string, locale = "en-US") => {
    record = new Record(app.url)
    context = await openContext(browser, record, { locale })
    page = await context.newPage()
    place = await app.workspace()
    await page.goto(app.url)
    await page.locator("input[type=password]").fill(place.keys.MANAGEMENT)
    await page.locator("button[type=submit]").click()
    await page.waitForSelector("main#content h1")
    await page.goto(app.url + path)
    await settled(page)
  }
  const press = (name: string | RegExp) =>
    page
      .getByRole("button", { name, exact: typeof name === "string" })
      .first()
      .click()
  /** The reasons at the fields, in their order. */
  const problems = () => page.locator(".field-problem").allInnerTexts()
  const focused = () => page.evaluate("document.activeElement.labels?.[0]?.textContent")
  const required = () => page.locator(".field:has(:required) label, legend:has(.required)").allInnerTexts()

  const words = {
    "en-US": {
      open: "New site",
      send: "Create the site",
      mark: "required",
      missing: "This is required.",
      most: "This must be at most 90."
    },
    "es-US": {
      open: "Nueva instalación",
      send: "Crear la instalación",
      mark: "obligatorio",
      missing: "Es obligatorio.",
      most: "Debe ser 90 o menos."
    }
  } as const

  test.each(["en-US", "es-US"] as const)(
    "mark what they require, and say at each field in the language of the page (%s) why it is refused, with the focus on the first",
    async (locale) => {
      const t = words[locale]
      await open("/dashboard/sites", locale)
      await press(t.open)
      await page.getByRole("dialog").waitFor()
      await expect.poll(required).toHaveLength(4)
      const marked = await required()
      for (const label of marked) expect(label).toContain(`(${t.mark})`)
      expect(await problems()).toEqual([])
      await press(t.send)
      await expect.poll(problems).toEqual([t.missing, t.missing, t.missing, t.missing])
      await expect.poll(focused).toBe(marked[0])
      expect(await checkLooks(page, 0, () => undefined)).toEqual([])
      // A problem goes with its reason, and a latitude is nothing without a longitude.
      await page.keyboard.type("1 Capitol Mall")
      await expect.poll(problems).toHaveLength(3)
      await page.locator("input[max='90']").fill("91")
      await expect.poll(problems).toEqual([t.missing, t.missing, t.missing, t.most, t.missing])
      await page.locator("input[max='90']").fill("")
      await expect.poll(problems).toHaveLength(3)
      expect(record.takeComplaints()).toEqual([])
    }
  )

  test("give the focus to the field that the service refuses", async () => {
    await open("/dashboard/connections?tab=sessions")
    await press("New connect link")
    await page.getByRole("textbox", { name: "Where the person goes afterwards" }).fill("nowhere")
    await press("Create the link")
    await expect.poll(focused).toBe("Where the person goes afterwards")
    await expect.poll(problems).toHaveLength(1)
  })

  test("choose the customer or the program whose sites a VEN sees", async () => {
    await open("/dashboard/openadr")
    const customer = await app.call("POST", "/v1/customers", {
      key: place.keys.SERVER,
      body: { firstName: "Grace", lastName: "Hopper" }
    })
    const programs = await arrangePrograms(app, place)
    const { id: programInstanceId, title } = await programs.instance({ title: "Feeder Relief" })
    const create = async (choose: () => Promise<unknown>) => {
      await page.goto(`${app.url}/dashboard/keys?edit=new&type=OPENADR_VEN`)
      await settled(page)
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name (required)", { exact: true }).fill("Aggregator")
      await choose()
      await dialog.getByRole("button", { name: "Create a key" }).click()
      await page.getByText("The new key, shown once").waitFor()
      const { body } = await app.call("GET", "/v1/api-keys?type=OPENADR_VEN&perPage=1", { key: place.keys.MANAGEMENT })
      return body.data[0].scope
    }
    const kind = (label: string) => page.getByLabel("Sites shown to the VEN").selectOption({ label })
    expect(await create(() => Promise.resolve())).toBeNull()
    expect(
      await create(async () => {
        await kind("Those of a customer")
        await page.getByRole("combobox", { name: "Customer" }).fill("Grace")
        await page.getByRole("option", { name: /Grace Hopper/ }).click()
      })
    ).toEqual({ customerId: customer.body.id })
    expect(
      await create(async () => {
        await kind("Those enrolled in a program")
        await page.getByLabel("Program (required)").selectOption({ label: title })
      })
    ).toEqual({ programInstanceId })
    await page.goto(`${app.url}/dashboard/openadr`)
    const list = page.getByRole("table", { name: "OpenADR clients, newest first" })
    await expect.poll(() => list.innerText()).toMatch(/Feeder Relief[^]*Grace Hopper/)
    expect(record.takeComplaints()).toEqual([])
  })

  test("save the changed settings, name the workspace anew in the head, and say why a value is refused", async () => {
    await open("/dashboard/settings")
    const other = await app.workspace(place.organizationId)
    const taken = await app.call("GET", `/v1/workspaces/${other.workspaceId}`, { key: place.keys.MANAGEMENT })
    await page.getByLabel("Name").fill(taken.body.name)
    await press("Save the settings")
    await page.locator("main .notice.bad").waitFor()
    await page.getByLabel("Name").fill("Sunny Valley")
    await page.getByLabel("Time zone").fill("Mars/Olympus")
    await press("Save the settings")
    await expect.poll(problems).toEqual(["Must be a time zone, such as America/Los_Angeles."])
    await page.getByLabel("Time zone").fill("America/Denver")
    await press("Save the settings")
    await page.getByText("The settings were saved.").waitFor()
    const { body } = await app.call("GET", `/v1/workspaces/${place.workspaceId}`, { key: place.keys.MANAGEMENT })
    expect(body).toMatchObject({ name: "Sunny Valley", timezone: "America/Denver" })
    await expect.poll(() => page.locator("header").first().innerText()).toContain("Sunny Valley")
  })

  test("mark what each kind of destination needs, and refuse a wrong value before it is sent", async () => {
    await open("/dashboard/destinations?edit=new")
    const needs = {
      WEBHOOK: ["URL", "Event types"],
      EMAIL: ["E-mail address", "Event types"],
      SMS: ["Telephone number", "Event types"],
      KAFKA: ["Brokers", "Topic", "Event types"],
      MANUFACTURER_COMMAND: ["URL", "Manufacturer"]
    }
    for (const [kind, marked] of Object.entries(needs)) {
      await page.getByRole("dialog").locator("select").first().selectOption(kind)
      await expect.poll(required).toEqual(marked.map((label) => `${label} (required)`))
    }
    await page.getByRole("dialog").locator("select").first().selectOption("WEBHOOK")
    await page.getByLabel("URL").fill("example.com")
    await press("Create")
    await expect.poll(problems).toEqual(["This must be a URL with http or https.", "Choose at least one type."])
    await expect.poll(focused).toContain("URL")
    expect(record.replies.filter(({ of }) => of.startsWith("POST") && of.includes("/v1/destinations"))).toEqual([])
  })

  describe("with a dialog within", () => {
    test("are not sent by the dialog's own form", async () => {
      await open("/dashboard/alerts?tab=visibility")
      const severity = page.locator("main form select").first()
      await severity.selectOption("WARNING")
      await press("Save the rules")
      await page.getByRole("button", { name: "Remove all rules" }).waitFor()
      await severity.selectOption("CRITICAL")
      await press("Remove all rules")
      await page.getByRole("dialog").locator("button[type=submit]").click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const { body } = await app.call("GET", "/dashboard/api/alert-configuration", { key: place.keys.MANAGEMENT })
      expect(body).toMatchObject({ minimumSeverity: null, savedAt: null })
    })
  })
})
