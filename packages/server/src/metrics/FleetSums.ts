import { randomUUID } from "node:crypto"
import type { ValidationError } from "@edp/domain/errors/ApiErrors"
import { metricNames } from "@edp/domain/metrics/Metric"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { bucketBounds } from "../energy/bucketBounds.ts"
import { siteTypes } from "../energy/formulas.ts"
import { QUARTER } from "../energy/intervals.ts"
import { measuredTypes } from "../energy/quantities.ts"
import { groupBySite } from "../energy/siteSeries.ts"
import type { Totals } from "../energy/totals.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { inSnapshot } from "../platform/sql/transaction.ts"
import { FleetRecent, type RecentSums } from "./FleetRecent.ts"
import { type Block, type BlockDevice, type BlockSum, type Fleet, FleetRepository, SUMS } from "./FleetRepository.ts"
import { requireComputable } from "./metricRequest.ts"
import { longOverUntil } from "./rollState.ts"
import { rollupLimits } from "./rollupLimits.ts"
import { type FleetMetric, Sum, batches, fleetMetricTypes } from "./blockSums.ts"
import { type AdderFor, SiteEnergy, withFormulas } from "./SiteEnergy.ts"
import { DAY } from "./storedDays.ts"

/** Which workspaces have kept sums, and how these are divided. */
interface Limits {
  /** The least number of devices of a fleet. */
  readonly devices: number
  /** The number of devices of a block, about. When one of them changes, the block is summed again. */
  readonly devicesOfBlock: number
  /** Back from now. */
  readonly days: number
}

export const FleetLimits = Context.Reference<Limits>("@edp/server/FleetLimits", {
  defaultValue: () => ({ devices: 2000, devicesOfBlock: 100, days: 400 })
})

/** The metrics of which days are kept. */
const daily = metricNames.map((metric): FleetMetric => ({ metric }))

export interface FleetQuestion extends FleetMetric {
  readonly fleet: Fleet
  readonly bounds: ReadonlyArray<number>
  readonly now: number
  /** Sums of recent energy to use; `now` is then the time that they hold for. */
  readonly recent: RecentSums | undefined
}

const byKey = <A>(values: ReadonlyArray<A>, key: (value: A) => string): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from(Map.groupBy(values, key).values())

/** There is nothing before the first reading of a block, except that its energy lies in the moment before it. */
const firstEnergyAt = ({ firstAt }: Block) => (firstAt ?? Number.POSITIVE_INFINITY) - QUARTER

/** Runs of neighbouring intervals, ascending. */
const runs = (intervals: ReadonlyArray<number>): ReadonlyArray<{ readonly first: number; readonly last: number }> => {
  const found: Array<{ first: number; last: number }> = []
  for (const interval of intervals) {
    const run = found.at(-1)
    if (run?.last === interval - 1) run.last = interval
    else found.push({ first: interval, last: interval })
  }
  return found
}

const range = (first: number, end: number) => Array.from({ length: Math.max(0, end - first) }, (_, n) => first + n)

/** The intervals that may have kept sums: they begin and end at a quarter of an hour, and are long over. */
const keepable = (bounds: ReadonlyArray<number>, now: number) =>
  range(0, bounds.length - 1).filter(
    (interval) =>
      bounds[interval]! % QUARTER === 0 &&
      bounds[interval + 1]! % QUARTER === 0 &&
      bounds[interval + 1]! <= longOverUntil(now)
  )

/** Offsets the intervals of a run. */
const shifted =
  (adderFor: AdderFor, first: number): AdderFor =>
  (site) => {
    const add = adderFor(site)
    return (interval, amount, covered) => add(first + interval, amount, covered)
  }

const powerOfTwo = (least: number) => 2 ** Math.ceil(Math.log2(Math.max(1, least)))

/**
 * The energies of large workspaces. Sums of blocks of sites are kept for days that are long over. Whatever they do not cover,
 * because it has changed since or is not rolled up, is computed from the devices.
 */
