import { Agent, request } from "node:http"
import { connect } from "node:net"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "./arrangeDirect.ts"

const app = useTestApp({ own: true })

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

interface Sent {
  readonly body: string
  readonly key?: string
  /** A request in chunks has no length. */
  readonly chunked?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly version?: "/v1"
}

/** A push over one connection that stays open. */
const send = (deviceId: string, { body, key, chunked, headers, version }: Sent) =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: any }>((resolve, reject) => {
    const sent = request(
      `${app.url}${version ?? ""}/devices/${deviceId}/telemetry`,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          ...(key === undefined ? {} : { "service-api-key": key }),
          ...(chunked === true ? { "transfer-encoding": "chunked" } : { "content-length": Buffer.byteLength(body) }),
          ...headers
        }
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (part: string) => (text += part))
        response.on("end", () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: text === "" ? "" : JSON.parse(text)
          })
        )
      }
    )
    sent.on("error", reject)
    sent.end(body)
  })

describe("a push over a connection that stays open", () => {
  test("gets the same response with a length and in chunks, header by header", async () => {
    const { device, key } = await arrangeDirect(app)
    const { id } = await device()
    const headers = { "x-request-id": "mine-1" }
    const body = (at: number) => JSON.stringify({ timestamp: ago(at), state: { power: 1, gridStatus: "idle" } })
    const long = await send(id, { key, body: body(9000), chunked: true, headers })
    const short = await send(id, { key, body: body(8000), headers })
    const passing = { date: null, "x-ratelimit-remaining": null, "x-ratelimit-reset": null }
    const steady = (response: typeof long) => ({ ...response.headers, ...passing })
    expect(steady(short)).toEqual(steady(long))
    expect(steady(short)).toMatchObject({ "x-request-id": "mine-1", "cache-control": "no-store" })
    expect(Number(short.headers["x-ratelimit-remaining"])).toBeLessThan(Number(long.headers["x-ratelimit-remaining"]))
    const latest = (power: number) => ({
      id: expect.any(String),
      createdAt: expect.any(String),
      power,
      gridStatus: "idle"
    })
    for (const { status, body } of [long, short]) {
      expect({ status, body }).toEqual({ status: 200, body: { accepted: 1, duplicates: 0, latest: latest(1) } })
    }
  })

  test("gets its response on the same connection as any other request", async () => {
    const { device, key, keys, history } = await arrangeDirect(app)
    const { id } = await device()
    const nobody = `c${"0".repeat(24)}`
    const reading = (at: number, power: unknown = 1) => JSON.stringify({ timestamp: ago(at), state: { power } })
    const refused: ReadonlyArray<readonly [number, string, Sent, string?]> = [
      [401, "UNAUTHENTICATED", { body: reading(1) }],
      [401, "UNAUTHENTICATED", { key: "mfr_nonsense", body: reading(1) }],
      [401, "UNAUTHENTICATED", { key: keys.SERVER, body: reading(1) }],
      [400, "VALIDATION_ERROR", { key, body: "{" }],
      [400, "VALIDATION_ERROR", { key, body: "" }],
      [400, "VALIDATION_ERROR", { key, body: reading(1, "bad") }],
      [400, "VALIDATION_ERROR", { key, body: reading(-3_600_000) }],
      [400, "VALIDATION_ERROR", { key, body: reading(1), headers: { "content-type": "text/plain" } }],
      [400, "VALIDATION_ERROR", { key, body: `{"state": {"power": ${" ".repeat(20_000)}"bad"}}` }],
      [404, "DEVICE_NOT_FOUND", { key, body: reading(1) }, nobody],
      [404, "DEVICE_NOT_FOUND", { key, body: reading(1) }, "nonsense"]
    ]
    for (const [status, code, sent, to = id] of refused) {
      const response = await send(to, sent)
      expect([response.status, response.body.code]).toEqual([status, code])
    }
    const many = { key, body: JSON.stringify({ readings: [JSON.parse(reading(2000)), JSON.parse(reading(3000))] }) }
    expect((await send(id, many)).body.accepted).toBe(2)
    const repeatable = { key, body: reading(4000), headers: { "idempotency-key": "once" } }
    expect((await send(id, repeatable)).status).toBe(200)
    const ofAPage = { key, body: reading(6000), headers: { origin: "https://page.example" }, version: "/v1" as const }
    expect((await send(id, ofAPage)).headers).toMatchObject({ "access-control-allow-origin": "*" })
    expect((await send(id, { key, body: reading(5000) })).status).toBe(200)
    expect(await history(id)).toHaveLength(5)
  })

  test("counts once in its key's window, and is rejected over the limit", async () => {
    const { device, ...place } = await arrangeDirect(app)
    const { id } = await device()
    const { id: keyId, key } = await app.key(place, "MANUFACTURER", { scope: ["generic"] })
    await app.sql((sql) => sql`UPDATE api_keys SET rate_limits = '{"write": 3}' WHERE id = ${keyId}`)
    const push = (at: number) =>
      send(id, { key, body: JSON.stringify({ timestamp: ago(at * 1000), state: { power: 1 } }) })
    const windows = new Map<unknown, Array<unknown>>()
    for (let turn = 1; turn <= 8; turn++) {
      const { status, headers } = await push(turn)
      const seen = windows.get(headers["x-ratelimit-reset"]) ?? []
      windows.set(headers["x-ratelimit-reset"], [...seen, status === 200 ? headers["x-ratelimit-remaining"] : status])
    }
    // A minute may end once in between: then there are two windows.
    for (const seen of windows.values())
      expect(seen).toEqual(["2", "1", "0", 429, 429, 429, 429, 429].slice(0, seen.length))
    expect([...windows.values()].flat()).toContain(429)
  })

  test("is rejected from the revocation of its key on", async () => {
    const { device, ...place } = await arrangeDirect(app)
    const { id } = await device()
    const { id: keyId, key } = await app.key(place, "MANUFACTURER", { scope: ["generic"] })
    const body = JSON.stringify({ state: { power: 1 } })
    expect((await send(id, { key, body })).status).toBe(200)
    await app.sql((sql) => sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${keyId}`)
    expect((await send(id, { key, body })).status).toBe(401)
  })

  test("is checked against its current device: removed, or returned with another type", async () => {
    const { device, key, remove, post, makeBody } = await arrangeDirect(app)
    const { id, manufacturerDeviceId } = await device("inverter")
    const push = (state: object) => send(id, { key, body: JSON.stringify({ state }) })
    expect((await push({ power: 1 })).status).toBe(200)
    await remove(id)
    expect((await push({ power: 1 })).body.code).toBe("DEVICE_NOT_ASSOCIATED")
    await post("/devices", await makeBody("thermostat", { manufacturerDeviceId }))
    const refused = await push({ power: 1 })
    expect([refused.status, Object.keys(refused.body.details).includes("state.power")]).toEqual([400, true])
    expect((await push({ ambientTemperature: 70, operatingMode: "off", fanMode: "off" })).status).toBe(200)
  })

  test("is refused once the device reports by an account, on every instance", async () => {
    const { device, key } = await arrangeDirect(app)
    const { id } = await device("inverter")
    const push = (headers?: Sent["headers"]) =>
      send(id, { key, body: JSON.stringify({ state: { power: 1 } }), ...(headers && { headers }) })
    expect((await push()).status).toBe(200)
    // As another instance changes it: this one is not told.
    await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${id}`)
    for (const headers of [undefined, { "idempotency-key": "typed" }, undefined]) {
      const { body, status } = await push(headers)
      expect([status, body.code]).toEqual([403, "DEVICE_NOT_OEM_DIRECT"])
    }
    expect(await app.sql((sql) => sql`SELECT 1 FROM readings WHERE device_id = ${id}`)).toHaveLength(1)
    await app.sql((sql) => sql`UPDATE devices SET direct = true WHERE id = ${id}`)
    expect((await push()).status).toBe(200)
  })

  test("is harmless when its sender disconnects before the body is complete", async () => {
    const { device, key } = await arrangeDirect(app)
    const { id } = await device()
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1")
    socket.write(
      `POST /devices/${id}/telemetry HTTP/1.1\r\nhost: x\r\nservice-api-key: ${key}\r\ncontent-type: application/json\r\n` +
        `content-length: 100\r\n\r\n{"state"`
    )
    await new Promise<void>((resolve) => socket.end(resolve))
    socket.destroy()
    expect((await send(id, { key, body: JSON.stringify({ state: { power: 1 } }) })).status).toBe(200)
  })
})

