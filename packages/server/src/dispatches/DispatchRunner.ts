import { Clock, Context, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { CommandIssuer } from "../commands/issuing/CommandIssuer.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { DispatchLifecycle } from "./DispatchLifecycle.ts"
import { DISPATCH_RESULTS, DISPATCHED_DEVICES, DISPATCHES, dispatchLimits } from "./dispatchLimits.ts"
import { DispatchDevices } from "./devices/DispatchDevices.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { DispatchDevicesRepository } from "./devices/DispatchDevicesRepository.ts"
import { DispatchesRepository } from "./DispatchesRepository.ts"
import { DispatchSitesRepository } from "./DispatchSitesRepository.ts"
import { OptOuts } from "./OptOuts.ts"

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
          yield* dispatchIsolation.run(
            [id],
            (one) => one,
            () => Effect.as(lifecycle.advance(id), 1)
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

      const noteSome = Effect.fnUntraced(function* (deviceIds: ReadonlyArray<string>) {
        const noted = yield* stored.recordOutcomes(deviceIds)
        yield* sites.settle(noted, yield* now)
        return noted.length
      }, transaction)

      const recordNext = Effect.gen(function* () {
        const deviceIds = yield* stored.answered(devicesPerTransaction)
        const noted = yield* resultIsolation.run(deviceIds, (id) => id, noteSome)
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
            found = yield* deviceIsolation.run(deviceIds, (id) => id, runSome)
            all += found
          }
          return all
        }),
        recordOutcomes: Effect.asVoid(Effect.repeat(recordNext, { while: (more) => more }))
      }
    })
  )
}
