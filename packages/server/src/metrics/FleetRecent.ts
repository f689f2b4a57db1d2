import { randomUUID } from "node:crypto"
import { metricNames, metricTable } from "@edp/domain/metrics/Metric"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { QUARTER, type Span } from "../energy/intervals.ts"
import { measuredTypes } from "../energy/quantities.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { RequestsInFlight, isBusy } from "../platform/observability/RequestsInFlight.ts"
import { inSnapshot, transactionsOn } from "../platform/sql/transaction.ts"
import { type FleetMetric, type Sum, batches, fleetMetricKey } from "./blockSums.ts"
import { EnergyRollups } from "./EnergyRollups.ts"
import {
  FleetRecentRepository,
  type RecentBlock,
  type RecentProgress,
  type RecentRow
} from "./FleetRecentRepository.ts"
import { type BlockDevice, type Fleet, FleetRepository } from "./FleetRepository.ts"
import {
  type Step,
  changedDays,
  daysOfPass,
  isAnew,
  localDays,
  rowLengths,
  stepBounds,
  stepLengths
} from "./recentDays.ts"
import { rollupLimits } from "./rollupLimits.ts"
import { SiteEnergy } from "./SiteEnergy.ts"
import { DAY, dayIndex } from "./storedDays.ts"

/** The sums of recent energy that a query may use. */
export interface RecentSums {
  /** Every reading that was taken by then is in the sums, milliseconds since 1970. */
  readonly asOf: number
  /** UTC days. */
  readonly days: ReadonlySet<number>
  readonly timezone: string
}

/** The sum of a bucket over the fleet. */
export interface RecentSum {
  readonly amount: bigint | null
  readonly covered: number
}

/** A row with the sums of the buckets from `first` on. */
const toRow = (
  day: number,
  metric: string,
  step: Step,
  first: number,
  sums: ReadonlyArray<Pick<Sum, "amount" | "amounts" | "covered" | "covers">>
): RecentRow => {
  const amounts: Array<bigint | null> = Array.from({ length: rowLengths[step] }, () => null)
  const covered: Array<number> = Array.from({ length: rowLengths[step] }, () => 0)
  for (const [n, sum] of sums.entries()) {
    amounts[first + n] = sum.amounts > 0 ? sum.amount : null
    covered[first + n] = sum.covers > 0 ? sum.covered : 0
  }
  return { day, metric, step, first, amounts, covered }
}

/** The metrics that are summed: those of the workspace, and what its batteries and its meters do, which the dashboard shows. */
const summed: ReadonlyArray<FleetMetric> = [
  ...metricNames.map((metric): FleetMetric => ({ metric })),
  { metric: "charging", deviceType: "battery" },
  { metric: "production", deviceType: "battery" },
  { metric: "production", deviceType: "meter" },
  { metric: "grid", deviceType: "meter" }
]
const summedKeys: ReadonlySet<string> = new Set(summed.map(fleetMetricKey))

const isLatest = ({ metric }: FleetMetric) => metricTable[metric].aggregation === "latest"
/** Those whose buckets are not the sum of shorter ones. */
const latest = summed.filter(isLatest)

/**
 * The energies of large workspaces through the present. The sums of the last days, by quarter of an hour, follow the readings within
 * minutes: a pass sums what has changed since the one before, block by block, and then makes all of it visible at once.
 */
export class FleetRecent extends Context.Service<
  FleetRecent,
  {
    /** The sums that are recent enough to be used. */
    readonly find: (fleet: Fleet, now: number) => Effect.Effect<RecentSums | undefined>
    /** Whether the sums hold a bucket of a metric. */
    readonly holds: (recent: RecentSums, metric: FleetMetric, bucket: Span) => boolean
    /** The sums of buckets that they hold. */
    readonly read: (
      fleet: Fleet,
      recent: RecentSums,
      metric: FleetMetric,
      buckets: ReadonlyArray<Span>
    ) => Effect.Effect<ReadonlyArray<RecentSum>>
    /** Brings the sums of a fleet up to date, unless they are younger than the age or another instance is doing so. */
    readonly sum: (fleet: Fleet, leastAge: number) => Effect.Effect<void>
    /** Ends the claims of a process that is gone. */
    readonly endLeases: (holder: string) => Effect.Effect<unknown>
  }
