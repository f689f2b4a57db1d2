import type { DestinationType } from "@edp/domain/destinations/Destination"
import type { Event } from "@edp/domain/events/Event"
import { Cause, Context, Effect, Layer } from "effect"
import { type DestinationSender, NOT_SENT, type SendResult, type Target, unanswered } from "./DestinationSender.ts"
import { EmailSender } from "./EmailSender.ts"
import { KafkaSender } from "./KafkaSender.ts"
import { ManufacturerCommandSender, WebhookSender } from "./WebhookSender.ts"
import { SmsSender } from "./SmsSender.ts"

/** Chooses the sender by type. */
export class Senders extends Context.Service<
  Senders,
  {
    /** An exception in a sender is a result, too. */
    readonly send: (target: Target, event: Event) => Effect.Effect<SendResult>
    /** Why this server does not support a type; undefined if it does. */
    readonly refused: (type: DestinationType) => string | undefined
  }
>()("@edp/server/destinations/Senders") {
  static readonly layer = Layer.effect(
    Senders,
    Effect.gen(function* () {
      const senders: Readonly<Record<DestinationType, DestinationSender>> = {
        WEBHOOK: yield* WebhookSender,
        EMAIL: yield* EmailSender,
        SMS: yield* SmsSender,
        KAFKA: yield* KafkaSender,
        MANUFACTURER_COMMAND: yield* ManufacturerCommandSender
      }

      const refused = (type: DestinationType) => senders[type].unavailable

      const send = (target: Target, event: Event) => {
        const why = refused(target.destinationType)
        if (why !== undefined) return Effect.succeed(unanswered(why))
        return senders[target.destinationType]
          .send(target, event)
          .pipe(
            Effect.catchDefect((defect) =>
              Effect.as(Effect.logError("A sender failed", Cause.die(defect)), unanswered(NOT_SENT))
            )
          )
      }

      return { send, refused }
    })
  )
}
