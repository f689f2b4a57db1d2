import { Clock, Context, Effect, Layer, Metric, Random } from "effect"
import { SqlClient } from "effect/sql"
import { CommandIssuer } from "../commands/issuing/CommandIssuer.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DISPATCH_RESULTS, DISPATCHED_DEVICES, DISPATCHES, dispatchLimits } from "./dispatchLimits.ts"
import { DispatchDevices } from "./devices/DispatchDevices.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { DispatchDevicesRepository } from "./devices/DispatchDevicesRepository.ts"
import { DispatchesRepository, DispatchSitesRepository, type BegunSite } from "./DispatchesRepository.ts"
import { OptOuts } from "./OptOuts.ts"
import type { DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import { type EnrolledSite, EnrolledSites } from "../enrollments/enrolled-sites/EnrolledSites.ts"
import { type DispatchRow, siteReasons } from "./dispatchRow.ts"

/** The share of the participants that is held out unless the baseline's parameters say otherwise. */
const SHARE = 0.1

const MISSED = "The platform was not running while the dispatch could have begun"

/** How many of the participants are held out: at least one, if there are two. */
export const heldOutCount = ({ baseline: { method, parameters } }: Pick<DispatchRow, "baseline">, total: number) =>
  method !== "hold-out" || total < 2 ? 0 : Math.max(1, Math.round(total * (parameters.share ?? SHARE)))

/** Begins and ends dispatches. */
export class DispatchLifecycle extends Context.Service<
  DispatchLifecycle,
  {
    /** For a transaction that holds the dispatch: records the sites that are enrolled at its start. */
    readonly announce: (dispatch: DispatchRow, now: Date) => Effect.Effect<void, DatabaseUnavailable>
    /** For a transaction that holds the dispatch: ends it at all sites. The runner gives the devices their settings back. */
    readonly end: (
      dispatch: DispatchRow,
      status: Extract<DispatchStatus, "completed" | "cancelled">,
      reason: string | null,
      now: Date
    ) => Effect.Effect<DispatchRow, DatabaseUnavailable>
    /** Begins or ends a dispatch that is due, or checks whether its devices have their settings back. */
    readonly advance: (id: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/DispatchLifecycle") {
  static readonly layer = Layer.effect(
    DispatchLifecycle,
    Effect.gen(function* () {
      const repository = yield* DispatchesRepository
      const sites = yield* DispatchSitesRepository
      const devices = yield* DispatchDevicesRepository
      const enrolled = yield* EnrolledSites
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const announce = Effect.fnUntraced(function* (dispatch: DispatchRow, now: Date) {
        const { id, programInstanceId, startsAt, workspaceId } = dispatch
        const at = startsAt > now ? startsAt : now
        yield* sites.announce(id, yield* enrolled.at(workspaceId, programInstanceId, at), now)
      })

      const end = Effect.fnUntraced(function* (
        dispatch: DispatchRow,
        status: "completed" | "cancelled",
        reason: string | null,
        now: Date
      ) {
        const { id } = dispatch
        const deviceIds = yield* devices.holdFrom(id)
        yield* devices.expedite(id, deviceIds, now)
        yield* sites.end(id, status === "cancelled", siteReasons.missed, now)
        const ended = { ...dispatch, status, reason, dueAt: deviceIds.length > 0 ? now : null, updatedAt: now }
        yield* repository.save(ended)
        return ended
      })

      /** Each site of those that take part, with its random delay; some are held out. */
      const drawSites = Effect.fnUntraced(function* (
        dispatch: DispatchRow,
        siteIds: ReadonlyArray<string>,
        withDevices: ReadonlySet<string>
      ) {
        const shuffled = yield* Random.shuffle(siteIds)
        const heldOut = new Set([...shuffled].slice(0, heldOutCount(dispatch, siteIds.length)))
        const longest = dispatch.randomizeStartSeconds * 1000
        return yield* Effect.forEach(siteIds, (siteId) =>
          Effect.map(Random.next, (drawn): BegunSite => {
            const isHeldOut = heldOut.has(siteId)
            const hasDevices = withDevices.has(siteId)
            return {
              siteId,
              startsAt: new Date(dispatch.startsAt.getTime() + Math.floor((drawn * longest) / 1000) * 1000),
              heldOut: isHeldOut,
              state: isHeldOut || hasDevices ? "notified" : "failed",
              reasons: isHeldOut ? [siteReasons.heldOut] : hasDevices ? [] : [siteReasons.noDevice]
            }
          })
        )
      })

      /** Finds out anew who takes part, and with what. */
      const begin = Effect.fnUntraced(function* (dispatch: DispatchRow, now: Date) {
        const { id, intervals, programInstanceId, workspaceId } = dispatch
        const present = new Map<string, EnrolledSite>()
        for (const site of yield* enrolled.at(workspaceId, programInstanceId, now)) present.set(site.siteId, site)
        yield* sites.announce(id, [...present.values()], now)
        const taking = (yield* sites.all(id)).filter(({ state }) => state !== "opted_out").map(({ siteId }) => siteId)
        const types = new Set(intervals.flatMap(({ actions }) => Object.keys(actions)))
        const found = (yield* enrolled.devices(
          workspaceId,
          taking.flatMap((siteId) => present.get(siteId) ?? [])
        )).filter(({ type }) => types.has(type))
        const begun = yield* drawSites(dispatch, taking, new Set(found.map(({ siteId }) => siteId)))
        const heldOut = new Set(begun.filter((site) => site.heldOut).map(({ siteId }) => siteId))
        const taken = found.filter(({ siteId }) => !heldOut.has(siteId))
        if (begun.length > 0) yield* sites.begin(id, begun, now)
        if (taken.length > 0) yield* devices.insert(id, taken, now)
        yield* repository.save({ ...dispatch, status: "running", dueAt: dispatch.endsAt, updatedAt: now })
      })

      /** A dispatch that has ended is done once its devices have their settings back. */
      const follow = Effect.fnUntraced(function* (dispatch: DispatchRow, now: Date) {
        const isLive = yield* devices.hasLive(dispatch.id)
        yield* repository.save({
          ...dispatch,
          dueAt: isLive ? new Date(now.getTime() + dispatchLimits.settlingPauseSeconds * 1000) : null
        })
      })

      const advance = Effect.fnUntraced(function* (id: string) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const [dispatch] = yield* repository.claim(id, now)
        if (dispatch === undefined) return
        const { endsAt, status } = dispatch
        const hasPassed = endsAt <= now
        if (status === "scheduled") {
          yield* hasPassed ? end(dispatch, "completed", MISSED, now) : begin(dispatch, now)
        } else if (status === "running") {
          yield* hasPassed ? end(dispatch, "completed", null, now) : repository.save({ ...dispatch, dueAt: endsAt })
        } else yield* follow(dispatch, now)
      }, transaction)

      return {
        announce: Effect.fn("DispatchLifecycle.announce")(announce),
        end: Effect.fn("DispatchLifecycle.end")(end),
        advance: Effect.fn("DispatchLifecycle.advance")(advance)
      }
    })
  )
}

const { devicesPerTransaction } = dispatchLimits

const total = Metric.counter("edp_dispatch_commands_total", {
  description: "Commands of dispatches, by result: issued, or skipped because the device could not take the command",
  incremental: true
})
const issuedTotal = Metric.withAttributes(total, { result: "issued" })
const skippedTotal = Metric.withAttributes(total, { result: "skipped" })

/** Runs dispatches: everything that is due by their intervals, and what their devices have answered. */
export class DispatchRunner extends Context.Service<
  DispatchRunner,
  {
    /**
     * Begins and ends dispatches, and brings devices to what holds now. Each device's commands and the note about them are one transaction, so
     * that a command is issued once, whatever happens. Returns the number of devices that were looked at.
     */
    readonly runDue: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until something of a dispatch is due; 0 or less while one runs, because its participants may leave. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Notes the results of commands, and derives the states of the sites from them. */
    readonly recordOutcomes: Effect.Effect<void, DatabaseUnavailable>
    /** 0 while a dispatch runs, whose commands may have results, else Infinity. */
    readonly nextOutcome: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/DispatchRunner") {
  static readonly layer = Layer.effect(
    DispatchRunner,
    Effect.gen(function* () {
      const repository = yield* DispatchesRepository
      const lifecycle = yield* DispatchLifecycle
      const sites = yield* DispatchSitesRepository
      const optOuts = yield* OptOuts
      const stored = yield* DispatchDevicesRepository
      const devices = yield* DispatchDevices
      const issuer = yield* CommandIssuer
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const dispatchIsolation = yield* makeIsolation(DISPATCHES)
      const deviceIsolation = yield* makeIsolation(DISPATCHED_DEVICES)
      const resultIsolation = yield* makeIsolation(DISPATCH_RESULTS)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const advanceDue = Effect.gen(function* () {
        for (const id of yield* repository.due(yield* now, dispatchLimits.dispatches)) {
          yield* dispatchIsolation.runIds([id], () => Effect.as(lifecycle.advance(id), 1))
        }
      })

      const runSome = Effect.fn("DispatchRunner.run")(function* (deviceIds: ReadonlyArray<string>) {
        const { issued, skipped } = yield* transaction(devices.reconcile(deviceIds))
        yield* issuer.wake
        yield* Metric.update(issuedTotal, issued)
        yield* Metric.update(skippedTotal, skipped)
        return deviceIds.length
      })

      const noteSome = Effect.fnUntraced(function* (deviceIds: ReadonlyArray<string>) {
        const noted = yield* stored.recordOutcomes(deviceIds)
        yield* sites.settle(noted, yield* now)
        return noted.length
      }, transaction)

      const recordNext = Effect.gen(function* () {
        const deviceIds = yield* stored.answered(devicesPerTransaction)
        const noted = yield* resultIsolation.runIds(deviceIds, noteSome)
        return deviceIds.length === devicesPerTransaction && noted > 0
      })

      return {
        nextDue: repository.nextDue,
        nextOutcome: repository.whileRunning,
        runDue: Effect.gen(function* () {
          yield* advanceDue
          yield* optOuts.leaveUnenrolled
          let all = 0
          for (let found: number = devicesPerTransaction; found > 0;) {
            const deviceIds = yield* stored.due(yield* now, devicesPerTransaction)
            found = yield* deviceIsolation.runIds(deviceIds, runSome)
            all += found
          }
          return all
        }),
        recordOutcomes: Effect.asVoid(Effect.repeat(recordNext, { while: (more) => more }))
      }
    })
  )
}
