import type { Command, Upstream } from "@edp/domain/commands/Command"
import { EVENT_VERSION, type Event } from "@edp/domain/events/Event"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { DestinationSecrets } from "../DestinationSecrets.ts"
import type { SendResult } from "../senders/DestinationSender.ts"
import { Senders } from "../senders/Senders.ts"
import { countAttempt } from "./DeliveryRunner.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { ManufacturerCommandsRepository } from "./ManufacturerCommandsRepository.ts"
import { OutcomesRepository } from "./DeliveryRecorder.ts"

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
      const repository = yield* ManufacturerCommandsRepository
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
