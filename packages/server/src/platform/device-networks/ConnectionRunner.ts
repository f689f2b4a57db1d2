import { randomUUID } from "node:crypto"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Deferred, Effect, Random, type Scope } from "effect"
import { makeIsolation } from "../jobs/isolation.ts"
import { type JobRunner, type Leased, makeJobRunner } from "../jobs/JobRunner.ts"
import { LeaseHolder } from "../jobs/LeaseHolder.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import type { RowClaim, LeasedRows } from "../jobs/leasedRows.ts"

export interface ConnectionLimits {
  /** Connections of one process, and those that it takes at once, so that several processes share them. */
  readonly connections: number
  readonly claimedTogether: number
  /** The shortest pause between two polls for rows without a connection. */
  readonly pauseMs: number
  readonly leaseSeconds: number
  /** How long a stop waits for connections to end. */
  readonly patienceSeconds: number
  /** The pauses after failed attempts double from the first to the longest, in milliseconds. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

export interface ConnectionWork<Row extends { readonly id: string }> {
  /** Named in logs and spans. */
  readonly name: string
  /** The name of the connections, for the operator. */
  readonly noun: string
  /** The name under which the database announces rows. */
  readonly topic: string
  readonly limits: ConnectionLimits
  readonly leases: LeasedRows
  readonly byIds: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, DatabaseUnavailable>
  /** Holds a connection until the row changes or the connection fails. It runs `noteConnected` once it works. */
  readonly hold: (
    claim: RowClaim,
    row: Row,
    noteConnected: Effect.Effect<void>
  ) => Effect.Effect<void, AdapterError | DatabaseUnavailable, Scope.Scope>
  /** Records a failed attempt, and ends its lease; the row is due again after the pause. */
  readonly fail: (
    claim: RowClaim,
    row: Row,
    error: AdapterError,
    pauseMs: number
  ) => Effect.Effect<unknown, DatabaseUnavailable>
}

/** Holds the connections of a table's rows: each is held by one instance. */
export const makeConnectionRunner = Effect.fnUntraced(function* <Row extends { readonly id: string }>({
  byIds,
  fail,
  hold,
  leases,
  limits,
  name,
  noun,
  topic
}: ConnectionWork<Row>) {
  const holder = yield* LeaseHolder
  const isolation = yield* makeIsolation(noun)
  const stopping = yield* Deferred.make<void>()
  let active = 0

  /** The pause after so many failed attempts, varied so that brokers that failed together are not tried together. */
  const pauseAfterFailure = (failures: number, random: number) =>
    Math.min(limits.longestPauseMs, limits.firstPauseMs * 2 ** Math.min(failures, 10)) * (0.8 + 0.4 * random)

  const perform = Effect.fn(`${name}.perform`)(function* ({ job }: Leased<RowClaim>, row: Row | undefined) {
    if (row === undefined) return
    let hasConnected = false
    const noteConnected = Effect.sync(() => {
      hasConnected = true
    })
    yield* hold(job, row, noteConnected).pipe(
      Effect.scoped,
      Effect.raceFirst(Deferred.await(stopping)),
      Effect.andThen(leases.putOff(job, 0)),
      Effect.catchTag("AdapterError", (error) =>
        Effect.flatMap(Random.next, (random) =>
          fail(job, row, error, pauseAfterFailure(hasConnected ? 0 : job.failures, random))
        )
      )
    )
  })

  const runner = yield* makeJobRunner<RowClaim>({
    name,
    lease: `${limits.leaseSeconds} seconds`,
    poll: limits.pauseMs,
    topic,
    nextDue: leases.nextDue,
    patience: `${limits.patienceSeconds} seconds`,
    item: ({ id }) => id,
    claim: Effect.gen(function* () {
      const room = Math.min(limits.claimedTogether, limits.connections - active)
      if (room <= 0) return []
      const claimed = yield* leases.claim(randomUUID(), holder.id, room)
      active += claimed.length
      return claimed
    }),
    prepare: Effect.fnUntraced(function* (leased) {
      const rows = yield* byIds(leased.map(({ job }) => job.id))
      const byId = new Map(rows.map((row) => [row.id, row]))
      return (one) => perform(one, byId.get(one.job.id))
    }),
    renew: leases.renew,
    putOff: leases.putOff,
    endLeases: leases.endLeases,
    isolation,
    free: () => {
      active -= 1
    }
  })
  // Connections end before the runner waits for its jobs.
  const endConnections = Effect.addFinalizer(() => Deferred.succeed(stopping, undefined))
  yield* endConnections
  return {
    ...runner,
    limitWaits: leases.limitWaits as Effect.Effect<unknown, DatabaseUnavailable>,
    work: Effect.andThen(runner.work, endConnections)
  } satisfies JobRunner & { readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable> }
})
