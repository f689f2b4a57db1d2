import { createHash } from "node:crypto"
import { request } from "node:http"
import { sessionKeyType } from "@edp/server/app/middleware/sessionRequests"
import { Sessions } from "@edp/server/dashboard/sessions/Sessions"
import { ApiKeys } from "@edp/server/api-keys/ApiKeys"
import { ports, services } from "@edp/server/api-keys/layer"
import { VenScopes } from "@edp/server/api-keys/VenScopes"
import { Effect, Layer, Redacted } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { answeredCookie, type BrowserSession, signIn, toBrowserSession } from "../../../support/browserSession.ts"
import { eventually } from "../../../support/eventually.ts"
import { expectError } from "../../../support/expectError.ts"
import { movableClock } from "../../../support/movableClock.ts"
import { type TestResponse, type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"
import { atOnce } from "../../../support/races.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const clock = movableClock(Date.parse("2026-03-01T12:00:00Z"))
const app = useTestApp({ clock, env: { EDP_RATE_LIMIT_AUTH_FAILURES: "60" } })

const cuid = expect.stringMatching(/^c[0-9a-z]{24}$/)
const at = (milliseconds: number) => new Date(milliseconds).toISOString()
const now = () => clock.currentTimeMillisUnsafe()

let place: TestWorkspace
beforeAll(async () => {
  place = await app.workspace()
})

const signInPath = "/dashboard/api/sign-in"
const attempt = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  app.call("POST", signInPath, { body, headers })

/** Signs in at a host that the request names: `fetch` would name that of the address. */
const signInAt = (url: string, body: object, host: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly status: number; readonly text: string; readonly cookies: ReadonlyArray<string> }>(
    (resolve, reject) => {
      const sent = request(
        `${url}${signInPath}`,
        { method: "POST", headers: { ...headers, host, "content-type": "application/json" } },
        (response) => {
          let text = ""
          response.setEncoding("utf8")
          response.on("data", (part: string) => (text += part))
          response.on("end", () =>
            resolve({ status: response.statusCode!, text, cookies: response.headers["set-cookie"] ?? [] })
          )
        }
      )
      sent.on("error", reject)
      sent.end(JSON.stringify(body))
    }
  )

const createLink = async (key = place.keys.MANAGEMENT) => {
  const { body, status } = await app.call("POST", "/dashboard/api/links", { key })
  expect(status).toBe(201)
  const [address, token] = body.url.split("#token=")
  return { address, token, expiresAt: body.expiresAt }
}

const records = async (workspace: Pick<TestWorkspace, "keys">, action: string) => {
  const response = await app.call("GET", `/v1/audit-logs?perPage=100&action=${action}`, {
    key: workspace.keys.MANAGEMENT
  })
  return response.body.data as ReadonlyArray<any>
}

const ended = (response: TestResponse) => expectError(response, 401, "UNAUTHENTICATED")
const current = (browser: BrowserSession) => browser.call("GET", "/dashboard/api/session")

/** The next minute's windows, in which nothing was counted. */
const nextWindow = () => clock.move(MINUTE)

describe("signing in", () => {
  test("by a link starts a session, and the link works no more", async () => {
    const { address, expiresAt, token } = await createLink()
    expect(address).toBe("http://127.0.0.1:3000/dashboard/sign-in")
    expect(expiresAt).toBe(at(now() + 10 * MINUTE))
    const browser = toBrowserSession(app, await attempt({ token }))
    expect(browser.session).toEqual({
      id: cuid,
      key: {
        id: cuid,
        name: "MANAGEMENT",
        keyPrefix: place.keys.MANAGEMENT.slice(0, 12),
        workspaceId: place.workspaceId
      },
      organization: { id: place.organizationId, name: `Organization ${place.organizationId}` },
      workspaces: [
        {
          id: place.workspaceId,
          name: `Workspace ${place.workspaceId}`,
          timezone: "UTC",
          temperatureUnit: "F",
          distanceUnit: "mi"
        }
      ],
      signedInAt: at(now()),
      freshUntil: at(now() + 10 * MINUTE),
      expiresAt: at(now() + 12 * HOUR),
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      version: "2.0.0"
    })
    expect((await current(browser)).body).toEqual(browser.session)
    ended(await attempt({ token }))
  })

  test("by a MANAGEMENT key starts a session; keys of other types, unknown and mistyped keys start none", async () => {
    expect((await current(await signIn(app, place.keys.MANAGEMENT))).status).toBe(200)
    const { MANAGEMENT: management, ...others } = place.keys
    for (const key of [...Object.values(others), `${management.slice(0, -1)}!`, "mgmt_", "x"]) {
      const response = await attempt({ key })
      ended(response)
      expect(answeredCookie(response)).toBeUndefined()
    }
    await eventually("the refused use", async () =>
      (await records(place, "access.refused")).find(
        ({ actorType, refusal, resourceId }) =>
          resourceId === `POST ${signInPath}` && actorType === "SERVER" && refusal.reason === "WRONG_KEY_TYPE"
      )
    )
  })

  test("takes either a token or a key", async () => {
    const sentence = "Must be given, unless the other one is: token or key"
    for (const body of [{}, { token: "x", key: "y" }]) {
      expectError(await attempt(body), 400, "VALIDATION_ERROR", { token: sentence, key: sentence })
    }
  })

  test("by one link in several browsers at once signs one of them in", async () => {
    const { token } = await createLink()
    const responses = await atOnce(8, () => attempt({ token }))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 401)])
  })

  test("by a link ends after 10 minutes, and with the key of the link", async () => {
    const late = await createLink()
    const { id, key } = await app.key(place, "MANAGEMENT")
    const revoked = await createLink(key)
    await app.call("POST", `/v1/api-keys/${id}/revoke`, { key: place.keys.MANAGEMENT })
    ended(await attempt({ token: revoked.token }))
    clock.move(10 * MINUTE)
    ended(await attempt({ token: late.token }))
    ended(await attempt({ token: "x" }))
  })

  test("again in the same browser ends the browser's session", async () => {
    const before = await signIn(app, place.keys.MANAGEMENT)
    const after = await signIn(app, place.keys.MANAGEMENT, { cookie: before.cookie })
    ended(await current(before))
    expect((await current(after)).status).toBe(200)
    expect((await records(place, "session.sign-in"))[0]).toMatchObject({
      resourceId: after.session.id,
      after: { method: "KEY", replaced: before.session.id }
    })
  })

  test.each([
    ["a page of another site", { "sec-fetch-site": "cross-site", origin: "https://other.example" }],
    ["a page of another host of the site", { "sec-fetch-site": "same-site", origin: "http://other.localhost" }],
    ["a page without a name", { origin: "null" }],
    ["a page of another origin over http", { origin: "http://other.example" }]
  ])("from %s is refused", async (_, headers) => {
    const response = await attempt({ key: place.keys.MANAGEMENT }, headers)
    expectError(response, 403, "FORBIDDEN")
    expect(answeredCookie(response)).toBeUndefined()
  })

  test("from the dashboard's own page is allowed, at the address of the request and at the public one", async () => {
    for (const origin of [app.url, "http://127.0.0.1:3000"]) {
      await signIn(app, place.keys.MANAGEMENT, { origin })
    }
    await signIn(app, place.keys.MANAGEMENT, { origin: app.url, "sec-fetch-site": "same-origin" })
  })

  test.each(["localhost", "localhost:5173", "LOCALHOST:3000", "127.0.0.1:8080", "[::1]:3000"])(
    "at the host %s of this machine is allowed",
    async (host) => {
      expect((await signInAt(app.url, { key: place.keys.MANAGEMENT }, host)).status).toBe(200)
    }
  )

  test.each([
    "rebound.example",
    "rebound.example:3000",
    "localhost.rebound.example",
    "127.0.0.1.rebound.example",
    "192.0.2.1:3000"
  ])("at the host %j is refused, also for a page that seems to be the dashboard's own", async (host) => {
    const { token } = await createLink()
    const origin = `http://${host}`
    for (const headers of [{}, { origin }, { origin, "sec-fetch-site": "same-origin" }]) {
      const refused = await signInAt(app.url, { token }, host, headers)
      expect(refused.status, refused.text).toBe(403)
      expect(refused.cookies).toEqual([])
      expect(JSON.parse(refused.text)).toMatchObject({
        code: "FORBIDDEN",
        message: expect.stringContaining("EDP_PUBLIC_URL")
      })
    }
    // The link was not used up.
    toBrowserSession(app, await attempt({ token }))
  })

  test("with wrong tokens is limited per address, as with wrong keys", async () => {
    nextWindow()
    const statuses = []
    for (let count = 0; count < 62; count++) statuses.push((await attempt({ token: "wrong" })).status)
    expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401))
    expect(statuses.slice(60)).toEqual([429, 429])
    expect((await app.call("GET", "/v1/sites", { key: "wrong" })).status).toBe(429)
    // A right one is not limited.
    await signIn(app, place.keys.MANAGEMENT)
    nextWindow()
  })

  test("over http sets a cookie that no script reads and no other site sends", async () => {
    const [cookie] = (await attempt({ key: place.keys.MANAGEMENT })).headers.getSetCookie()
    expect(cookie).toMatch(/^edp_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/)
  })
})

