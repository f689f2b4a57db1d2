import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildDashboard } from "../support/buildDashboard.ts"
import { browserProgram, hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { eventually } from "../support/eventually.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { edp } from "./edp.ts"

/** `script` gives the server a terminal, on which it prints its keys and a link. */
const onTerminal = ["/bin/sh", "-c", 'exec script -q -e -f -c "$*" /dev/null', "sh"]

describeServer("Chromium", hasChromium(), "what a newcomer opens in a browser", () => {
  let server: SpawnedServer
  let printed: string
  let browser: Browser
  beforeAll(async () => {
    await buildDashboard()
    server = await spawnServer({ through: onTerminal })
    printed = await eventually("the first start says all that it has to say", () =>
      server.stdout().includes("Embedded database in") ? server.stdout() : undefined
    )
    browser = await chromium.launch({
      executablePath: browserProgram({ whole: true }),
      args: ["--no-sandbox", "--disable-gpu"]
    })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  const newContext = async () => {
    const context = await browser.newContext({ locale: "en-US" })
    context.setDefaultTimeout(100_000)
    return context
  }
  const inBrowser = async (run: (page: Page, context: BrowserContext) => Promise<void>) => {
    const context = await newContext()
    await run(await context.newPage(), context)
    await context.close()
  }
  const shows = async (page: Page, title: string) => {
    await page.locator("main#content").getByRole("heading", { level: 1, name: title }).waitFor()
    await page.locator(".connection.live").waitFor()
  }
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await edp(args, { EDP_DATA_DIR: server.dataDir })
    expect(code, stderr).toBe(0)
    return stdout
  }
  const addressIn = (text: string) => {
    const [address] = /https?:\/\/[\w:./?#=%-]+/u.exec(text) ?? []
    expect(address, text).toBeDefined()
    return address!
  }
  const printedLink = () => addressIn(/^ *Dashboard .*$/mu.exec(printed)![0])
  const newLink = async () => addressIn(await run("dashboard", "open", "--print"))
  const typeKey = async (page: Page) => {
    await page.getByLabel("MANAGEMENT key").fill(server.credentials.managementKey)
    await page.getByRole("button", { name: "Sign in" }).click()
  }

  test("all addresses that the program prints, and those of its links, have one origin", async () => {
    const session = await run("connections", "create", "--reference", "home-1", "--json")
    const addresses = [
      ...[...printed.matchAll(/https?:\/\/[\w:./?#=%-]+/gu)].map(([address]) => address),
      server.credentials.baseUrl,
      await newLink(),
      JSON.parse(session).url
    ]
    expect(addresses.length).toBeGreaterThan(5)
    expect([...new Set(addresses.map((address) => new URL(address).origin))]).toEqual([server.baseUrl])
  })

  test("the link that the first start prints leads to the first page, and the session holds at the printed address", () =>
    inBrowser(async (page) => {
      await page.goto(printedLink())
      await shows(page, "Overview")
      expect(page.url()).toBe(`${server.baseUrl}/`)
      await page.goto(`${server.baseUrl}/dashboard/alerts`)
      await shows(page, "Alerts")
    }))

  test("the link that `edp dashboard open` prints leads to the first page, also if it is opened again", () =>
    inBrowser(async (page) => {
      const link = await newLink()
      await page.goto(link)
      await shows(page, "Overview")
      await page.goto("about:blank")
      await page.goto(link)
      await shows(page, "Overview")
    }))

  test("a key that is typed leads to the page that was asked for, and to the first one at the address of links", () =>
    inBrowser(async (page, context) => {
      await page.goto(`${server.baseUrl}/dashboard/sites?q=ada`)
      await typeKey(page)
      await shows(page, "Sites")
      expect(page.url()).toContain("/dashboard/sites?q=ada")
      await context.clearCookies()
      await page.goto(`${server.baseUrl}/dashboard/sign-in`)
      await typeKey(page)
      await shows(page, "Overview")
    }))

  test("a link that is opened while a page asks for a sign-in leads to that page, in both tabs", () =>
    inBrowser(async (asking, context) => {
      await asking.goto(`${server.baseUrl}/dashboard/alerts`)
      await asking.getByLabel("MANAGEMENT key").waitFor()
      const opened = await context.newPage()
      await opened.goto(await newLink())
      await shows(opened, "Alerts")
      await shows(asking, "Alerts")
      // The next link leads to the first page, because the page that was asked for was shown.
      await opened.goto(await newLink())
      await shows(opened, "Overview")
    }))

  test("the link that `edp connections create` prints opens the hosted page", () =>
    inBrowser(async (page) => {
      const link = addressIn(await run("connections", "create", "--reference", "home-2"))
      await page.goto(link)
      await expect.poll(() => page.locator("body").getAttribute("data-page")).toBe("customer")
      expect(new URL(page.url()).origin).toBe(server.baseUrl)
    }))
})
