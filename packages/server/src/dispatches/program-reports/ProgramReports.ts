import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import {
  BATTERY_DAYS,
  type ProgramReport,
  type ProgramReportQuery,
  REPORT_DAYS,
  type ReportDay,
  UNRESPONSIVE_LIMIT
} from "@edp/domain/dispatches/ProgramReport"
import { enrollmentStatuses } from "@edp/domain/enrollments/Enrollment"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { bucketBounds } from "../../energy/bucketBounds.ts"
import type { Span } from "../../energy/intervals.ts"
import { metricSpan } from "../../metrics/metricRequest.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { makeReads } from "../../platform/replicas/readReplica.ts"
import { inSnapshot } from "../../platform/sql/transaction.ts"
import type { MovedEnergies } from "./enrolledEnergy.ts"
import { ProgramDays } from "./ProgramDays.ts"
import type { KeptDay } from "./ProgramDaysRepository.ts"
import {
  type BatteryBlock,
  type Enrolled,
  type EnrolledType,
  ProgramReportsRepository,
  type ReportedInstance
} from "./ProgramReportsRepository.ts"

const DAY = 86_400_000

/** Reports that are computed at the same time; each holds its batteries in memory. */
const REPORTS_AT_A_TIME = 2

type Caller = CurrentKey["Service"]

/** Everything that a report is made from, in one snapshot. */
interface Found {
  readonly instance: ReportedInstance
  readonly span: Span
  readonly bounds: ReadonlyArray<number>
  readonly now: number
  readonly enrolled: Enrolled
  readonly kept: ReadonlyArray<KeptDay>
}

const toInstant = (at: number) => new Date(at).toISOString()

/** The local dates of days. */
const toDates = (bounds: ReadonlyArray<number>, timezone: string) =>
  bounds
    .slice(0, -1)
    .map((at) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).toPlainDate().toString())

const requireFewDays = ({ from, to }: Span): Effect.Effect<void, ValidationError> =>
  to - from <= REPORT_DAYS * DAY
    ? Effect.void
    : Effect.fail(invalid({ from: `A report covers ${REPORT_DAYS} days at most: ask for a shorter span` }))

const requireComputable = (blocks: ReadonlyArray<BatteryBlock>): Effect.Effect<void, ValidationError> => {
  const days = Math.ceil(blocks.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / DAY)
  if (days <= BATTERY_DAYS) return Effect.void
  const [asked, most] = [days, BATTERY_DAYS].map((value) => value.toLocaleString("en"))
  return Effect.fail(
    invalid({
      from: `Asks for ${asked} days of batteries, and a report is computed from ${most} at most: ask for a shorter span`
    })
  )
}

/** Enrolled devices, and the batteries among them. */
interface EnrolledCounts {
  readonly devices: number
  readonly batteries: number
}

const missingCapacity = ({ batteries, devices }: EnrolledCounts): NonNullable<ReportDay["capacityReason"]> => {
  if (devices === 0) return "no_devices"
  return batteries === 0 ? "no_batteries" : "not_known"
}

/** A sum of stated figures; null if no battery states one. */
const statedSum = (sum: number | null, count: number) => (count === 0 ? null : Math.round((sum ?? 0) * 1000) / 1000)

const missingEnergy = (
  reason: NonNullable<MovedEnergies["reason"]>,
  { batteries, devices }: EnrolledCounts
): NonNullable<ReportDay["reason"]> => {
  if (reason === "no_readings" || batteries > 0) return reason
  return devices === 0 ? "no_devices" : "no_batteries"
}

/** The energies of a time that begins at an instant. */
const withReason = ({ reason, ...energies }: MovedEnergies, begins: number, now: number, enrolled: EnrolledCounts) => ({
  ...energies,
  ...(reason !== undefined && { reason: begins >= now ? ("future" as const) : missingEnergy(reason, enrolled) })
})

const makeDays = ({ bounds, enrolled: { steps }, instance, now }: Found, energies: ReadonlyArray<MovedEnergies>) => {
  const byDay = new Map(steps.map((step) => [step.day, step]))
  const counts = { enrollments: 0, devices: 0, batteries: 0, capacities: 0, capacityWh: 0 }
  return toDates(bounds, instance.timezone).map((date, day): ReportDay => {
    for (const name of Object.keys(counts) as ReadonlyArray<keyof typeof counts>) {
      counts[name] += byDay.get(day)?.[name] ?? 0
    }
    const { capacities, capacityWh, devices, enrollments } = counts
    const capacity = statedSum(capacityWh, capacities)
    return {
      date,
      enrollments,
      devices,
      capacityWh: capacity,
      ...(capacity === null && { capacityReason: missingCapacity(counts) }),
      ...withReason(energies[day]!, bounds[day]!, now, counts)
    }
  })
}

