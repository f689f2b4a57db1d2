import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { Cause, Clock, Context, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { CommandIssuer } from "../commands/CommandIssuer.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DispatchCourse } from "./DispatchCourse.ts"
import { DispatchDevices } from "./DispatchDevices.ts"
import { DispatchDevicesRepository } from "./DispatchDevicesRepository.ts"
import { DispatchesRepository } from "./DispatchesRepository.ts"
import { DispatchSitesRepository } from "./DispatchSitesRepository.ts"
import { siteReasons } from "./participantReasons.ts"

/** Dispatches that are looked at in a run, and devices whose commands one transaction issues. */
const MOST = 100
const MOST_DEVICES = 1000

const total = Metric.counter("edp_dispatch_commands_total", {
  description: "Commands of dispatches, by result: issued, or skipped because the device could not take the command",
  incremental: true
})
const issuedTotal = Metric.withAttributes(total, { result: "issued" })
const skippedTotal = Metric.withAttributes(total, { result: "skipped" })

const isUnavailable = (cause: Cause.Cause<unknown>) => Cause.squash(cause) instanceof ServiceUnavailable

/** Runs dispatches: everything that is due by their intervals, and what their devices have answered. */
export class DispatchRunner extends Context.Service<
  DispatchRunner,
  {
    /**
     * Begins and ends dispatches, and brings devices to what holds now. Each device's commands and the note about them are one transaction, so
     * that a command is issued once, whatever happens. Returns the number of devices that were looked at.
     */
    readonly runDue: Effect.Effect<number>
    /** Notes the results of commands, and derives the states of the sites from them. */
    readonly noteOutcomes: Effect.Effect<void>
  }
>()("@edp/server/DispatchRunner") {
  static readonly layer = Layer.effect(
    DispatchRunner,
    Effect.gen(function* () {
      const repository = yield* DispatchesRepository
      const course = yield* DispatchCourse
      const sites = yield* DispatchSitesRepository
      const stored = yield* DispatchDevicesRepository
      const devices = yield* DispatchDevices
      const issuer = yield* CommandIssuer
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      /** Logs a failure that concerns one dispatch; the others go on. */
      const alone = (id: string) => (cause: Cause.Cause<never>) =>
        isUnavailable(cause) || Cause.hasInterrupts(cause)
          ? Effect.failCause(cause)
          : Effect.logWarning(`The dispatch ${id} could not be run; it is tried again`, cause)

      const advanceDue = Effect.gen(function* () {
        for (const id of yield* repository.due(yield* now, MOST)) {
          yield* Effect.catchCause(course.advance(id), alone(id))
        }
      })

      /** Lets sites go whose enrollments have ended while the dispatch runs. */
      const leave = Effect.fnUntraced(function* (dispatchId: string, siteIds: ReadonlyArray<string>) {
        const at = yield* now
        const deviceIds = yield* stored.holdFrom(dispatchId, siteIds)
        const keys = siteIds.map((siteId) => ({ dispatchId, siteId }))
        yield* sites.optOut(keys, siteReasons.notEnrolled, at)
        yield* stored.hasten(dispatchId, deviceIds, at)
      }, transaction)

      const leaveUnenrolled = Effect.gen(function* () {
        const left = Map.groupBy(yield* sites.unenrolled, ({ dispatchId }) => dispatchId)
        for (const [id, keys] of left) {
          yield* Effect.catchCause(
            leave(
              id,
              keys.map(({ siteId }) => siteId)
            ),
            alone(id)
          )
        }
      })

      const runSome = Effect.fn("DispatchRunner.run")(function* (deviceIds: ReadonlyArray<string>) {
        const { issued, skipped } = yield* transaction(devices.reconcile(deviceIds))
        yield* issuer.wake
        yield* Metric.update(issuedTotal, issued)
        yield* Metric.update(skippedTotal, skipped)
        return deviceIds.length
      })

      /** A batch that fails is halved, so that a device that can't be run holds up no other. */
      const run = (deviceIds: ReadonlyArray<string>): Effect.Effect<number> =>
        Effect.catchCause(runSome(deviceIds), (cause) => {
          if (isUnavailable(cause) || Cause.hasInterrupts(cause)) return Effect.failCause(cause)
          const half = Math.ceil(deviceIds.length / 2)
          return deviceIds.length > 1
            ? Effect.zipWith(run(deviceIds.slice(0, half)), run(deviceIds.slice(half)), (one, other) => one + other)
            : Effect.as(
                Effect.logWarning(
                  `The device ${deviceIds[0]} of dispatches could not be run; it is tried again`,
                  cause
                ),
                0
              )
        })

      const noteSome = Effect.gen(function* () {
        const noted = yield* stored.noteOutcomes(MOST_DEVICES)
        yield* sites.settle(noted, yield* now)
        return noted.length
      }).pipe(transaction)

      return {
        runDue: Effect.gen(function* () {
          yield* advanceDue
          yield* leaveUnenrolled
          let all = 0
          for (let found = MOST_DEVICES; found > 0;) {
            const deviceIds = yield* stored.due(yield* now, MOST_DEVICES)
            found = deviceIds.length === 0 ? 0 : yield* run(deviceIds)
            all += found
          }
          return all
        }),
        noteOutcomes: Effect.asVoid(Effect.repeat(noteSome, { while: (found) => found === MOST_DEVICES }))
      }
    })
  )
}
