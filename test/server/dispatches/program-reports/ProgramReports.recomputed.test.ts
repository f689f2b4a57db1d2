import { ProgramDays } from "@edp/server/dispatches/program-reports/ProgramDays"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { inTurn, testSeed as seed } from "../../../support/rounds.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { Random } from "../../../support/Random.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { at, HOUR, iso, states } from "../../metrics/arrangeMetrics.ts"
import { recomputed } from "../../metrics/recomputed.ts"
import { someReadings } from "../../metrics/someReadings.ts"
import { arrangeReports } from "../arrangeReports.ts"
import { atOnce } from "../../../support/races.ts"

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const DAY = 24 * HOUR
const LENGTH = 10 * DAY
/** Around the changes of the clock in Los Angeles, and the days until yesterday. */
const starts = [
  at("2026-03-04T00:00:00Z"),
  at("2026-10-28T00:00:00Z"),
  Math.floor(Date.now() / DAY) * DAY - LENGTH - 2 * DAY
]
const timezones = ["America/Los_Angeles", "UTC", "Asia/Kathmandu"]
/** Things that happen between two reports. */
const CHANGES = 6

interface Enrolled {
  readonly id: string
  readonly siteIds: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<string> | null
  readonly from: number
  to: number
}

interface Battery {
  readonly id: string
  siteId: string
  readonly manufacturer: string
  readonly capacity: number | undefined
  readonly disconnectedAt: number
  /** Ascending. */
  readings: ReturnType<typeof someReadings>
}

interface Tested {
  readonly siteId: string
  readonly from: number
  readonly to: number
}

const overlaps = (one: { from: number; to: number }, from: number, to: number) => one.from < to && one.to > from

const isEnrolled = ({ manufacturer, siteId }: Battery, { siteIds, slugs }: Enrolled) =>
  siteIds.includes(siteId) && (slugs === null || slugs.includes(manufacturer))

/** Local dates with their first instants, found minute by minute. */
const localDays = (from: number, to: number, timezone: string) => {
  const date = new Intl.DateTimeFormat("en-CA", {
    timeZone: timezone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit"
  })
  const days: Array<{ readonly date: string; readonly from: number }> = []
  for (let instant = from; instant < to; instant += MINUTE) {
    if (instant % QUARTER !== 0 && instant !== from) continue
    const today = date.format(instant)
    if (days.at(-1)?.date !== today) days.push({ date: today, from: instant })
  }
  return days.map((day, n) => ({ ...day, to: days[n + 1]?.from ?? to }))
}

/** Whether a battery counts in each minute of a time. */
const counts = (
  battery: Battery,
  enrollments: ReadonlyArray<Enrolled>,
  tests: ReadonlyArray<Tested>,
  from: number,
  to: number
) => {
  const own = enrollments.filter((each) => isEnrolled(battery, each))
  for (let minute = from; minute < to; minute += MINUTE) {
    if (!own.some((each) => each.from <= minute && each.to >= minute + MINUTE)) return false
  }
  return !tests.some((each) => each.siteId === battery.siteId && overlaps(each, from, to))
}

/** The report's days from all readings at once, by the quarter of an hour. */
const expectedDays = (
  {
    batteries,
    enrollments,
    tests
  }: { batteries: ReadonlyArray<Battery>; enrollments: ReadonlyArray<Enrolled>; tests: ReadonlyArray<Tested> },
  span: { from: number; to: number },
  timezone: string
) => {
  const quarters = [span.from]
  for (let quarter = (Math.floor(span.from / QUARTER) + 1) * QUARTER; quarter < span.to; quarter += QUARTER)
    quarters.push(quarter)
  const bounds = [...quarters, span.to]
  const figures = new Map(batteries.map((each) => [each.id, recomputed("battery", null, each.readings, bounds)]))
  return localDays(span.from, span.to, timezone).map(({ date, from, to }) => {
    const sums = { discharged: { amount: 0n, covered: 0 }, charged: { amount: 0n, covered: 0 } }
    let expected = 0
    for (const battery of batteries) {
      const reporting = { from: battery.readings[0]!.at, to: battery.disconnectedAt }
      for (const [n, begins] of quarters.entries()) {
        const ends = bounds[n + 1]!
        // Only whole quarters count.
        if (ends - begins < QUARTER) continue
        if (begins < from || ends > to || !counts(battery, enrollments, tests, begins, ends)) continue
        expected += Math.max(0, Math.min(ends, reporting.to) - Math.max(begins, reporting.from))
        if (!overlaps(reporting, begins, ends)) continue
        for (const quantity of ["discharged", "charged"] as const) {
          const series = figures.get(battery.id)!.energy.get(quantity)
          sums[quantity].amount += series?.amounts[n] ?? 0n
          sums[quantity].covered += series?.covered[n] ?? 0
        }
      }
    }
    const inForce = enrollments.filter((each) => each.from < to && each.to >= to)
    const present = batteries.filter(
      (each) => each.disconnectedAt >= to && inForce.some((enrollment) => isEnrolled(each, enrollment))
    )
    const stated = present.flatMap(({ capacity }) => capacity ?? [])
    const value = ({ amount, covered }: (typeof sums)["charged"]) => (covered === 0 ? null : Number(amount) / 1e6)
    return {
      date,
      enrollments: inForce.length,
      devices: present.length,
      capacityWh: stated.length === 0 ? null : stated.reduce((sum, one) => sum + one, 0),
      dischargedWh: value(sums.discharged),
      chargedWh: value(sums.charged),
      coverage: expected === 0 ? 0 : (sums.discharged.covered + sums.charged.covered) / 2 / expected
    }
  })
}