describe("with a public address of https", () => {
  const secure = useTestApp({ env: { EDP_PUBLIC_URL: "https://energy.example.com/" } })

  test("the cookie is bound to the host and to https, and links lead to the address", async () => {
    const { keys } = await secure.workspace()
    const link = await secure.call("POST", "/dashboard/api/links", { key: keys.MANAGEMENT })
    const [address, token] = link.body.url.split("#token=")
    expect(address).toBe("https://energy.example.com/dashboard/sign-in")
    const origin = "https://energy.example.com"
    const response = await secure.call("POST", signInPath, { body: { token }, headers: { origin } })
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-edp_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    const browser = toBrowserSession(secure, response)
    expect((await browser.call("GET", "/dashboard/api/session")).status).toBe(200)
    const unbound = { cookie: `edp_session=${browser.token}` }
    ended(await secure.call("GET", "/dashboard/api/session", { headers: unbound }))
  })

  test("signing in takes its host, and that of this machine, but no other", async () => {
    const { keys } = await secure.workspace()
    const at = async (host: string) => (await signInAt(secure.url, { key: keys.MANAGEMENT }, host)).status
    expect(await at("energy.example.com")).toBe(200)
    expect(await at("Energy.example.com:443")).toBe(200)
    expect(await at("localhost:3000")).toBe(200)
    expect(await at("example.com")).toBe(403)
    expect(await at("other.energy.example.com")).toBe(403)
  })
})

