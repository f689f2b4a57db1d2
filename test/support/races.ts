import { Effect } from "effect"
import { Client } from "pg"
import { eventually } from "./eventually.ts"

/** Starts calls of one kind at the same moment, before any of them goes on, and waits for all. */
export const atOnce = <A>(count: number, call: (index: number) => PromiseLike<A>): Promise<Array<A>> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

/** A place where work stops until a test lets it go on. */
export const gate = () => {
  const arrival = Promise.withResolvers<void>()
  const opening = Promise.withResolvers<void>()
  return {
    /** Resolves once the work has arrived. */
    entered: arrival.promise,
    open: () => opening.resolve(),
    wait: Effect.promise(() => {
      arrival.resolve()
      return opening.promise
    })
  }
}

export interface LockWait {
  /** The number of sessions that wait, at least; 1 unless given. */
  readonly sessions?: number
  /** The locks they may wait for, in PostgreSQL's names, such as "relation" or "transactionid"; any unless given. */
  readonly locks?: ReadonlyArray<string>
  /** A LIKE pattern of their statements. */
  readonly statement?: string
}

/**
 * Waits until sessions of a database wait for a lock. This looks over a connection of its own: inside a transaction, such as the
 * one that holds the lock, PostgreSQL shows the sessions of the transaction's first look, and never one that began later.
 */
export const untilLockWait = async (url: string, description: string, expected: LockWait = {}) => {
  const { sessions = 1, locks = null, statement = "%" } = expected
  const observer = new Client({ connectionString: url })
  await observer.connect()
  try {
    await eventually(description, async () => {
      const { rows } = await observer.query(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock' AND wait_event = ANY(coalesce($1::text[], ARRAY[wait_event])) AND query LIKE $2`,
        [locks, statement]
      )
      return rows[0].waiting >= sessions ? true : undefined
    })
  } finally {
    await observer.end()
  }
}