export class FleetSums extends Context.Service<
  FleetSums,
  {
    readonly find: (workspaceId: string) => Effect.Effect<Fleet | undefined, DatabaseUnavailable>
    /** Adds the energies of all sites of a fleet to a series. */
    readonly addTo: (
      totals: Totals,
      question: FleetQuestion
    ) => Effect.Effect<void, ValidationError | DatabaseUnavailable>
    /** Brings the kept sums of all fleets up to date. */
    readonly build: Effect.Effect<void, DatabaseUnavailable>
    /** Brings the sums of the recent energy of all fleets up to date that have at least this age, milliseconds. */
    readonly sumRecent: (leastAge: number) => Effect.Effect<void, DatabaseUnavailable>
    /** Ends the claims of a process that is gone. */
    readonly endLeases: (holder: string) => Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/FleetSums") {
  static readonly layer = Layer.effect(
    FleetSums,
    Effect.gen(function* () {
      const repository = yield* FleetRepository
      const energy = yield* SiteEnergy
      const sql = yield* SqlClient.SqlClient
      const recentSums = yield* FleetRecent
      const isolation = yield* makeIsolation(SUMS)
      const holder = yield* LeaseHolder

      /** The blocks and days that this instance has summed, and the signatures of the blocks. Unchanged blocks are not looked up. */
      const finished = new Map<
        string,
        { readonly division: string; readonly signatures: ReadonlyMap<number, string> }
      >()

      /** The kept sums of the intervals, and the blocks in each of them. */
      const readKept = Effect.fnUntraced(function* (
        question: FleetQuestion,
        blocks: ReadonlyArray<Block>,
        kept: ReadonlyArray<number>
      ) {
        const { bounds, fleet, metric } = question
        const sums = kept.map(() => new Sum())
        const summed: Array<ReadonlySet<number>> = kept.map(() => new Set())
        if (kept.length === 0 || blocks.length === 0) return { sums, summed }
        const all = new Set(blocks.map(({ block }) => block))
        const within = bounds.slice(kept[0]!, kept.at(-1)! + 2)
        for (const { amount, amounts, blocks: some, covered, covers, interval } of yield* repository.sums(
          fleet,
          metric,
          blocks,
          within
        )) {
          Object.assign(sums[interval]!, { amount: BigInt(amount), amounts, covered, covers })
          summed[interval] = some === null ? all : new Set(some)
        }
        return { sums, summed }
      })

      /** Replaces the terms of sites with unrolled readings: subtracts what their rollups contribute, and adds their exact series. */
      const correct = Effect.fnUntraced(function* (
        { bounds, fleet, metric, now }: FleetQuestion,
        blocks: ReadonlyArray<Block>,
        kept: ReadonlyArray<number>,
        { sums, summed }: { readonly sums: ReadonlyArray<Sum>; readonly summed: ReadonlyArray<ReadonlySet<number>> }
      ) {
        const unsettled = blocks
          .filter(({ block }) => summed.some((some) => some.has(block)))
          .flatMap((each) => each.unsettled)
        const within = bounds.slice(kept[0], kept.at(-1)! + 2)
        for (let first = 0; first < unsettled.length; first += rollupLimits.fleetDevices) {
          const some = unsettled.slice(first, first + rollupLimits.fleetDevices)
          const devices = yield* repository.devicesOfSites(fleet, siteTypes(metric), some, now)
          const sites = withFormulas(metric, groupBySite(devices))
          const adderFor =
            (sign: 1 | -1): AdderFor =>
            (site) => {
              const { block } = site.devices[0] as BlockDevice
              return (interval, amount, covered) => {
                if (summed[interval]!.has(block)) sums[interval]!.add(amount, covered, sign)
              }
            }
          yield* energy.compute(sites, within, adderFor(-1), true)
          yield* energy.compute(sites, within, adderFor(1))
        }
      })

      const expect = (totals: Totals, blocks: ReadonlyArray<Block>, bounds: ReadonlyArray<number>, now: number) => {
        const span = { from: bounds[0]!, to: Math.min(bounds.at(-1)!, now) }
        for (const { partial, sites, whole } of blocks) {
          totals.expect([span], whole)
          totals.expect([], sites - whole - partial.length)
          for (const spans of partial) totals.expect(spans.map(([from, to]) => ({ from, to })))
        }
      }

      const addTo = Effect.fnUntraced(function* (totals: Totals, question: FleetQuestion) {
        const { bounds, fleet, metric, now, recent } = question
        const types = fleetMetricTypes(question)
        const toBucket = (interval: number) => ({ from: bounds[interval]!, to: bounds[interval + 1]! })
        const inRecent = new Set(
          recent === undefined
            ? []
            : range(0, bounds.length - 1).filter((interval) => recentSums.holds(recent, question, toBucket(interval)))
        )
        const older = question.deviceType === undefined ? keepable(bounds, now) : []
        // Neighbours: those that recent sums hold, too, are left out at the ends, and not added in between.
        const candidates = older.slice(
          older.findIndex((interval) => !inRecent.has(interval)),
          older.findLastIndex((interval) => !inRecent.has(interval)) + 1
        )
        const span = { from: bounds[0]!, to: bounds.at(-1)! }
        const keptSpan =
          candidates.length === 0
            ? { from: now + DAY, to: now + DAY }
            : { from: bounds[candidates[0]!]!, to: bounds[candidates.at(-1)! + 1]! }
        const snapshot = Effect.gen(function* () {
          const all = yield* repository.blocks({ fleet, types, span, kept: keptSpan, now })
          const blocks = all.filter(({ devices }) => devices > 0)
          const firstAt = Math.min(...blocks.map(firstEnergyAt))
          const kept = candidates.filter((interval) => bounds[interval + 1]! > firstAt)
          const read = yield* readKept(question, blocks, kept)
          if (kept.length > 0) yield* correct(question, blocks, kept, read)
          const recentOnes =
            recent === undefined || inRecent.size === 0
              ? []
              : yield* recentSums.read(fleet, recent, question, Array.from(inRecent, toBucket))
          return { ...read, blocks, kept, recentOnes }
        })
        const { blocks, kept, recentOnes, summed, sums } = yield* inSnapshot(snapshot)
        expect(totals, blocks, bounds, now)
        for (const [n, interval] of kept.entries()) {
          if (inRecent.has(interval)) continue
          const { amount, amounts, covered, covers } = sums[n]!
          totals.add(interval, amounts > 0 ? amount : null, covers > 0 ? covered : 0)
        }
        for (const [n, interval] of [...inRecent].entries()) {
          totals.add(interval, recentOnes[n]!.amount, recentOnes[n]!.covered)
        }
        const summedIn = new Map(kept.map((interval, n) => [interval, summed[n]!]))
        const left = blocks
          .map((block) => ({
            block,
            intervals: range(0, bounds.length - 1).filter(
              (each) =>
                bounds[each + 1]! > firstEnergyAt(block) &&
                !inRecent.has(each) &&
                summedIn.get(each)?.has(block.block) !== true
            )
          }))
          .filter(({ intervals }) => intervals.length > 0)
        yield* requireComputable(
          "none",
          left.reduce(
            (sum, { block, intervals }) =>
              sum + block.devices * intervals.reduce((time, each) => time + bounds[each + 1]! - bounds[each]!, 0),
            0
          )
        )
        const adderFor: AdderFor = () => totals.add
        for (const group of byKey(left, ({ intervals }) => intervals.join())) {
          for (const some of batches(group.map(({ block }) => block))) {
            const devices = yield* repository.devicesOfBlocks(
              fleet,
              types,
              some.map(({ block }) => block),
              now
            )
            const sites = withFormulas(metric, groupBySite(devices))
            for (const { first, last } of runs(group[0]!.intervals)) {
              yield* energy.compute(sites, bounds.slice(first, last + 2), shifted(adderFor, first))
            }
          }
        }
      })

      const sumDays = Effect.fnUntraced(function* (devices: ReadonlyArray<BlockDevice>, bounds: ReadonlyArray<number>) {
        const sums = yield* energy.sum(devices, bounds, daily, true)
        return Array.from(sums, ([{ metric }, own]) =>
          own.map(({ amount, amounts, covered, covers }, interval): BlockSum => ({
            metric,
            from: bounds[interval]!,
            to: bounds[interval + 1]!,
            amount,
            amounts,
            covered,
            covers
          }))
        ).flat()
      })

      /** The present blocks. They are read before the sums: a change in between makes the signature of the sums invalid. */
      const blocksNow = (fleet: Fleet, now: number, among?: ReadonlyArray<number>) => {
        const none = { from: now + DAY, to: now + DAY }
        return repository.blocks({
          fleet,
          types: measuredTypes,
          span: none,
          kept: none,
          now,
          ...(among === undefined ? {} : { among })
        })
      }

      /** Sums what is missing in some days. Rests as long as it works, so that requests are not slowed down for long. */
      const buildWindow = Effect.fnUntraced(function* (
        fleet: Fleet,
        claim: string,
        all: ReadonlyArray<Block>,
        bounds: ReadonlyArray<number>,
        now: number
      ) {
        const blocks = all.filter((block) => block.devices > 0 && firstEnergyAt(block) < bounds.at(-1)!)
        const complete = new Map(
          (yield* repository.complete(fleet, blocks, bounds)).map(({ block, buckets }) => [block, buckets])
        )
        const left = blocks.filter(({ block }) => (complete.get(block) ?? 0) < bounds.length - 1)
        for (const some of batches(left)) {
          const wanted = some.map(({ block }) => block)
          const [took, isHeld] = yield* Effect.timed(
            Effect.gen(function* () {
              const current = yield* blocksNow(fleet, now, wanted)
              const devices = yield* repository.devicesOfBlocks(fleet, measuredTypes, wanted, now)
              const byBlock = Map.groupBy(devices, ({ block }) => block)
              for (const block of current) {
                const own = byBlock.get(block.block)
                if (own !== undefined) yield* repository.save(fleet, block, yield* sumDays(own, bounds))
              }
              return yield* repository.renew(fleet.workspaceId, claim)
            })
          )
          if (!isHeld) return false
          yield* Effect.sleep(took)
        }
        return true
      })

      /** Ends when the claim is lost: another instance sums the fleet. */
      const buildFleet = Effect.fnUntraced(function* (fleet: Fleet, claim: string, days: number) {
        const now = yield* Clock.currentTimeMillis
        const blocks = yield* blocksNow(fleet, now)
        const firstAt = Math.min(...blocks.map(firstEnergyAt))
        if (firstAt > now) return
        const from = Math.max(firstAt, now - days * DAY) - 2 * DAY
        const bounds = (bucketBounds("day", { from, to: longOverUntil(now) }, fleet.timezone) ?? []).slice(1, -1)
        const division = `${fleet.blocks} ${bounds.join()}`
        const known = finished.get(fleet.workspaceId)
        const signatures = known?.division === division ? known.signatures : new Map()
        const changed = blocks.filter(({ block, signature }) => signatures.get(block) !== signature)
        if (changed.length === 0) return
        yield* repository.dropOld(fleet, now - (days + rollupLimits.fleetDays) * DAY)
        for (let end = bounds.length; end > 1; end -= rollupLimits.fleetDays) {
          const isHeld = yield* buildWindow(
            fleet,
            claim,
            changed,
            bounds.slice(Math.max(0, end - rollupLimits.fleetDays - 1), end),
            now
          )
          if (!isHeld) return
        }
        finished.set(fleet.workspaceId, {
          division,
          signatures: new Map(blocks.map(({ block, signature }) => [block, signature]))
        })
      })

      const buildClaimed = Effect.fnUntraced(function* (
        workspaceId: string,
        devices: number,
        { days, devicesOfBlock }: Limits
      ) {
        const claim = randomUUID()
        const fleet = yield* repository.claim(workspaceId, claim, holder.id, powerOfTwo(devices / devicesOfBlock))
        if (fleet === undefined) return 0
        yield* Effect.onExit(buildFleet(fleet, claim, days), () =>
          Effect.asVoid(repository.release(workspaceId, claim))
        )
        return 1
      })

      /** All workspaces that have had devices, with the numbers of these. */
      const counted = Stream.paginate("", (after: string) =>
        Effect.map(repository.deviceCounts(after, rollupLimits.fleetWorkspaces), (counts) => {
          const next = counts.length < rollupLimits.fleetWorkspaces ? undefined : counts.at(-1)?.workspaceId
          return [counts, Option.fromUndefinedOr(next)] as const
        })
      )

      const build = Effect.gen(function* () {
        const limits = yield* FleetLimits
        yield* Stream.runForEach(
          Stream.filter(counted, ({ devices }) => devices >= limits.devices),
          Effect.fnUntraced(function* ({ devices, workspaceId }) {
            yield* isolation.runIds([workspaceId], () => buildClaimed(workspaceId, devices, limits))
          })
        )
      })

      /** Fleets are found by the sums of long ago: the division into blocks is the same. */
      const sumRecent = Effect.fnUntraced(function* (leastAge: number) {
        for (const fleet of yield* repository.all) {
          yield* isolation.runIds([fleet.workspaceId], () => Effect.as(recentSums.sum(fleet, leastAge), 1))
        }
      })

      return {
        find: repository.find,
        sumRecent: Effect.fn("FleetSums.sumRecent")(sumRecent),
        addTo: Effect.fn("FleetSums.addTo")((totals, question) =>
          Effect.provideService(addTo(totals, question), SqlClient.SqlClient, sql)
        ),
        build: Effect.withSpan(build, "FleetSums.build"),
        endLeases: (holder) => Effect.andThen(repository.endLeases(holder), recentSums.endLeases(holder))
      }
    })
  )
}