>()("@edp/server/metrics/FleetRecent") {
  static readonly layer = Layer.effect(
    FleetRecent,
    Effect.gen(function* () {
      const repository = yield* FleetRecentRepository
      const fleets = yield* FleetRepository
      const rollups = yield* EnergyRollups
      const energy = yield* SiteEnergy
      const sql = yield* SqlClient.SqlClient
      const holder = yield* LeaseHolder
      const transaction = transactionsOn(sql)

      /** The step that a bucket consists of; undefined if no sums fit. */
      const findStep = ({ asOf, timezone }: RecentSums, metric: FleetMetric, { from, to }: Span): Step | undefined => {
        const isOpen = to >= asOf
        if (from % QUARTER !== 0 || !(to % QUARTER === 0 || isOpen)) return undefined
        if (!isLatest(metric) || to - from <= QUARTER) return "quarter"
        const { hour } = stepLengths
        if (from % hour === 0 && (to === from + hour || (isOpen && to < from + hour))) return "hour"
        const day = localDays([dayIndex(from), dayIndex(Math.min(to, asOf) - 1)], timezone, asOf).find(
          (each) => each.from === from
        )
        return day !== undefined && (day.to === to || (isOpen && day.to === asOf)) ? "day" : undefined
      }

      const holds = (recent: RecentSums, metric: FleetMetric, bucket: Span) => {
        if (!summedKeys.has(fleetMetricKey(metric)) || bucket.from >= recent.asOf || bucket.from >= bucket.to)
          return false
        for (let day = dayIndex(bucket.from); day <= dayIndex(Math.min(bucket.to, recent.asOf) - 1); day++) {
          if (!recent.days.has(day)) return false
        }
        return findStep(recent, metric, bucket) !== undefined
      }

      const read = Effect.fnUntraced(function* (
        { workspaceId }: Fleet,
        recent: RecentSums,
        metric: FleetMetric,
        buckets: ReadonlyArray<Span>
      ) {
        const steps = buckets.map((bucket) => findStep(recent, metric, bucket)!)
        const lastDay = dayIndex(recent.asOf)
        const rows = new Map<string, { amounts: ReadonlyArray<string | null>; covered: ReadonlyArray<number> }>()
        for (const step of new Set(steps)) {
          const own = buckets.filter((_, n) => steps[n] === step)
          const first = Math.min(...own.map(({ from }) => dayIndex(from)))
          const last = Math.min(lastDay, Math.max(...own.map(({ to }) => dayIndex(to))))
          const days = Array.from({ length: last + 2 - first }, (_, n) => first + n)
          for (const { day, ...row } of yield* repository.totals(workspaceId, fleetMetricKey(metric), step, days)) {
            rows.set(`${step} ${day}`, row)
          }
        }
        return buckets.map(({ from, to }, n): RecentSum => {
          const step = steps[n]!
          let [amount, covered]: [bigint | null, number] = [null, 0]
          const add = (day: number, position: number) => {
            const row = rows.get(`${step} ${day}`)
            const own = row?.amounts[position] ?? null
            if (own !== null) amount = (amount ?? 0n) + BigInt(own)
            covered += row?.covered[position] ?? 0
          }
          if (step === "day") add(dayIndex(from + DAY / 2), 0)
          else {
            const length = stepLengths[step]
            for (let at = from; at < Math.min(to, recent.asOf); at += length) {
              add(dayIndex(at), Math.floor((at % DAY) / length))
            }
          }
          return { amount, covered }
        })
      })

      /** The sums of a block in the spans that have changed. */
      const sumChanged = Effect.fnUntraced(function* (
        devices: ReadonlyArray<BlockDevice>,
        changed: ReadonlyArray<Span & { readonly day: number }>,
        local: ReadonlyArray<Span & { readonly day: number }>
      ) {
        const rows: Array<RecentRow> = []
        const sum = Effect.fnUntraced(function* (
          step: Step,
          day: number,
          bounds: ReadonlyArray<number>,
          metrics: ReadonlyArray<FleetMetric>
        ) {
          const first = step === "day" ? 0 : Math.floor((bounds[0]! % DAY) / stepLengths[step])
          for (const [metric, sums] of yield* energy.sum(devices, bounds, metrics, false)) {
            rows.push(toRow(day, fleetMetricKey(metric), step, first, sums))
          }
        })
        for (const { day, ...span } of changed) {
          yield* sum("quarter", day, stepBounds("quarter", span), summed)
          yield* sum("hour", day, stepBounds("hour", span), latest)
        }
        for (const { day, from, to } of local) yield* sum("day", day, [from, to], latest)
        return rows
      })

      /** Sums some blocks; the days that have changed in any of them. */
      const sumBlocks = Effect.fnUntraced(function* (
        fleet: Fleet,
        blocks: ReadonlyArray<RecentBlock>,
        days: ReadonlyArray<number>,
        now: number,
        toKnown: (block: RecentBlock) => RecentBlock
      ) {
        const ids = blocks.map(({ block }) => block)
        yield* rollups.rollNow(yield* repository.unrolled(fleet, ids))
        const local = localDays(days, fleet.timezone, now)
        const computed = yield* Effect.gen(function* () {
          const current = yield* repository.blocks(fleet, ids)
          const devices = Map.groupBy(
            yield* fleets.devicesOfBlocks(fleet, measuredTypes, ids, now),
            ({ block }) => block
          )
          const found: Array<{ readonly block: RecentBlock; readonly rows: ReadonlyArray<RecentRow> }> = []
          const altered = new Set<number>()
          for (const block of current.filter((each) => ids.includes(each.block)).map(toKnown)) {
            const changed = changedDays(block, days, now)
            const within = local.filter(({ from, to }) => changed.some((each) => each.from < to && each.to > from))
            const rows = yield* sumChanged(devices.get(block.block) ?? [], changed, within)
            found.push({ block, rows })
            for (const { day } of [...changed, ...within]) altered.add(day)
          }
          return { found, altered }
        }).pipe(inSnapshot, Effect.provideService(SqlClient.SqlClient, sql))
        yield* Effect.forEach(
          computed.found,
          ({ block, rows }) => repository.save(fleet, block, now, days, rows, isAnew(block, now)),
          { discard: true }
        ).pipe(transaction)
        return computed.altered
      })

      const pass = Effect.fnUntraced(function* (
        fleet: Fleet,
        claim: string,
        { asOf, days: kept, timezone }: RecentProgress
      ) {
        const now = yield* Clock.currentTimeMillis
        const isSameZone = timezone === fleet.timezone
        const days = daysOfPass(now, isSameZone ? kept : [])
        // Local days are those of another zone now.
        const toKnown = (block: RecentBlock) => (isSameZone ? block : { ...block, days: [] })
        const blocks = (yield* repository.blocks(fleet)).map(toKnown)
        // A pass that was cut short has saved blocks that were never added up.
        const isCutShort = blocks.some((block) => block.asOf !== null && block.asOf > (asOf ?? 0))
        const changed = new Set(isCutShort || !isSameZone ? days : days.filter((day) => !kept.includes(day)))
        if (
          yield* transaction(
            repository.dropBlocks(
              fleet,
              blocks.map(({ block }) => block)
            )
          )
        ) {
          for (const day of days) changed.add(day)
        }
        for (const some of batches(blocks.filter((block) => changedDays(block, days, now).length > 0))) {
          const [took, isHeld] = yield* Effect.timed(
            Effect.gen(function* () {
              for (const day of yield* sumBlocks(fleet, some, days, now, toKnown)) changed.add(day)
              return yield* repository.renew(fleet.workspaceId, claim)
            })
          )
          if (!isHeld) return
          // While requests wait, half of the time is theirs.
          if (isBusy(yield* RequestsInFlight)) yield* Effect.sleep(took)
        }
        yield* transaction(repository.publish(fleet, claim, now, days, [...changed]))
      })

      const sum = Effect.fnUntraced(function* (fleet: Fleet, leastAge: number) {
        const claim = randomUUID()
        const progress = yield* repository.claim(fleet.workspaceId, claim, holder.id)
        if (progress === undefined) return
        const age = (yield* Clock.currentTimeMillis) - (progress.asOf ?? 0)
        const isYoung = age >= 0 && age < leastAge
        yield* Effect.ensuring(
          isYoung ? Effect.void : pass(fleet, claim, progress),
          repository.release(fleet.workspaceId, claim)
        )
      })

      return {
        find: Effect.fn("FleetRecent.find")(function* ({ timezone, workspaceId }, now) {
          const found = yield* repository.progress(workspaceId)
          if (found === undefined || found.asOf === null || found.timezone !== timezone) return undefined
          if (found.asOf < now - rollupLimits.recentAgeMs || found.asOf > now) return undefined
          return { asOf: found.asOf, days: new Set(found.days), timezone }
        }),
        holds,
        read: Effect.fn("FleetRecent.read")(read),
        sum: Effect.fn("FleetRecent.sum")(sum),
        endLeases: repository.endLeases
      }
    })
  )
}
