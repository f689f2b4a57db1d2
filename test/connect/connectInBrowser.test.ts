import { readFileSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import { stripTypeScriptTypes } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { eventually } from "../support/eventually.ts"
import { hasChromium, openPage, type Page } from "../support/chromium.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"

const kit = stripTypeScriptTypes(
  readFileSync(new URL("../../packages/connect/src/connect.ts", import.meta.url), "utf8")
)

const listen = async (handler: RequestListener) => {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface Scene {
  /** State of the session, as the platform responds to it. */
  state: { status: string; lastError?: { code: string } | null }
  /** How the platform responds to the creation of a session. */
  creation: number
  /** Requests about the session that the platform leaves without a response. */
  hanging: number
  /** Query with which the last page sends the visitor back; null stays there. */
  back: string | null
  /** Whether the last page cuts the link to the window that opened it. */
  cuts: boolean
  readonly requests: Array<{ readonly path: string; readonly referer: string | undefined }>
}

const html = (body: string) => `<!doctype html><title>Page</title>${body}`

const app = (platform: () => string): RequestListener => {
  const pages: Readonly<Record<string, readonly [type: string, body: string]>> = {
    "/kit.js": ["text/javascript", kit],
    "/": ["text/html", html("<button>Connect</button><script type=module src=/page.js></script>")],
    "/connected": ["text/html", html("<script type=module src=/return.js></script>")],
    "/return.js": [
      "text/javascript",
      `import { finishConnect } from "/kit.js"; window.returned = finishConnect(); window.left = location.href`
    ]
  }
  return (request, response) => {
    const { pathname } = new URL(request.url!, "http://app")
    const [type, body] =
      pathname === "/page.js"
        ? [
            "text/javascript",
            `import { openConnect, withConnectKey } from "/kit.js"
             window.start = (options) => openConnect({
               ...withConnectKey(${JSON.stringify(platform())}, "connect_key", { referenceId: "user-1" }),
               pollEvery: 50, closedAfter: 300, ...options
             }).then((result) => { window.result = result })
             window.ready = true`
          ]
        : (pages[pathname] ?? ["text/plain", "nothing"])
    response.writeHead(200, { "content-type": type }).end(body)
  }
}

const platform =
  (scene: () => Scene, appUrl: () => string): RequestListener =>
  (request, response) => {
    const { back, creation, cuts, requests, state } = scene()
    const { pathname } = new URL(request.url!, "http://platform")
    requests.push({ path: request.url!, referer: request.headers.referer })
    const cors = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "service-api-key, content-type"
    }
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end()
    const respond = (status: number, body: object) =>
      response.writeHead(status, { ...cors, "content-type": "application/json" }).end(JSON.stringify(body))
    if (pathname === "/v1/connections") {
      return creation === 201
        ? respond(201, { id: "session-1", url: `http://${request.headers.host}/connect/token` })
        : respond(creation, { code: "VALIDATION_ERROR", message: "Refused" })
    }
    if (pathname === "/v1/connections/session-1" && request.method === "GET" && scene().hanging > 0) {
      scene().hanging -= 1
      return
    }
    if (pathname === "/v1/connections/session-1") return respond(200, { id: "session-1", ...state })
    response.writeHead(200, {
      "content-type": "text/html",
      ...(cuts && { "cross-origin-opener-policy": "same-origin" })
    })
    const next =
      back === null ? "" : `<script>location.href = ${JSON.stringify(`${appUrl()}/connected?${back}`)}</script>`
    response.end(html(`<h1>Hosted</h1>${next}`))
  }

describe.skipIf(!hasChromium() && process.env.CI !== "true")("the kit for web pages, in Chromium", () => {
  const scene: Scene = {
    state: { status: "STARTED" },
    creation: 201,
    hanging: 0,
    back: null,
    cuts: false,
    requests: []
  }
  const servers: Array<Server> = []
  let urls = { app: "", platform: "" }
  let page: Page
  let folder: GuardedFolder
  let profiles = 0

  beforeAll(async () => {
    folder = await guardedFolder("edp-kit")
    const first = await listen(app(() => urls.platform))
    const second = await listen(
      platform(
        () => scene,
        () => urls.app
      )
    )
    servers.push(first.server, second.server)
    urls = { app: first.url, platform: second.url }
  })
  afterAll(async () => {
    for (const server of servers) server.close()
    await folder.remove()
  })
  beforeEach(async () => {
    Object.assign(scene, { state: { status: "STARTED" }, creation: 201, hanging: 0, back: null, cuts: false })
    scene.requests.length = 0
    page = await openPage(join(folder.path, `profile-${++profiles}`), `${urls.app}/`)
    await page.until("window.ready")
  })
  afterEach(() => page.close())

  const start = (options = "{}") => page.evaluate(`void start(${options})`)
  const looks = () => scene.requests.filter(({ path }) => path === "/v1/connections/session-1")
  const result = async () => {
    await page.until("window.result !== undefined")
    return page.evaluate("window.result")
  }

  test("resolves with the key that the visitor brings back, and leaves it in no address", async () => {
    scene.state = { status: "SUCCESS" }
    scene.back = "service_scoped_token=scoped_1&connect_session_id=session-1&keep=1"
    await start("{ closedAfter: 60000 }")
    expect(await result()).toEqual({ status: "success", sessionId: "session-1", token: "scoped_1" })
    expect(scene.requests.filter(({ referer }) => referer?.includes("scoped_1"))).toEqual([])
  })

  test("resolves although the manufacturer's page has cut the link between the windows", async () => {
    scene.state = { status: "SUCCESS" }
    scene.back = "service_scoped_token=scoped_1&connect_session_id=session-1"
    scene.cuts = true
    await start()
    expect(await result()).toMatchObject({ status: "success", sessionId: "session-1" })
  })

  test("polls again when a poll of the session gets no response", async () => {
    scene.state = { status: "SUCCESS" }
    scene.hanging = 2
    await start("{ responseTimeout: 500 }")
    expect(await result()).toMatchObject({ status: "success", sessionId: "session-1" })
  })

  test("ends at the signal, even while a look is left without a response", async () => {
    scene.hanging = 1
    await start("{ signal: (window.given = new AbortController()).signal }")
    await eventually("the kit looks", () => (scene.hanging === 0 ? true : undefined))
    await page.evaluate("given.abort()")
    expect(await result()).toEqual({ status: "closed", sessionId: "session-1" })
  })

  test("resolves with success without a key where the visitor does not come back", async () => {
    scene.state = { status: "SUCCESS" }
    await start()
    expect(await result()).toEqual({ status: "success", sessionId: "session-1", token: null })
  })

  test("does not believe a message: the session decides", async () => {
    scene.back = "service_scoped_token=forged&connect_session_id=session-1"
    await start()
    expect(await result()).toEqual({ status: "closed", sessionId: "session-1" })
  })

  test("ignores messages of other sessions and of other windows", async () => {
    scene.state = { status: "ERROR", lastError: { code: "no_devices" } }
    await start("{ signal: (window.given = new AbortController()).signal, closedAfter: 60000 }")
    await eventually("the kit listens", () => looks()[0])
    const forged = `{ type: "edp-connect", sessionId: "session-1", token: null, error: "no_devices" }`
    await page.evaluate(`postMessage(${forged}, "*")`)
    await page.evaluate(`new BroadcastChannel("edp-connect:session-2").postMessage(${forged})`)
    scene.requests.length = 0
    // A look is two requests, and one may have begun before the messages.
    await eventually("the kit has looked again", () => looks()[4])
    await page.evaluate("given.abort()")
    expect(await result()).toEqual({ status: "closed", sessionId: "session-1" })
  })

  test.each([
    ["access_denied", { status: "denied", sessionId: "session-1" }],
    ["consent_refused", { status: "denied", sessionId: "session-1" }],
    ["no_devices", { status: "error", sessionId: "session-1", code: "no_devices" }]
  ])("tells %s", async (code, expected) => {
    scene.state = { status: "ERROR", lastError: { code } }
    scene.back = `error=${code}&connect_session_id=session-1`
    await start()
    expect(await result()).toEqual(expected)
  })

  test("reports that the link has expired", async () => {
    scene.state = { status: "EXPIRED" }
    await start()
    expect(await result()).toEqual({ status: "error", sessionId: "session-1", code: "expired" })
  })

  test("reports that the visitor closed the window, and the reason if it had failed before", async () => {
    await page.evaluate(
      "{ const open = window.open; window.open = (...all) => (window.popup = open.apply(window, all)) }"
    )
    await start()
    await page.until("window.popup !== undefined")
    await page.evaluate("window.popup.close()")
    expect(await result()).toEqual({ status: "closed", sessionId: "session-1" })
    scene.state = { status: "ERROR", lastError: { code: "no_devices" } }
    await page.evaluate("window.result = undefined")
    scene.requests.length = 0
    await start()
    await eventually("the second link", () => scene.requests.find(({ path }) => path === "/connect/token"))
    await page.evaluate("window.popup.close()")
    expect(await result()).toMatchObject({ status: "error", code: "no_devices" })
  })

  test("reports the code of a refused session, and closes the window", async () => {
    scene.creation = 400
    await page.evaluate(
      "{ const open = window.open; window.open = (...all) => (window.popup = open.apply(window, all)) }"
    )
    await start()
    expect(await result()).toEqual({ status: "error", sessionId: null, code: "VALIDATION_ERROR" })
    await page.until("window.popup.closed")
  })

  test("leaves the page for the link where no window opens, and returns the result on the page at the redirectUrl", async () => {
    await page.evaluate("window.open = () => null")
    scene.back = "service_scoped_token=scoped_1&connect_session_id=session-1&keep=1"
    await start()
    await page.until("window.returned !== undefined")
    expect(await page.evaluate("window.returned")).toEqual({ sessionId: "session-1", token: "scoped_1", error: null })
    expect(await page.evaluate("window.left")).toBe(`${urls.app}/connected?keep=1`)
  })

  test("resolves with blocked where no window opens and the page is to stay", async () => {
    await page.evaluate("window.open = () => null")
    await start(`{ fallback: "none" }`)
    expect(await result()).toEqual({ status: "blocked" })
    expect(scene.requests).toEqual([])
  })
})
