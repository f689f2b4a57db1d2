import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DestinationSender } from "./DestinationSender.ts"
import { unanswered } from "./sendResults.ts"
import { smsOf } from "./smsOf.ts"
import { smsResult } from "./smsResult.ts"

const TIME_LIMIT = Duration.seconds(10)
const ANSWER_LIMIT = 64 * 1024

/**
 * Sends events as text messages by the operator's gateway (`SMS_API_URL`), which has Twilio's interface.
 *
 * @source https://www.twilio.com/docs/messaging/api/message-resource
 */
export class SmsSender extends Context.Service<SmsSender, DestinationSender>()("@edp/server/destinations/SmsSender") {
  static readonly layer = Layer.effect(
    SmsSender,
    Effect.gen(function* () {
      const config = yield* ServerConfig
      const http = yield* OutboundHttp
      const settings = Option.all({
        url: config.smsApiUrl,
        account: config.smsAccount,
        token: config.smsToken,
        from: config.smsFrom
      })
      if (Option.isNone(settings)) {
        const unavailable = "This server sends no text messages: its operator has not set SMS_API_URL"
        return { send: () => Effect.succeed(unanswered(unavailable)), unavailable }
      }
      const { account, from, token, url } = settings.value
      const messages = new URL(`${url.replace(/\/+$/u, "")}/2010-04-01/Accounts/${account}/Messages.json`)
      const login = Buffer.from(`${account}:${Redacted.value(token)}`).toString("base64")
      const authorization = Redacted.make(`Basic ${login}`)

      return {
        send: Effect.fn("SmsSender.send")(function* (target, event) {
          const form = new URLSearchParams({ To: target.phoneNumber!, [from.kind]: from.value, Body: smsOf(event) })
          return yield* http
            .post({
              url: messages,
              headers: {
                accept: "application/json",
                authorization: Redacted.value(authorization),
                "content-type": "application/x-www-form-urlencoded",
                "user-agent": "edp-sms/1"
              },
              body: Buffer.from(form.toString()),
              timeLimit: TIME_LIMIT,
              answerLimit: ANSWER_LIMIT
            })
            .pipe(
              Effect.flatMap((answer) => Effect.map(Clock.currentTimeMillis, (now) => smsResult(answer, now))),
              Effect.catch((failure) =>
                Effect.as(
                  Effect.logWarning(`A text message was not sent: ${failure.message}`),
                  unanswered(
                    failure.reason === "timeout"
                      ? "The SMS gateway did not answer in time"
                      : "The SMS gateway could not be reached"
                  )
                )
              )
            )
        })
      }
    })
  )
}
