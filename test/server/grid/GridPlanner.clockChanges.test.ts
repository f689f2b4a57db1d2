import { describe, expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "./arrangeGrid.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** In Berlin, 3:00 of 25 October 2026 is 2:00 again: the night has 25 hours. */
const clock = movableClock(Date.parse("2026-10-24T20:00:00Z"))
const app = useTestApp({ own: true, clock })
const vtnNow = useFakeVtn()

const arrangeBerlin = async () => {
  const world = await arrangeGrid(app, clock, vtnNow())
  await app.sql(
    (sql) => sql`UPDATE workspaces SET timezone = 'Europe/Berlin' WHERE id = ${world.workspaceId} RETURNING 1`
  )
  const { siteId } = await world.home()
  const { id } = await world.connect()
  const program = await world.followed(
    [
      { payloadType: "SIMPLE", minimum: 1, maximum: 1, actions: { battery: { operatingMode: "discharge" } } },
      { payloadType: "SIMPLE", minimum: 2, maximum: 2, actions: { battery: { operatingMode: "charge" } } }
    ],
    id
  )
  return { ...world, id, program, siteId }
}

/** The intervals of dispatches, in hours from a time. */
const hoursFrom = (start: number, dispatches: ReadonlyArray<any>) =>
  dispatches
    .map(({ intervals }) =>
      intervals.map(({ durationSeconds, startsAt }: any) => {
        const from = (Date.parse(startsAt) - start) / HOUR
        return [from, from + durationSeconds / 3600]
      })
    )
    .toSorted(([one], [other]) => one[0] - other[0])

describe("in the night in which clocks are set back", () => {
  test("each interval of an event is commanded once, and each quarter of an hour reported once", async () => {
    const { device, dispatches, event, id, issued, list, now, poll, program, report, runAfter, siteId } =
      await arrangeBerlin()
    const meter = await device(siteId, "meter")
    // From 23:30 of summer time to 4:30 of winter time.
    const start = Date.parse("2026-10-24T21:30:00Z")
    event(program.vtnProgramId, "SIMPLE", [1, 2, 1, 2, 1, 2], 0, "PT1H", {
      intervalPeriod: { start: "2026-10-24T23:30:00+02:00", duration: "PT1H" },
      reportDescriptors: [{ payloadType: "USAGE", aggregate: true, reportIntervals: "SUB_INTERVALS" }]
    })
    await poll()
    expect(hoursFrom(start, await dispatches())).toEqual([[0, 1, 2, 3, 4, 5].map((hour) => [hour, hour + 1])])
    clock.move(start - now())
    const readings = Array.from({ length: 361 }, (_, n) => ({
      at: new Date(start + n * MINUTE),
      state: { power: 1000 + 100 * Math.floor(n / 15) }
    }))
    await report(meter, ...readings)
    for (let quarter = 0; quarter < 24; quarter++) {
      await runAfter(15)
      await poll()
    }
    const modes = (await issued()).map(({ input }) => input.operatingMode)
    expect(modes).toEqual(["discharge", "charge", "discharge", "charge", "discharge", "charge"])
    expect(await dispatches()).toHaveLength(1)
    await poll(120)
    expect((await list(id, "reports")).map(({ status }) => status)).toEqual(["sent"])
    const { intervals } = vtnNow().reports[0]!["resources"][0]
    expect(intervals.map(({ intervalPeriod }: any) => intervalPeriod)).toEqual(
      Array.from({ length: 24 }, (_, n) => ({
        start: new Date(start + n * 15 * MINUTE).toISOString(),
        duration: "PT15M"
      }))
    )
    const values = intervals.map(({ payloads }: any) => payloads[0].values[0])
    for (const [quarter, value] of values.entries()) expect(value).toBeCloseTo((1 + 0.1 * quarter) / 4, 1)
    const whole = values.reduce((all: number, value: number) => all + value, 0)
    expect(whole / ((24 + 0.1 * 276) / 4)).toBeCloseTo(1, 2)
  })

  test("the days of an event that lasts longer than one are of 24 hours from its start, and follow each other", async () => {
    const { dispatches, event, now, poll, program } = await arrangeBerlin()
    const start = now() + HOUR
    event(program.vtnProgramId, "SIMPLE", [1], 60, "PT49H")
    for (let n = 0; n < 60; n++) await poll(3600)
    expect(hoursFrom(start, await dispatches())).toEqual([[[0, 24]], [[24, 48]], [[48, 49]]])
  })
})
