import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Api } from "@edp/domain/Api"
import { makeClient, layerHttp } from "@edp/domain/Client"
import { createClient, EdpError, eachRecord, type PromiseClient } from "@edp/domain/PromiseClient"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { arrangeDirect } from "../server/readings/ingest/arrangeDirect.ts"
import { seedDevice, seedSite } from "../support/Seed.ts"
import { useTestApp } from "../support/TestApp.ts"

const app = useTestApp()
let here: Awaited<ReturnType<typeof arrangeDirect>>
let client: PromiseClient
beforeAll(async () => {
  here = await arrangeDirect(app)
  client = createClient({ baseUrl: app.url, key: here.keys.SERVER, retries: 0 })
})

const failure = (promise: Promise<unknown>): Promise<EdpError> =>
  promise.then(
    (value) => expect.fail(`it came to ${JSON.stringify(value)}`),
    (error) => error
  )

describe("the promise client", () => {
  test("has every endpoint of the contract, group by group, and no other", () => {
    const endpoints = Object.values(Api.groups).flatMap((group) =>
      Object.keys(group.endpoints).map((name) => `${group.identifier}.${name}`)
    )
    const calls = Object.entries(client as object).flatMap(([group, each]) =>
      Object.entries(each).map(([name, call]) => `${group}.${name} ${typeof call}`)
    )
    expect(endpoints.length).toBeGreaterThan(80)
    expect(calls.sort()).toEqual(endpoints.map((name) => `${name} function`).sort())
  })

  test("creates, reads, updates and deletes with minimal arguments", async () => {
    const made = await client.customers.create({ payload: { firstName: "Ada", referenceId: "promise" } })
    expect(await client.customers.get({ params: { id: made.id } })).toEqual(made)
    const changed = await client.customers.update({ params: { id: made.id }, payload: { firstName: "Grace" } })
    expect(changed.firstName).toBe("Grace")
    expect(await client.customers.remove({ params: { id: made.id } })).toBeUndefined()
    expect((await client.sites.list()).totalItems).toBe((await client.sites.list({})).totalItems)
    const series = await client.metrics.load({ query: { timeframe: "1h" } })
    expect(series.meta.metric).toBe("load")
    const csv = await client.metrics.load({ query: { timeframe: "1h" }, headers: { accept: "text/csv" } })
    expect(csv).toMatch(/^timestamp,value,unit/)
  })

  test("rejects with one class that has code, status, details and retry delay", async () => {
    const missing = await failure(client.devices.get({ params: { id: "nowhere" } }))
    expect(missing).toBeInstanceOf(EdpError)
    expect(missing).toMatchObject({ name: "EdpError", code: "DEVICE_NOT_FOUND", status: 404, details: undefined })
    expect(missing.body).toEqual({ code: "DEVICE_NOT_FOUND", message: missing.message })
    const unsent = await failure(client.sites.create({ payload: { address: {} } as never }))
    expect(unsent).toMatchObject({ code: "INVALID_REQUEST", status: undefined })
    expect(Object.keys(unsent.details!)).toContain("address.streetOne")
    const { id } = here.site
    const moved = client.sites.update({
      params: { id },
      payload: { address: (await seedSite(app, here.keys.SERVER)).address }
    })
    expect(await failure(moved)).toMatchObject({ code: "SITE_ALREADY_EXISTS", status: 400 })
    const wrong = { from: "2026-03-02T00:00:00Z", to: "2026-03-01T00:00:00Z" }
    const refused = await failure(client.metrics.load({ query: wrong }))
    expect(refused).toMatchObject({ code: "VALIDATION_ERROR", status: 400, details: { from: expect.any(String) } })
    const stranger = createClient({ baseUrl: app.url, key: "server_nonsense" })
    expect(await failure(stranger.sites.list())).toMatchObject({ code: "UNAUTHENTICATED", status: 401 })
    const { key } = await app.key(here, "SERVER", { limited: true })
    await app.sql(
      (sql) => sql`UPDATE api_keys SET rate_limits = '{"read": 1, "write": 1, "bulk": 1}' WHERE key_hash IN (
      SELECT key_hash FROM api_keys ORDER BY id DESC LIMIT 1)`
    )
    const limited = createClient({ baseUrl: app.url, key, retries: 0 })
    const responses = await Promise.all([1, 2, 3].map(() => limited.sites.list().catch((error: EdpError) => error)))
    const late = responses.find((response) => response instanceof EdpError)
    expect(late).toMatchObject({ code: "RATE_LIMITED", status: 429, retryAfter: expect.any(Number) })
  })

  test("reports a missing response, and one outside the contract, without the key", async () => {
    const key = here.keys.SERVER
    const nobody = createClient({ baseUrl: "http://127.0.0.1:1", key, retries: 0 })
    const unreachable = await failure(nobody.sites.list())
    expect(unreachable).toMatchObject({ code: "NO_ANSWER", status: undefined })
    const fetch = () => Promise.resolve(new Response("teapot", { status: 418, headers: { "x-request-id": "r-1" } }))
    const other = createClient({ baseUrl: "http://teapot", key, fetch })
    const unexpected = await failure(other.sites.list())
    expect(unexpected).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 418, requestId: "r-1" })
    for (const error of [unreachable, unexpected])
      expect(JSON.stringify([error, error.cause, `${error.stack}`])).not.toContain(key)
  })

  test("retries as configured, and once under a given Idempotency-Key", async () => {
    const waits: Array<string> = []
    let calls = 0
    const fetch: typeof globalThis.fetch = (input, init) => {
      calls++
      return calls === 1
        ? Promise.resolve(new Response("{}", { status: 503, headers: { "retry-after": "0" } }))
        : globalThis.fetch(input, init)
    }
    const onRetry = ({ delay, reason }: { readonly delay: number; readonly reason: string }) =>
      waits.push(`${reason} ${delay}`)
    const patient = createClient({ baseUrl: app.url, key: here.keys.SERVER, fetch, onRetry })
    const payload = { firstName: "Once" }
    const [one, other] = [
      await patient.customers.create({ payload }, { idempotencyKey: "promise-1" }),
      await patient.customers.create({ payload }, { idempotencyKey: "promise-1" })
    ]
    expect([calls, waits]).toEqual([3, ["status 503 0"]])
    expect(other).toEqual(one)
  })
})

