import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeBaselines, HOUR, local } from "../arrangeBaselines.ts"

const app = useTestApp()

const rows = readFileSync(new URL("../../../../examples/sample-home/home.csv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => line.split(","))
  .map(([start, load, solar]) => ({ from: Date.parse(start!), net: Number(load) - Number(solar) }))

/** The battery of the example discharges with 4 kW from 19 to 21 o'clock on Tuesday, 2025-07-15. */
const [from, to] = [local("2025-07-15T19:00"), local("2025-07-15T21:00")]
const discharge = (at: number) => (at >= from && at < to ? 4000 : 0)

/** The sample home, whose meter counts each hour, from 20 June to 16 July 2025. */
const arrange = async () => {
  const on = await arrangeBaselines(app)
  const siteId: string = (await on.site({ timezone: "America/Los_Angeles" })).id
  const meter = await on.device({ type: "meter", siteId })
  const battery = await on.device({ type: "battery", siteId })
  const within = rows.filter(({ from: at }) => at >= local("2025-06-20T00:00") && at < local("2025-07-17T00:00"))
  let [importedEnergy, exportedEnergy] = [0, 0]
  const counts: Array<readonly [number, object]> = [[within[0]!.from, { power: 0, importedEnergy, exportedEnergy }]]
  const rates: Array<readonly [number, object]> = []
  const state = { chargingState: "idle", charge: 9000, chargePercentage: 70, whConsumed: null }
  for (const { from: at, net } of within) {
    const flow = net - discharge(at)
    importedEnergy += Math.max(0, flow)
    exportedEnergy += Math.max(0, -flow)
    counts.push([at + HOUR, { power: 0, importedEnergy, exportedEnergy }])
    const chargeRate = discharge(at)
    rates.push([at, { ...state, chargeRate }], [at + HOUR - 1, { ...state, chargeRate }])
  }
  await on.send(meter, counts)
  await on.send(battery, rates)
  return { ...on, siteId, battery }
}

describe("the worked example of the documentation", () => {
  test("has the documented figures with x-of-y", async () => {
    const on = await arrange()
    const id = await on.dispatch({ method: "x-of-y", from, to, nominatedPowerW: 4000, sites: [{ siteId: on.siteId }] })
    const { body } = await on.ask(id)
    const [site] = body.sites.data
    expect(site.days).toEqual([
      {
        date: "2025-07-15",
        dayType: "weekday",
        daysUsed: ["2025-07-14", "2025-07-11", "2025-07-10", "2025-07-09", "2025-07-07"],
        daysLeftOut: ["2025-07-08", "2025-07-03", "2025-07-02", "2025-07-01", "2025-06-30"].map((date) => ({
          date,
          reason: "not_among_the_highest"
        })),
        adjustment: { kind: "multiplicative", factor: 1.043152, offsetW: null }
      }
    ])
    const hours = [0, 4].map((first) =>
      body.intervals
        .slice(first, first + 4)
        .reduce((sum: ReadonlyArray<number>, each: any) => [sum[0]! + each.baselineWh, sum[1]! + each.actualWh], [0, 0])
    )
    expect(hours[0]![0]).toBeCloseTo(3262.1, 1)
    expect(hours[1]![0]).toBeCloseTo(3732.8, 1)
    expect([hours[0]![1], hours[1]![1]]).toEqual([-624, -1032])
    expect(body).toMatchObject({
      deliveredWh: expect.closeTo(8651, 0),
      deliveredPowerW: expect.closeTo(4325.5, 0),
      exportedWh: 1656,
      performance: 1.0814
    })
  })

  test("has the documented figures with device-metered", async () => {
    const on = await arrange()
    const sites = [{ siteId: on.siteId, batteries: [on.battery] }]
    const id = await on.dispatch({ method: "device-metered", from, to, nominatedPowerW: 4000, sites })
    const { body } = await on.ask(id)
    expect(body).toMatchObject({ deliveredWh: expect.closeTo(8000, 0), exportedWh: 1656, performance: 1 })
    expect(body.sites.data[0].days[0].daysUsed).toHaveLength(10)
  })
})
