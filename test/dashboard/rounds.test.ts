import { join } from "node:path"
import type { Browser, BrowserContext, Page, Route } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { arrangeDashboard } from "./arrangeDashboard.ts"
import { openContext, Record, routedAddresses, settled, signIn, startChromium, STREAM } from "./browser.ts"

const metrics = ["charging", "generation", "grid", "load", "production"].map((name) => `/v1/metrics/${name}`)

/**
 * The requests for data of each page, in rounds: those of a round need no response of the same round. A second round is for what only
 * a response determines, such as the time zone of a site.
 */
const rounds: { readonly [address: string]: ReadonlyArray<ReadonlyArray<string>> } = {
  "/": [["/dashboard/api/overview", "/dashboard/api/overview/energy"]],
  "/dashboard/fleet": [["/dashboard/api/fleet", "/dashboard/api/fleet/devices", "/dashboard/api/saved-filters"]],
  // The readings of a day are asked for by the time zone of the device's site.
  "/dashboard/devices/$id": [
    ["/dashboard/api/devices/ID/connection", "/v1/devices/ID", "/v1/devices/ID/alerts"],
    ["/v1/customers", "/v1/manufacturers/simulator", "/v1/sites/ID"],
    ["/dashboard/api/annotations", "/v1/commands", "/v1/devices/ID/history"]
  ],
  "/dashboard/devices/$id?tab=commands": [
    ["/dashboard/api/devices/ID/connection", "/v1/devices/ID", "/v1/devices/ID/alerts", "/v1/devices/ID/commands"],
    ["/v1/customers", "/v1/manufacturers/simulator", "/v1/sites/ID"]
  ],
  "/dashboard/sites": [["/v1/sites"]],
  "/dashboard/sites/$id": [
    ["/v1/alerts", "/v1/customers", "/v1/sites/ID", "/v1/sites/ID/devices"],
    [...metrics, "/v1/schedules"]
  ],
  "/dashboard/customers": [["/v1/customers"]],
  "/dashboard/customers/$id": [
    ["/v1/customers/ID", "/v1/devices", "/v1/programInstances", "/v1/sites"],
    ["/v1/programInstances/ID/enrollments"]
  ],
  "/dashboard/energy": [[...metrics, "/v1/metrics/storage"]],
  "/dashboard/alerts": [["/dashboard/api/alerts"]],
  "/dashboard/events": [["/v1/events"]],
  "/dashboard/destinations": [["/dashboard/api/destinations"]],
  "/dashboard/destinations/$id": [["/dashboard/api/destinations/ID", "/v1/destinations/ID/deliveries"]],
  "/dashboard/connections": [["/dashboard/api/connected-accounts", "/v1/manufacturers"]],
  "/dashboard/connections?tab=home-assistant": [["/v1/home-assistant-publications", "/v1/manufacturers"]],
  "/dashboard/programs": [["/v1/programInstances", "/v1/programs"]],
  "/dashboard/programs/$id": [
    ["/v1/programInstances/ID", "/v1/programInstances/ID/enrollments"],
    ["/dashboard/api/names"]
  ],
  "/dashboard/grid-connections": [["/v1/grid-connections"]],
  "/dashboard/grid-connections/$id": [
    [
      "/v1/grid-connections/ID",
      "/v1/grid-connections/ID/events",
      "/v1/grid-connections/ID/programs",
      "/v1/grid-connections/ID/timeline"
    ]
  ],
  "/dashboard/grid-connections/$id?tab=programs": [
    [
      "/v1/grid-connections/ID",
      "/v1/grid-connections/ID/programs",
      "/v1/grid-connections/ID/timeline",
      "/v1/programInstances"
    ]
  ],
  "/dashboard/openadr": [["/dashboard/api/openadr", "/dashboard/api/openadr/clients"]],
  "/dashboard/openadr?tab=reports": [["/dashboard/api/openadr", "/v1/openadr/reports"]],
  "/dashboard/dispatches": [["/v1/programInstances"], ["/v1/programInstances/ID/dispatches"]],
  "/dashboard/dispatches/$id": [
    ["/v1/dispatches/ID", "/v1/dispatches/ID/participants", "/v1/dispatches/ID/report"],
    ["/dashboard/api/names"]
  ],
  "/dashboard/commands": [["/v1/commands"], ["/dashboard/api/names"]],
  "/dashboard/collections": [["/v1/collections"]],
  "/dashboard/collections/$id": [["/v1/collections/ID", "/v1/collections/ID/members"]],
  "/dashboard/schedules": [["/v1/schedules"]],
  "/dashboard/settings": [["/v1/workspaces/ID"]],
  "/dashboard/audit": [["/v1/audit-logs"]],
  "/dashboard/keys": [["/v1/api-keys", "/v1/api-keys/ID"]],
  "/dashboard/health": [["/dashboard/api/health"]],
  "/dashboard/account": [["/dashboard/api/sessions"]]
}

