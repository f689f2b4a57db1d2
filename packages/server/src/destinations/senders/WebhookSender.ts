import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { type OutboundAnswer, OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { askedPause } from "../retrySchedule.ts"
import type { DestinationSender, SendResult } from "./DestinationSender.ts"
import { shownBody, unanswered } from "./sendResults.ts"
import { signatures } from "./signatures.ts"

const TIME_LIMIT = Duration.seconds(10)
const ANSWER_LIMIT = 64 * 1024

const resultOf = ({ status, headers, body }: OutboundAnswer, now: number): SendResult => {
  const succeeded = status >= 200 && status < 300
  return {
    succeeded,
    gone: status === 410,
    permanent: false,
    statusCode: status,
    error: succeeded ? null : `Answered ${status}`,
    answer: shownBody(body),
    retryAfter: succeeded ? undefined : askedPause(headers["retry-after"], now)
  }
}

/** Posts events as the Standard Webhooks specification has it. */
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
            answerLimit: ANSWER_LIMIT
          })
          .pipe(
            Effect.flatMap((answer) => Effect.map(Clock.currentTimeMillis, (then) => resultOf(answer, then))),
            Effect.catch(({ message: why }) => Effect.succeed(unanswered(why)))
          )
      })
    }))
  )
}
