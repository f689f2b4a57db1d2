import { Context, Effect } from "effect"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

/** The right of one run of a request to respond to it: a row of `idempotent_answers` that names this run. */
export interface Claim {
  readonly scope: Uint8Array
  readonly claim: string
}

/** A stored response, for repetitions of its request. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** An open transaction with the changes of a request, waiting for its response. */
export interface OpenTransaction {
  /** Stores the response and commits it with the changes. */
  readonly commit: (response: StoredResponse) => Effect.Effect<void, DatabaseUnavailable>
  /** Rolls back the changes. */
  readonly rollback: Effect.Effect<void>
}

/**
 * The transaction of a request whose changes and response commit together. It begins with the request's first transaction and stays
 * open until there is a response. Further transactions are savepoints of it.
 */
export interface RequestTransaction {
  readonly claim: Claim
  readonly isOpen: () => boolean
  /** Runs the effect as a savepoint; the first one opens the transaction. */
  readonly enter: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseUnavailable, R>
  /** Runs a statement in the open transaction. */
  readonly join: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Joins a transaction that commits the changes of many requests. They all wait for this request now, so it must run no further
   * statements.
   */
  readonly adopt: (open: OpenTransaction) => void
}

/** The transaction of the current request, if its response commits with its changes. */
export const CurrentRequestTransaction = Context.Reference<RequestTransaction | undefined>(
  "@edp/server/CurrentRequestTransaction",
  { defaultValue: () => undefined }
)

/**
 * Commits the changes of the effect without the response of the request. For calls to other services, which cannot be rolled back and
 * must not run inside a transaction.
 */
export const outsideRequest = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRequestTransaction, (request) =>
    request?.isOpen() === true
      ? Effect.die(new Error("The transaction of the request is already open"))
      : Effect.provideService(effect, CurrentRequestTransaction, undefined)
  )
