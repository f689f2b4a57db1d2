import { createHmac } from "node:crypto"
import { SECRET_PREFIX, type SignedMessage } from "@edp/domain/events/webhookSignature"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { type OutboundResponse, OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { askedPause, type DestinationSender, type SendResult, shownBody, unanswered } from "./DestinationSender.ts"

/** The same signatures as the contract's `sign`, by Node's synchronous HMAC, which is several times faster. */
export const signatures = (secrets: ReadonlyArray<string>, { body, id, timestamp }: SignedMessage): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64")
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`
    })
    .join(" ")

const TIME_LIMIT = Duration.seconds(10)
const RESPONSE_LIMIT = 64 * 1024

const toResult = ({ status, headers, body }: OutboundResponse, now: number): SendResult => {
  const succeeded = status >= 200 && status < 300
  return {
    succeeded,
    gone: status === 410,
    permanent: false,
    statusCode: status,
    error: succeeded ? null : `Answered ${status}`,
    response: shownBody(body),
    retryAfter: succeeded ? undefined : askedPause(headers["retry-after"], now)
  }
}

/** Posts events by the Standard Webhooks specification. */
export class WebhookSender extends Context.Service<WebhookSender, DestinationSender>()(
  "@edp/server/destinations/WebhookSender"
) {
  static readonly layer = Layer.effect(
    WebhookSender,
    Effect.map(OutboundHttp, (http) => ({
      send: Effect.fnUntraced(function* ({ headers, secrets, url }, event) {
        const now = yield* Clock.currentTimeMillis
        const message = { id: event.id, timestamp: Math.floor(now / 1000), body: Buffer.from(JSON.stringify(event)) }
        return yield* http
          .post({
            url: new URL(Redacted.value(url!)),
            headers: {
              ...Redacted.value(headers),
              "content-type": "application/json",
              "user-agent": "edp-webhooks/1",
              "webhook-id": message.id,
              "webhook-timestamp": String(message.timestamp),
              "webhook-signature": signatures(secrets.map(Redacted.value), message)
            },
            body: message.body,
            timeLimit: TIME_LIMIT,
            responseLimit: RESPONSE_LIMIT
          })
          .pipe(
            Effect.flatMap((response) => Effect.map(Clock.currentTimeMillis, (then) => toResult(response, then))),
            Effect.catch(({ message: why }) => Effect.succeed(unanswered(why)))
          )
      })
    }))
  )
}

/** Responses to a command that are retried; every other refusal is final. */
const temporary = (status: number) => status >= 500 || status === 408 || status === 425 || status === 429

const noCommand = { ...unanswered("Only commands are sent to a manufacturer"), permanent: true }

/**
 * Posts commands to the manufacturer of direct devices, signed like webhooks. A command that is sent twice has the same
 * `data.command.id`.
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
