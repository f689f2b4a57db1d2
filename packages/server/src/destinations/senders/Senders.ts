import type { DestinationType } from "@edp/domain/destinations/Destination"
import type { Event } from "@edp/domain/events/Event"
import { Context, Effect, Layer } from "effect"
import type { DestinationSender, SendResult, Target } from "./DestinationSender.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** The sender of each type of destination. */
export class Senders extends Context.Service<
  Senders,
  {
    readonly send: (
      target: Target & { readonly destinationType: DestinationType },
      event: Event
    ) => Effect.Effect<SendResult>
  }
>()("@edp/server/destinations/Senders") {
  static readonly layer = Layer.effect(
    Senders,
    Effect.map(WebhookSender, (webhook) => {
      const senders: Partial<Record<DestinationType, DestinationSender>> = { WEBHOOK: webhook }
      return { send: (target, event) => senders[target.destinationType]!.send(target, event) }
    })
  )
}