describe("a session", () => {
  test("ends after 12 hours without use, and each use moves its end", async () => {
    const browser = await signIn(app, place.keys.MANAGEMENT)
    clock.move(11 * HOUR)
    expect((await current(browser)).body.expiresAt).toBe(at(now() + 12 * HOUR))
    clock.move(11 * HOUR)
    expect((await current(browser)).status).toBe(200)
    clock.move(12 * HOUR)
    ended(await current(browser))
  })

  test("ends after 7 days however much it is used", async () => {
    const browser = await signIn(app, place.keys.MANAGEMENT)
    const last = now() + 7 * DAY
    while (now() + 10 * HOUR < last) {
      clock.move(10 * HOUR)
      expect((await current(browser)).status).toBe(200)
    }
    expect((await current(browser)).body.expiresAt).toBe(at(last))
    clock.move(last - now())
    ended(await current(browser))
  })

  test("ends with the sign-out, which clears the cookie", async () => {
    const browser = await signIn(app, place.keys.MANAGEMENT)
    const response = await browser.call("DELETE", "/dashboard/api/session")
    expect(response.status).toBe(204)
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^edp_session=; Max-Age=0;.*HttpOnly/)])
    ended(await current(browser))
    expect((await records(place, "session.sign-out"))[0]).toMatchObject({ resourceId: browser.session.id })
  })

  test("is listed, and ends when another one revokes it", async () => {
    const own = await app.workspace()
    const { key } = await app.key(own, "MANAGEMENT")
    const lost = await signIn(app, key, { "user-agent": "Browser/1" })
    const browser = await signIn(app, own.keys.MANAGEMENT)
    clock.move(2 * MINUTE)
    const { body } = await browser.call("GET", "/dashboard/api/sessions")
    expect(body).toMatchObject({ page: 1, totalItems: 2 })
    expect(body.data[0]).toMatchObject({ id: browser.session.id, current: true, lastUsedAt: at(now()) })
    expect(body.data[1]).toEqual({
      id: lost.session.id,
      key: lost.session.key,
      current: false,
      method: "KEY",
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      userAgent: "Browser/1",
      signedInAt: lost.session.signedInAt,
      lastUsedAt: lost.session.signedInAt,
      expiresAt: lost.session.expiresAt,
      madeKeys: 0
    })
    expect((await browser.call("DELETE", `/dashboard/api/sessions/${lost.session.id}`)).status).toBe(204)
    ended(await current(lost))
    expectError(await browser.call("DELETE", `/dashboard/api/sessions/${lost.session.id}`), 404, "NOT_FOUND")
    expect((await records(own, "session.revoke"))[0]).toMatchObject({
      resourceId: lost.session.id,
      resourceType: "session",
      actorId: browser.session.key.id,
      before: { method: "KEY", userAgent: "Browser/1" }
    })
  })

  test("is neither listed nor revoked by another organization", async () => {
    const other = await signIn(app, (await app.workspace()).keys.MANAGEMENT)
    const browser = await signIn(app, place.keys.MANAGEMENT)
    const { text } = await browser.call("GET", "/dashboard/api/sessions?perPage=100")
    expect(text).not.toContain(other.session.id)
    expectError(await browser.call("DELETE", `/dashboard/api/sessions/${other.session.id}`), 404, "NOT_FOUND")
    expect((await current(other)).status).toBe(200)
  })

  test("ends at once when its key is revoked, and when it expires", async () => {
    const revoked = await app.key(place, "MANAGEMENT")
    const expiring = await app.key(place, "MANAGEMENT", { expiresAt: new Date(now() + HOUR) })
    const [one, two] = [await signIn(app, revoked.key), await signIn(app, expiring.key)]
    await app.call("POST", `/v1/api-keys/${revoked.id}/revoke`, { key: place.keys.MANAGEMENT })
    ended(await current(one))
    expect((await current(two)).status).toBe(200)
    clock.move(HOUR)
    ended(await current(two))
    const { text } = await app.call("GET", "/dashboard/api/sessions?perPage=100", { key: place.keys.MANAGEMENT })
    expect(text).not.toMatch(new RegExp(`${one.session.id}|${two.session.id}`))
  })

  test("that has ended is deleted later, with expired links", async () => {
    const own = await app.workspace()
    const live = await signIn(app, own.keys.MANAGEMENT)
    await createLink(own.keys.MANAGEMENT)
    const { id, key } = await app.key(own, "MANAGEMENT")
    await signIn(app, key)
    await app.call("POST", `/v1/api-keys/${id}/revoke`, { key: own.keys.MANAGEMENT })
    clock.move(11 * MINUTE)
    await app.run(Effect.flatMap(Sessions, ({ clearEnded }) => clearEnded))
    expect(
      await app.sql((sql) => sql`SELECT id FROM dashboard_sessions WHERE organization_id = ${own.organizationId}`)
    ).toEqual([{ id: live.session.id }])
    expect(await app.sql((sql) => sql`SELECT 1 FROM dashboard_links`)).toEqual([])
  })

  test("does not count as a use of its key", async () => {
    const { id, key } = await app.key(place, "MANAGEMENT")
    const { token } = await createLink(key)
    await app.sql((sql) => sql`UPDATE api_keys SET last_used_at = NULL WHERE id = ${id}`)
    await current(toBrowserSession(app, await attempt({ token })))
    expect((await app.call("GET", `/v1/api-keys/${id}`, { key: place.keys.MANAGEMENT })).body.lastUsedAt).toBeNull()
  })
})

