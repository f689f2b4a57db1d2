import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { memoryRecords } from "@edp/adapter-kit/testing/TestHost"
import { eventually } from "../../support/eventually.ts"
import {
  boot16,
  closeAll,
  openLine,
  type Platform,
  type PlatformOptions,
  rpcStation,
  sendCommand,
  startPlatform,
  until
} from "./platform.ts"

afterEach(closeAll)

const now = () => new Date().toISOString()
const status = (connectorId: number, status: string) => ({
  connectorId,
  status,
  errorCode: "NoError",
  timestamp: now()
})

/** A station in the middle of a transaction. */
const charging = async (platform: Platform) => {
  const login = await platform.link()
  const station = await rpcStation(platform, login, "ocpp1.6")
  await station.call("BootNotification", boot16)
  await station.call("StatusNotification", status(1, "Preparing"))
  const start = { connectorId: 1, idTag: "TAG", meterStart: 1000, timestamp: now() }
  const { transactionId } = await station.call("StartTransaction", start)
  await station.call("StatusNotification", status(1, "Charging"))
  return { login, station, start, transactionId }
}

const stored = async (platform: Platform) => (await platform.run(platform.records.get("station/CP-1")))!.value as any

/** Two instances of one platform. The first loses its database connection, as a process that was killed writes nothing more. */
const twoInstances = async (times: PlatformOptions["times"] = {}) => {
  const { records } = memoryRecords()
  let isDead = false
  const first = await startPlatform({
    times,
    shared: {
      accounts: new Map(),
      reports: [],
      records: { ...records, put: (...args) => (isDead ? Effect.die(new Error("dead")) : records.put(...args)) }
    }
  })
  const second = await startPlatform({ times, shared: { ...first, records } })
  return { first, second, kill: () => void (isDead = true) }
}

