import { expect, test } from "vitest"
import { movableClock } from "../../../support/movableClock.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDispatches } from "../arrangeDispatches.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })
const arrange = () => arrangeDispatches(app, clock)

const staticState = { capacity: 10_000, maxChargeRate: 4000, maxDischargeRate: 5000, takesTargetPower: true }

test("a preview tells who would take part with which power, who would not and why, and stores nothing", async () => {
  const { call, device, home, instance, interval, now, report, site, enroll } = await arrange()
  const state = { chargingState: "idle", charge: 6000, chargePercentage: 60, chargeRate: 0, backupReserve: 20 }
  const reported = async (more: object) => {
    const made = await home({ staticState })
    await report(made.deviceId, { at: new Date(now()), state: { ...state, ...more } })
    return made
  }
  const using = await reported({ gridPower: 600 })
  await reported({ gridPower: 900 })
  // A meter shows what the home of the third uses.
  const metered = await reported({})
  const meter = await device(metered.siteId, "battery", { type: "meter", commands: [] })
  await report(meter, { at: new Date(now()), state: { power: 1000 } })
  const empty = await reported({ chargePercentage: 20 })
  await reported({ gridPower: -300 })
  const silent = await home({ staticState })
  await home({ commands: [] })
  await enroll((await site()).id)
  const preview = async (action: object) => {
    const body = { name: "Evening", intervals: [interval(1, 120, { battery: action })] }
    const response = await call("POST", `/v1/programInstances/${instance.id}/dispatches/preview`, body)
    expect({ status: response.status, body: response.body }).toMatchObject({ status: 200 })
    return response.body
  }
  const groups = ({ groups: all }: { readonly groups: ReadonlyArray<Record<string, unknown>> }) =>
    Object.fromEntries(all.map(({ code, devices, outcome, sites }) => [code, [outcome, sites, devices]]))

  const off = await preview({ operatingMode: "discharge" })
  expect(groups(off)).toEqual({
    follows_home: ["moves", 3, 3],
    battery_at_reserve: ["nothing", 1, 1],
    export_not_allowed: ["nothing", 1, 1],
    no_reading: ["unknown", 1, 1],
    not_able: ["left_out", 1, 1],
    no_device: ["left_out", 1, 0]
  })
  // The 1 kW of the meter lasts 2 hours, and so do the others.
  expect(off).toMatchObject({ sites: 8, sitesReached: 3, devicesReached: 3, dischargeW: 2500, dischargeWh: 5000 })
  expect(off.groups.find(({ code }: { code: string }) => code === "battery_at_reserve").examples).toEqual([
    { siteId: empty.siteId, deviceId: empty.deviceId }
  ])

  // With export each has its maximum, and 40 % of 10 kWh.
  const on = await preview({ operatingMode: "discharge", enableGridInteraction: true })
  expect(on).toMatchObject({ devicesReached: 4, dischargeW: 20_000, dischargeWh: 16_000, powerUnknown: 1 })

  // A limit leaves 1 kW, and a mode of a user holds another device.
  await call("PATCH", `/v1/sites/${using.siteId}`, { maxExportW: 1000 })
  await app.sql(
    (sql) => sql`INSERT INTO forced_modes (device_id, command_id, mode, source, phase, began_at, until, due_at)
      VALUES (${silent.deviceId}, 'command', 'charge', 'user', 'holding', now(),
        ${new Date(now() + 86_400_000)}, now() + interval '1 day') RETURNING 1`
  )
  const limited = await preview({ operatingMode: "discharge", enableGridInteraction: true })
  expect(limited).toMatchObject({ devicesReached: 4, dischargeW: 16_000, powerUnknown: 0 })
  expect(groups(limited)).toMatchObject({
    target_power: ["moves", 1, 1],
    full_power: ["moves", 3, 3],
    held_by_user: ["left_out", 1, 1]
  })
  const { body } = await call("GET", `/v1/programInstances/${instance.id}/dispatches`)
  expect(body.totalItems).toBe(0)
})

test("a preview is refused as the creation would be", async () => {
  const { call, instance, interval } = await arrange()
  const body = { name: "Evening", intervals: [interval(1, 60, { battery: { operatingMode: "reset" } })] }
  const response = await call("POST", `/v1/programInstances/${instance.id}/dispatches/preview`, body)
  expect(response.body).toMatchObject({ code: "VALIDATION_ERROR" })
  expect(Object.keys(response.body.details)).toEqual(["intervals.0.actions.battery.operatingMode"])
})
