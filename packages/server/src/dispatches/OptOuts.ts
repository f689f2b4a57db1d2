import type { CancelDispatch, Participant } from "@edp/domain/dispatches/Dispatch"
import { InvalidState, NotFound, SiteNotFound } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CommandIssuer } from "../commands/issuing/CommandIssuer.ts"
import { batched } from "../platform/batching/batched.ts"
import { inHalves } from "../platform/batching/inHalves.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { CurrentRequestTransaction } from "../platform/sql/RequestTransaction.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DispatchDevices } from "./devices/DispatchDevices.ts"
import { DispatchDevicesRepository } from "./devices/DispatchDevicesRepository.ts"
import { DispatchesRepository, DispatchSitesRepository, type LeavingSite } from "./DispatchesRepository.ts"
import { DISPATCHES, dispatchLimits } from "./dispatchLimits.ts"
import { isEnded, toParticipant, siteReasons } from "./dispatchRow.ts"

/** A request of a site to leave a dispatch. */
export interface OptOut {
  readonly workspaceId: string
  readonly dispatchId: string
  readonly siteId: string
  readonly reason: CancelDispatch["reason"]
}

type Result = Exit.Exit<Participant, NotFound | SiteNotFound | InvalidState | DatabaseUnavailable>

/** Sites that leave a dispatch before its end. */
export class OptOuts extends Context.Service<
  OptOuts,
  {
    /** Concurrent opt-outs of a dispatch are one transaction. The response means that the reverts of the site's devices are requested. */
    readonly optOut: (
      optOut: OptOut
    ) => Effect.Effect<Participant, NotFound | SiteNotFound | InvalidState | DatabaseUnavailable>
    /** Takes sites out whose enrollments have ended while the dispatch runs. */
    readonly leaveUnenrolled: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/OptOuts") {
  static readonly layer = Layer.effect(
    OptOuts,
    Effect.gen(function* () {
      const repository = yield* DispatchesRepository
      const sites = yield* DispatchSitesRepository
      const storedDevices = yield* DispatchDevicesRepository
      const devices = yield* DispatchDevices
      const issuer = yield* CommandIssuer
      const isolation = yield* makeIsolation(DISPATCHES)
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      /** For a transaction: ends the part of sites. Returns their devices, for which the dispatch has nothing more. */
      const leave = Effect.fnUntraced(function* (dispatchId: string, leaving: ReadonlyArray<LeavingSite>) {
        const deviceIds = yield* storedDevices.holdFrom(
          dispatchId,
          leaving.map(({ siteId }) => siteId)
        )
        const left = yield* sites.optOut(dispatchId, leaving, yield* now)
        return left.length === 0 ? [] : deviceIds
      })

      /** The participants of a dispatch among sites, as responses show them. */
      const participants = Effect.fnUntraced(function* (dispatchId: string, siteIds: ReadonlyArray<string>) {
        const rows = yield* sites.list(dispatchId, { siteId: siteIds }, siteIds.length, 0)
        const reasons = Map.groupBy(yield* sites.reasons(dispatchId, siteIds), ({ siteId }) => siteId)
        return new Map(rows.map((row) => [row.siteId, toParticipant(row, reasons.get(row.siteId) ?? [])]))
      })

      /** Opt-outs of one dispatch, in a transaction. */
      const leaveTogether = Effect.fnUntraced(function* (optOuts: ReadonlyArray<OptOut>) {
        const { dispatchId, workspaceId } = optOuts[0]!
        const [dispatch] = yield* repository.holdShared(workspaceId, dispatchId)
        if (dispatch === undefined) return (): Result => Exit.fail(new NotFound({}))
        const { status, voluntary } = dispatch
        const reasons = new Map(optOuts.map(({ reason, siteId }) => [siteId, siteReasons.optedOut(reason)]))
        const siteIds = [...reasons.keys()]
        const refusal = isEnded(status)
          ? `The dispatch is ${status}`
          : voluntary
            ? undefined
            : "Sites can't opt out of the dispatch"
        if (refusal === undefined) {
          const leaving = [...reasons].map(([siteId, reason]) => ({ siteId, reason }))
          yield* devices.reconcile(yield* leave(dispatchId, leaving))
        }
        const after = yield* participants(dispatchId, siteIds)
        return ({ siteId }: OptOut): Result => {
          const participant = after.get(siteId)
          if (participant === undefined) return Exit.fail(new SiteNotFound({}))
          return refusal === undefined || participant.state === "opted_out"
            ? Exit.succeed(participant)
            : Exit.fail(new InvalidState({ message: refusal }))
        }
      })

      const runSome = inHalves((optOuts: ReadonlyArray<OptOut>) => transaction(leaveTogether(optOuts)))

      /** One transaction for each dispatch. */
      const runAll = Effect.fn("OptOuts.run")(function* (optOuts: ReadonlyArray<OptOut>) {
        const keyFor = ({ dispatchId, workspaceId }: OptOut) => `${workspaceId} ${dispatchId}`
        const results = new Map<string, Exit.Exit<(optOut: OptOut) => Result, DatabaseUnavailable>>()
        for (const [key, some] of Map.groupBy(optOuts, keyFor)) results.set(key, yield* Effect.exit(runSome(some)))
        return (optOut: OptOut): Result => {
          const result = results.get(keyFor(optOut))!
          return Exit.isSuccess(result) ? result.value(optOut) : Exit.failCause(result.cause)
        }
      })

      const optOutBatched = yield* batched(runAll, { maxBatch: dispatchLimits.optOutsPerTransaction })

      const leaveUnenrolled = Effect.gen(function* () {
        for (const [id, keys] of Map.groupBy(yield* sites.unenrolled, ({ dispatchId }) => dispatchId)) {
          const leaving = keys.map(({ siteId }) => ({ siteId, reason: siteReasons.notEnrolled }))
          yield* isolation.runIds([id], () =>
            leave(id, leaving).pipe(
              Effect.flatMap((deviceIds) => Effect.flatMap(now, (at) => storedDevices.expedite(id, deviceIds, at))),
              transaction,
              Effect.as(1)
            )
          )
        }
      })

      return {
        optOut: Effect.fn("OptOuts.optOut")(function* (optOut) {
          // A response that is committed with its changes has a transaction of its own.
          const isAlone = (yield* CurrentRequestTransaction) !== undefined
          const participant = yield* isAlone
            ? Effect.flatMap(runAll([optOut]), (result) => result(optOut))
            : optOutBatched(optOut)
          yield* issuer.wake
          return participant
        }),
        leaveUnenrolled
      }
    })
  )
}
