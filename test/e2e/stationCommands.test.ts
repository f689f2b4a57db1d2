import { Client } from "pg"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { closeAll, type Login, rpcStation, until } from "../adapters/ocpp/platform.ts"
import { type ServerRequest, simulatedStation } from "../adapters/ocpp/simulatedStation.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { readCredentials, startAll, stopAll, times } from "./fleet.ts"
import { begin, commander, end, link, now, socketUrl, status } from "./stations.ts"

afterEach(closeAll)

const statuses = ({ transitions }: { readonly transitions: ReadonlyArray<{ readonly status: string }> }) =>
  transitions.map(({ status }) => status)

/** Most stations tell the time in whole seconds, so their messages seem older than they are. */
const wholeSeconds = () => now().replace(/\.\d+/u, "")

describe("commands of a station's owner", () => {
  let server: SpawnedServer
  beforeAll(async () => {
    server = await spawnServer()
  })
  afterAll(async () => expect(await server.stop()).toBe(0))

  const arrange = async (stationId: string) => {
    const linked = await link(server, server.credentials.serverKey, stationId)
    return { ...linked, ...(await commander(server, linked.scopedKey, stationId)) }
  }
  const redial = (login: Login, responses: Parameters<typeof rpcStation>[3]) =>
    rpcStation(socketUrl(server), login, "ocpp1.6", responses)

  test("start and stop charging, and complete by the state of a station that reports whole seconds", async () => {
    const { reached, send, showsState, station } = await arrange("CP-1")
    await station.call("StatusNotification", status("Preparing", wholeSeconds()))
    const start = await send("start-charging")
    await until("the station is asked to start", () => station.asked("RemoteStartTransaction").length === 1)
    expect(statuses(await reached(start, "delivered"))).toEqual(["pending", "delivered"])
    const transactionId = await begin(station, wholeSeconds)
    await showsState({ chargingState: "charging", isPluggedIn: true })
    expect(statuses(await reached(start, "completed", 30_000))).toEqual(["pending", "delivered", "completed"])

    const stop = await send("stop-charging")
    await until("the station is asked to stop", () => station.asked("RemoteStopTransaction").length === 1)
    expect(station.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    await reached(stop, "delivered")
    await end(station, transactionId, wholeSeconds)
    await showsState({ chargingState: "idle", isPluggedIn: true })
    expect(statuses(await reached(stop, "completed", 30_000))).toEqual(["pending", "delivered", "completed"])
    expect(station.failures).toEqual([])
  })

  test("are followed by the simulator of another author", async () => {
    const { login, reached, send, showsState } = await arrange("CP-2")
    const station = await simulatedStation(socketUrl(server), login)
    const asked: Array<unknown> = []
    const accept = ({ payload, uniqueId }: ServerRequest) => {
      asked.push(payload)
      station.sendResponse(uniqueId, { status: "Accepted" })
    }
    station.answerTriggerMessage("StatusNotification", ({ uniqueId }) =>
      station.sendResponse(uniqueId, { status: "Accepted" })
    )
    station.answerRemoteStartTransaction(accept)
    station.answerRemoteStopTransaction(accept)
    await station.sendStatusNotification(status("Preparing"))

    const start = await send("start-charging")
    await until("the simulator is asked to start", () => asked.length === 1)
    const begun = { connectorId: 1, idTag: "EDP", meterStart: 0, timestamp: now() }
    const { transactionId } = await station.startTransaction(begun)
    await station.sendStatusNotification(status("Charging"))
    await reached(start, "completed", 30_000)
    await showsState({ chargingState: "charging" })

    const stop = await send("stop-charging")
    await until("the simulator is asked to stop", () => asked.length === 2)
    expect(asked).toEqual([{ connectorId: 1, idTag: "EDP" }, { transactionId }])
    await station.stopTransaction({ transactionId, meterStop: 10, timestamp: now(), reason: "Remote" })
    await station.sendStatusNotification(status("Available"))
    await reached(stop, "completed", 30_000)
    await showsState({ chargingState: "idle", isPluggedIn: false })
  })

  test("fail without a call where no vehicle is plugged in, and with the station's message where it refuses", async () => {
    const { login, reached, send, station } = await arrange("CP-3")
    const unplugged = await send("start-charging")
    expect(await reached(unplugged, "failed")).toMatchObject({ reason: "precondition_not_plugged_in", upstream: null })
    expect(station.asked("RemoteStartTransaction")).toEqual([])
    const refusing = await redial(login, { RemoteStartTransaction: () => ({ status: "Rejected" }) })
    await refusing.call("StatusNotification", status("Preparing"))
    const refused = await send("start-charging")
    expect(await reached(refused, "failed")).toMatchObject({
      reason: "refused",
      upstream: { errorCode: "Rejected" }
    })
  })

  test("complete by the station's state while it has yet to respond, and its response changes nothing", async () => {
    const { login, read, reached, send } = await arrange("CP-4")
    const responses: Array<(response: object) => void> = []
    const station = await redial(login, {
      RemoteStartTransaction: () => new Promise((resolve) => void responses.push(resolve))
    })
    await station.call("StatusNotification", status("Preparing"))
    const start = await send("start-charging")
    await until("the station is asked to start", () => responses.length === 1)
    expect((await read(start)).status).toBe("pending")
    await begin(station)
    const completed = await reached(start, "completed")
    expect(statuses(completed)).toEqual(["pending", "completed"])
    responses[0]!({ status: "Rejected" })
    // The next command is sent only after the response.
    await send("stop-charging")
    await until("the station is asked to stop", () => station.asked("RemoteStopTransaction").length === 1)
    expect(await read(start)).toEqual(completed)
  })
})

describePostgres("a command that arrives at an instance without the station's connection", () => {
  const databases = useDatabases()

  test("reaches the station within seconds, and counts as no failed attempt", async () => {
    const [holder, other] = await startAll(2, { DATABASE_URL: databases.url })
    const { serverKey } = readCredentials([holder!, other!])
    const { scopedKey, station } = await link(holder!, serverKey, "CP-5")
    const { reached, send } = await commander(other!, scopedKey, "CP-5")
    await station.call("StatusNotification", status("Preparing"))
    for (const round of times(4)) {
      const begun = performance.now()
      const start = await send("start-charging")
      await until("the station is asked to start", () => station.asked("RemoteStartTransaction").length === round + 1)
      expect(performance.now() - begun).toBeLessThan(10_000)
      const transactionId = await begin(station)
      await reached(start, "completed", 30_000)
      const stop = await send("stop-charging")
      await until("the station is asked to stop", () => station.asked("RemoteStopTransaction").length === round + 1)
      await end(station, transactionId)
      await reached(stop, "completed", 30_000)
    }
    const client = new Client({ connectionString: databases.url })
    await client.connect()
    try {
      const { rows } = await client.query("SELECT DISTINCT attempts, interruptions, status FROM commands")
      expect(rows).toEqual([{ attempts: 0, interruptions: 0, status: "completed" }])
    } finally {
      await client.end()
    }
    await stopAll([holder!, other!])
  })
})