describe("requests of a session", () => {
  let browser: BrowserSession
  beforeAll(async () => {
    browser = await signIn(app, place.keys.MANAGEMENT)
  })

  test("that write need its CSRF token", async () => {
    const other = await signIn(app, place.keys.MANAGEMENT)
    const body = { name: "Renamed" }
    const path = `/v1/workspaces/${place.workspaceId}`
    for (const csrf of [{}, { "X-CSRF-Token": "" }, { "X-CSRF-Token": other.session.csrfToken }]) {
      expectError(
        await app.call("PATCH", path, { body, headers: { cookie: browser.cookie, ...csrf } }),
        403,
        "FORBIDDEN",
        { csrfToken: "Must be in the header X-CSRF-Token, as the session shows it" }
      )
    }
    expect((await app.call("GET", path, { headers: { cookie: browser.cookie } })).status).toBe(200)
    expect((await browser.call("PATCH", path, { body })).status).toBe(200)
  })

  test("are about the workspace of the key, or another one of its organization that they choose", async () => {
    const second = await app.workspace(place.organizationId)
    const stranger = await app.workspace()
    const make = (workspaceId?: string) =>
      browser.call("POST", "/v1/customers", {
        body: { firstName: "Grace" },
        ...(workspaceId !== undefined && { headers: { "X-Workspace-Id": workspaceId } })
      })
    expect((await make()).body.workspaceId ?? place.workspaceId).toBe(place.workspaceId)
    const made = await make(second.workspaceId)
    expect(made.status, made.text).toBe(201)
    const path = `/v1/customers/${made.body.id}`
    expect((await app.call("GET", path, { key: second.keys.SERVER })).status).toBe(200)
    expect((await app.call("GET", path, { key: place.keys.SERVER })).status).toBe(404)
    for (const workspaceId of [stranger.workspaceId, "c0000000000000000000000000", "x", ""]) {
      expectError(await make(workspaceId), 404, "WORKSPACE_NOT_FOUND")
      expectError(
        await browser.call("GET", "/v1/organizations", { headers: { "X-Workspace-Id": workspaceId } }),
        404,
        "WORKSPACE_NOT_FOUND"
      )
    }
  })

  test("with an Idempotency-Key are repeated per workspace", async () => {
    const second = await app.workspace(place.organizationId)
    const make = async (workspaceId: string) => {
      const headers = { "X-Workspace-Id": workspaceId, "Idempotency-Key": "one" }
      const { body, status } = await browser.call("POST", "/v1/customers", { body: { firstName: "Grace" }, headers })
      expect(status).toBe(201)
      return body.id
    }
    const first = await make(place.workspaceId)
    expect(await make(place.workspaceId)).toBe(first)
    expect(await make(second.workspaceId)).not.toBe(first)
    const path = `/v1/customers/${first}`
    expect((await records(place, "session.write")).filter(({ after }) => after.path === path)).toEqual([])
  })

  test("are those of their key, if they have one", async () => {
    const other = await app.workspace()
    const { body } = await browser.call("GET", "/v1/organizations", { key: other.keys.MANAGEMENT })
    expect(body.data[0].id).toBe(other.organizationId)
    ended(await browser.call("GET", "/v1/organizations", { key: "wrong" }))
    expectError(await browser.call("GET", "/dashboard/api/session", { key: other.keys.MANAGEMENT }), 404, "NOT_FOUND")
  })

  test("create keys and links for 10 minutes after the sign-in only", async () => {
    const fresh = await signIn(app, place.keys.MANAGEMENT)
    const create = (path: string, body?: object) => fresh.call("POST", path, body === undefined ? {} : { body })
    const key = { name: "Back end", type: "SERVER" }
    clock.move(10 * MINUTE - 1)
    expect((await create("/v1/api-keys", key)).status).toBe(201)
    expect((await create("/dashboard/api/links")).status).toBe(201)
    clock.move(1)
    for (const [path, body] of [["/v1/api-keys", key], ["/dashboard/api/links"]] as const) {
      expectError(await create(path, body), 403, "FORBIDDEN", { signIn: "Must be at most 10 minutes ago" })
    }
    expect((await create("/v1/workspaces", { name: "Needs no sign-in" })).status).toBe(201)
    expect((await app.call("POST", "/v1/api-keys", { key: place.keys.MANAGEMENT, body: key })).status).toBe(201)
  })

  test("make, change and end credentials for 10 minutes after the sign-in only", async () => {
    const own = await app.workspace()
    const old = await signIn(app, own.keys.MANAGEMENT)
    const other = await signIn(app, own.keys.MANAGEMENT)
    const { id } = await app.key(own, "SERVER")
    const limits = async () => (await app.call("GET", `/v1/api-keys/${id}`, { key: own.keys.MANAGEMENT })).body
    const before = await limits()
    const link = { manufacturerFilters: { manufacturers: ["simulator"] } }
    const acts = [
      ["POST", "/v1/connections", link],
      ["POST", "/v1/connections", { ...link, mode: "headless", redirectUrl: "https://example.com/done" }],
      ["PATCH", `/v1/api-keys/${id}`, { rateLimits: { read: 1 } }],
      ["POST", `/v1/api-keys/${id}/revoke`, { made: "keep" }],
      ["DELETE", `/dashboard/api/sessions/${other.session.id}`, undefined]
    ] as const
    clock.move(10 * MINUTE)
    for (const [method, path, body] of acts) {
      const response = await old.call(method, path, body === undefined ? {} : { body })
      expectError(response, 403, "FORBIDDEN", { signIn: "Must be at most 10 minutes ago" })
    }
    expect((await current(other)).status).toBe(200)
    expect(await limits()).toEqual(before)
    const fresh = await signIn(app, own.keys.MANAGEMENT, { cookie: old.cookie })
    for (const [method, path, body] of acts.slice(2)) {
      const { status, text } = await fresh.call(method, path, body === undefined ? {} : { body })
      expect(status, text).toBeLessThan(300)
    }
  })

  test("are limited per session, whatever the limits of the key", async () => {
    const { key } = await app.key(place, "MANAGEMENT", { limited: true })
    const [one, two] = [await signIn(app, key), await signIn(app, key)]
    nextWindow()
    const limits = async (session: BrowserSession, method: string) => {
      const { headers } = await session.call(method, "/v1/organizations/x", method === "GET" ? {} : { body: {} })
      return [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]
    }
    expect(await limits(one, "GET")).toEqual(["1200", "1199"])
    expect(await limits(one, "PATCH")).toEqual(["120", "119"])
    expect(await limits(two, "GET")).toEqual(["1200", "1199"])
    for (let count = 0; count < 119; count++) await one.call("PATCH", "/v1/organizations/x", { body: {} })
    expect((await one.call("PATCH", "/v1/organizations/x", { body: {} })).status).toBe(429)
    expect((await two.call("PATCH", "/v1/organizations/x", { body: {} })).status).toBe(404)
    expect((await app.call("GET", "/v1/organizations", { key })).headers.get("x-ratelimit-remaining")).toBe("299")
    nextWindow()
  })

  test("are refused on endpoints of MANUFACTURER keys, and on /metrics", async () => {
    for (const [method, path] of [
      ["POST", "/devices/x/telemetry"],
      ["POST", "/v1/devices/telemetry"],
      ["POST", "/devices"],
      ["GET", "/devices/x/commands"],
      ["GET", "/metrics"]
    ] as const) {
      ended(await browser.call(method, path, method === "GET" ? {} : { body: {} }))
    }
  })
})

