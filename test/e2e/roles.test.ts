import { afterEach, expect, test } from "vitest"
import { closeAll, until } from "../adapters/ocpp/platform.ts"
import { callAt } from "../support/callAt.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { readCredentials, stopAll } from "./fleet.ts"
import { link, now, readDevice, status } from "./stations.ts"

afterEach(closeAll)

describePostgres("a station that dials an instance of any role", () => {
  const databases = useDatabases()
  const start = (role: "all" | "api" | "worker") =>
    spawnServer({ env: { DATABASE_URL: databases.url, EDP_ROLE: role } })

  test("follows commands that arrive at any other instance", async () => {
    const [api, other, worker] = await Promise.all([start("api"), start("api"), start("worker")])
    const { serverKey } = readCredentials([api, other, worker])
    let stations = 0

    /** Links a station by the pages of one instance while it dials another, and starts and stops it from a third. */
    const follows = async (pages: SpawnedServer, dialled: SpawnedServer, asked: SpawnedServer) => {
      const stationId = `CP-${++stations}`
      const { scopedKey, station } = await link(pages, serverKey, stationId, dialled)
      const { id } = await readDevice(asked, scopedKey, stationId)
      const command = async (operatingMode: string) => {
        const body = { type: "charger:set-operating-mode", input: { operatingMode } }
        const sent = await callAt(asked.baseUrl, "POST", `/v1/devices/${id}/commands`, { key: scopedKey, body })
        expect(sent).toMatchObject({ status: 201 })
        return sent.body.id
      }
      const completed = (commandId: string) =>
        eventually("the command is completed", async () => {
          const { body } = await callAt(asked.baseUrl, "GET", `/v1/commands/${commandId}`, { key: scopedKey })
          return body.status === "completed" ? body : undefined
        })
      await station.call("StatusNotification", status("Preparing"))
      const begin = await command("start-charging")
      await until("the station is asked to start", () => station.asked("RemoteStartTransaction").length === 1)
      const begun = { connectorId: 1, idTag: "EDP", meterStart: 0, timestamp: now() }
      const { transactionId } = await station.call("StartTransaction", begun)
      await station.call("StatusNotification", status("Charging"))
      await completed(begin)
      const end = await command("stop-charging")
      await until("the station is asked to stop", () => station.asked("RemoteStopTransaction").length === 1)
      await station.call("StopTransaction", { transactionId, meterStop: 10, timestamp: now(), reason: "Remote" })
      await station.call("StatusNotification", status("Finishing"))
      await completed(end)
    }

    await follows(api, api, api)
    await follows(api, other, api)
    await follows(api, worker, other)
    await stopAll([worker])
    const all = await start("all")
    await follows(all, all, api)
    await follows(api, other, all)
    await stopAll([api, other, all])
  })
})
