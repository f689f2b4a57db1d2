import { ProgramDays } from "@edp/server/dispatches/program-reports/ProgramDays"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { HOUR, iso, states } from "../../metrics/arrangeMetrics.ts"
import { arrangeReports } from "../arrangeReports.ts"

const app = useTestApp()
const DAY = 24 * HOUR
const today = Math.floor(Date.now() / DAY) * DAY

const rollUp = () =>
  app.run(Effect.flatMap(EnergyRollups, ({ rollSome }) => Effect.repeat(rollSome, { while: (n) => n > 0 })))

/** A battery that discharges 1000 W through the five days until midnight and the hours after it. */
const arrange = async () => {
  const on = await arrangeReports(app)
  const { id: siteId } = await on.site()
  const deviceId = await on.device({ type: "battery", siteId })
  const from = today - 5 * DAY
  const readings = Array.from({ length: 5 * 48 + 1 }, (_, n) => from + (n * HOUR) / 2)
  await on.send(
    deviceId,
    readings.map((instant) => [instant, states.battery({ chargeRate: 1000 })] as const)
  )
  await on.enroll({ siteId })
  await rollUp()
  const days = (first = -5, last = 0) => on.report({ from: iso(today + first * DAY), to: iso(today + last * DAY) })
  const kept = () =>
    app.sql<{ startsAt: Date; discharged: string }>(
      (sql) => sql`SELECT starts_at AS "startsAt", discharged::text AS discharged FROM program_days
        WHERE program_instance_id = ${on.instanceId} ORDER BY starts_at`
    )
  return {
    ...on,
    deviceId,
    days,
    kept,
    energies: async () => (await days()).days.map(({ dischargedWh }: any) => dischargedWh),
    keep: async () => {
      await app.sql((sql) => sql`DELETE FROM program_day_work RETURNING 1`)
      await app.run(Effect.flatMap(ProgramDays, ({ keepDue }) => keepDue))
    },
    dueAt: async () =>
      (
        await app.sql<{ due: Date }>(
          (sql) => sql`SELECT due_at AS due FROM program_day_work WHERE program_instance_id = ${on.instanceId}`
        )
      )[0]!.due,
    /** Shows whether a report takes kept days as they are. */
    tamper: () =>
      app.sql(
        (sql) => sql`UPDATE program_days SET discharged = discharged + 1000000
          WHERE program_instance_id = ${on.instanceId} RETURNING 1`
      )
  }
}

describe("the kept days of a program report", () => {
  test("are kept in the background, and reports add them up", async () => {
    const { dueAt, energies, keep, tamper } = await arrange()
    await keep()
    // The energy of the first reading may lie in the moment before it, on the day before.
    expect(await tamper()).toHaveLength(6)
    expect(await energies()).toEqual(Array.from({ length: 5 }, () => 24_001))
    expect((await dueAt()).getTime() - Date.now()).toBeGreaterThan(HOUR / 2)
  })

  test("are kept again after a clock that was ahead is set back", async () => {
    const { dueAt, instanceId, keep, kept } = await arrange()
    await keep()
    const ahead = new Date(Date.now() + 365 * DAY)
    await app.sql((sql) => sql`UPDATE program_day_work SET due_at = ${ahead} WHERE program_instance_id = ${instanceId}`)
    await app.sql((sql) => sql`DELETE FROM program_days WHERE program_instance_id = ${instanceId}`)
    const keepDue = () => app.run(Effect.flatMap(ProgramDays, (days) => days.keepDue))
    await keepDue()
    expect(await kept()).toEqual([])
    await app.run(Effect.flatMap(ProgramDays, (days) => days.limitWaits))
    await keepDue()
    expect((await kept()).length).toBeGreaterThan(0)
    expect((await dueAt()).getTime()).toBeLessThan(ahead.getTime())
  })

  test("are kept by the report that has computed them, but for clipped days and the present one", async () => {
    const { days, kept } = await arrange()
    await days(-3.5, 0.5)
    expect((await kept()).map(({ startsAt }) => startsAt.getTime())).toEqual([-3, -2, -1].map((n) => today + n * DAY))
  })

  test("are computed again once a reading arrives late, and those of days that are long over are not", async () => {
    const { deviceId, energies, keep, send, tamper } = await arrange()
    await keep()
    await tamper()
    await send(deviceId, [[today - DAY + HOUR / 4, states.battery({ chargeRate: 5000 })]])
    await rollUp()
    expect(await energies()).toEqual([24_001, 24_001, 24_000, 24_000, 25_000])
  })

  test("stay as they are while newer readings arrive", async () => {
    const { deviceId, energies, keep, send, tamper } = await arrange()
    await send(deviceId, [[today + 1, states.battery({ chargeRate: 1000 })]])
    await rollUp()
    await keep()
    await tamper()
    await send(deviceId, [[today + HOUR / 60, states.battery({ chargeRate: 1000 })]])
    expect(await energies()).toEqual(Array.from({ length: 5 }, () => 24_001))
  })

  test("are dropped after 400 days", async () => {
    const { instanceId, keep, kept } = await arrange()
    await app.sql(
      (sql) => sql`INSERT INTO program_days (program_instance_id, starts_at, ends_at, block, signature, discharged,
          discharged_covered, charged, charged_covered)
        SELECT ${instanceId}, day, day + interval '1 day', 0, 0, 0, 0, 0, 0
        FROM unnest(${[iso(today - 402 * DAY), iso(today - 399 * DAY)]}::timestamptz[]) AS day RETURNING 1`
    )
    await keep()
    expect((await kept())[0]!.startsAt.getTime()).toBe(today - 399 * DAY)
  })

  test("go with the instance", async () => {
    const { energies, instanceId, kept } = await arrange()
    await energies()
    expect(await kept()).toHaveLength(5)
    await app.sql((sql) => sql`DELETE FROM program_instances WHERE id = ${instanceId} RETURNING 1`)
    expect(await kept()).toEqual([])
  })
})
