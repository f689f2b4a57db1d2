import { connect, type Socket } from "node:net"
import { type FrontServer, ListeningServer } from "@edp/server/platform/http/FrontServer"
import type { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { expectError } from "../../support/expectError.ts"
import { signIn } from "../../support/browserSession.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeEvents } from "../events/arrangeEvents.ts"
import { openStream, type Received, type StreamClient } from "./openStream.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()

const open: Array<StreamClient> = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()))
})

const arrange = async () => {
  const scene = await arrangeEvents(app)
  const follow = async (options?: Parameters<typeof openStream>[2], key = scene.keys.MANAGEMENT) => {
    const stream = await openStream(app.url, key, options)
    open.push(stream)
    return stream
  }
  const following = async (options?: Parameters<typeof openStream>[2]) => {
    const stream = await follow(options)
    const snapshot = await stream.find("the snapshot", ({ event }) => event === "snapshot")
    return { ...stream, snapshot: snapshot.data }
  }
  const raise = (siteId: string, severity = "CRITICAL") =>
    scene.call("POST", "/v1/alerts", { siteId, title: "Dark", sourceSystem: "watch", severity })
  const sequences = async (after: number) => (await scene.after(after)).map(({ sequence }) => sequence)
  return { ...scene, follow, following, raise, sequences }
}

