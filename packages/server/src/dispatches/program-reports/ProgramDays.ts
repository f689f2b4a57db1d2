import { Array as Arr, Clock, Context, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bucketBounds } from "../../energy/bucketBounds.ts"
import type { Span } from "../../energy/intervals.ts"
import { DeviceEnergy } from "../../metrics/DeviceEnergy.ts"
import { RolledSums } from "../../metrics/RolledSums.ts"
import { longOverUntil } from "../../metrics/rollState.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { onPrimary } from "../../platform/replicas/readReplica.ts"
import { inSnapshot } from "../../platform/sql/transaction.ts"
import { dispatchLimits, PROGRAM_DAYS } from "../dispatchLimits.ts"
import {
  type AddEnergy,
  type CountedSpan,
  type DayRun,
  type DaySums,
  type MovedEnergies,
  countedSpans,
  daySignatures,
  energyParts,
  makeDaySums,
  makeEnrolledEnergy,
  movedEnergies,
  quarterBounds
} from "./enrolledEnergy.ts"
import { type KeptDay, ProgramDaysRepository } from "./ProgramDaysRepository.ts"
import {
  type BatteryBlock,
  ProgramReportsRepository,
  type ReportedInstance,
  toBatteries
} from "./ProgramReportsRepository.ts"

const DAY = 86_400_000

const { daysBatteries, daysBatteryDays, daysKept, daysOpenBatteries, daysReported } = dispatchLimits
const { daysDuePauseSeconds, daysLeaseSeconds } = dispatchLimits

/** The days of a report, with the batteries and what is kept of them, from one snapshot. */
export interface FoundDays {
  readonly instance: ReportedInstance
  /** The beginnings of the days and the end of the last one. */
  readonly bounds: ReadonlyArray<number>
  readonly now: number
  readonly blocks: ReadonlyArray<BatteryBlock>
  readonly kept: ReadonlyArray<KeptDay>
}

/** A block with days whose energies are not kept. */
interface PendingBlock {
  readonly block: BatteryBlock
  readonly days: ReadonlyArray<number>
  readonly signatures: ReadonlyArray<bigint | undefined>
}

/** Blocks that lack the same days and are computed together. */
type Batch = ReadonlyArray<PendingBlock>

const toKey = (block: number, startsAt: number, endsAt: number) => `${block} ${startsAt} ${endsAt}`

