import type { Command, Upstream } from "@edp/domain/commands/Command"
import { EVENT_VERSION, type Event } from "@edp/domain/events/Event"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../../platform/sql/transaction.ts"
import { DestinationSecrets } from "../DestinationSecrets.ts"
import type { SendResult } from "../senders/DestinationSender.ts"
import { Senders } from "../senders/Senders.ts"
import { countAttempt } from "./DeliveryRunner.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { OutcomesRepository } from "./DeliveryRecorder.ts"
import { IdRow, queryRows } from "../../platform/sql/rows.ts"

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

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The active destination of a manufacturer's commands: at most one. */
    find: (workspaceId: string, manufacturer: string) =>
      queryRows(IdRow)(sql`SELECT id FROM destinations
        WHERE workspace_id = ${workspaceId} AND manufacturer = ${manufacturer}
          AND destination_type = 'MANUFACTURER_COMMAND' AND deactivated_at IS NULL`).pipe(
        Effect.map(([row]) => row?.id)
      ),
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

/** The manufacturer's response to a command. */
export interface CommandReceipt {
  /** Any 2xx. */
  readonly accepted: boolean
  /** A retry may succeed. */
  readonly transient: boolean
  /** The pause that the manufacturer requested, in milliseconds. */
  readonly retryAfter: number | undefined
  /** Null if there was no response. */
  readonly upstream: Upstream | null
}

/**
 * The event that carries a command. Its id is the command's, so that every attempt has the same `webhook-id`. Its sequence is the
 * command's time, in milliseconds: a device's later commands have higher ones.
 */
const toEvent = (workspaceId: string, command: Command): Event => {
  const timestamp = command.scheduledFor ?? command.issuedAt
  return {
    id: command.id,
    sequence: Date.parse(timestamp),
    type: "COMMAND_SCHEDULED",
    version: EVENT_VERSION,
    timestamp,
    workspaceId,
    data: { command, deviceId: command.deviceId }
  }
}

const toReceipt = ({ response, permanent, retryAfter, statusCode, succeeded }: SendResult): CommandReceipt => ({
  accepted: succeeded,
  transient: !succeeded && !permanent,
  retryAfter,
  upstream:
    statusCode === null
      ? null
      : { statusCode, errorCode: null, errorMessage: succeeded ? null : response, requestId: null }
})

const notSent: CommandReceipt = { accepted: false, transient: true, retryAfter: undefined, upstream: null }

/** Hands commands for direct devices to their manufacturers. Retries are the caller's. */
export class ManufacturerCommands extends Context.Service<
  ManufacturerCommands,
  {
    /**
     * Posts a command to the workspace's active destination of the manufacturer; `absent` if it has none. The attempt is shown with the
     * destination's deliveries. Not for use inside a transaction.
     */
    readonly post: (
      workspaceId: string,
      manufacturer: string,
      command: Command
    ) => Effect.Effect<"absent" | CommandReceipt, DatabaseUnavailable>
    /** Whether the workspace has an active destination of the manufacturer. */
    readonly exists: (workspaceId: string, manufacturer: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@edp/server/ManufacturerCommands") {
  static readonly layer = Layer.effect(
    ManufacturerCommands,
    Effect.gen(function* () {
      const repository = yield* statements
      const outcomes = yield* OutcomesRepository
      const secrets = yield* DestinationSecrets
      const senders = yield* Senders
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const record = (destinationId: string, event: Event, command: Command, result: SendResult, begun: number) =>
        Effect.gen(function* () {
          const ended = yield* Clock.currentTimeMillis
          const now = new Date(ended)
          yield* repository.record({
            id: ids.nextAt(begun),
            destinationId,
            commandId: command.id,
            deviceId: command.deviceId,
            sequence: event.sequence,
            succeeded: result.succeeded,
            attemptedAt: new Date(begun),
            endedAt: now,
            durationMs: Math.max(0, Math.round(ended - begun)),
            statusCode: result.statusCode,
            error: result.error === null ? null : result.error.slice(0, 500),
            responseBody: result.response
          })
          yield* outcomes.noteHealth(new Map([[destinationId, result.succeeded]]), now)
          if (result.succeeded) return
          const since = new Date(ended - deliveryLimits.failingSeconds * 1000)
          yield* outcomes.deactivate([destinationId], "Every delivery has failed for 5 days", now, since)
          if (result.gone) yield* outcomes.deactivate([destinationId], "The receiver answered 410 Gone", now)
        }).pipe(transaction)

      return {
        exists: (workspaceId, manufacturer) =>
          Effect.map(repository.find(workspaceId, manufacturer), (id) => id !== undefined),
        post: Effect.fn("ManufacturerCommands.post")(function* (workspaceId, manufacturer, command) {
          const id = yield* repository.find(workspaceId, manufacturer)
          if (id === undefined) return "absent"
          // Absent here: deactivated meanwhile, or its secrets can't be decrypted now.
          const target = (yield* secrets.targets([id])).get(id)
          if (target === undefined) return notSent
          const event = toEvent(workspaceId, command)
          const begun = yield* Clock.currentTimeMillis
          const result = yield* senders.send(target, event)
          countAttempt(target.destinationType, result.succeeded)
          yield* record(id, event, command, result, begun)
          return toReceipt(result)
        })
      }
    })
  )
}
