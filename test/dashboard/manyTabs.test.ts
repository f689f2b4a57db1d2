import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { openContext, Record, settled, signIn, startChromium, STREAM } from "./browser.ts"

const LOADS = 12
const TABS = 20

describeServer("Chromium", hasChromium(), "a browser that keeps left pages, with many tabs", () => {
  const app = useTestApp()
  let browser: Browser
  let place: TestWorkspace
  let context: BrowserContext
  let page: Page
  /** The streams that were opened, by the addresses of their pages, and those that have not ended. */
  let opened: Array<{ readonly page: Page; isOpen: boolean }>

  beforeAll(async () => {
    browser = await startChromium({ keepsPages: true })
  })
  afterAll(() => browser?.close())

  const watchStreams = (tab: Page) => {
    const streams = new Map<unknown, { readonly page: Page; isOpen: boolean }>()
    tab.on("request", (request) => {
      if (!STREAM.test(request.url())) return
      const stream = { page: tab, isOpen: true }
      streams.set(request, stream)
      opened.push(stream)
    })
    const end = (request: unknown) => {
      const stream = streams.get(request)
      if (stream !== undefined) stream.isOpen = false
    }
    tab.on("requestfinished", end)
    tab.on("requestfailed", end)
    tab.on("close", () => streams.forEach((_, request) => end(request)))
  }
  const openStreams = () => opened.filter(({ isOpen }) => isOpen)

  beforeEach(async () => {
    opened = []
    place = await app.workspace()
    context = await openContext(browser, new Record(app.url))
    context.on("page", watchStreams)
    page = await context.newPage()
    await page.goto(app.url)
    await signIn(page, place.keys.MANAGEMENT)
    await isLive(page)
  })
  afterEach(() => context.close())

  let houses = 0
  const isLive = (tab: Page) => tab.locator(".connection.live").waitFor()
  const open = async (path = "/", tab?: Page) => {
    const at = tab ?? (await context.newPage())
    await at.goto(app.url + path)
    await settled(at)
    await isLive(at)
    return at
  }
  const createSite = async (name: string, key = place.keys.SERVER) => {
    const streetOne = `${++houses} Capitol Mall`
    const body = { name, address: { streetOne, city: "Sacramento", state: "CA", postalCode: "95814" } }
    const response = await app.call("POST", "/v1/sites", { key, body })
    expect(response.status, response.text).toBe(201)
  }
  const shows = (tab: Page, name: string) => tab.getByRole("link", { name, exact: true }).first().waitFor()

  /** Follows a link to another page: the browser keeps the page that is left. */
  const leave = async (tab: Page, path: string) => {
    await tab.evaluate(`window.addEventListener("pageshow", ({ persisted }) => (window.isBack = persisted))`)
    await tab.evaluate(`location.assign(${JSON.stringify(path)})`)
    await tab.waitForURL((url) => url.href.endsWith(path))
  }
  /** Goes back to the kept page, which is not loaded again. */
  const goBack = async (tab: Page) => {
    await tab.evaluate("history.back()")
    await expect.poll(() => tab.evaluate("window.isBack === true").catch(() => false)).toBe(true)
  }
  const leader = () => openStreams()[0]!.page

  test(`shows ${LOADS} pages one after another in one tab, and the pages that it goes back to are live`, async () => {
    const paths = ["/dashboard/sites", "/dashboard/alerts", "/dashboard/customers"]
    for (let n = 0; n < LOADS; n++) {
      await leave(page, `${paths[n % paths.length]!}?load=${n}`)
      await settled(page)
      await isLive(page)
    }
    await leave(page, "/dashboard/sites?load=last")
    await isLive(page)
    await goBack(page)
    expect(page.url()).toContain(`load=${LOADS - 1}`)
    await isLive(page)
    expect(openStreams()).toHaveLength(1)
  })

  test(`shows ${TABS} tabs that are opened at once, which share one stream`, async () => {
    const tabs = await Promise.all(Array.from({ length: TABS }, () => open("/dashboard/sites")))
    expect(openStreams()).toHaveLength(1)
    await createSite("Seen by all")
    await Promise.all(tabs.map((tab) => shows(tab, "Seen by all")))
  })

  test("the stream goes to another tab when its tab is left or closed, and no change is missed", async () => {
    const tabs = [await open("/dashboard/sites", page), await open("/dashboard/sites"), await open("/dashboard/sites")]
    const first = leader()
    await leave(first, "/v1/docs")
    const others = tabs.filter((tab) => tab !== first)
    await expect.poll(() => others.includes(openStreams()[0]?.page as Page)).toBe(true)
    await createSite("While one is left")
    await Promise.all(others.map((tab) => shows(tab, "While one is left")))
    const second = leader()
    await second.close()
    await createSite("After one is closed")
    const [third] = others.filter((tab) => tab !== second)
    await shows(third!, "After one is closed")
    await goBack(first)
    await Promise.all(["While one is left", "After one is closed"].map((name) => shows(first, name)))
    await isLive(first)
    expect(openStreams()).toHaveLength(1)
  })

  test("tabs of different workspaces have streams of their own, and learn nothing of each other", async () => {
    const made = await app.call("POST", "/v1/workspaces", { key: place.keys.MANAGEMENT, body: { name: "Other" } })
    const key = await app.call("POST", "/v1/api-keys", {
      key: place.keys.MANAGEMENT,
      body: { name: "Other", type: "SERVER", workspaceId: made.body.id }
    })
    await open("/dashboard/sites", page)
    const other = await open(`/dashboard/sites?workspace=${made.body.id}`)
    await isLive(page)
    expect(openStreams()).toHaveLength(2)
    await createSite("In the other one", key.body.key)
    await shows(other, "In the other one")
    await createSite("In this one")
    await shows(page, "In this one")
    expect(await page.getByText("In the other one").count()).toBe(0)
    expect(await other.getByText("In this one").count()).toBe(0)
  })

  test("a tab takes the stream over from one that does not respond", async () => {
    await page.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    const tab = await open("/dashboard/sites")
    await createSite("Seen without the other tab")
    await shows(tab, "Seen without the other tab")
    expect(leader()).toBe(tab)
  })

  test("after a sign-out in one tab the others ask for a sign-in, and the way back shows nothing of the session", async () => {
    const other = await open("/dashboard/sites")
    await leave(page, "/dashboard/customers")
    await settled(page)
    await page.getByRole("button", { name: "Session and settings" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await other.getByText("Your session has ended").waitFor()
    await page.evaluate("history.go(-2)")
    await page.getByLabel("MANAGEMENT key").waitFor()
    expect(await page.locator("main#content").count()).toBe(0)
    // A sign-in in one tab is one in all of them.
    await signIn(page, place.keys.MANAGEMENT)
    await other.getByText("Your session has ended").waitFor({ state: "hidden" })
    await isLive(other)
  })

  test("a page of a browser without locks has a stream of its own", async () => {
    await context.addInitScript("delete Navigator.prototype.locks")
    const tab = await open("/dashboard/sites")
    await createSite("Seen by itself")
    await shows(tab, "Seen by itself")
    expect(openStreams().map((stream) => stream.page)).toContain(tab)
  })
})