/** Whether a local day begins at an instant. */
const beginsDay = (at: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toZonedDateTime({ timeZone: timezone }).epochMilliseconds === at

/** Whether each day is whole, and over. */
const areKeepable = ({ bounds, instance: { timezone }, now }: FoundDays) =>
  bounds.slice(1).map((end, day) => {
    if (end > now) return false
    const isInner = day > 0 && day < bounds.length - 2
    return isInner || (beginsDay(bounds[day]!, timezone) && beginsDay(end, timezone))
  })

const toSpan = ({ bounds }: FoundDays): Span => ({ from: bounds[0]!, to: bounds.at(-1)! })

const toSums = ({ charged, chargedCovered, discharged, dischargedCovered }: KeptDay) => {
  const sums = makeDaySums()
  sums.discharged.add(BigInt(discharged), dischargedCovered)
  sums.charged.add(BigInt(charged), chargedCovered)
  return sums
}

/** Neighbouring days as runs. */
const toRuns = (days: ReadonlyArray<number>) =>
  days.reduce<ReadonlyArray<DayRun>>((runs, day) => {
    const last = runs.at(-1)
    if (last?.end !== day) return [...runs, { first: day, end: day + 1 }]
    return [...runs.slice(0, -1), { first: last.first, end: day + 1 }]
  }, [])

const batteriesAtATime = (days: number) => Math.max(1, Math.min(daysBatteries, Math.floor(daysBatteryDays / days)))

const toBatches = (pending: ReadonlyArray<PendingBlock>): ReadonlyArray<Batch> =>
  Array.from(Map.groupBy(pending, ({ days }) => days.join()).values()).flatMap((blocks) => {
    const batches: Array<Array<PendingBlock>> = []
    let batteries = Infinity
    for (const each of blocks) {
      batteries += each.block.batteries
      if (batteries > batteriesAtATime(each.days.length)) {
        batches.push([])
        batteries = each.block.batteries
      }
      batches.at(-1)!.push(each)
    }
    return batches
  })

/**
 * The energies of enrolled batteries by day. Days that are over are kept, summed over blocks of batteries, with a hash of everything that they
 * were computed from. Readings that arrive late, a device that is moved or deleted, an enrollment that begins or ends, or a test dispatch
 * changes the hash, and the day of the block is computed again.
 */
export class ProgramDays extends Context.Service<
  ProgramDays,
  {
    /** The kept days that begin within bounds. For use in the snapshot in which their batteries are found. */
    readonly find: (
      instance: ReportedInstance,
      bounds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<KeptDay>, DatabaseUnavailable>
    /** The energies of each day and of all together. Computes what is not kept, and keeps what is over of it. */
    readonly sum: (
      found: FoundDays
    ) => Effect.Effect<
      { readonly days: ReadonlyArray<MovedEnergies>; readonly total: MovedEnergies },
      DatabaseUnavailable
    >
    /** Brings the kept days of the instances that are due up to date. */
    readonly keepDue: Effect.Effect<void, DatabaseUnavailable>
    /** Lets no instance wait for longer than it ever does, counted from now. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/ProgramDays") {
  static readonly layer = Layer.effect(
    ProgramDays,
    Effect.gen(function* () {
      const reports = yield* ProgramReportsRepository
      const repository = yield* ProgramDaysRepository
      const energy = yield* DeviceEnergy
      const rolledSums = yield* RolledSums
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(PROGRAM_DAYS)

      const find = (instance: ReportedInstance, bounds: ReadonlyArray<number>) =>
        repository.find(instance.id, { from: bounds[0]!, to: bounds.at(-1)! })

      /** Computes batteries whose newest readings are not settled yet. */
      const readOpen = Effect.fnUntraced(function* (
        spans: ReadonlyArray<CountedSpan>,
        run: DayRun,
        bounds: ReadonlyArray<number>,
        add: AddEnergy
      ) {
        const byBattery = Array.from(Map.groupBy(spans, ({ battery }) => battery.id).values())
        for (const some of Arr.chunksOf(byBattery, daysOpenBatteries)) {
          for (const { receive, ...question } of energyParts(some.flat(), run, bounds, add)) {
            for (const figures of yield* energy.read({ ...question, quantities: movedEnergies })) receive(figures)
          }
        }
      })

      /** The energies of blocks in each of the days that they lack. Most are summed by the database: rollups hold them. */
      const compute = Effect.fnUntraced(function* (found: FoundDays, bounds: ReadonlyArray<number>, batch: Batch) {
        const sums = new Map(batch.map(({ block: { block } }) => [block, bounds.slice(1).map(makeDaySums)]))
        const blocks = new Map<string, number>()
        const spans = batch.flatMap(({ block }) => {
          const batteries = toBatteries(block, toSpan(found), found.now)
          for (const { id } of batteries) blocks.set(id, block.block)
          return countedSpans(batteries, bounds)
        })
        for (const run of toRuns(batch[0]!.days)) {
          const [from, to] = [bounds[run.first]!, bounds[run.end]!]
          const within = spans.filter(({ end, first }) => first < run.end && end > run.first)
          const isRolled = (span: CountedSpan) => span.battery.settledUntil >= Math.min(span.to, to)
          const rolled = within.filter(isRolled).map((span) => ({
            deviceId: span.battery.id,
            group: blocks.get(span.battery.id)!,
            from: Math.max(span.from, from),
            to: Math.min(span.to, to)
          }))
          for (const some of Arr.chunksOf(rolled, batteriesAtATime(run.end - run.first))) {
            const asked = { spans: some, bounds: bounds.slice(run.first, run.end + 1), quantities: movedEnergies }
            for (const { amount, bucket, covered, group, quantity } of yield* rolledSums.read(asked)) {
              sums.get(group)![run.first + bucket]![quantity].add(amount, covered)
            }
          }
          const open = within.filter((span) => !isRolled(span))
          yield* readOpen(open, run, bounds, (deviceId, day, quantity, amount, covered) =>
            sums.get(blocks.get(deviceId)!)![day]![quantity].add(amount, covered)
          )
        }
        return sums
      })

      const keep = (found: FoundDays, batch: Batch, sums: ReadonlyMap<number, ReadonlyArray<DaySums>>) => {
        const isKeepable = areKeepable(found)
        const days = batch.flatMap(({ block: { block }, days, signatures }) =>
          days
            .filter((day) => isKeepable[day])
            .map((day): KeptDay => {
              const { charged, discharged } = sums.get(block)![day]!
              return {
                block,
                startsAt: found.bounds[day]!,
                endsAt: found.bounds[day + 1]!,
                signature: `${signatures[day]!}`,
                discharged: `${discharged.amount}`,
                dischargedCovered: discharged.covered,
                charged: `${charged.amount}`,
                chargedCovered: charged.covered
              }
            })
        )
        return days.length === 0 ? Effect.void : onPrimary(repository.keep(found.instance.id, days))
      }

      /** `rest` follows each computation, given the time that it took. */
      const sum = Effect.fnUntraced(function* (
        found: FoundDays,
        rest: (took: Duration.Duration) => Effect.Effect<void>
      ) {
        const { blocks, kept, now } = found
        const bounds = quarterBounds(found.bounds)
        const isKeepable = areKeepable(found)
        const known = new Map(kept.map((day) => [toKey(day.block, day.startsAt, day.endsAt), day]))
        const enrolled = makeEnrolledEnergy(bounds)
        const pending: Array<PendingBlock> = []
        for (const block of blocks) {
          const batteries = toBatteries(block, toSpan(found), now)
          enrolled.expect(batteries)
          const signatures = daySignatures(countedSpans(batteries, bounds), bounds, longOverUntil(now))
          const days = signatures.flatMap((signature, day) => {
            if (signature === undefined) return []
            const row = isKeepable[day] ? known.get(toKey(block.block, bounds[day]!, bounds[day + 1]!)) : undefined
            if (row?.signature !== `${signature}`) return [day]
            enrolled.add(day, toSums(row))
            return []
          })
          if (days.length > 0) pending.push({ block, days, signatures })
          yield* Effect.yieldNow
        }
        for (const batch of toBatches(pending)) {
          const [took, sums] = yield* Effect.timed(compute(found, bounds, batch))
          for (const { block, days } of batch) for (const day of days) enrolled.add(day, sums.get(block.block)![day]!)
          yield* keep(found, batch, sums)
          yield* rest(took)
        }
        return enrolled.results()
      })

      /** The local days of which the default report consists. */
      const recentDays = ({ timezone }: ReportedInstance, now: number) =>
        bucketBounds("day", { from: now - (daysReported + 1) * DAY, to: now }, timezone)!.slice(1, -1)

      const keepNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const instance = yield* repository.claimDue(new Date(now), new Date(now + daysLeaseSeconds * 1000))
        if (instance === undefined) return false
        yield* isolation.run(
          [instance],
          ({ id }) => id,
          Effect.fnUntraced(function* () {
            yield* repository.dropOld(instance.id, now - daysKept * DAY)
            const bounds = recentDays(instance, now)
            const found = Effect.all({
              enrolled: reports.enrolled(instance, bounds, now),
              kept: find(instance, bounds)
            })
            const { enrolled, kept } = yield* inSnapshot(found)
            yield* sum({ instance, bounds, now, blocks: enrolled.blocks, kept }, Effect.sleep)
            yield* repository.setDue(
              instance.id,
              new Date((yield* Clock.currentTimeMillis) + daysDuePauseSeconds * 1000)
            )
            return 1
          })
        )
        return true
      })

      const keepDue = Effect.gen(function* () {
        yield* repository.begin(new Date(yield* Clock.currentTimeMillis))
        yield* Effect.repeat(keepNext, { while: (more) => more })
      })

      const limitWaits = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        repository.limitWaits(new Date(now), Math.max(daysDuePauseSeconds, daysLeaseSeconds) * 1000)
      )

      return {
        find,
        limitWaits,
        sum: Effect.fn("ProgramDays.sum")((found) => sum(found, () => Effect.void)),
        keepDue: Effect.withSpan(Effect.provideService(keepDue, SqlClient.SqlClient, sql), "ProgramDays.keepDue")
      }
    })
  )
}
