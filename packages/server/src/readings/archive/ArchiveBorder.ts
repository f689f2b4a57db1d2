import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { monotonicMillis } from "../../platform/jobs/monotonic.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { onPrimary } from "../../platform/replicas/readReplica.ts"
import { queryRows } from "../../platform/sql/rows.ts"

/** How old the known border may be, in milliseconds. A partition is dropped later than this after the border has passed it. */
const FRESH = 30_000

const BorderRow = Schema.Struct({ at: Schema.NullOr(Schema.Finite) })

/**
 * The end of the archive, in milliseconds since 1970; 0 while nothing is archived. Readings from there on are in PostgreSQL. Earlier ones are in the
 * archive, and in PostgreSQL until they are moved: PostgreSQL is read first, so that a reading that is moved meanwhile is not missed.
 */
export class ArchiveBorder extends Context.Service<
  ArchiveBorder,
  {
    readonly current: Effect.Effect<number, DatabaseUnavailable>
    /** As it was last read. */
    readonly known: () => number
    /** Reads it again. */
    readonly refresh: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/readings/ArchiveBorder") {
  static readonly layer = Layer.effect(
    ArchiveBorder,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let known = 0
      let readAt = Number.NEGATIVE_INFINITY
      const refresh = Effect.gen(function* () {
        const now = yield* monotonicMillis
        const [row] = yield* queryRows(BorderRow)(
          sql`SELECT date_part('epoch', max(archived_until)) * 1000 AS at FROM archive_border`
        )
        readAt = now
        return (known = row!.at ?? 0)
      }).pipe(onPrimary)
      return {
        current: Effect.flatMap(monotonicMillis, (now) => (now - readAt < FRESH ? Effect.succeed(known) : refresh)),
        known: () => known,
        refresh
      }
    })
  )
}