describe("a push that the database rejects", () => {
  test("is tried once, with and without a timestamp, and gets an error", async () => {
    const { device, key } = await arrangeDirect(app)
    const { id } = await device()
    await app.sql((sql) => sql`CREATE SEQUENCE IF NOT EXISTS attempts`)
    await app.sql(
      (sql) => sql`CREATE FUNCTION refuse_state() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM nextval('attempts'); RAISE EXCEPTION 'no room'; END $$`
    )
    await app.sql(
      (sql) => sql`CREATE TRIGGER refusing BEFORE INSERT ON device_states FOR EACH ROW EXECUTE FUNCTION refuse_state()`
    )
    const attempts = async () =>
      (await app.sql((sql) => sql<{ readonly n: number }>`SELECT last_value::int AS n FROM attempts`))[0]!.n
    const { body, headers, status } = await send(id, { body: JSON.stringify({ state: { power: 1 } }), key })
    expect([status, body.code]).toEqual([500, "UNKNOWN_ERROR"])
    expect(headers["x-request-id"]).toEqual(expect.any(String))
    expect(await attempts()).toBe(1)
    await send(id, { body: JSON.stringify({ timestamp: ago(1000), state: { power: 1 } }), key })
    expect(await attempts()).toBe(2)
    await app.sql((sql) => sql`DROP TRIGGER refusing ON device_states`)
    expect((await send(id, { body: JSON.stringify({ state: { power: 1 } }), key })).status).toBe(200)
  })
})

describe("pushes without timestamps", () => {
  test("are all stored: single ones concurrently, in lists and in bulk", async () => {
    const { device, key, push, pushBulk } = await arrangeDirect(app)
    const { id } = await device()
    const body = (power: number) => JSON.stringify({ state: { power } })
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        app.call("POST", `/devices/${id}/telemetry`, { key, body: JSON.parse(body(n)) })
      )
    )
    expect(responses.map(({ body: { accepted } }) => accepted)).toEqual(responses.map(() => 1))
    const list = Array.from({ length: 300 }, (_, n) => ({ state: { power: 100 + n } }))
    expect((await push(id, { readings: list })).body).toMatchObject({
      accepted: 300,
      duplicates: 0,
      latest: { power: 399 }
    })
    const bulk = await pushBulk(list.map((reading) => ({ deviceId: id, ...reading })))
    expect(bulk.body).toEqual({ accepted: 300, duplicates: 0, errors: [] })
    const stored = await app.sql((sql) => sql`SELECT DISTINCT at FROM readings WHERE device_id = ${id}`)
    expect(stored).toHaveLength(650)
  })
})