describe("the credentials that a session made", () => {
  const serverKey = { name: "Made", type: "SERVER" }

  /** A connect session that ends with the SCOPED key of a connected person. */
  const connectWith = async (browser: BrowserSession) => {
    const { body } = await browser.call("POST", "/v1/connections", { body: {} })
    return body.id as string
  }

  /** Keys of end users have no scope of a VEN. */
  const noScopes = Layer.succeed(VenScopes, { check: () => Effect.succeed({}), begin: () => Effect.void })

  /** As the connect flow does when the person has finished. */
  const finish = async (sessionId: string) => {
    const [row] = await app.sql(
      (sql) => sql<{
        readonly workspaceId: string
        readonly organizationId: string
        readonly madeBy: string
        readonly createdById: string
      }>`
        SELECT workspace_id AS "workspaceId", organization_id AS "organizationId", made_by AS "madeBy",
          created_by_id AS "createdById" FROM connect_sessions JOIN workspaces ON workspaces.id = workspace_id
        WHERE connect_sessions.id = ${sessionId}`
    )
    const { createdById, madeBy, organizationId, workspaceId } = row!
    const scope = {
      organizationId,
      workspaceId,
      name: "Scoped",
      referenceId: "user-1",
      deviceIds: null,
      expiresAt: null
    }
    const issued = await app.run(
      Effect.flatMap(ApiKeys, ({ issueScoped }) =>
        issueScoped({ ...scope, maker: { id: madeBy, keyId: createdById } })
      ).pipe(Effect.provide(services.pipe(Layer.provide([ports, noScopes]))))
    )
    return Redacted.value(issued.key)
  }

  const works = async (key: string) => (await app.call("GET", "/v1/devices", { key })).status === 200

  test("is listed, and stays with the browser that signs in again", async () => {
    const own = await app.workspace()
    const browser = await signIn(app, own.keys.MANAGEMENT)
    const { body: made } = await browser.call("POST", "/v1/api-keys", { body: serverKey })
    await app.call("POST", "/v1/api-keys", { key: own.keys.MANAGEMENT, body: serverKey })
    const again = await signIn(app, own.keys.MANAGEMENT, { cookie: browser.cookie })
    const scoped = await finish(await connectWith(again))
    expect(await works(scoped)).toBe(true)
    const { body } = await again.call("GET", `/dashboard/api/sessions/${again.session.id}/keys`)
    expect(body).toMatchObject({ totalItems: 2, data: [{ type: "SCOPED" }, { id: made.id, type: "SERVER" }] })
    const { body: list } = await again.call("GET", "/dashboard/api/sessions")
    expect(list.data).toMatchObject([{ id: again.session.id, madeKeys: 2 }])
    const stranger = await app.workspace()
    expectError(
      await app.call("GET", `/dashboard/api/sessions/${again.session.id}/keys`, { key: stranger.keys.MANAGEMENT }),
      404,
      "NOT_FOUND"
    )
  })

  test("ends with it if asked: keys, connect sessions, links, and the browsers that these signed in", async () => {
    const own = await app.workspace()
    const thief = await signIn(app, own.keys.MANAGEMENT)
    const { body: server } = await thief.call("POST", "/v1/api-keys", { body: serverKey })
    const scoped = await finish(await connectWith(thief))
    const open = await connectWith(thief)
    const readToken = (url: string) => url.split("#token=")[1]!
    const used = readToken((await thief.call("POST", "/dashboard/api/links")).body.url)
    const unused = readToken((await thief.call("POST", "/dashboard/api/links")).body.url)
    const second = toBrowserSession(app, await attempt({ token: used }))
    const { body: deeper } = await second.call("POST", "/v1/api-keys", { body: serverKey })
    const owner = await signIn(app, own.keys.MANAGEMENT)
    const { body: kept } = await owner.call("POST", "/v1/api-keys", { body: serverKey })

    const path = `/dashboard/api/sessions/${thief.session.id}`
    expect((await owner.call("DELETE", `${path}?withMade=true`)).status).toBe(204)
    for (const browser of [thief, second]) ended(await current(browser))
    expect(await Promise.all([server.key, scoped, deeper.key, kept.key].map(works))).toEqual([
      false,
      false,
      false,
      true
    ])
    ended(await attempt({ token: unused }))
    expect((await owner.call("GET", `/v1/connections/${open}`)).body.status).toBe("EXPIRED")
    const [record] = await records(own, "session.revoke")
    expect(record).toMatchObject({ resourceId: thief.session.id, after: { endedSessions: [second.session.id] } })
    expect(record.after.revokedKeys).toHaveLength(3)
    expect((await records(own, "api-key.revoke")).map(({ resourceId }) => resourceId).sort()).toEqual(
      [server.id, deeper.id].sort()
    )
  })

  test("stays when the session ends by itself, by a sign-out, or without being asked", async () => {
    const own = await app.workspace()
    const browser = await signIn(app, own.keys.MANAGEMENT)
    const { body: one } = await browser.call("POST", "/v1/api-keys", { body: serverKey })
    await browser.call("DELETE", "/dashboard/api/session")
    const other = await signIn(app, own.keys.MANAGEMENT)
    const { body: two } = await other.call("POST", "/v1/api-keys", { body: serverKey })
    const path = `/dashboard/api/sessions/${other.session.id}`
    expect((await app.call("DELETE", path, { key: own.keys.MANAGEMENT })).status).toBe(204)
    expect(await Promise.all([one.key, two.key].map(works))).toEqual([true, true])
  })

  test("ends with its MANAGEMENT key, to any depth, unless it is kept for a rotation", async () => {
    const own = await app.workspace()
    const chain = async () => {
      const management = await app.key(own, "MANAGEMENT")
      const browser = await signIn(app, management.key)
      const open = await connectWith(browser)
      const scoped = await finish(await connectWith(browser))
      const body = { name: "Next", type: "MANAGEMENT", ownerId: "thief" }
      const { body: next } = await browser.call("POST", "/v1/api-keys", { body })
      const { body: server } = await (await signIn(app, next.key)).call("POST", "/v1/api-keys", { body: serverKey })
      return { id: management.id, open, keys: [scoped, server.key] }
    }
    const [lost, rotated] = [await chain(), await chain()]
    const revoke = (id: string, body?: object) =>
      app.call("POST", `/v1/api-keys/${id}/revoke`, { key: own.keys.MANAGEMENT, ...(body && { body }) })
    expect((await revoke(rotated.id, { made: "keep" })).status).toBe(200)
    expect(await Promise.all(rotated.keys.map(works))).toEqual([true, true])
    const response = await revoke(lost.id)
    expect([response.status, response.body.message]).toEqual([
      200,
      "The API key is revoked, and what its sessions made: 3 keys"
    ])
    expect(await Promise.all(lost.keys.map(works))).toEqual([false, false])
    // A link that was still open yields a key that does not work.
    expect(await works(await finish(lost.open))).toBe(false)
    expectError(await revoke(lost.id, { made: "x" }), 400, "VALIDATION_ERROR", { made: "Must be one of revoke, keep" })
  })

  test("never ends the last MANAGEMENT keys of an organization", async () => {
    const own = await app.workspace()
    const browser = await signIn(app, own.keys.MANAGEMENT)
    const { body: next } = await browser.call("POST", "/v1/api-keys", {
      body: { name: "Next", type: "MANAGEMENT", ownerId: "ada" }
    })
    const { data } = (await app.call("GET", "/v1/api-keys?type=MANAGEMENT", { key: next.key })).body
    const first = data.find(({ id }: { readonly id: string }) => id !== next.id)
    const revoke = (body: object) => app.call("POST", `/v1/api-keys/${first.id}/revoke`, { key: next.key, body })
    expectError(await revoke({}), 400, "INVALID_STATE")
    expect((await revoke({ made: "keep" })).status).toBe(200)
  })
})

