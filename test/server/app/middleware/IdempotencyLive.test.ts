import { ResponsesRepository } from "@edp/server/platform/idempotency/ResponsesRepository"
import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { someAddress } from "../../../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"
import { atOnce } from "../../../support/races.ts"

const app = useTestApp({ own: true })
let here: TestWorkspace
let used = 0
let name: string
beforeEach(async () => {
  here = await app.workspace()
  name = `test-${++used}`
})

const named = (idempotencyKey = name) => ({ headers: { "Idempotency-Key": idempotencyKey } })

const postSite = (body: object, options: { readonly key?: string; readonly name?: string } = {}) =>
  app.call("POST", "/v1/sites", { key: options.key ?? here.keys.SERVER, body, ...named(options.name) })

const site = () => ({ address: someAddress() })

const listSites = async ({ keys }: TestWorkspace) =>
  (await app.call("GET", "/v1/sites", { key: keys.SERVER })).body.totalItems

const replayed = ({ headers }: { readonly headers: Headers }) => headers.get("idempotency-replayed")

const rows = async () =>
  (await app.sql<{ readonly n: number }>((sql) => sql`SELECT count(*)::int AS n FROM idempotent_answers`))[0]!.n

/** The newest response is as if its request still ran, for the seconds given. */
const pretendRunning = (seconds: number) =>
  app.sql(
    (sql) => sql`UPDATE idempotent_answers SET status = NULL, headers = NULL, body = NULL,
    expires_at = now() + make_interval(secs => ${seconds})`
  )

const forget = () => app.sql((sql) => sql`DELETE FROM idempotent_answers`)

