import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { type OutboundResponse, OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { askedPause, type DestinationSender, type SendResult, shownBody, unanswered } from "./DestinationSender.ts"
import { eventText } from "./eventText.ts"

/** Characters: two segments in the GSM alphabet, five in UCS-2. */
const LIMIT = 300

/** The text message for an event: its headline and its time in UTC. */
export const smsText = (event: Event): string => {
  const { headline } = eventText(event)
  const time = ` (${event.timestamp.slice(0, 16).replace("T", " ")} UTC)`
  const room = LIMIT - time.length
  const shown = headline.length <= room ? headline : `${headline.slice(0, room - 3).toWellFormed()}...`
  return `${shown}${time}`
}

/**
 * Refusals of a number or message that are final.
 *
 * @source https://www.twilio.com/docs/api/errors
 */
const ofTheNumber = new Map([
  [21211, "the number does not exist"],
  [21217, "the number does not exist"],
  [21265, "the number cannot be a short code"],
  [21408, "messages to the number's region are not permitted"],
  [21610, "the number's owner has unsubscribed"],
  [21612, "the number cannot be reached"],
  [21614, "the number takes no text messages"],
  [21617, "the message is too long"],
  [21635, "the number is a landline"],
  [60205, "the number takes no text messages"]
])

interface Said {
  readonly code?: unknown
  readonly message?: unknown
  readonly sid?: unknown
  readonly status?: unknown
}

const parsed = (body: Uint8Array): Said => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"))
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** The part of the response about the message; the rest is about the operator's account. */
const shownParts = (said: Said, succeeded: boolean) => {
  const parts = succeeded ? { sid: said.sid, status: said.status } : { code: said.code, message: said.message }
  const text = JSON.stringify(parts)
  return text === "{}" ? null : shownBody(Buffer.from(text))
}

/** The gateway refused the platform's login, account or sender. */
const ofThePlatform = (status: number) => status === 401 || status === 403 || status === 404

/** The result of a message by the gateway's response. */
const smsResult = ({ status, headers, body }: OutboundResponse, now: number): SendResult => {
  const said = parsed(body)
  const succeeded = status >= 200 && status < 300
  if (succeeded)
    return { ...unanswered(""), succeeded, statusCode: status, error: null, response: shownParts(said, true) }
  if (ofThePlatform(status)) {
    return { ...unanswered("The SMS gateway refused the platform's login or account"), statusCode: status }
  }
  const code = typeof said.code === "number" ? said.code : undefined
  const reason = code === undefined ? undefined : ofTheNumber.get(code)
  return {
    ...unanswered(
      code === undefined
        ? `The SMS gateway answered ${status}`
        : `The SMS gateway answered ${status}, code ${code}${reason === undefined ? "" : `: ${reason}`}`
    ),
    permanent: status === 400 && reason !== undefined,
    statusCode: status,
    response: shownParts(said, false),
    retryAfter: askedPause(headers["retry-after"], now)
  }
}

const TIME_LIMIT = Duration.seconds(10)
const RESPONSE_LIMIT = 64 * 1024

/**
 * Sends events as text messages through the operator's gateway (`SMS_API_URL`), which has Twilio's API.
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
          const form = new URLSearchParams({ To: target.phoneNumber!, [from.kind]: from.value, Body: smsText(event) })
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
              responseLimit: RESPONSE_LIMIT
            })
            .pipe(
              Effect.flatMap((response) => Effect.map(Clock.currentTimeMillis, (now) => smsResult(response, now))),
              Effect.catch((failure) =>
                Effect.as(
                  Effect.logWarning(`A text message was not sent: ${failure.message}`),
                  unanswered(
                    failure.reason === "timeout"
                      ? "The SMS gateway did not respond in time"
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