describe("the audit log", () => {
  test("has the writes of a session that only SERVER keys may make, each once", async () => {
    const own = await app.workspace()
    const second = await app.workspace(own.organizationId)
    const browser = await signIn(app, own.keys.MANAGEMENT)
    const headers = { "X-Workspace-Id": second.workspaceId, "X-Request-Id": "write-1" }
    const { body } = await browser.call("POST", "/v1/customers", { body: { firstName: "Grace" }, headers })
    const path = `/v1/customers/${body.id}`
    await browser.call("PATCH", path, { body: { firstName: "Ada" }, headers: { "X-Workspace-Id": second.workspaceId } })
    await browser.call("PATCH", path, { body: { firstName: 1 }, headers: { "X-Workspace-Id": second.workspaceId } })
    await browser.call("GET", path, { headers: { "X-Workspace-Id": second.workspaceId } })
    await browser.call("PATCH", path, { body: { firstName: "Eve" } })
    const written = await records(own, "session.write")
    expect(written).toHaveLength(2)
    expect(written[0]).toMatchObject({ after: { endpoint: "PATCH /v1/customers/:id", path } })
    expect(written[1]).toEqual({
      id: cuid,
      createdAt: expect.any(String),
      action: "session.write",
      resourceType: "session",
      resourceId: browser.session.id,
      workspaceId: second.workspaceId,
      actorId: browser.session.key.id,
      actorType: "MANAGEMENT",
      actorOwnerId: "owner-1",
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      requestId: "write-1",
      before: null,
      after: { endpoint: "POST /v1/customers", path: "/v1/customers" },
      refusal: null
    })
  })

  test("has the writes of a session that MANAGEMENT keys may make, as those of its key", async () => {
    const own = await app.workspace()
    const browser = await signIn(app, own.keys.MANAGEMENT)
    await browser.call("PATCH", `/v1/workspaces/${own.workspaceId}`, { body: { name: "Renamed" } })
    expect(await records(own, "workspace.update")).toEqual([
      expect.objectContaining({ actorId: browser.session.key.id, actorType: "MANAGEMENT" })
    ])
    expect(await records(own, "session.write")).toEqual([])
  })

  test("has each use of a session where it lacks permission", async () => {
    const own = await app.workspace()
    const browser = await signIn(app, own.keys.MANAGEMENT)
    await browser.call("PATCH", `/v1/workspaces/${own.workspaceId}`, { headers: { "X-CSRF-Token": "" }, body: {} })
    await browser.call("GET", "/devices/x/commands")
    const refusals = await eventually("two refused uses", async () => {
      const found = await records(own, "access.refused")
      return found.length === 2 ? found : undefined
    })
    expect(refusals.map(({ actorType, refusal }) => [actorType, refusal.reason, refusal.route]).sort()).toEqual([
      ["MANAGEMENT", "FORBIDDEN", "/v1/workspaces/:id"],
      ["MANAGEMENT", "WRONG_KEY_TYPE", "/devices/:id/commands"]
    ])
  })
})