describe("a POST with an Idempotency-Key", () => {
  test("gets the first response again when it is repeated, and has no second effect", async () => {
    const body = site()
    const first = await postSite(body)
    expect([first.status, replayed(first)]).toEqual([201, null])
    const again = await postSite(body)
    expect([again.status, again.text, replayed(again)]).toEqual([201, first.text, "true"])
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
    expect(await listSites(here)).toBe(1)
  })

  test("sent 50 times concurrently has one effect and one response", async () => {
    const body = site()
    const responses = await atOnce(50, () => postSite(body))
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses.filter((response) => replayed(response) === null).map(({ status }) => status)).toEqual([201])
    expect(await listSites(here)).toBe(1)
  })

  test("counts in the limit when it is repeated, with its own rate-limit headers and request id", async () => {
    const body = site()
    const first = await postSite(body)
    const again = await postSite(body)
    const window = ({ headers }: { readonly headers: Headers }) => Number(headers.get("x-ratelimit-reset"))
    const left = ({ headers }: { readonly headers: Headers }) => Number(headers.get("x-ratelimit-remaining"))
    expect(window(again) > window(first) || left(again) === left(first) - 1).toBe(true)
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
  })

  test("stores an error of a request that ran", async () => {
    const alert = { siteId: "c000000000000000000000000", title: "Dark", sourceSystem: "watch", severity: "INFO" }
    const ask = () => app.call("POST", "/v1/alerts", { key: here.keys.SERVER, body: alert, ...named() })
    const first = await ask()
    expectError(first, 404, "SITE_NOT_FOUND")
    const again = await ask()
    expect([again.status, again.text, replayed(again)]).toEqual([404, first.text, "true"])
  })

  test("stores no VALIDATION_ERROR: the corrected request may have the same key", async () => {
    expectError(await postSite({}), 400, "VALIDATION_ERROR", { address: "Is required" })
    const headers = { ...named().headers, "Content-Type": "text/plain" }
    const text = await app.call("POST", "/v1/sites", { key: here.keys.SERVER, body: "x", headers })
    expectError(text, 400, "VALIDATION_ERROR", { body: expect.stringMatching(/JSON/) })
    const broken = await app.call("POST", "/v1/sites", { key: here.keys.SERVER, body: "{broken", ...named() })
    expectError(broken, 400, "VALIDATION_ERROR", { body: expect.any(String) })
    const corrected = await postSite(site())
    expect([corrected.status, replayed(corrected)]).toEqual([201, null])
  })

  test("stores no failure of the service", async () => {
    const body = site()
    await app.sql((sql) => sql`ALTER TABLE sites RENAME TO sites_away`)
    const failed = await postSite(body)
    await app.sql((sql) => sql`ALTER TABLE sites_away RENAME TO sites`)
    expectError(failed, 500, "UNKNOWN_ERROR")
    const again = await postSite(body)
    expect([again.status, replayed(again)]).toEqual([201, null])
  })

  test("stores neither a 401 nor a 429", async () => {
    await forget()
    expectError(await postSite(site(), { key: here.keys.CONNECT }), 401, "UNAUTHENTICATED")
    const { id, key } = await app.key(here, "SERVER")
    const rateLimits = { write: 1 }
    await app.call("PATCH", `/v1/api-keys/${id}`, { key: here.keys.MANAGEMENT, body: { rateLimits } })
    // A minute may end once in between.
    const ask = (n: number) => postSite({}, { key, name: `${name}-${n}` })
    const responses = [await ask(1), await ask(2), await ask(3)]
    expect(responses.map(({ status }) => status)).toContain(429)
    expect(await rows()).toBe(0)
  })

  test("with another body than the first is VALIDATION_ERROR, and the first response is kept", async () => {
    const body = site()
    const first = await postSite(body)
    const other = await postSite(site())
    expectError(other, 400, "VALIDATION_ERROR", { idempotencyKey: expect.stringMatching(/another request/) })
    expect(await listSites(here)).toBe(1)
    expect((await postSite(body)).text).toBe(first.text)
  })

  test("ignores spaces, order of fields, escapes and spelling of numbers", async () => {
    const send = (body: string) => app.call("POST", "/v1/sites", { key: here.keys.SERVER, body, headers })
    const headers = { ...named().headers, "Content-Type": "application/json" }
    const { address } = site()
    const { streetOne, ...rest } = address
    const first = await send(JSON.stringify({ name: "Home", address, location: { latitude: 38, longitude: -121.5 } }))
    expect(first.status, first.text).toBe(201)
    const other = `{ "location": {"longitude": -1.215e2, "latitude": 38.0}, "name": "\\u0048ome",
      "address": ${JSON.stringify({ ...rest, streetOne }, null, 2)} }`
    const again = await send(other)
    expect([again.status, again.text, replayed(again)]).toEqual([201, first.text, "true"])
    const alias = other.replace("38.0", "38.1")
    expectError(await send(alias), 400, "VALIDATION_ERROR", { idempotencyKey: expect.any(String) })
  })

  test("treats an absent body like an empty object", async () => {
    const ask = (body?: object) =>
      app.call("POST", `/v1/collections/${collectionId}/refresh`, {
        key: here.keys.SERVER,
        ...(body && { body }),
        ...named()
      })
    const collection = { name: "All", collectionType: "DEVICE", criteria: {} }
    const made = await app.call("POST", "/v1/collections", { key: here.keys.SERVER, body: collection })
    const collectionId = made.body.id
    const first = await ask()
    expect(first.status, first.text).toBeLessThan(300)
    expect(replayed(await ask({}))).toBe("true")
  })

  test.each([
    ["empty", ""],
    ["256 characters long", "k".repeat(256)]
  ])("is VALIDATION_ERROR if it is %s", async (_, wrong) => {
    const refused = await postSite(site(), { name: wrong })
    expectError(refused, 400, "VALIDATION_ERROR", { idempotencyKey: "Must be 1 to 255 characters" })
    expect(await listSites(here)).toBe(0)
  })

  test("accepts 255 characters", async () => {
    const body = site()
    const first = await postSite(body, { name: "k".repeat(255) })
    expect((await postSite(body, { name: "k".repeat(255) })).text).toBe(first.text)
  })

  test("with a secret in its response is VALIDATION_ERROR, and nothing is stored or created", async () => {
    await forget()
    const key = here.keys.MANAGEMENT
    const before = (await app.call("GET", "/v1/api-keys", { key })).body.totalItems
    const refused = await app.call("POST", "/v1/api-keys", { key, body: { name: "Mine", type: "SERVER" }, ...named() })
    expectError(refused, 400, "VALIDATION_ERROR", { idempotencyKey: expect.stringMatching(/secret/) })
    expect((await app.call("GET", "/v1/api-keys", { key })).body.totalItems).toBe(before)
    expect(await rows()).toBe(0)
  })

  test("is separate per API key, workspace and path", async () => {
    const body = site()
    const first = await postSite(body)
    const colleague = await postSite(body, { key: (await app.key(here, "SERVER")).key })
    expectError(colleague, 400, "SITE_ALREADY_EXISTS")
    const there = await app.workspace()
    const stranger = await postSite(body, { key: there.keys.SERVER })
    expect([stranger.status, replayed(stranger)]).toEqual([201, null])
    expect(stranger.body.id).not.toBe(first.body.id)
    const elsewhere = await app.call("POST", "/v1/alerts", { key: here.keys.SERVER, body, ...named() })
    expect([elsewhere.status, Object.keys(elsewhere.body.details)]).toEqual([
      400,
      expect.not.arrayContaining(["idempotencyKey"])
    ])
  })

  test.each(["/devices", "/v1/devices"])("is accepted on the manufacturers' endpoint %s", async (path) => {
    const key = here.keys.MANUFACTURER
    const { body: place } = await postSite(site())
    const models = await app.call("GET", "/v1/device-models?manufacturer=generic&type=inverter", { key })
    const device = { manufacturerDeviceId: "INV-1", deviceModelId: models.body.data[0].id, siteId: place.id }
    const provision = () => app.call("POST", path, { key, body: device, ...named(`${name}-device`) })
    const made = await provision()
    expect(made.status).toBe(201)
    // Without the key a repetition would be 200.
    const again = await provision()
    expect([again.status, again.text, replayed(again)]).toEqual([201, made.text, "true"])
    const push = () =>
      app.call("POST", `${path}/${made.body.id}/telemetry`, { key, body: { state: { power: 1 } }, ...named() })
    const pushed = await push()
    expect([pushed.status, pushed.body.accepted]).toEqual([200, 1])
    expect([(await push()).text, replayed(await push())]).toEqual([pushed.text, "true"])
  })

  test("is ignored with other methods", async () => {
    const { body } = await postSite(site())
    const patch = (change: object) =>
      app.call("PATCH", `/v1/sites/${body.id}`, { key: here.keys.SERVER, body: change, ...named() })
    await patch({ name: "One" })
    const second = await patch({ name: "Two" })
    expect([second.body.name, replayed(second)]).toEqual(["Two", null])
  })
})