describe("a station that reconnects in the middle of a transaction", () => {
  test("goes on with it, is asked for its status, and repeats what had no response", async () => {
    const platform = await startPlatform()
    const { login, start, station, transactionId } = await charging(platform)
    await station.cut()
    await eventually("the session is released", async () =>
      (await stored(platform)).holder === null ? true : undefined
    )
    const again = await rpcStation(platform, login, "ocpp1.6")
    await until("the question", () => again.asked("TriggerMessage").length === 1)
    expect(again.asked("TriggerMessage")).toEqual([{ requestedMessage: "StatusNotification" }])
    expect(await again.call("StartTransaction", start)).toMatchObject({ transactionId })
    expect(await sendCommand(platform, "CP-1", "stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(again.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    await again.call("StopTransaction", { transactionId, meterStop: 1500, timestamp: now(), reason: "Remote" })
    expect((await stored(platform)).session.transactions).toEqual([])
    expect(again.failures).toEqual([])
  })

  test("goes on with it on another instance, and the first one gives up its socket when it notices", async () => {
    const { first, second } = await twoInstances({ check: 30 })
    const { login, station, transactionId } = await charging(first)
    const closed = new Promise((resolve) => station.client.once("close", resolve))
    expect(await sendCommand(second, "CP-1", "stop-charging")).toMatchObject({ failure: { failure: "elsewhere" } })
    const moved = await rpcStation(second, login, "ocpp1.6")
    expect(await closed).toMatchObject({ code: 1008 })
    expect(await sendCommand(second, "CP-1", "stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(moved.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    expect(await sendCommand(first, "CP-1", "stop-charging")).toMatchObject({ failure: { failure: "elsewhere" } })
    expect((await stored(first)).session.transactions).toHaveLength(1)
  })

  test("gets no response from an instance that has lost its session to another", async () => {
    const { first, second } = await twoInstances()
    const login = await first.link()
    const older = await openLine(first, login)
    older.say([2, "1", "BootNotification", boot16])
    await until("the boot", () => older.received.length > 0)
    const newer = await openLine(second, login)
    newer.say([2, "2", "BootNotification", boot16])
    await until("the boot at the second instance", () => newer.received.some(([type]) => type === 3))
    older.say([2, "3", "StartTransaction", { connectorId: 1, idTag: "T", meterStart: 0, timestamp: now() }])
    expect(await older.closed).toMatchObject({ code: 1008 })
    expect(older.received.some(([, id]) => id === "3")).toBe(false)
    expect((await stored(first)).session.transactions).toEqual([])
  })

  test("goes on with it after its instance was killed, whose hold ends by itself", async () => {
    const { first, kill, second } = await twoInstances()
    const { login, transactionId } = await charging(first)
    kill()
    expect(await sendCommand(second, "CP-1", "stop-charging")).toMatchObject({ failure: { failure: "elsewhere" } })
    // A minute later the instance counts as dead.
    const [beat] = await second.run(second.records.list("instance/", 10))
    await second.run(second.records.put(beat!.key, beat!.version, { seenAt: Date.now() - 61_000 }))
    expect(await sendCommand(second, "CP-1", "stop-charging")).toMatchObject({ failure: { failure: "unreachable" } })
    const again = await rpcStation(second, login, "ocpp1.6")
    expect(await sendCommand(second, "CP-1", "stop-charging")).toMatchObject({ success: { status: "accepted" } })
    expect(again.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
  })

  test("is served again after the database was away for a while", async () => {
    const { first, kill, second } = await twoInstances()
    const login = await first.link()
    const line = await openLine(first, login)
    line.say([2, "1", "BootNotification", boot16])
    await until("the boot", () => line.received.length > 0)
    kill()
    line.say([2, "2", "StatusNotification", status(1, "Available")])
    expect(await line.closed).toEqual({ code: 1011, reason: "Dial again" })
    expect(line.received.some(([, id]) => id === "2")).toBe(false)
    const again = await openLine(second, login)
    again.say([2, "3", "StatusNotification", status(1, "Available")])
    await until("the response", () => again.received.some(([, id]) => id === "3"))
  })
})

describe("a station that is being linked", () => {
  test("reports all of its connectors at once, and their states when the account is linked", async () => {
    const platform = await startPlatform({ times: { checkPending: 30 } })
    const login = await platform.link("CP-1", { pending: true })
    const station = await rpcStation(platform, login, "ocpp1.6")
    await station.call("BootNotification", boot16)
    await station.call("StatusNotification", status(1, "Available"))
    await station.call("StatusNotification", { ...status(2, "Faulted"), errorCode: "GroundFailure" })
    await until("the devices", () => platform.devices().length > 0)
    expect(platform.reports.filter(({ report }) => report.devices !== null)).toHaveLength(1)
    expect(platform.devices().map(({ name }) => name)).toEqual([
      "Vendor Wallbox 11, connector 1",
      "Vendor Wallbox 11, connector 2"
    ])
    const before = platform.reports.length
    platform.accounts.set("CP-1", { ...platform.accounts.get("CP-1")!, id: "account-of-old", pending: false })
    await until("the report", () => platform.reports.length > before)
    const { accountId, report } = platform.reports.at(-1)!
    expect(accountId).toBe("account-of-old")
    expect(report.observations.map(({ manufacturerDeviceId, state }) => [manufacturerDeviceId, state])).toEqual([
      ["CP-1/1", { chargingState: "idle", isPluggedIn: false }],
      ["CP-1/2", { chargingState: "unknown" }]
    ])
    expect(report.alerts).toMatchObject([
      {
        externalId: "CP-1/2:GroundFailure",
        severity: "CRITICAL",
        resolved: false,
        title: "Ground fault at the charger"
      }
    ])
  })
})

describe("the state of a station", () => {
  test("is reported again while nothing changes, so that the device stays online", async () => {
    const platform = await startPlatform({ times: { ping: 20, refresh: 50 } })
    const station = await rpcStation(platform, await platform.link(), "ocpp1.6")
    await station.call("BootNotification", boot16)
    await station.call("StatusNotification", status(1, "Available"))
    const count = () => platform.observations().length
    const before = count()
    await eventually("another reading", async () => {
      await station.call("Heartbeat", {})
      return count() > before + 1 ? true : undefined
    })
    expect(platform.observations().at(-1)!.state).toEqual({ chargingState: "idle", isPluggedIn: false })
  })

  test("is the newest one also of a station whose clock is behind, or counts whole seconds", async () => {
    const platform = await startPlatform()
    const station = await rpcStation(platform, await platform.link(), "ocpp1.6")
    await station.call("BootNotification", boot16)
    const behind = new Date(Date.now() - 300_000).toISOString()
    for (const state of ["Available", "Preparing", "Charging", "Finishing"]) {
      await station.call("StatusNotification", { ...status(1, state), timestamp: behind })
      expect(platform.state().chargingState).toBe(state === "Charging" ? "charging" : "idle")
    }
    expect(platform.state().isPluggedIn).toBe(true)
  })
})
