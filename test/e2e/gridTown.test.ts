import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { rounds } from "../support/rounds.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { simulatedBatteries } from "./town/batteries.ts"
import { makeTown } from "./town/makeTown.ts"
import { until } from "./town/Workers.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND

/** 500 are a whole town. */
const batteries = Math.min(500, rounds(125))
/** Days of which the town has readings: at least three of a weekend are among them. */
const pastDays = 16
const intervalMinutes = 2
/** kW: a power that all batteries together can deliver, though not each its equal share of it. */
const askedKw = batteries * 4.5
/** The batteries charge first, so that each has something to deliver, whatever the time of day. */
const setPoints = [askedKw, -askedKw]

describePostgres("a utility and an aggregator on one service", () => {
  const databases = useDatabases()
  let database: Client
  let server: SpawnedServer
  beforeAll(async () => {
    const env = {
      DATABASE_URL: databases.url,
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_RATE_LIMIT_READ: "1000000",
      EDP_RATE_LIMIT_WRITE: "1000000",
      EDP_RATE_LIMIT_BULK: "1000"
    }
    database = new Client({ connectionString: databases.url })
    await database.connect()
    server = await spawnServer({ env })
  })
  afterAll(async () => {
    expect(await server?.stop()).toBe(0)
    await database?.end()
  })

  /** Business logic of another workspace, which is a VTN, and the credentials of a VEN there. */
  const openVtn = async (call: ReturnType<typeof makeTown>["call"]) => {
    const { managementKey } = server.credentials
    const url = `${server.baseUrl}/openadr3/3.1.0`
    const { id: workspaceId } = await call("POST", "/v1/workspaces", { name: "Example Utility" }, managementKey)
    const client = (type: string) => call("POST", "/v1/api-keys", { name: type, type, workspaceId }, managementKey)
    const [bl, ven] = [await client("OPENADR_BL"), await client("OPENADR_VEN")]
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: bl.id, client_secret: bl.key })
    const issued = await fetch(`${url}/auth/token`, { method: "POST", body: form })
    const { access_token: token } = (await issued.json()) as { access_token: string }
    const request = async (method: string, path: string, body?: object): Promise<any> => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) })
      })
      const text = await response.text()
      expect(response.status, `${path} ${text}`).toBeLessThan(300)
      return JSON.parse(text)
    }
    return { url, request, ven: { clientId: ven.id, clientSecret: ven.key } }
  }

  test(
    "agree on what the batteries of a town have delivered",
    async () => {
      const { call, enroll, settle } = makeTown(server, database)
      const homes = await settle(batteries, pastDays)
      const instanceId = await enroll(homes)

      const vtn = await openVtn(call)
      const program = await vtn.request("POST", "/programs", { programName: "Evening peak", targets: ["feeder-7"] })
      await vtn.request("POST", "/vens", {
        objectType: "BL_VEN_REQUEST",
        clientID: vtn.ven.clientId,
        venName: "aggregator",
        targets: ["feeder-7"]
      })
      const connection = await call("POST", "/v1/grid-connections", {
        name: "Example Utility",
        vtnUrl: vtn.url,
        ...vtn.ven,
        venName: "aggregator",
        targets: ["feeder-7"],
        pollSeconds: 10
      })
      const list = async (what: string): Promise<ReadonlyArray<any>> =>
        (await call("GET", `/v1/grid-connections/${connection.id}/${what}?perPage=100`)).data
      const followed = await eventually("the program is known", async () => (await list("programs"))[0])
      await call("PATCH", `/v1/grid-programs/${followed.id}`, {
        programInstanceId: instanceId,
        rules: [{ payloadType: "DISPATCH_SETPOINT", share: "battery" }]
      })

      const start = Math.ceil((Date.now() + 15 * SECOND) / MINUTE) * MINUTE
      const end = start + setPoints.length * intervalMinutes * MINUTE
      const demand = ["USAGE", "DEMAND", "OPERATING_STATE", "STORAGE_CHARGE_LEVEL"]
      const event = await vtn.request("POST", "/events", {
        programID: program.id,
        eventName: "tonight",
        targets: ["feeder-7"],
        intervalPeriod: { start: new Date(start).toISOString(), duration: `PT${intervalMinutes}M` },
        intervals: setPoints.map((power, id) => ({ id, payloads: [{ type: "DISPATCH_SETPOINT", values: [power] }] })),
        reportDescriptors: [
          ...demand.flatMap((payloadType) => [{ payloadType }, { payloadType, aggregate: true }]),
          { payloadType: "BASELINE", aggregate: true }
        ]
      })
      const [dispatch] = await eventually("the event is dispatched", async () => {
        const { data } = await call("GET", `/v1/programInstances/${instanceId}/dispatches`)
        return data.length > 0 ? data : undefined
      })
      const flows = async () => {
        const found = [...(await simulatedBatteries(database)).values()]
        const sum = (name: "battery" | "grid" | "load" | "solar") =>
          found.reduce((all, each) => all + each.flows[name], 0)
        return { battery: sum("battery"), grid: sum("grid"), load: sum("load"), solar: sum("solar") }
      }
      await until(start + intervalMinutes * MINUTE - 8 * SECOND)
      const charging = await flows()
      await until(end - 8 * SECOND)
      const discharging = await flows()
      const reports = await eventually(
        "the reports have arrived",
        async () => {
          const found = await vtn.request("GET", `/reports?eventID=${event.id}`)
          return found.length === 9 ? found : undefined
        },
        600_000
      )
      // Each battery does what it can, so that all reach the set-point together.
      const isNear = (found: number, wanted: number) => Math.abs(found - wanted) <= Math.abs(wanted) * 0.001
      expect(discharging.battery).toSatisfy((found: number) => isNear(found, askedKw * 1000))
      const change = (name: keyof typeof charging) => discharging[name] - charging[name]
      expect(change("load") - change("solar") - change("grid")).toSatisfy((fall: number) =>
        isNear(fall, change("battery"))
      )

      const byType = new Map<string, any>(
        reports.map((report: any) => {
          const isSum = report.resources[0].resourceName === "AGGREGATED_REPORT"
          return [`${report.payloadDescriptors[0].payloadType} of ${isSum ? "all" : "each"}`, report.resources]
        })
      )
      /** Undefined where the data is missing. */
      const valueAt = (resource: any, at: number) => {
        const { payloads } = resource.intervals[at]
        return payloads.length === 1 ? undefined : payloads[0].values[0]
      }
      const total = { baseline: 0, used: 0 }
      for (const at of setPoints.keys()) {
        const [from, to] = [at, at + 1].map((n) => new Date(start + n * intervalMinutes * MINUTE).toISOString())
        const uses: ReadonlyArray<readonly [string, number | undefined]> = byType
          .get("USAGE of each")
          .map((resource: any) => [resource.resourceName, valueAt(resource, at)])
        expect(uses).toHaveLength(batteries)
        // The same energies by the metrics of the platform, Wh. A few homes have nothing that measures the grid.
        const { data } = await call("GET", `/v1/metrics/grid?from=${from}&to=${to}&period=15m&groupBy=site`)
        const measured = new Map<string, number | null>(data.map(({ siteId, value }: any) => [siteId, value]))
        for (const [siteId, kwh] of uses) {
          const wattHours = measured.get(siteId) ?? undefined
          if (kwh === undefined || wattHours === undefined)
            expect([kwh, wattHours], siteId).toEqual([undefined, undefined])
          else expect(kwh * 1000, siteId).toBeCloseTo(wattHours, 1)
        }
        expect(uses.filter(([, kwh]) => kwh !== undefined).length).toBeGreaterThan(batteries * 0.9)
        const [one] = (await call("GET", `/v1/metrics/grid?from=${from}&to=${to}&period=15m`)).data
        const used = valueAt(byType.get("USAGE of all")[0], at)
        expect(used * 1000).toSatisfy((found: number) => isNear(found, one.value))
        expect(valueAt(byType.get("DEMAND of all")[0], at)).toSatisfy((kw: number) =>
          isNear(kw, used / (intervalMinutes / 60))
        )
        const states = byType.get("OPERATING_STATE of each").map((resource: any) => valueAt(resource, at))
        const running = setPoints[at]! > 0 ? "RUNNING_HEIGHTENED" : "RUNNING_CURTAILED"
        expect(new Set(states)).toEqual(new Set([running]))
        total.used += used * 1000
        total.baseline += valueAt(byType.get("BASELINE of all")[0], at) * 1000
      }
      const report = await call("GET", `/v1/dispatches/${dispatch.id}/report`)
      expect(report).toMatchObject({ status: "completed", sitesTotal: batteries, sitesCounted: batteries })
      expect(total.baseline - total.used).toSatisfy((delivered: number) => isNear(delivered, report.deliveredWh))
      expect((await list("reports")).map(({ status }) => status)).toEqual(reports.map(() => "sent"))
    },
    20 * MINUTE
  )
})
