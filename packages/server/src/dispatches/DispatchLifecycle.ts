import type { DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import { Clock, Context, Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { type EnrolledSite, EnrolledSites } from "../enrollments/enrolled-sites/EnrolledSites.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DispatchDevicesRepository } from "./devices/DispatchDevicesRepository.ts"
import { DispatchesRepository } from "./DispatchesRepository.ts"
import { dispatchLimits } from "./dispatchLimits.ts"
import { type BegunSite, DispatchSitesRepository } from "./DispatchSitesRepository.ts"
import type { DispatchRow } from "./dispatchRow.ts"
import { siteReasons } from "./participantReasons.ts"

/** The share of the participants that is held out unless the baseline's parameters say otherwise. */
const SHARE = 0.1

const MISSED = "The platform was not running while the dispatch could have begun"

/** How many of the participants are held out: at least one, if there are two. */
const heldOutCount = ({ baseline: { method, parameters } }: DispatchRow, total: number) =>
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