const throughRandomPrograms = async (app: TestApp, random: Random) => {
  let timezone = random.pick(timezones)
  const on = await arrangeReports(app, timezone)
  const start = random.pick(starts)
  const present = Date.now()
  const minute = () => start + random.below(LENGTH / MINUTE) * MINUTE
  const siteIds = await atOnce(5, async () => (await on.site()).id as string)
  const ada = { firstName: "Ada", lastName: "Okafor", email: "ada@example.com" }
  const customerId: string = (await on.call("POST", "/v1/customers", ada)).body.id
  const own = siteIds.slice(0, 2)
  for (const siteId of own) {
    await app.sql(
      (sql) =>
        sql`INSERT INTO customer_sites (workspace_id, customer_id, site_id) VALUES (${on.workspaceId}, ${customerId}, ${siteId})`
    )
  }

  const batteries: Array<Battery> = []
  for (let n = 0; n < 8; n++) {
    const siteId = random.pick(siteIds)
    const manufacturer = random.pick(["generic", "simulator"])
    const capacity = random.chance(0.7) ? 5000 + random.below(10_000) : undefined
    const disconnectedAt = random.chance(0.3) ? start + 3 * DAY + random.below(7 * 24 * 60) * MINUTE : undefined
    const id = await on.device({
      type: "battery",
      siteId,
      manufacturer,
      staticState: capacity === undefined ? null : { capacity },
      disconnectedAt: disconnectedAt === undefined ? null : new Date(disconnectedAt)
    })
    const readings = someReadings(random, "battery", start - DAY + random.below(2 * DAY), 100 + random.below(100))
      .filter((reading) => reading.at < Math.min(disconnectedAt ?? Infinity, present))
      .map(({ at, state }) => ({ at, state: states.battery(state) }))
    await on.send(
      id,
      readings.map(({ at, state }) => [at, state] as const)
    )
    batteries.push({ id, siteId, manufacturer, capacity, disconnectedAt: disconnectedAt ?? Infinity, readings })
  }

  const enrollments: Array<Enrolled> = []
  const enroll = async (isCustomer: boolean) => {
    const siteId = random.pick(siteIds)
    const slugs = random.chance(0.3) ? [random.pick(["generic", "simulator"])] : null
    const [approvedAt, activatesAt] = [minute() - 2 * DAY, random.chance(0.4) ? minute() : undefined]
    const from = Math.max(approvedAt, activatesAt ?? 0)
    const to = random.chance(0.4) ? minute() : undefined
    const id = await on.enroll({
      ...(isCustomer ? { customerId } : { siteId }),
      manufacturerSlugs: slugs,
      approvedAt: iso(approvedAt),
      activatesAt: activatesAt === undefined ? null : iso(activatesAt),
      unenrolledAt: to === undefined ? null : iso(to)
    })
    if (to === undefined || to > from) {
      enrollments.push({ id, siteIds: isCustomer ? own : [siteId], slugs, from, to: to ?? Infinity })
    }
  }
  for (let n = 0; n < 6; n++) await enroll(n === 0)

  const tests: Array<Tested> = []
  const dispatch = async () => {
    const [startsAt, siteId] = [minute(), random.pick(siteIds)]
    const endsAt = startsAt + (1 + random.below(300)) * MINUTE
    const delayed = startsAt + random.below(30) * MINUTE
    const optedOutAt = random.chance(0.3) ? startsAt + random.below(300) * MINUTE : undefined
    const test = random.chance(0.8)
    await on.dispatch({
      startsAt: iso(startsAt),
      endsAt: iso(endsAt),
      test,
      sites: [{ siteId, startsAt: iso(delayed), optedOutAt: optedOutAt === undefined ? null : iso(optedOutAt) }]
    })
    const tested = { siteId, from: delayed, to: Math.min(endsAt, optedOutAt ?? Infinity) }
    // A site that opts out before its start takes no part.
    if (test && tested.to > tested.from) tests.push(tested)
  }
  for (let n = 0; n < 3; n++) await dispatch()

  const check = async () => {
    const from = start + (random.chance(0.5) ? 0 : random.below(3 * 24 * 60) * MINUTE)
    const to = from + DAY + random.below(6 * 24 * 60) * MINUTE
    const body = await on.report({ from: iso(from), to: iso(to) })
    const expected = expectedDays({ batteries, enrollments, tests }, { from, to }, timezone)
    expect(body.days).toMatchObject(
      expected.map(({ chargedWh, coverage, dischargedWh, ...day }) => ({
        ...day,
        dischargedWh: dischargedWh === null ? null : expect.closeTo(dischargedWh, 2),
        chargedWh: chargedWh === null ? null : expect.closeTo(chargedWh, 2),
        coverage: expect.closeTo(coverage, 3)
      }))
    )
    const known = expected.flatMap(({ dischargedWh }) => dischargedWh ?? [])
    if (known.length === 0) expect(body.dischargedWh).toBeNull()
    else
      expect(body.dischargedWh).toBeCloseTo(
        known.reduce((sum, one) => sum + one, 0),
        2
      )
    return known.length
  }

  const rollSome = () => app.run(Effect.flatMap(EnergyRollups, (rollups) => rollups.rollSome))
  const rollAll = async (): Promise<void> => {
    if ((await rollSome()) > 0) await rollAll()
  }
  /** Brings the kept days up to date, as the background work does. */
  const keep = async () => {
    await app.sql((sql) => sql`DELETE FROM program_day_work RETURNING 1`)
    await app.run(Effect.flatMap(ProgramDays, ({ keepDue }) => keepDue))
  }
  const changes: Readonly<Record<string, (battery: Battery) => Promise<unknown>>> = {
    lateReadings: async (battery) => {
      const known = new Set(battery.readings.map(({ at }) => at))
      const end = Math.min(battery.disconnectedAt, battery.readings.at(-1)!.at + DAY, present)
      const more = someReadings(random, "battery", minute(), 1 + random.below(20))
        .filter(({ at }) => at >= battery.readings[0]!.at && at < end && !known.has(at))
        .map(({ at, state }) => ({ at, state: states.battery(state) }))
      await on.send(
        battery.id,
        more.map(({ at, state }) => [at, state] as const)
      )
      battery.readings = [...battery.readings, ...more].toSorted((one, other) => one.at - other.at)
    },
    removal: async ({ id }) => {
      await app.sql((sql) => sql`DELETE FROM devices WHERE id = ${id} RETURNING 1`)
      batteries.splice(
        batteries.findIndex((each) => each.id === id),
        1
      )
    },
    move: async (battery) => {
      battery.siteId = random.pick(siteIds)
      await app.sql((sql) => sql`UPDATE devices SET site_id = ${battery.siteId} WHERE id = ${battery.id} RETURNING 1`)
    },
    enrollment: () => enroll(false),
    end: async () => {
      const enrolled = random.pick(enrollments)
      enrolled.to = Math.min(enrolled.to, Math.max(enrolled.from + MINUTE, minute()))
      await app.sql(
        (sql) => sql`UPDATE enrollments SET status = 'unenrolled', unenrolled_at = ${iso(enrolled.to)}
          WHERE id = ${enrolled.id} RETURNING 1`
      )
    },
    dispatch,
    timezone: async () => {
      timezone = random.pick(timezones)
      await app.sql((sql) => sql`UPDATE workspaces SET timezone = ${timezone} WHERE id = ${on.workspaceId} RETURNING 1`)
    },
    rollups: rollSome
  }
  let known = await check()
  await rollAll()
  known += await check()
  for (let n = 0; n < CHANGES && batteries.length > 1; n++) {
    await changes[random.pick(Object.keys(changes))]!(random.pick(batteries))
    if (random.chance(0.3)) await rollSome()
    if (random.chance(0.3)) await keep()
    known += await check()
  }
  return known
}

const guarantees = (app: TestApp) => {
  test.each(Array.from({ length: 3 }, (_, n) => seed + n))(
    "equals a recomputation from all readings, whatever has been kept and whatever changes, in any order (seed %i)",
    async (each) => {
      const random = new Random(each)
      let known = 0
      for (let program = 0; program < 2; program++) known += await throughRandomPrograms(app, random)
      expect(known).toBeGreaterThan(0)
    }
  )
}

// They take turns, because both run the same tests.
inTurn(
  1,
  () => describe("A program report from an embedded database", () => guarantees(useTestApp())),
  () =>
    describePostgres("A program report from PostgreSQL", () => {
      const databases = useDatabases()
      guarantees(useTestApp({ databaseUrl: () => databases.url }))
    })
)
