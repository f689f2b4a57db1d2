import { randomUUID } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { type JobRunner, makeJobRunner } from "../platform/jobs/JobRunner.ts"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import type { RowClaim } from "../platform/jobs/leasedRows.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { GridConnectionsRepository } from "./GridConnectionsRepository.ts"
import { gridLimits } from "./gridLimits.ts"
import { GridPoller } from "./GridPoller.ts"

/** Polls the VTNs that are due, each by one instance; one that takes long delays no other. */
export class GridPollRunner extends Context.Service<
  GridPollRunner,
  JobRunner & {
    /** Ends waits that are longer than any, which a clock that was set back leaves. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/grid/GridPollRunner") {
  static readonly layer = Layer.effect(
    GridPollRunner,
    Effect.gen(function* () {
      const connections = yield* GridConnectionsRepository
      const { leases } = connections
      const { poll } = yield* GridPoller
      const holder = yield* LeaseHolder
      const isolation = yield* makeIsolation("polls of VTNs")
      let active = 0

      const runner = yield* makeJobRunner<RowClaim>({
        name: "GridPollRunner",
        lease: `${gridLimits.leaseSeconds} seconds`,
        poll: gridLimits.pauseMs,
        topic: "grid connections",
        nextDue: leases.nextDue,
        patience: `${gridLimits.patienceSeconds} seconds`,
        item: ({ id }) => id,
        claim: Effect.gen(function* () {
          const room = gridLimits.polledTogether - active
          if (room <= 0) return []
          const claimed = yield* leases.claim(randomUUID(), holder.id, room)
          active += claimed.length
          return claimed
        }),
        prepare: Effect.fnUntraced(function* (leased) {
          const rows = yield* connections.byIds(leased.map(({ job }) => job.id))
          const byId = new Map(rows.map((row) => [row.id, row]))
          return ({ job }) => {
            const connection = byId.get(job.id)
            return connection === undefined ? Effect.void : poll(job, connection)
          }
        }),
        renew: leases.renew,
        putOff: leases.putOff,
        endLeases: leases.endLeases,
        isolation,
        free: () => {
          active -= 1
        }
      })
      // The longest pause varies by a twentieth.
      return { ...runner, limitWaits: connections.limitWaits(gridLimits.longestPauseMs * 1.05) }
    })
  )
}
