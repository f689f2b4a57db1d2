import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { connectionAtom } from "@edp/dashboard/api/connection"
import { makeInvalidation, startLive } from "@edp/dashboard/api/live"
import { countsAtom, deviceStateAtom, followDevices } from "@edp/dashboard/api/liveState"
import { keys } from "@edp/dashboard/api/makeApi"
import { setPageHeaders } from "@edp/dashboard/api/pageHeaders"
import { noteSessionEndIn, sessionEndedAtom, workspaceDoubtedAtom } from "@edp/dashboard/api/sessionEnd"
import { Effect } from "effect"
import { Atom, AtomRegistry } from "effect/reactivity"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { eventually } from "../../support/eventually.ts"

const ids = Array.from({ length: 100 }, (_, n) => `cm${String(n).padStart(23, "0")}`)
const at = "2026-03-01T12:00:00.000Z"

const counts = (total: number) => ({
  devices: { total, byType: { inverter: total }, byOnlineStatus: { online: total, asleep: 0, offline: 0, unknown: 0 } },
  openAlerts: { CRITICAL: 0, WARNING: 0, INFO: 0 },
  countedAt: at
})
const snapshot = { sequence: 1, serverTime: at, version: "1.0.0", counts: counts(3), devices: [] }
const alertEvent = (sequence: number, id = ids[0]!) => ({
  kind: "event",
  sequence,
  id,
  type: "ALERT_CREATED",
  timestamp: at,
  alertId: id
})
const deviceChange = (deviceId: string, power: number) => ({
  kind: "device",
  deviceId,
  onlineStatus: "online",
  lastOnlineAt: at,
  state: { id: deviceId, createdAt: at, power }
})
const write = (response: ServerResponse, id: number, event: string, data: object) =>
  response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

/** A service whose streams the test writes, and the page's stream of it. */
const arrange = async () => {
  const streams: Array<{ readonly request: IncomingMessage; readonly response: ServerResponse }> = []
  let status = 200
  const server = createServer((request, response) => {
    response.writeHead(status, { "content-type": "text/event-stream" })
    if (status !== 200) return void response.end()
    response.write(":\n\n")
    streams.push({ request, response })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }))
  const network = new EventTarget()
  vi.stubGlobal("window", network)
  const realFetch = fetch
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => realFetch(base + path, init))
  const registry = AtomRegistry.make()
  noteSessionEndIn(registry)
  registry.mount(connectionAtom)
  ends.push(
    startLive(registry, "session-1 workspace-1"),
    () => server.close(),
    () => server.closeAllConnections()
  )
  return {
    registry,
    network,
    refuseWith: (next: number) => (status = next),
    stream: (n: number) => eventually(`stream ${n}`, () => streams[n - 1]),
    hasConnection: (kind: string) =>
      eventually(`the connection is ${kind}`, () => (registry.get(connectionAtom).kind === kind ? true : undefined))
  }
}