const isData = ({ pathname }: URL) => /^\/(v1|dashboard\/api)\//.test(pathname) && !STREAM.test(pathname)
const isCode = ({ pathname }: URL) => /^\/dashboard\/assets\/.*\.js$/.test(pathname)

/** The path of a request, without the ids in it. */
const named = (url: string) => new URL(url).pathname.replaceAll(/[a-z0-9]{24,}/g, "ID")

const sorted = (urls: Iterable<string>) => [...new Set([...urls].map(named))].toSorted()

/** Keeps requests from the service until they are let through. */
const holdRequests = async (page: Page, isHeld: (url: URL) => boolean) => {
  let held: Array<Route> = []
  const all: Array<string> = []
  let isOpen = false
  await page.route(isHeld, async (route) => {
    all.push(route.request().url())
    if (isOpen) await route.continue()
    else held.push(route)
  })
  const release = async () => {
    const released = held
    held = []
    await Promise.all(released.map((route) => route.continue()))
  }
  return {
    all: all as ReadonlyArray<string>,
    held: () => held.map((route) => route.request().url()),
    release,
    open: async () => {
      isOpen = true
      await release()
    }
  }
}

describeServer("Chromium", hasChromium(), "the rounds of requests of a page", () => {
  let folder: GuardedFolder
  let server: SpawnedServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let arranged: Awaited<ReturnType<typeof arrangeDashboard>>

  beforeAll(async () => {
    folder = await guardedFolder("edp-dashboard-rounds")
    server = await spawnServer({ dataDir: join(folder.path, "data") })
    ;[arranged, browser] = await Promise.all([arrangeDashboard(server), startChromium()])
    context = await openContext(browser, new Record(server.baseUrl))
    page = await context.newPage()
    await page.goto(`${server.baseUrl}/`)
    await signIn(page, server.credentials.managementKey)
    await page.close()
  })
  beforeEach(async () => {
    page = await context.newPage()
    // The live stream has queries read again.
    await page.route(STREAM, () => {})
  })
  afterEach(() => page.close())
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    await folder.remove()
  })

  // The present day has no readings until the first is taken, and the page then asks when the last one was.
  const withDay = (path: string) => (path === "/dashboard/energy" ? `${path}?day=2025-06-21` : path)
  const opened = (path: string) => withDay(path).replace("$id", arranged.ids[path.split("?")[0]!] ?? "")

  const waitForRound = (held: () => ReadonlyArray<string>, expected: ReadonlyArray<string>) =>
    eventually(`requests for ${expected.join(" ")}`, () => {
      const present = sorted(held())
      return present.length === expected.length ? present : undefined
    })

  test("each page of the router has its rounds in this suite", () => {
    expect(Object.keys(rounds).filter((path) => !path.includes("?"))).toEqual(routedAddresses())
  })

  describe("within the dashboard", () => {
    test.each(Object.keys(rounds))("%s asks for its code and its data together", async (path) => {
      // The overview has no need of the other pages' queries. They are loaded when somebody moves the pointer.
      const loaded = path === "/" ? undefined : page.waitForResponse(/\/assets\/queries-/)
      await page.goto(server.baseUrl + (path === "/" ? "/dashboard/account" : "/"))
      await settled(page)
      if (loaded !== undefined) {
        await page.mouse.move(5, 5)
        await page.mouse.move(6, 6)
        await loaded
        await settled(page)
      }
      const code = await holdRequests(page, isCode)
      const data = await holdRequests(page, isData)
      await page.evaluate(`history.pushState(null, "", "${opened(path)}")`)

      const [first, ...others] = rounds[path]!
      await eventually("the code of the page is asked for", () => code.held().length > 0 || undefined)
      expect(await waitForRound(data.held, first!)).toEqual(first)
      await code.open()
      // The charts and dialogs, which are loaded when they are shown, hold nothing back.
      for (const expected of others) {
        await data.release()
        expect(await waitForRound(data.held, expected)).toEqual(expected)
      }
      const known = sorted(data.all)
      await data.open()
      await settled(page)
      expect(sorted(data.all)).toEqual(known)
    })
  })

  test("a page that is opened by its address asks for its code while the session is read, and then for its data at once", async () => {
    const path = "/dashboard/sites/$id"
    const data = await holdRequests(page, isData)
    const code: Array<string> = []
    page.on("request", (request) => void (isCode(new URL(request.url())) && code.push(named(request.url()))))
    await page.goto(server.baseUrl + opened(path))
    expect(await waitForRound(data.held, ["/dashboard/api/session"])).toEqual(["/dashboard/api/session"])
    await eventually("the code of the page and its queries", () =>
      code.some((url) => /queries-/.test(url)) && code.some((url) => /Page-/.test(url)) ? true : undefined
    )
    await data.release()
    expect(await waitForRound(data.held, rounds[path]![0]!)).toEqual(rounds[path]![0])
    await data.open()
    await settled(page)
  })
})
