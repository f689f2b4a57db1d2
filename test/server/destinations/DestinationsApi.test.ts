import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDestinations } from "./arrangeDestinations.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()
const allowed = ["SERVER", "API", "MANAGEMENT"] as const
const arrange = () => arrangeDestinations(app)
const nobody = `c${"0".repeat(24)}`
const url = "http://127.0.0.1:9/events"
/** The part that lists show. */
const shown = "http://127.0.0.1:9/********"
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const makeSecret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`

describeKeyChecks(app, [
  { method: "GET", path: "/v1/destinations", allowed },
  { method: "POST", path: "/v1/destinations", allowed },
  { method: "GET", path: "/v1/destinations/any", allowed },
  { method: "PATCH", path: "/v1/destinations/any", allowed },
  { method: "DELETE", path: "/v1/destinations/any", allowed },
  { method: "POST", path: "/v1/destinations/any/activate", allowed },
  { method: "POST", path: "/v1/destinations/any/rotate-secret", allowed },
  { method: "POST", path: "/v1/destinations/any/test", allowed },
  { method: "GET", path: "/v1/destinations/any/deliveries", allowed },
  { method: "GET", path: "/v1/destinations/any/deliveries/any", allowed },
  { method: "POST", path: "/v1/destinations/any/deliveries/any/redeliver", allowed },
  { method: "POST", path: "/v1/destinations/any/replay", allowed }
])

describe("POST /v1/destinations", () => {
  test("201 with defaults and a generated secret, and later reads are the same", async () => {
    const { call, workspaceId } = await arrange()
    const body = { destinationType: "WEBHOOK", url, eventTypes: ["ALERT_CREATED", "ALERT_CREATED"] }
    const response = await call("POST", "/v1/destinations", body)
    expect(response.status, response.text).toBe(201)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      workspaceId,
      label: null,
      destinationType: "WEBHOOK",
      deviceType: null,
      eventTypes: ["ALERT_CREATED"],
      url,
      email: null,
      phoneNumber: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      headers: null,
      includeWeather: null,
      kafkaConfig: null,
      manufacturer: null,
      deactivated: false,
      deactivatedAt: null,
      deactivatedReason: null,
      failingSince: null,
      createdAt: moment,
      updatedAt: moment
    })
    expect((await call("GET", `/v1/destinations/${response.body.id}`)).body).toEqual(response.body)
    expect((await call("GET", "/v1/destinations")).body.data).toEqual([{ ...response.body, url: shown }])
  })

  test("201 stores a secret of 24 to 64 bytes and headers unchanged", async () => {
    const { destination } = await arrange()
    for (const secret of [makeSecret(24), makeSecret(64)]) {
      const headers = { "X-Team": "operations", Authorization: "Bearer of good news" }
      expect(await destination({ url, secret, headers })).toMatchObject({ secret, headers })
    }
  })

  test.each([
    ["shorter than 24 bytes", makeSecret(23)],
    ["longer than 64 bytes", makeSecret(65)],
    ["without its prefix", makeSecret(32).slice("whsec_".length)],
    ["that is no base64", "whsec_not base64 at all, whatever it is"]
  ])("400 VALIDATION_ERROR a secret %s", async (_, secret) => {
    const { call } = await arrange()
    const body = { destinationType: "WEBHOOK", url, eventTypes: ["ALERT_CREATED"], secret }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      secret: expect.stringMatching(/24 to 64 bytes/)
    })
  })

  test.each([
    ["Host", "example.com"],
    ["content-length", "1"],
    ["Transfer-Encoding", "chunked"],
    ["Connection", "close"],
    ["Webhook-Id", "forged"],
    ["X-Break", "a\r\nX-Smuggled: b"],
    ["X-Unicode", "ü"],
    ["X Space", "a"]
  ])("400 VALIDATION_ERROR the header %s: %j", async (name, value) => {
    const { call } = await arrange()
    const body = { destinationType: "WEBHOOK", url, eventTypes: ["ALERT_CREATED"], headers: { [name]: value } }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      [`headers.${name}`]: expect.any(String)
    })
  })

  test.each(["ftp://example.com/", "javascript:alert(1)", "example.com", "http://user:password@example.com/"])(
    "400 VALIDATION_ERROR the url %s",
    async (wrong) => {
      const { call } = await arrange()
      const body = { destinationType: "WEBHOOK", url: wrong, eventTypes: ["ALERT_CREATED"] }
      expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", { url: expect.any(String) })
    }
  )

  test("400 VALIDATION_ERROR lists all missing fields and all of wrong types", async () => {
    const { call } = await arrange()
    const body = { destinationType: "WEBHOOK", email: "ada@example.com", phoneNumber: "+19165550142" }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      url: expect.stringMatching(/Needed/),
      eventTypes: expect.any(String),
      email: expect.stringMatching(/Must be absent/),
      phoneNumber: expect.stringMatching(/Must be absent/)
    })
    const none = { destinationType: "WEBHOOK", url, eventTypes: [] }
    expectError(await call("POST", "/v1/destinations", none), 400, "VALIDATION_ERROR", {
      eventTypes: expect.any(String)
    })
  })

  test("201 a MANAGEMENT key may choose a workspace of its organization; other keys' workspaceId is ignored", async () => {
    const { call, keys, organizationId, workspaceId } = await arrange()
    const sibling = await app.workspace(organizationId)
    const body = { destinationType: "WEBHOOK", url, eventTypes: ["ALERT_CREATED"], workspaceId: sibling.workspaceId }
    const there = await call("POST", "/v1/destinations", body, keys.MANAGEMENT)
    expect([there.status, there.body.workspaceId]).toEqual([201, sibling.workspaceId])
    const here = await call("POST", "/v1/destinations", body)
    expect([here.status, here.body.workspaceId]).toEqual([201, workspaceId])
    const path = `/v1/destinations/${there.body.id}`
    expectError(await call("GET", path, undefined, keys.MANAGEMENT), 404, "NOT_FOUND")
    const asked = await call("GET", `${path}?workspaceId=${sibling.workspaceId}`, undefined, keys.MANAGEMENT)
    expect(asked.body).toEqual(there.body)
    const list = await call("GET", `/v1/destinations?workspaceId=${nobody}`, undefined, keys.MANAGEMENT)
    expectError(list, 404, "WORKSPACE_NOT_FOUND")
  })
})

describe("if private addresses are not allowed", () => {
  const guarded = useTestApp({ env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "false" } })

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.8:8080/",
    "http://localhost/",
    "http://printer.local/"
  ])("400 VALIDATION_ERROR %s, in creation and update", async (wrong) => {
    const { call, destination } = await arrangeDestinations(guarded)
    const body = { destinationType: "WEBHOOK", url: wrong, eventTypes: ["ALERT_CREATED"] }
    const details = { url: expect.stringMatching(/^Must (not|be a public)/) }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", details)
    const { id } = await destination({ url: "http://192.0.2.1.example/" })
    expectError(await call("PATCH", `/v1/destinations/${id}`, { url: wrong }), 400, "VALIDATION_ERROR", details)
  })
})

describe("PATCH /v1/destinations/:id", () => {
  test("200 changes given fields, clears those that are null, and keeps the others", async () => {
    const { destination, ok } = await arrange()
    const made = await destination({ url, label: "Old", headers: { "X-Team": "a" }, deviceType: "BATTERIES" })
    const changed = await ok("PATCH", `/v1/destinations/${made.id}`, {
      label: null,
      headers: null,
      includeWeather: true
    })
    expect(changed).toEqual({ ...made, label: null, headers: null, includeWeather: true, updatedAt: moment })
    const again = await ok("PATCH", `/v1/destinations/${made.id}`, {
      eventTypes: ["SITE_CREATED"],
      destinationType: "WEBHOOK"
    })
    expect(again).toMatchObject({ eventTypes: ["SITE_CREATED"], secret: made.secret, deviceType: "BATTERIES" })
  })

  test("400 VALIDATION_ERROR another type, fields of another type, and an empty list of events", async () => {
    const { call, destination } = await arrange()
    const { id } = await destination({ url })
    const body = { destinationType: "EMAIL", email: "ada@example.com", eventTypes: [] }
    expectError(await call("PATCH", `/v1/destinations/${id}`, body), 400, "VALIDATION_ERROR", {
      destinationType: expect.stringMatching(/Must be WEBHOOK/),
      email: expect.stringMatching(/Must be absent/),
      eventTypes: expect.any(String)
    })
  })
})

describe("DELETE /v1/destinations/:id", () => {
  test("204, and 404 NOT_FOUND afterwards", async () => {
    const { call, destination } = await arrange()
    const { id } = await destination({ url })
    expect((await call("DELETE", `/v1/destinations/${id}`)).status).toBe(204)
    for (const method of ["GET", "DELETE"]) expectError(await call(method, `/v1/destinations/${id}`), 404, "NOT_FOUND")
  })
})

describe("GET /v1/destinations", () => {
  test("200 newest first, in pages, by type", async () => {
    const { call, destination } = await arrange()
    const ids = []
    for (const label of ["a", "b", "c"]) ids.unshift((await destination({ url, label })).id)
    const list = async (query: string) => (await call("GET", `/v1/destinations?${query}`)).body
    expect((await list("destinationType=WEBHOOK")).data.map(({ id }: any) => id)).toEqual(ids)
    expect(await list("perPage=2&page=2")).toMatchObject({ data: [{ id: ids[2] }], totalItems: 3, totalPages: 2 })
    expect(await list("destinationType=EMAIL")).toMatchObject({ data: [], totalItems: 0 })
  })
})

describe("POST /v1/destinations/:id/rotate-secret", () => {
  test("200 returns a new secret, which later reads return", async () => {
    const { destination, ok } = await arrange()
    const { id, secret } = await destination({ url })
    const rotated = await ok("POST", `/v1/destinations/${id}/rotate-secret`)
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
    expect((await ok("GET", `/v1/destinations/${id}`)).secret).toBe(rotated.secret)
  })
})

describe("the url of a webhook", () => {
  test("is shown in full for a single destination to every allowed key, and as scheme and host in lists", async () => {
    const { call, destination, keys } = await arrange()
    const { id } = await destination({ url })
    for (const key of [keys.SERVER, keys.API, keys.MANAGEMENT]) {
      expect((await call("GET", `/v1/destinations/${id}`, undefined, key)).body.url).toBe(url)
      expect((await call("GET", "/v1/destinations", undefined, key)).body.data[0].url).toBe(shown)
    }
    for (const action of ["activate", "rotate-secret"]) {
      expect((await call("POST", `/v1/destinations/${id}/${action}`)).body.url).toBe(url)
    }
  })

  test("is unchanged when the shortened form of lists is sent back, and replaced by another one", async () => {
    const { call, destination, ok } = await arrange()
    const { id } = await destination({ url })
    const sealed = () =>
      app.sql<{ readonly hex: string }>(
        (sql) => sql`SELECT encode(sealed_url, 'hex') AS hex FROM destinations WHERE id = ${id}`
      )
    const before = await sealed()
    const path = `/v1/destinations/${id}`
    expect(await ok("PATCH", path, { url: shown, label: "Same" })).toMatchObject({ url, label: "Same" })
    expect(await ok("PATCH", path, { url })).toMatchObject({ url })
    expect(await sealed()).toEqual(before)
    for (const wrong of ["http://127.0.0.2:9/********", "http://127.0.0.1:9/a/********"]) {
      expectError(await call("PATCH", path, { url: wrong }), 400, "VALIDATION_ERROR", {
        url: expect.stringMatching(/^Must be the full URL/)
      })
    }
    expect(await ok("PATCH", path, { url: "http://127.0.0.1:9/others" })).toMatchObject({
      url: "http://127.0.0.1:9/others"
    })
    expect(await sealed()).not.toEqual(before)
    expect((await ok("GET", "/v1/destinations")).data[0].url).toBe(shown)
  })

  test("400 VALIDATION_ERROR for the shortened form in a creation", async () => {
    const { call } = await arrange()
    const body = { destinationType: "WEBHOOK", url: shown, eventTypes: ["ALERT_CREATED"] }
    expectError(await call("POST", "/v1/destinations", body), 400, "VALIDATION_ERROR", {
      url: expect.stringMatching(/^Must be the full URL/)
    })
  })

  test("is in the audit log as scheme and host, and another path is recorded as a change", async () => {
    const { call, keys, workspaceId } = await arrange()
    const manage = (method: string, path: string, body?: object) => call(method, path, body, keys.MANAGEMENT)
    const made = await manage("POST", "/v1/destinations", {
      destinationType: "WEBHOOK",
      url,
      eventTypes: ["ALERT_CREATED"]
    })
    await manage("PATCH", `/v1/destinations/${made.body.id}`, { url: "http://127.0.0.1:9/others" })
    const logs = await manage("GET", `/v1/audit-logs?workspaceId=${workspaceId}&resourceId=${made.body.id}`)
    const [changed, created] = logs.body.data
    const marked = expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/\*{8} sealed [0-9a-f]{16}$/)
    expect(created.after.url).toEqual(marked)
    expect([changed.before, changed.after]).toEqual([{ url: marked }, { url: marked }])
    expect(changed.before.url).not.toBe(changed.after.url)
    expect(logs.text).not.toContain("/events")
  })
})

test("is encrypted in the database, like every secret", async () => {
  const { destination } = await arrange()
  const { id, secret } = await destination({ url, headers: { Authorization: "Bearer of good news" } })
  const [row] = await app.sql<{ readonly text: string }>(
    (sql) => sql`SELECT to_jsonb(d)::text AS text FROM destinations d WHERE id = ${id}`
  )
  expect(row!.text).toContain(shown)
  const hex = (text: string) => Buffer.from(text).toString("hex")
  for (const text of [secret, "good news", "/events"]) {
    expect(row!.text).not.toContain(text)
    expect(row!.text).not.toContain(hex(text))
  }
})

describe("a workspace at its limit of destinations", () => {
  const small = useTestApp({ env: { EDP_DESTINATIONS_PER_WORKSPACE: "5" } })
  const body = { destinationType: "WEBHOOK", eventTypes: ["SITE_CREATED"], url: "https://example.com/" }
  const create = (key: string, more: object = {}) =>
    small.call("POST", "/v1/destinations", { key, body: { ...body, ...more } })

  test("400 INVALID_STATE for another one, also with concurrent requests, until one is deleted", async () => {
    const { keys } = await small.workspace()
    const responses = await atOnce(12, () => create(keys.SERVER))
    const [made, refused] = [201, 400].map((status) => responses.filter((response) => response.status === status))
    expect([made!.length, refused!.length]).toEqual([5, 7])
    for (const response of refused!) expectError(response, 400, "INVALID_STATE")
    expect(refused![0]!.body.message).toBe("A workspace has at most 5 destinations: delete one first")
    expectError(await create(keys.MANAGEMENT), 400, "INVALID_STATE")
    await small.sql((sql) => sql`UPDATE destinations SET deactivated_at = now() WHERE id = ${made![0]!.body.id}`)
    expectError(await create(keys.SERVER), 400, "INVALID_STATE")
    expect((await small.call("DELETE", `/v1/destinations/${made![1]!.body.id}`, { key: keys.SERVER })).status).toBe(204)
    expect((await create(keys.SERVER)).status).toBe(201)
    expect((await create((await small.workspace()).keys.SERVER)).status).toBe(201)
  })
})
