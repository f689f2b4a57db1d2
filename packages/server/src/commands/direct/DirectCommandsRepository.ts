import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf, limited } from "../../platform/sql/lists.ts"
import { query } from "../../platform/sql/transaction.ts"
import { commandColumns, CommandRow } from "../commandRow.ts"
import { decodeRows, IdRow, decodeCount } from "../../platform/sql/rows.ts"

/** The commands of a direct device that its manufacturer may take. */
export interface WaitingCommands {
  readonly deviceId: string
  /** Whether commands that a worker has leased count, too: a worker sends none where there is no destination. */
  readonly includesLeased: boolean
  readonly now: Date
}

const HoldRow = Schema.Struct({ ...CommandRow.fields, dueAt: Schema.Date, handedAt: Schema.NullOr(Schema.Date) })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(commandColumns)

  /**
   * Delivered ones, and undelivered ones that a worker has judged. It is not waited for with a caller's own commands: nothing
   * outranks them.
   */
  const waiting = ({ deviceId, includesLeased, now }: WaitingCommands) => sql`c.device_id = ${deviceId}
    AND c.status IN ('pending', 'scheduled', 'delivered') AND c.deadline > ${now}
    AND (c.status = 'delivered' OR ((c.handed_at IS NOT NULL OR (c.source = 'user' AND c.due_at <= ${now}))
      AND (NOT c.in_hand OR ${includesLeased})))`

  return {
    list: (commands: WaitingCommands, after: string | undefined, limit: number, offset: number) =>
      query(
        decodeRows(CommandRow)(sql`SELECT ${columns} FROM commands c WHERE ${waiting(commands)}
          ${after === undefined ? sql`` : sql`AND c.id > ${after}`}
        ORDER BY c.id ${limited(sql, limit, offset)}`)
      ),
    count: (commands: WaitingCommands) =>
      query(decodeCount(sql`SELECT count(*)::int AS n FROM commands c WHERE ${waiting(commands)}`)),
    /** For a transaction: locks a device's work, as whoever changes its commands does first. */
    holdWork: (deviceId: string) => query(sql`SELECT FROM device_work WHERE device_id = ${deviceId} FOR UPDATE`),
    /** For a transaction: those of the commands that still wait and are not delivered yet. */
    holdUndelivered: (commands: WaitingCommands, ids: ReadonlyArray<string>) =>
      query(
        decodeRows(IdRow)(sql`SELECT c.id FROM commands c
        WHERE ${waiting(commands)} AND c.status <> 'delivered' AND c.id = ${anyOf(sql, ids)} ORDER BY c.id FOR UPDATE`)
      ),
    /** For a transaction: locks a command of a device. */
    hold: (deviceId: string, id: string) =>
      query(
        decodeRows(HoldRow)(sql`SELECT ${columns},
            c.due_at AS "dueAt", c.handed_at AS "handedAt" FROM commands c
          WHERE c.id = ${id} AND c.device_id = ${deviceId} FOR UPDATE OF c`)
      ).pipe(Effect.map(([row]) => row))
  }
})

export class DirectCommandsRepository extends Context.Service<DirectCommandsRepository, Effect.Success<typeof make>>()(
  "@edp/server/DirectCommandsRepository"
) {
  static readonly layer = Layer.effect(DirectCommandsRepository, make)
}
