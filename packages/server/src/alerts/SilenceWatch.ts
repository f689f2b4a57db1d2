import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { RaisedAlerts } from "./RaisedAlerts.ts"
import { judge, type Verdict, type Watched } from "./silence.ts"
import { OURSELVES, silenceAlert, silenceOver } from "./silenceAlert.ts"
import { SilenceRepository } from "./SilenceRepository.ts"

/** How long a device is left alone of which a reading was being written while it was looked at, in milliseconds. */
const WHILE_WRITTEN = 1000

type Judged = Watched & { readonly verdict: Verdict }

const has =
  <Kind extends Verdict["kind"]>(kind: Kind) =>
  (judged: Judged): judged is Watched & { readonly verdict: Extract<Verdict, { readonly kind: Kind }> } =>
    judged.verdict.kind === kind

/**
 * Notices devices that fall silent and raises an alert of each, once; resolves it when the device is heard again or leaves.
 * All that it knows is in the database, and a device is held while it is looked at: instances share the work, and a start
 * goes on where a stop left off.
 */
export class SilenceWatch extends Context.Service<
  SilenceWatch,
  {
    /** Looks at devices that are due, a batch a transaction, until none is. Answers how many it has looked at. */
    readonly sweep: Effect.Effect<number>
  }
>()("@edp/server/SilenceWatch") {
  static readonly layer = Layer.effect(
    SilenceWatch,
    Effect.gen(function* () {
      const repository = yield* SilenceRepository
      const alerts = yield* RaisedAlerts
      const sql = yield* SqlClient.SqlClient

      /** Those that are still as they were judged; the others are looked at again a little later. */
      const confirmed = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>, now: Date) {
        const final = judged.filter(({ verdict, readingId }) => {
          return verdict.kind === "fell" || (verdict.kind === "left" && readingId !== null)
        })
        if (final.length === 0) return judged
        const quiet = yield* repository.silence(final)
        const disturbed = new Set(final.flatMap(({ deviceId }) => (quiet.has(deviceId) ? [] : [deviceId])))
        if (disturbed.size === 0) return judged
        yield* repository.postpone([...disturbed], new Date(now.getTime() + WHILE_WRITTEN))
        return judged.filter(({ deviceId }) => !disturbed.has(deviceId))
      })

      const tell = Effect.fnUntraced(function* (judged: ReadonlyArray<Judged>) {
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
          OURSELVES
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

      const batch = Effect.gen(function* () {
        const now = new Date(yield* Clock.currentTimeMillis)
        const due = yield* repository.claim(now, repository.batchSize)
        if (due.length === 0) return 0
        const judged = yield* confirmed(
          due.map((watched) => ({ ...watched, verdict: judge(watched, now) })),
          now
        )
        yield* tell(judged)
        yield* remember(judged)
        return due.length
      }).pipe(transactionsOn(sql), Effect.withSpan("SilenceWatch.batch"))

      const sweep: Effect.Effect<number> = Effect.flatMap(batch, (looked) =>
        looked < repository.batchSize ? Effect.succeed(looked) : Effect.map(sweep, (more) => looked + more)
      )
      return { sweep }
    })
  )
}