describe("GET /dashboard/api/stream", () => {
  test("begins with a snapshot of the counts and of the named devices", async () => {
    const { following, keys, call, device, raise, site, speaking } = await arrange()
    const online = await speaking()
    const silent = await device("battery")
    await raise(site.id)
    const { id } = await raise(site.id, "INFO")
    await call("PATCH", `/v1/alerts/${id}/resolve`)
    const { response, received, snapshot } = await following({ query: `devices=${online},${silent.id},nothing` })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no"
    })
    expect(response.headers.has("content-encoding")).toBe(false)
    expect(received).toHaveLength(1)
    expect(snapshot.counts).toMatchObject({
      devices: {
        total: 2,
        byType: { inverter: 1, battery: 1 },
        byOnlineStatus: { online: 1, asleep: 0, offline: 0, unknown: 1 }
      },
      openAlerts: { CRITICAL: 1, WARNING: 0, INFO: 0 }
    })
    expect(snapshot.sequence).toBe(received[0]!.id)
    const record = await app.call("GET", `/v1/devices/${online}`, { key: keys.SERVER })
    expect(snapshot.devices).toHaveLength(2)
    expect(snapshot.devices).toContainEqual({
      deviceId: online,
      onlineStatus: "online",
      lastOnlineAt: record.body.lastOnlineAt,
      state: record.body.state
    })
    expect(snapshot.devices).toContainEqual({
      deviceId: silent.id,
      onlineStatus: "unknown",
      lastOnlineAt: null,
      state: {}
    })
  })

  test("sends the events of the workspace in order, with the ids and facts of their records alone", async () => {
    const { call, device, following, raise, sequences, site } = await arrange()
    const stream = await following()
    const { id: deviceId } = await device("inverter", { siteId: site.id })
    const alert = await raise(site.id)
    await call("PATCH", `/v1/alerts/${alert.id}/acknowledge`, {})
    const customer = await call("POST", "/v1/customers", { firstName: "Ada" })
    await stream.find("the last event", ({ data }) => data.type === "CUSTOMER_CREATED")
    expect(stream.sequences()).toEqual(await sequences(stream.snapshot.sequence))
    const common = {
      kind: "event",
      id: expect.any(String),
      sequence: expect.any(Number),
      timestamp: expect.any(String)
    }
    expect(stream.changes("event").map(({ data }) => data)).toEqual([
      expect.objectContaining({ ...common, type: "DEVICE_DISCOVERED", deviceId }),
      expect.objectContaining({ ...common, type: "DEVICE_CONNECTED", deviceId }),
      ...[
        ["ALERT_CREATED", "OPEN"],
        ["ALERT_UPDATED", "ACKNOWLEDGED"]
      ].map(([type, status]) => ({
        ...common,
        type,
        alertId: alert.id,
        siteId: site.id,
        alert: { severity: "CRITICAL", status }
      })),
      { ...common, type: "CUSTOMER_CREATED", customerId: customer.id }
    ])
    expect(stream.received.map(({ id }) => id)).toEqual(stream.received.map(({ id }) => id).toSorted((a, b) => a - b))
    const counts = await stream.find("new counts", ({ data }) => data.kind === "counts")
    expect(counts.data.counts).toMatchObject({ devices: { total: 1 } })
  })

  test("sends each new state of a named device, at most one a second, and of no other device", async () => {
    const { following, speak, speaking } = await arrange()
    const [named, other] = [await speaking(), await speaking()]
    const stream = await following({ query: `devices=${named}` })
    // Each reading is newer than the one before, however long a request takes.
    for (let power = 1; power <= 50; power += 1) await speak(named, -power / 1000, { state: { power } })
    await speak(other, -1)
    const last = await stream.find("the newest state", ({ data }) => data.kind === "device" && data.state.power === 50)
    expect(last.data).toMatchObject({ deviceId: named, onlineStatus: "online" })
    const times = stream.changes("device").map(({ at }) => at)
    expect(new Set(stream.changes("device").map(({ data }) => data.deviceId))).toEqual(new Set([named]))
    // A busy machine receives one of them late.
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual((times.length - 2) * 1000)
    expect(stream.changes("event").map(({ data }) => data.type)).not.toContain("DEVICE_UPDATED")
  })

  test("sends the online status of a named device with an alert of it", async () => {
    const { call, following, site, speaking } = await arrange()
    const named = await speaking()
    await call("PATCH", `/v1/devices/${named}`, { siteId: site.id })
    const stream = await following({ query: `devices=${named}` })
    expect(stream.snapshot.devices).toMatchObject([{ onlineStatus: "online" }])
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = now() WHERE id = ${named} RETURNING 1`)
    const alert = { siteId: site.id, deviceId: named, title: "Dark", sourceSystem: "watch", severity: "WARNING" }
    await call("POST", "/v1/alerts", alert)
    const isOffline = ({ data }: Received) => data.kind === "device" && data.onlineStatus === "offline"
    expect((await stream.find("the status", isOffline)).data.deviceId).toBe(named)
  })

  test("resumes after Last-Event-ID, without loss, repetition or snapshot while events are written", async () => {
    const { call, following, follow, sequences } = await arrange()
    const first = await following()
    const stopping = new AbortController()
    const write = async () => {
      while (!stopping.signal.aborted) await call("POST", "/v1/customers", {})
    }
    const writers = Array.from({ length: 4 }, write)
    const seen: Array<number> = []
    let stream: StreamClient = first
    for (let turn = 0; turn < 4; turn++) {
      await eventually("some events", () => (stream.sequences().length > 3 ? true : undefined))
      await stream.close()
      seen.push(...stream.sequences())
      // Browsers send the header; the query parameter is for the others.
      stream = await follow(turn % 2 === 0 ? { lastEventId: seen.at(-1)! } : { query: `lastEventId=${seen.at(-1)}` })
      expect(stream.received.filter(({ event }) => event === "snapshot")).toEqual([])
    }
    stopping.abort()
    await Promise.all(writers)
    const last = await call("POST", "/v1/customers", {})
    await stream.find("the last event", ({ data }) => data.customerId === last.id)
    seen.push(...stream.sequences())
    const written: Array<number> = []
    for (let after = first.snapshot.sequence; ; after = written.at(-1)!) {
      const page = await sequences(after)
      if (page.length === 0) break
      written.push(...page)
    }
    expect(seen).toEqual(written)
  })

  test("sends the newest states of the named devices when it resumes, and a snapshot after an unknown sequence", async () => {
    const { following, follow, speak, speaking } = await arrange()
    const id = await speaking()
    const { close, snapshot } = await following()
    await close()
    await speak(id, -1, { state: { power: 77 } })
    const resumed = await follow({ lastEventId: snapshot.sequence, query: `devices=${id}` })
    const state = await resumed.find("the state", ({ data }) => data.kind === "device")
    expect(state.data.state).toMatchObject({ power: 77 })
    const unknown = await follow({ lastEventId: 900_000_000_000 })
    expect((await unknown.find("a message", () => true)).event).toBe("snapshot")
  })

  test("never sends events of another workspace", async () => {
    const one = await arrange()
    const two = await arrange()
    const [stream, other] = [await one.following(), await two.following({ query: `devices=${await one.speaking()}` })]
    expect(other.snapshot.devices).toEqual([])
    const mine = await one.call("POST", "/v1/customers", {})
    const theirs = await two.call("POST", "/v1/customers", {})
    await stream.find("its event", ({ data }) => data.customerId === mine.id)
    await other.find("its event", ({ data }) => data.customerId === theirs.id)
    expect(stream.changes("event").map(({ data }) => data.customerId)).not.toContain(theirs.id)
    expect(other.changes("event").map(({ data }) => data.customerId)).not.toContain(mine.id)
  })

  test("ends within seconds when its key is revoked", async () => {
    const place = await arrange()
    const { id, key } = await app.key(place, "MANAGEMENT")
    const [revoked, other] = [await place.follow({}, key), await place.following()]
    await revoked.find("the snapshot", () => true)
    await app.sql((sql) => sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${id}`)
    await eventually("the end of the stream", () => (revoked.isEnded() ? true : undefined))
    expect(other.isEnded()).toBe(false)
    expect((await place.follow({}, key)).response.status).toBe(401)
  })

  test("ends within seconds when its session is signed out, and other sessions of the key go on", async () => {
    const place = await arrange()
    const [one, two] = [await signIn(app, place.keys.MANAGEMENT), await signIn(app, place.keys.MANAGEMENT)]
    const [ending, other] = [await place.follow({}, one.cookie), await place.follow({}, two.cookie)]
    await Promise.all([ending.find("the snapshot", () => true), other.find("the snapshot", () => true)])
    await one.call("DELETE", "/dashboard/api/session")
    await eventually("the end of the stream", () => (ending.isEnded() ? true : undefined))
    expect(other.isEnded()).toBe(false)
  })

  test("ends within seconds when the workspace that its session has chosen is deleted", async () => {
    const place = await arrange()
    const one = await signIn(app, place.keys.MANAGEMENT)
    const { body } = await one.call("POST", "/v1/workspaces", { body: { name: "Short-lived" } })
    const [ending, other] = await Promise.all([
      place.follow({ workspaceId: body.id }, one.cookie),
      place.follow({}, one.cookie)
    ])
    await Promise.all([ending.find("the snapshot", () => true), other.find("the snapshot", () => true)])
    expect((await one.call("DELETE", `/v1/workspaces/${body.id}`)).status).toBe(204)
    await eventually("the end of the stream", () => (ending.isEnded() ? true : undefined))
    expect(other.isEnded()).toBe(false)
    const again = await place.follow({ workspaceId: body.id }, one.cookie)
    expect(again.response.status).toBe(404)
  })

  test("401 UNAUTHENTICATED for keys of other types, 400 for invalid parameters", async () => {
    const { keys } = await arrange()
    const ask = (query: string, key: string) => app.call("GET", `/dashboard/api/stream?${query}`, { key })
    for (const type of ["SERVER", "API", "CONNECT", "MANUFACTURER", "SCOPED"] as const) {
      expectError(await ask("", keys[type]), 401, "UNAUTHENTICATED")
    }
    for (const [name, value] of [
      ["lastEventId", "-1"],
      ["devices", Array(101).fill("x").join(",")]
    ] as const) {
      const reply = await ask(`${name}=${value}`, keys.MANAGEMENT)
      expectError(reply, 400, "VALIDATION_ERROR", { [name]: expect.any(String) })
    }
  })

  test("429 RATE_LIMITED beyond 100 streams of a key, until one is closed", async () => {
    const place = await arrange()
    const streams = await atOnce(100, () => place.follow())
    expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]))
    const ask = () => app.call("GET", "/dashboard/api/stream", { key: place.keys.MANAGEMENT })
    const refused = await ask()
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([429, "RATE_LIMITED", "15"])
    expect((await place.follow({}, (await app.key(place, "MANAGEMENT")).key)).response.status).toBe(200)
    await streams[0]!.close()
    await eventually("room for a stream", async () =>
      (await place.follow()).response.status === 200 ? true : undefined
    )
  })

  test("keys that hold all 500 streams keep nobody out: the oldest stream of one of them ends for a new one", async () => {
    const place = await arrange()
    const keys = await atOnce(5, () => app.key(place, "MANAGEMENT"))
    const all = await Promise.all(keys.map(({ key }) => atOnce(100, () => place.follow({}, key))))
    expect((await place.follow()).response.status).toBe(200)
    await eventually("one stream of another key has ended", () =>
      all.flat().filter((stream) => stream.isEnded()).length === 1 ? true : undefined
    )
    expect((await place.follow()).response.status).toBe(200)
  })

  test("comments come every 15 seconds, and a response to HEAD does not stay open", async () => {
    const { following, keys } = await arrange()
    const stream = await following()
    const head = await app.call("HEAD", "/dashboard/api/stream", { key: keys.MANAGEMENT })
    expect([head.status, head.text]).toEqual([200, ""])
    // The first comment is the padding of the opening.
    await eventually("a second comment", () => (stream.comments() > 1 ? true : undefined))
  })

  test("the connection of a client that does not read is closed, and little is kept for it", async () => {
    const { call, keys, site } = await arrange()
    const server = await app.run(ListeningServer as never as Effect.Effect<FrontServer>)
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve))
    const { hostname, port } = new URL(app.url)
    const client = connect(Number(port), hostname, () =>
      client.write(`GET /dashboard/api/stream HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${keys.MANAGEMENT}\r\n\r\n`)
    )
    client.once("data", () => client.pause())
    const socket = await accepted
    await eventually("the stream is open", () => (client.isPaused() ? true : undefined))
    await call("PATCH", `/v1/sites/${site.id}`, { name: "Home" })
    // Some 25 MB of messages, which no buffer of the connection takes.
    await app.sql(
      (sql) => sql`INSERT INTO events (id, sequence, workspace_id, type, subject, site_id, created_at, payload)
        SELECT 'c' || lpad(n::text, 24, '0'), nextval('event_sequence'), workspace_id, 'SITE_UPDATED', subject, site_id,
          now(), payload FROM events, generate_series(1, 100000) n WHERE subject = ${site.id} AND type = 'SITE_UPDATED'`
    )
    await eventually("the connection is closed", () => (socket.destroyed ? true : undefined))
    expect(socket.bytesWritten).toBeLessThan(12_000_000)
    client.destroy()
  })
})
