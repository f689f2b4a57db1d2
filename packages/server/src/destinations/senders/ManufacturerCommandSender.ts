import { Context, Effect, Layer } from "effect"
import type { DestinationSender } from "./DestinationSender.ts"
import { unanswered } from "./sendResults.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** Answers to a command that another try may change; every other refusal is the manufacturer's last word. */
const temporary = (status: number) => status >= 500 || status === 408 || status === 425 || status === 429

const noCommand = { ...unanswered("Only commands are sent to a manufacturer"), permanent: true }

/**
 * Posts commands to the manufacturer of direct devices, signed as webhooks are. `data.command.id` tells a command that
 * comes twice.
 */
export class ManufacturerCommandSender extends Context.Service<ManufacturerCommandSender, DestinationSender>()(
  "@edp/server/destinations/ManufacturerCommandSender"
) {
  static readonly layer = Layer.effect(
    ManufacturerCommandSender,
    Effect.map(WebhookSender, (webhook) => ({
      send: Effect.fn("ManufacturerCommandSender.send")(function* (target, event) {
        if (!("command" in event.data)) return noCommand
        const result = yield* webhook.send(target, event)
        const refused = result.statusCode !== null && !result.succeeded && !temporary(result.statusCode)
        return { ...result, permanent: refused }
      })
    }))
  )
}
