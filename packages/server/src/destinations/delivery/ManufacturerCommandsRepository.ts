import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { IdRow, decodeRows } from "../../platform/sql/rows.ts"

/** An attempt to send a command. */
export interface CommandAttempt {
  /** The delivery's id if this is the command's first attempt. */
  readonly id: string
  readonly destinationId: string
  readonly commandId: string
  readonly deviceId: string
  readonly sequence: number
  readonly succeeded: boolean
  readonly attemptedAt: Date
  readonly endedAt: Date
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseBody: string | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The active destination of a manufacturer's commands: at most one. */
    find: (workspaceId: string, manufacturer: string) =>
      query(
        decodeRows(IdRow)(sql`SELECT id FROM destinations
        WHERE workspace_id = ${workspaceId} AND manufacturer = ${manufacturer}
          AND destination_type = 'MANUFACTURER_COMMAND' AND deactivated_at IS NULL`)
      ).pipe(Effect.map(([row]) => row?.id)),
    /** Shows an attempt with the destination's deliveries. The delivery has no ordering key: whoever sends commands over repeats it. */
    record: (attempt: CommandAttempt) =>
      query(sql`WITH delivery AS (
          INSERT INTO deliveries (id, destination_id, subject, lane, sequence, event_id, event_type, status, failures,
            created_at, completed_at)
          VALUES (${attempt.id}, ${attempt.destinationId}, ${attempt.deviceId}, ${attempt.id}, ${attempt.sequence}::bigint,
            ${attempt.commandId}, 'COMMAND_SCHEDULED', ${attempt.succeeded ? "succeeded" : "failed"},
            ${attempt.succeeded ? 0 : 1}, ${attempt.attemptedAt}, ${attempt.endedAt})
          ON CONFLICT (destination_id, event_id) DO UPDATE SET status = excluded.status,
            failures = deliveries.failures + excluded.failures, completed_at = excluded.completed_at
          RETURNING id
        )
        INSERT INTO delivery_attempts (delivery_id, attempted_at, status_code, duration_ms, error, response_body)
        SELECT id, ${attempt.attemptedAt}::timestamptz, ${attempt.statusCode}::int, ${attempt.durationMs}::int,
          ${attempt.error}::text, ${attempt.responseBody}::text FROM delivery
        ON CONFLICT DO NOTHING`)
  }
})

export class ManufacturerCommandsRepository extends Context.Service<
  ManufacturerCommandsRepository,
  Effect.Success<typeof make>
>()("@edp/server/ManufacturerCommandsRepository") {
  static readonly layer = Layer.effect(ManufacturerCommandsRepository, make)
}