describe("a signal", () => {
  const silent = createServer(() => {})
  let silentUrl: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  })
  afterAll(() => {
    silent.closeAllConnections()
    silent.close()
  })

  test("aborts a call under way, and one that has not begun, with its reason", async () => {
    const waiting = createClient({ baseUrl: silentUrl, key: here.keys.SERVER })
    const controller = new AbortController()
    const begun = new Promise<void>((resolve) => silent.once("request", () => resolve()))
    const call = waiting.sites.list({}, { signal: controller.signal })
    const rejected = failure(call)
    await begun
    controller.abort()
    expect(await rejected).toMatchObject({ name: "AbortError" })
    const reason = new Error("enough")
    expect(await failure(client.sites.list({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})

describe("lists", () => {
  const seeded: Array<string> = []
  beforeAll(async () => {
    for (let made = 0; made < 25; made++) seeded.unshift(await seedDevice(app, here.workspaceId, { name: `D${made}` }))
  })

  test("have one shape in both clients: pages with totals, and a cursor if there is one", async () => {
    const effects = Effect.runSync(
      Effect.provide(makeClient({ baseUrl: app.url, key: Redacted.make(here.keys.SERVER) }), layerHttp)
    )
    const query = { perPage: 10 }
    const first = await client.devices.list({ query })
    expect(first).toMatchObject({ page: 1, perPage: 10, totalItems: 25, totalPages: 3, nextCursor: expect.any(String) })
    expect(await Effect.runPromise(effects.devices.list({ query }))).toEqual(first)
    const second = await client.devices.list({ query: { ...query, cursor: first.nextCursor! } })
    expect(Object.keys(second).sort()).toEqual(["data", "nextCursor", "perPage"])
    const last = await client.devices.list({ query: { ...query, cursor: second.nextCursor! } })
    expect([last.data.length, last.nextCursor]).toEqual([5, undefined])
    const sites = await client.sites.list({ query })
    expect(Object.keys(sites).sort()).toEqual(["data", "page", "perPage", "totalItems", "totalPages"])
  })

  test("are read to their end, and no further than requested", async () => {
    const ids: Array<string> = []
    for await (const { id } of eachRecord(client.devices.list, undefined, { perPage: 10 })) ids.push(id)
    expect(ids).toEqual(seeded)
    let asked = 0
    const fetch: typeof globalThis.fetch = (...request) => {
      asked++
      return globalThis.fetch(...request)
    }
    const counting = createClient({ baseUrl: app.url, key: here.keys.SERVER, fetch })
    const taken: Array<string> = []
    for await (const { name } of eachRecord(
      counting.devices.list,
      { query: { type: ["inverter"] } },
      { perPage: 10 }
    )) {
      taken.push(name)
      if (taken.length === 12) break
    }
    expect([taken.length, taken[0], asked]).toEqual([12, "D24", 2])
    const models: Array<string> = []
    for await (const { slug } of eachRecord(client.manufacturers.list, {}, { perPage: 3 })) models.push(slug)
    expect(models.length).toBe((await client.manufacturers.list()).totalItems)
    expect(new Set(models).size).toBe(models.length)
  })
})