test("neither the token of a link nor that of a cookie is stored", async () => {
  const link = await createLink()
  const other = await createLink()
  const browser = toBrowserSession(app, await attempt({ token: other.token }))
  await browser.call("POST", "/v1/customers", { body: { firstName: "Grace" } })
  const stored = await app.sql<{ readonly row: string }>(
    (sql) => sql`SELECT to_jsonb(t)::text AS row FROM dashboard_sessions AS t
      UNION ALL SELECT to_jsonb(t)::text FROM dashboard_links AS t
      UNION ALL SELECT to_jsonb(t)::text FROM audit_logs AS t`
  )
  const text = stored.map(({ row }) => row).join("\n")
  const hash = (token: string) => createHash("sha256").update(token).digest("hex")
  expect(text).toContain(hash(link.token))
  expect(text).toContain(hash(browser.token))
  for (const secret of [link.token, other.token, browser.token, browser.session.csrfToken]) {
    expect(text).not.toContain(secret)
  }
})

test("a session calls an endpoint as its MANAGEMENT key if that may, otherwise as a SERVER key if that may", () => {
  expect(sessionKeyType(["SERVER", "API", "MANAGEMENT"])).toBe("MANAGEMENT")
  expect(sessionKeyType(["SERVER", "API", "SCOPED"])).toBe("SERVER")
  expect(sessionKeyType(["MANUFACTURER", "CONNECT", "SCOPED", "API"])).toBeUndefined()
})