describe("the store of responses", () => {
  test("is not used by a POST without the header", async () => {
    await forget()
    await app.call("POST", "/v1/sites", { key: here.keys.SERVER, body: site() })
    expect(await rows()).toBe(0)
  })

  test("keeps a response for 24 hours; then the key is free again", async () => {
    await forget()
    const body = site()
    const first = await postSite(body)
    const [kept] = await app.sql<{ readonly hours: number }>(
      (sql) => sql`SELECT (extract(epoch FROM expires_at - now()) / 3600)::float8 AS hours FROM idempotent_answers`
    )
    expect(kept!.hours).toBeGreaterThan(23.9)
    expect(kept!.hours).toBeLessThanOrEqual(24)
    await app.call("DELETE", `/v1/sites/${first.body.id}`, { key: here.keys.SERVER })
    await app.sql((sql) => sql`UPDATE idempotent_answers SET expires_at = now()`)
    const next = await postSite(body)
    expect([next.status, replayed(next)]).toEqual([201, null])
    expect(next.body.id).not.toBe(first.body.id)
  })

  test("makes a repetition wait for the running request, and returns its response", async () => {
    await forget()
    const body = site()
    const first = await postSite(body)
    await pretendRunning(30)
    const again = postSite(body)
    const other = await postSite(site())
    expect(Object.keys(other.body.details)).toEqual(["idempotencyKey"])
    await app.sql(
      (sql) => sql`UPDATE idempotent_answers SET status = 201,
      headers = '{"content-type": "application/json"}', body = convert_to(${first.text}, 'UTF8')`
    )
    expect([(await again).status, (await again).text, replayed(await again)]).toEqual([201, first.text, "true"])
  })

  test("responds 502 SERVICE_UNAVAILABLE when that takes longer than ten seconds", async () => {
    await forget()
    const body = site()
    await postSite(body)
    await pretendRunning(60)
    const begun = performance.now()
    expectError(await postSite(body), 502, "SERVICE_UNAVAILABLE")
    const seconds = (performance.now() - begun) / 1000
    expect(seconds).toBeGreaterThan(9.9)
    expect(seconds).toBeLessThan(20)
  })

  test("lets a repetition run when the process of the first has died", async () => {
    await forget()
    const body = site()
    const first = await postSite(body)
    await app.call("DELETE", `/v1/sites/${first.body.id}`, { key: here.keys.SERVER })
    await pretendRunning(1)
    const next = await postSite(body)
    expect([next.status, replayed(next)]).toEqual([201, null])
  })

  test("deletes only expired entries, in batches", async () => {
    await forget()
    await postSite(site())
    await app.sql(
      (sql) => sql`INSERT INTO idempotent_answers (scope, request, claim, expires_at)
      SELECT sha256(n::text::bytea), '', gen_random_uuid(), now() - interval '1 second' FROM generate_series(1, 1500) n`
    )
    const drop = Effect.flatMap(ResponsesRepository, ({ deleteExpired }) => deleteExpired)
    expect(await app.run(drop)).toBe(true)
    expect(await rows()).toBe(501)
    expect(await app.run(drop)).toBe(false)
    expect(await rows()).toBe(1)
  })
})