const makeTypes = (types: ReadonlyArray<EnrolledType>) => {
  const battery = types.find(({ type }) => type === "battery")
  const devices = deviceTypes.flatMap((type) => {
    const count = types.find((each) => each.type === type)?.count ?? 0
    return count === 0 ? [] : [{ type, count }]
  })
  const figures = {
    capacityWh: statedSum(battery?.capacityWh ?? null, battery?.capacities ?? 0),
    dischargePowerW: statedSum(battery?.dischargePowerW ?? null, battery?.discharging ?? 0),
    chargePowerW: statedSum(battery?.chargePowerW ?? null, battery?.charging ?? 0)
  }
  const counts = { devices: devices.length, batteries: battery?.count ?? 0 }
  return {
    devices,
    ...figures,
    ...(Object.values(figures).includes(null) && { capacityReason: missingCapacity(counts) }),
    batteries: counts.batteries,
    batteriesWithCapacity: battery?.capacities ?? 0
  }
}

/** The twelve months before an instant. */
const lastTwelveMonths = (now: number): Span => ({
  from: Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO("UTC").subtract({ months: 12 })
    .epochMilliseconds,
  to: now
})

/** Reports on program instances: their enrollments, devices, capacity and energy. */
export class ProgramReports extends Context.Service<
  ProgramReports,
  {
    readonly get: (
      caller: Caller,
      programInstanceId: string,
      query: ProgramReportQuery
    ) => Effect.Effect<ProgramReport, ValidationError | NotFound | DatabaseUnavailable>
  }
>()("@edp/server/ProgramReports") {
  static readonly layer = Layer.effect(
    ProgramReports,
    Effect.gen(function* () {
      const repository = yield* ProgramReportsRepository
      const programDays = yield* ProgramDays
      const sql = yield* SqlClient.SqlClient
      const computing = yield* Semaphore.make(REPORTS_AT_A_TIME)
      const { onReplica } = yield* makeReads

      const findAll = Effect.fnUntraced(function* (instance: ReportedInstance, span: Span, now: number) {
        const bounds = bucketBounds("day", span, instance.timezone)!
        const snapshot = Effect.all({
          statuses: repository.statuses(instance.id),
          enrolled: repository.enrolled(instance, bounds, now),
          kept: programDays.find(instance, bounds),
          unresponsive: repository.unresponsive(instance, lastTwelveMonths(now), UNRESPONSIVE_LIMIT)
        })
        return { ...(yield* inSnapshot(snapshot)), instance, span, bounds, now }
      })

      const get = Effect.fnUntraced(function* (caller: Caller, id: string, query: ProgramReportQuery) {
        const now = yield* Clock.currentTimeMillis
        const span = yield* metricSpan(query, now, "30d")
        yield* requireFewDays(span)
        const instance = yield* repository.instance(caller.workspaceId, id)
        if (instance === undefined) return yield* new NotFound({})
        return yield* Effect.gen(function* () {
          const found = yield* findAll(instance, span, now)
          const { blocks } = found.enrolled
          yield* requireComputable(blocks)
          const { days, total } = yield* programDays.sum({ ...found, blocks })
          const made = makeDays(found, days)
          const types = makeTypes(found.enrolled.types)
          const everEnrolled = {
            devices: made.reduce((most, { devices }) => Math.max(most, devices), 0),
            batteries: blocks.length
          }
          const counts = new Map(found.statuses.map(({ count, status }) => [status, count]))
          return {
            programInstanceId: id,
            from: toInstant(span.from),
            to: toInstant(span.to),
            timezone: instance.timezone,
            enrollments: enrollmentStatuses.map((status) => ({ status, count: counts.get(status) ?? 0 })),
            ...types,
            ...withReason(total, span.from, now, everEnrolled),
            days: made,
            unresponsiveDevices: found.unresponsive.devices,
            unresponsiveTotal: found.unresponsive.total
          } satisfies ProgramReport
        }).pipe(computing.withPermits(1), Effect.provideService(SqlClient.SqlClient, sql))
      })

      return { get: Effect.fn("ProgramReports.get")((caller, id, query) => onReplica(get(caller, id, query))) }
    })
  )
}
