import { Clock, Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ConnectionsRepository } from "../ConnectionsRepository.ts"

/** The connect sessions that sessions of the dashboard created. */
export class SessionsOfMakers extends Context.Service<
  SessionsOfMakers,
  {
    /** Ends those of these browsers that are open. Joins the caller's transaction; returns how many there were. */
    readonly end: (makerIds: ReadonlyArray<string>) => Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/SessionsOfMakers") {
  static readonly layer = Layer.effect(
    SessionsOfMakers,
    Effect.map(ConnectionsRepository, (repository) => ({
      end: Effect.fn("SessionsOfMakers.end")((makerIds) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => repository.endMade(makerIds, new Date(now)))
      )
    }))
  )
}