const ends: Array<() => void> = []
beforeEach(() => setPageHeaders({ workspaceId: "workspace-1" }))
afterEach(() => {
  ends.splice(0).forEach((end) => end())
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe("the live stream of a page", () => {
  test("reads the queries of a changed record again, and shows new counts and states", async () => {
    // A snapshot that comes late reads everything again.
    vi.useFakeTimers({ toFake: ["Date"] })
    const { registry, stream, hasConnection } = await arrange()
    let reads = 0
    const query = (...names: ReadonlyArray<string>) =>
      Atom.make(Effect.sync(() => ++reads)).pipe(Atom.withReactivity(keys(...names)))
    registry.mount(query("alerts"))
    registry.mount(query("sites"))
    registry.mount(deviceStateAtom(ids[1]!))
    ends.push(followDevices([ids[1]!]))
    expect(reads).toBe(2)
    // A stream that does not name the device is replaced.
    const { request, response } = await stream(2)
    expect(request.url).toContain(ids[1])
    expect(request.headers["x-workspace-id"]).toBe("workspace-1")
    write(response, 1, "snapshot", snapshot)
    await hasConnection("live")
    for (let n = 2; n < 50; n++) write(response, n, "change", alertEvent(n))
    write(response, 50, "change", { kind: "counts", counts: counts(4) })
    write(response, 50, "change", { kind: "surprise" })
    write(response, 50, "change", deviceChange(ids[1]!, 7))
    await eventually("the state", () => registry.get(deviceStateAtom(ids[1]!))?.state.power === 7 || undefined)
    expect(registry.get(countsAtom)?.devices.total).toBe(4)
    await eventually("one more read of the alerts", () => (reads === 3 ? true : undefined))
  })

  test("reads everything again when it starts anew, as after a new sign-in", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const { registry, stream, hasConnection } = await arrange()
    let reads = 0
    registry.mount(Atom.make(Effect.sync(() => ++reads)).pipe(Atom.withReactivity(keys("sites"))))
    write((await stream(1)).response, 1, "snapshot", snapshot)
    await hasConnection("live")
    ends.splice(0, 1)[0]!()
    ends.push(startLive(registry, "session-1 workspace-1"))
    write((await stream(2)).response, 2, "snapshot", snapshot)
    await eventually("one more read", () => reads === 2 || undefined)
  })

  test("resumes after the last message when the connection breaks", async () => {
    const { stream, hasConnection } = await arrange()
    const first = await stream(1)
    write(first.response, 7, "snapshot", snapshot)
    await hasConnection("live")
    write(first.response, 8, "change", alertEvent(8))
    first.response.end()
    const second = await stream(2)
    expect(second.request.headers["last-event-id"]).toBe("8")
    await hasConnection("live")
  })

  test("says since when the service has not responded, and tries again at once when the network is back", async () => {
    const { network, refuseWith, stream, hasConnection, registry } = await arrange()
    const { response } = await stream(1)
    write(response, 1, "snapshot", snapshot)
    await hasConnection("live")
    await eventually("the snapshot", () => registry.get(countsAtom))
    refuseWith(502)
    response.destroy()
    await hasConnection("offline")
    expect(registry.get(connectionAtom)).toEqual({ kind: "offline", since: expect.any(Number) })
    refuseWith(200)
    network.dispatchEvent(new Event("online"))
    expect((await stream(2)).request.headers["last-event-id"]).toBe("1")
    await hasConnection("live")
  })

  test("asks for a new sign-in when the session has ended", async () => {
    const { refuseWith, registry } = await arrange()
    refuseWith(401)
    await eventually("the end of the session", () => (registry.get(sessionEndedAtom) ? true : undefined))
  })

  test("has the page look whether its workspace exists when the service does not know it", async () => {
    const { refuseWith, registry } = await arrange()
    refuseWith(404)
    await eventually("the doubt", () => (registry.get(workspaceDoubtedAtom) ? true : undefined))
    expect(registry.get(sessionEndedAtom)).toBe(false)
  })

  test("stays light through 100,000 changes", async () => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const { registry, stream, hasConnection } = await arrange()
    for (const id of ids) registry.mount(deviceStateAtom(id))
    ends.push(followDevices(ids))
    // A stream that names no device is replaced.
    const { response } = await stream(2)
    write(response, 1, "snapshot", snapshot)
    await hasConnection("live")
    const send = async (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        write(response, n, "change", alertEvent(n, `cm${String(n).padStart(23, "0")}`))
        if (!write(response, n, "change", deviceChange(ids[n % 100]!, n))) await once(response, "drain")
      }
      const last = deviceStateAtom(ids[(to - 1) % 100]!)
      await eventually("the last change", () => registry.get(last)?.state.power === to - 1 || undefined)
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = await send(2, 10_000)
    const after = await send(10_000, 60_000)
    expect(after - before).toBeLessThan(2_000_000)
  })
})

test("queries are read again at most every two seconds, and all of them after very many changes", () => {
  vi.useFakeTimers()
  const read: Array<ReadonlyArray<string>> = []
  const { add, end } = makeInvalidation((keys) => read.push(keys))
  add(["alerts", "alert:1"])
  add(["alerts"])
  vi.advanceTimersByTime(300)
  expect(read).toEqual([["alerts", "alert:1"]])
  for (let n = 0; n < 1000; n++) add([`alert:${n}`])
  vi.advanceTimersByTime(1999)
  expect(read).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(read[1]).toEqual(["everything"])
  vi.advanceTimersByTime(60_000)
  expect(read).toHaveLength(2)
  add(["sites"])
  vi.advanceTimersByTime(300)
  expect(read[2]).toEqual(["sites"])
  end()
  vi.useRealTimers()
})
