import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { closeAll, rpcStation, type RpcStation } from "../adapters/ocpp/platform.ts"
import { rounds, testSeed } from "../support/rounds.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { spawnServer } from "../support/spawnServer.ts"
import { times } from "./fleet.ts"
import { link, now, readDevice, socketUrl, status } from "./stations.ts"

const KILLS = rounds(3)

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-stations")
})
afterAll(() => folder.remove())
afterEach(closeAll)

describe("charging stations through crashes of the platform", () => {
  test(`repeat what had no response, and every transaction has one id (seed ${testSeed})`, async () => {
    const random = new Random(testSeed)
    const port = await freePort()
    const dataDir = join(folder.path, "data")
    const start = () => spawnServer({ port, dataDir })
    let server = await start()
    const { serverKey } = server.credentials
    const linked = await link(server, serverKey, "CP-1")
    let station: RpcStation = linked.station
    const ending = new AbortController()

    /** A call as the standard has it: repeated on the next connection until it has a response. */
    const call = async (method: string, payload: object): Promise<any> => {
      for (;;) {
        try {
          return await station.client.call(method, payload, { callTimeoutMs: 5000 })
        } catch {
          await station.cut().catch(() => {})
          const next = await rpcStation(socketUrl(server), linked.login, "ocpp1.6").catch(() => undefined)
          if (next === undefined) await setTimeout(50)
          else station = next
        }
      }
    }

    const ids: Array<number> = []
    const charge = async (meterStart: number) => {
      await call("StatusNotification", status("Preparing"))
      const begun = { connectorId: 1, idTag: "TAG", meterStart, timestamp: now() }
      const { transactionId } = await call("StartTransaction", begun)
      await call("StatusNotification", status("Charging"))
      await call("MeterValues", {
        connectorId: 1,
        transactionId,
        meterValue: [{ timestamp: now(), sampledValue: [{ value: "7200", measurand: "Power.Active.Import" }] }]
      })
      // Once more, as if the response had been lost.
      expect(await call("StartTransaction", begun)).toMatchObject({ transactionId })
      const ended = { transactionId, meterStop: meterStart + 1, timestamp: now() }
      await call("StopTransaction", ended)
      await call("StatusNotification", status("Available"))
      ids.push(transactionId)
    }
    const charging = (async () => {
      for (let meter = 0; !ending.signal.aborted; meter += 10) await charge(meter)
    })()

    for (const _ of times(KILLS)) {
      const before = ids.length
      await eventually("some transactions", () => (ids.length >= before + 3 ? true : undefined))
      await setTimeout(random.below(200))
      await server.kill9()
      server = await start()
    }
    const before = ids.length
    await eventually("transactions after the last crash", () => (ids.length >= before + 3 ? true : undefined))
    ending.abort()
    await charging
    expect(ids).toEqual(times(ids.length).map((index) => index + 1))
    const device = await eventually("the last state", async () => {
      const found = await readDevice(server, serverKey, "CP-1")
      return found.state.isPluggedIn === false ? found : undefined
    })
    expect(device).toMatchObject({ state: { chargingState: "idle" }, onlineStatus: "online" })
    expect(await server.stop()).toBe(0)
  })

  test("are asked to reconnect when the platform stops, which does not wait for them", async () => {
    const server = await spawnServer()
    const { station } = await link(server, server.credentials.serverKey, "CP-2")
    const closed = new Promise((resolve) => station.client.once("close", resolve))
    const began = performance.now()
    expect(await server.stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(8000)
    expect(await closed).toMatchObject({ code: 1012 })
  })
})

describePostgres("charging stations on several instances", () => {
  const databases = useDatabases()

  test("go on with their transaction at another instance when theirs is killed", async () => {
    const env = { DATABASE_URL: databases.url }
    const first = await spawnServer({ env })
    const second = await spawnServer({ env })
    const { serverKey } = first.credentials
    const { login, station } = await link(first, serverKey, "CP-3")
    await station.call("StatusNotification", status("Preparing"))
    const begun = { connectorId: 1, idTag: "TAG", meterStart: 0, timestamp: now() }
    const { transactionId } = await station.call("StartTransaction", begun)
    await station.call("StatusNotification", status("Charging"))
    await first.kill9()
    const again = await rpcStation(socketUrl(second), login, "ocpp1.6")
    expect(await again.call("StartTransaction", begun)).toMatchObject({ transactionId })
    expect((await readDevice(second, serverKey, "CP-3")).state.chargingState).toBe("charging")
    await again.call("StopTransaction", { transactionId, meterStop: 10, timestamp: now() })
    await again.call("StatusNotification", status("Available"))
    expect((await readDevice(second, serverKey, "CP-3")).state).toMatchObject({
      chargingState: "idle",
      isPluggedIn: false
    })
    expect(await second.stop()).toBe(0)
  })
})
