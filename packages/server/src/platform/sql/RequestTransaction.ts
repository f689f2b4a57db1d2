import { Context, Effect } from "effect"

/** By which one run of a request may answer it: a row of `idempotent_answers` that names this run. */
export interface Claim {
  readonly scope: Uint8Array
  readonly claim: string
}

/** An answer as it is kept to be repeated. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** An open transaction with the changes of a request, which waits for the request's answer. */
export interface OpenTransaction {
  /** Stores the answer and commits it together with the changes. */
  readonly commit: (answer: StoredAnswer) => Effect.Effect<void>
  /** Undoes the changes. */
  readonly rollback: Effect.Effect<void>
}

/**
 * The transaction of a request whose changes and answer are committed together. It begins with the request's first
 * transaction and stays open until there is an answer; further ones are savepoints of it.
 */
export interface RequestTransaction {
  readonly claim: Claim
  readonly isOpen: () => boolean
  /** Runs the effect as a savepoint; the first one opens the transaction. */
  readonly enter: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs a statement in the open transaction. */
  readonly join: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * The changes of the request are in this transaction instead, which somebody else commits for many requests. They all
   * wait for this one now, so it makes no statement any more.
   */
  readonly adopt: (open: OpenTransaction) => void
}

/** The transaction of the request that runs here, if its answer is stored with its changes. */
export const CurrentRequestTransaction = Context.Reference<RequestTransaction | undefined>(
  "@edp/server/CurrentRequestTransaction",
  { defaultValue: () => undefined }
)

/**
 * Commits what the effect does by itself, without the answer of the request. For effects on the outside, which no
 * database can undo and which must not wait inside a transaction.
 */
export const outsideRequest = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentRequestTransaction, (request) =>
    request?.isOpen() === true
      ? Effect.die(new Error("The transaction of the request is already open"))
      : Effect.provideService(effect, CurrentRequestTransaction, undefined)
  )
