import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { RaisedAlerts } from "./RaisedAlerts.ts"
import { PLATFORM, type Verdict, type Watched, judge, silenceAlert, silenceOver } from "./silence.ts"
import { silenceLimits } from "./silenceLimits.ts"
import { SILENCE, SilenceRepository } from "./SilenceRepository.ts"

type Judged = Watched & { readonly verdict: Verdict }

const has =
  <Kind extends Verdict["kind"]>(kind: Kind) =>
  (judged: Judged): judged is Watched & { readonly verdict: Extract<Verdict, { readonly kind: Kind }> } =>
    judged.verdict.kind === kind

/**
 * Raises one alert for each device that stops reporting, and resolves it when the device reports again or is removed. Its
 * state is in the database, and rows are locked during a check: instances share the work, and a restart continues it.
 */
export class SilenceWatch extends Context.Service<
  SilenceWatch,
  {
    /** Checks all devices that are due, a batch per transaction, and returns their number. */
    readonly sweep: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until a device is due. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Lets no device wait for longer than the longest pause between checks, counted from now. */
    readonly limitWaits: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/SilenceWatch") {
  static readonly layer = Layer.effect(
    SilenceWatch,
    Effect.gen(function* () {
      const repository = yield* SilenceRepository
      const alerts = yield* RaisedAlerts
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(SILENCE)

      /** Those that have not changed since they were judged; the others are checked again a little later. */
      const confirmed = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>, now: Date) {
        const final = judged.filter(({ verdict, readingId }) => {
          return verdict.kind === "fell" || (verdict.kind === "left" && readingId !== null)
        })
        if (final.length === 0) return judged
        const quiet = yield* repository.silence(final)
        const disturbed = new Set(final.flatMap(({ deviceId }) => (quiet.has(deviceId) ? [] : [deviceId])))
        if (disturbed.size === 0) return judged
        yield* repository.postpone([...disturbed], new Date(now.getTime() + silenceLimits.whileWrittenMs))
        return judged.filter(({ deviceId }) => !disturbed.has(deviceId))
      })

      const updateAlerts = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>) {
        yield* alerts.raise(
          judged
            .filter(has("fell"))
            .map(({ deviceId, workspaceId, at, window }) =>
              silenceAlert({ deviceId, workspaceId: workspaceId!, at: at!, window })
            )
        )
        const over = judged.filter(({ phase, verdict }) => {
          return verdict.kind === "recovered" || (verdict.kind === "left" && phase !== "online")
        })
        yield* alerts.settle(
          over.map(({ deviceId }) => silenceOver(deviceId)),
          PLATFORM
        )
      })

      const remember = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>) {
        const watches = judged.flatMap(({ deviceId, verdict }) =>
          verdict.kind === "left" ? [] : [{ deviceId, ...verdict.watch }]
        )
        if (watches.length > 0) yield* repository.store(watches)
        const left = judged.filter(has("left"))
        if (left.length > 0) yield* repository.forget(left.map(({ deviceId }) => deviceId))
      })

      const check = Effect.fn("SilenceWatch.batch")(function* (deviceIds: ReadonlyArray<string>) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const due = yield* repository.claim(deviceIds, now)
        if (due.length === 0) return 0
        const judged = yield* confirmed(
          due.map((watched) => ({ ...watched, verdict: judge(watched, now) })),
          now
        )
        yield* updateAlerts(judged)
        yield* remember(judged)
        return due.length
      }, transactionsOn(sql))

      const sweep = Effect.gen(function* () {
        let all = 0
        for (let checked = repository.batchSize; checked > 0; all += checked) {
          const due = yield* repository.due(new Date(yield* Clock.currentTimeMillis), repository.batchSize)
          checked = yield* isolation.run(due, (id) => id, check)
        }
        return all
      })
      const limitWaits = Effect.gen(function* () {
        yield* repository.limitWaits(new Date(yield* Clock.currentTimeMillis), silenceLimits.longestWaitSeconds * 1000)
      }).pipe(Effect.withSpan("SilenceWatch.limitWaits"))
      return { sweep, nextDue: repository.nextDue, limitWaits }
    })
  )
}
