import { randomUUID } from "node:crypto"
import { metricNames, metricTable } from "@edp/domain/metrics/Metric"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { QUARTER, type Span } from "../energy/intervals.ts"
import { measuredTypes } from "../energy/quantities.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { RequestsInFlight, isBusy } from "../platform/observability/RequestsInFlight.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { inSnapshot, transactionsOn } from "../platform/sql/transaction.ts"
import { type FleetMetric, type Sum, batches, fleetMetricKey, fleetMetricTypes } from "./blockSums.ts"
import { DeviceEnergy } from "./DeviceEnergy.ts"
import { EnergyRollups } from "./EnergyRollups.ts"
import {
  FleetRecentRepository,
  type RecentBlock,
  type RecentProgress,
  type RecentRow
} from "./FleetRecentRepository.ts"
import { type BlockDevice, type Fleet, FleetRepository } from "./FleetRepository.ts"
import {
  type KeptAt,
  addLatest,
  changedDays,
  daysOfPass,
  findLatest,
  isAnew,
  localDays,
  quarterBounds
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

/** A row with the sums of the quarters from `first` on. */
const toRow = (
  day: number,
  metric: FleetMetric,
  first: number,
  sums: ReadonlyArray<Pick<Sum, "amount" | "amounts" | "covered" | "covers">>
): RecentRow => {
  const amounts: Array<bigint | null> = Array.from({ length: DAY / QUARTER }, () => null)
  const covered: Array<number> = Array.from({ length: DAY / QUARTER }, () => 0)
  for (const [n, sum] of sums.entries()) {
    amounts[first + n] = sum.amounts > 0 ? sum.amount : null
    covered[first + n] = sum.covers > 0 ? sum.covered : 0
  }
  return { day, metric: fleetMetricKey(metric), step: "quarter", first, amounts, covered }
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

/** Whether buckets of the metric are not the sum of shorter ones. */
const isLatest = ({ metric }: FleetMetric) => metricTable[metric].aggregation === "latest"
const storedTypes: ReadonlyArray<string> = fleetMetricTypes({ metric: "storage" })

/**
 * The energies of large workspaces through the present. The sums of the last days, by quarter of an hour, follow the readings within
 * minutes: a pass sums what has changed since the one before, block by block, and then makes all of it visible at once.
 */
export class FleetRecent extends Context.Service<
  FleetRecent,
  {
    /** The sums that are recent enough to be used. */
    readonly find: (fleet: Fleet, now: number) => Effect.Effect<RecentSums | undefined, DatabaseUnavailable>
    /** Whether the sums hold a bucket of a metric. */
    readonly holds: (recent: RecentSums, metric: FleetMetric, bucket: Span) => boolean
    /** The sums of buckets that they hold. */
    readonly read: (
      fleet: Fleet,
      recent: RecentSums,
      metric: FleetMetric,
      buckets: ReadonlyArray<Span>
    ) => Effect.Effect<ReadonlyArray<RecentSum>, DatabaseUnavailable>
    /** Brings the sums of a fleet up to date, unless they are younger than the age or another instance is doing so. */
    readonly sum: (fleet: Fleet, leastAge: number) => Effect.Effect<void, DatabaseUnavailable>
    /** Ends the claims of a process that is gone. */
    readonly endLeases: (holder: string) => Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/metrics/FleetRecent") {
  static readonly layer = Layer.effect(
    FleetRecent,
    Effect.gen(function* () {
      const repository = yield* FleetRecentRepository
      const fleets = yield* FleetRepository
      const rollups = yield* EnergyRollups
      const energy = yield* SiteEnergy
      const devicesEnergy = yield* DeviceEnergy
      const sql = yield* SqlClient.SqlClient
      const holder = yield* LeaseHolder
      const transaction = transactionsOn(sql)

      /** The row and element of a bucket's amount, or of its first quarter's; undefined if no sums fit. */
      const findKept = (recent: RecentSums, metric: FleetMetric, bucket: Span): KeptAt | undefined => {
        const { from, to } = bucket
        if (from % QUARTER !== 0 || !(to % QUARTER === 0 || to >= recent.asOf)) return undefined
        if (isLatest(metric) && to - from > QUARTER) return findLatest(bucket, recent)
        return { step: "quarter", day: dayIndex(from), position: (from % DAY) / QUARTER }
      }

      const holds = (recent: RecentSums, metric: FleetMetric, bucket: Span) => {
        if (!summedKeys.has(fleetMetricKey(metric)) || bucket.from >= recent.asOf || bucket.from >= bucket.to)
          return false
        for (let day = dayIndex(bucket.from); day <= dayIndex(Math.min(bucket.to, recent.asOf) - 1); day++) {
          if (!recent.days.has(day)) return false
        }
        return findKept(recent, metric, bucket) !== undefined
      }

      const read = Effect.fnUntraced(function* (
        { workspaceId }: Fleet,
        recent: RecentSums,
        metric: FleetMetric,
        buckets: ReadonlyArray<Span>
      ) {
        const first = Math.min(...buckets.map(({ from }) => dayIndex(from)))
        const last = Math.min(dayIndex(recent.asOf), Math.max(...buckets.map(({ to }) => dayIndex(to))))
        // East of Greenwich the last local day may have its noon on the next UTC day, in the west the first one on the day before.
        const days = Array.from({ length: last + 3 - first }, (_, n) => first - 1 + n)
        const found = yield* repository.totals(workspaceId, fleetMetricKey(metric), days)
        const rows = new Map(found.map((row) => [`${row.step} ${row.day}`, row]))
        return buckets.map((bucket): RecentSum => {
          let [amount, covered]: [bigint | null, number] = [null, 0]
          const add = (own: string | null | undefined) => {
            if (own != null) amount = (amount ?? 0n) + BigInt(own)
          }
          const { day, position, step } = findKept(recent, metric, bucket)!
          if (step !== "quarter") add(rows.get(`${step} ${day}`)?.amounts[position])
          for (let at = bucket.from; at < Math.min(bucket.to, recent.asOf); at += QUARTER) {
            const row = rows.get(`quarter ${dayIndex(at)}`)
            const quarter = (at % DAY) / QUARTER
            if (step === "quarter") add(row?.amounts[quarter])
            covered += row?.covered[quarter] ?? 0
          }
          return { amount, covered }
        })
      })

      /** The latest charges of a block's devices in a local day. */
      const sumCharges = Effect.fnUntraced(function* (
        devices: ReadonlyArray<BlockDevice>,
        { day, ...span }: Span & { readonly day: number }
      ) {
        const deviceIds = devices.flatMap(({ id, type }) => (storedTypes.includes(type) ? id : []))
        if (deviceIds.length === 0) return []
        const bounds = quarterBounds(span)
        const nothing = () => Array.from<null>({ length: bounds.length - 1 }).fill(null)
        const sums: Record<"hour" | "day", Array<bigint | null>> = { hour: nothing(), day: nothing() }
        for (const { charge } of yield* devicesEnergy.read({ deviceIds, bounds, quantities: ["charge"] })) {
          if (charge !== undefined) addLatest(sums, charge.latest)
        }
        // The quarters have the coverage.
        const covered = bounds.slice(1).map(() => 0)
        return (["hour", "day"] as const).map((step): RecentRow => ({
          day,
          metric: "storage",
          step,
          first: 0,
          amounts: sums[step],
          covered
        }))
      })

      /** The sums of a block in the spans that have changed. */
      const sumChanged = Effect.fnUntraced(function* (
        devices: ReadonlyArray<BlockDevice>,
        changed: ReadonlyArray<Span & { readonly day: number }>,
        local: ReadonlyArray<Span & { readonly day: number }>
      ) {
        const rows: Array<RecentRow> = []
        for (const { day, ...span } of changed) {
          const bounds = quarterBounds(span)
          for (const [metric, sums] of yield* energy.sum(devices, bounds, summed, false)) {
            rows.push(toRow(day, metric, (bounds[0]! % DAY) / QUARTER, sums))
          }
        }
        for (const each of local) rows.push(...(yield* sumCharges(devices, each)))
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
        yield* Effect.onExit(isYoung ? Effect.void : pass(fleet, claim, progress), () =>
          Effect.asVoid(repository.release(fleet.workspaceId, claim))
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
