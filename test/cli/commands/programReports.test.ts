import { describe, expect, test } from "vitest"
import { arrangeReports } from "../../server/dispatches/arrangeReports.ts"
import { at, HOUR, states } from "../../server/metrics/arrangeMetrics.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const june = ["--from", "2026-06-01T00:00:00Z", "--to", "2026-06-03T00:00:00Z"]

/** A battery that discharges 1000 W on the second of two days, and did not respond to one of two dispatches. */
const arrange = async () => {
  const on = await arrangeReports(app)
  const { id: siteId } = await on.site()
  const staticState = { capacity: 13_500, maxDischargeRate: 5000 }
  const deviceId = await on.device({ type: "battery", siteId, name: "Cellar", staticState })
  const readings = Array.from({ length: 49 }, (_, n) => at("2026-06-02T00:00:00Z") + (n * HOUR) / 2)
  await on.send(
    deviceId,
    readings.map((instant) => [instant, states.battery({ chargeRate: 1000 })] as const)
  )
  await on.enroll({ siteId })
  for (const unresponsive of [true, false]) {
    const startsAt = new Date(Date.now() - 24 * HOUR).toISOString()
    await on.dispatch({ startsAt, endsAt: new Date().toISOString(), devices: [{ deviceId, siteId, unresponsive }] })
  }
  return { ...on, deviceId, edp: makeCli(app, on) }
}

describe("edp instances report", () => {
  test("prints figures with what is missing, the days, and the devices that did not respond", async () => {
    const { deviceId, edp } = await arrange()
    const { code, stdout } = await edp("instances", "report", "summer", ...june)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^enrollments +1 approved$/mu)
    expect(stdout).toMatch(/^devices +1 battery$/mu)
    expect(stdout).toMatch(/^capacity +13\.5 kWh of 1 of 1 batteries$/mu)
    expect(stdout).toMatch(/^discharge power +5\.0 kW$/mu)
    expect(stdout).toMatch(/^charge power +- \(no battery states it\)$/mu)
    expect(stdout).toMatch(/^discharged +24\.0 kWh$/mu)
    expect(stdout).toMatch(/^2026-06-01 +1 +1 +13\.5 kWh +- +- +0 % +no readings$/mu)
    expect(stdout).toMatch(/^2026-06-02 +1 +1 +13\.5 kWh +24\.0 kWh +0 Wh +100 % +-$/mu)
    expect(stdout).toMatch(new RegExp(`^${deviceId} +Cellar +1 of 2 `, "mu"))
  })

  test("prints the CSV and the JSON of the API", async () => {
    const { edp, instanceId, path } = await arrange()
    const { stdout } = await edp("instances", "report", instanceId, ...june, "--csv")
    expect(stdout.split("\r\n")).toEqual([
      "date,enrollments,devices,capacityWh,capacityReason,dischargedWh,chargedWh,coverage,reason",
      "2026-06-01,1,1,13500,,,,0,no_readings",
      "2026-06-02,1,1,13500,,24000,0,1,"
    ])
    expect(path()).toContain(instanceId)
    const json = (await edp("instances", "report", "summer", ...june, "--json")).json()
    expect(json).toMatchObject({ programInstanceId: instanceId, dischargedWh: 24_000 })
    expect((await edp("instances", "report", "summer", "--csv", "--json")).code).toBe(2)
  })

  test("names what is wrong with a time range", async () => {
    const { edp } = await arrange()
    const { code, stderr } = await edp("instances", "report", "summer", "--timeframe", "7d", ...june)
    expect([code, stderr]).toEqual([1, expect.stringContaining("Must not be given together with timeframe")])
  })
})

describe("edp programs report", () => {
  test("prints a line for each instance of the program in the workspace", async () => {
    const { edp, instanceId, programId } = await arrange()
    const { stdout } = await edp("programs", "report", `program-${programId}`, ...june)
    expect(stdout.split("\n")[1]).toMatch(/^summer +1 +1 +13\.5 kWh +5\.0 kW +24\.0 kWh +0 Wh +100 % +1$/u)
    const [row] = (await edp("programs", "report", `program-${programId}`, ...june, "--json")).json()
    expect(row).toMatchObject({ programInstanceId: instanceId })
    expect((await edp("programs", "report", "nothing")).code).toBe(1)
  })
})
