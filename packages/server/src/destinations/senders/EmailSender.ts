import type { Socket } from "node:net"
import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import type { SendMailOptions } from "nodemailer"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { type Mailbox, type SmtpRelay, mailbox } from "../../platform/config/parsers.ts"
import { OutboundDial } from "../../platform/outbound/OutboundDial.ts"
import { contained } from "../../platform/outbound/contained.ts"
import {
  type DestinationSender,
  NOT_SENT,
  type SendResult,
  type Target,
  shownBody,
  unanswered
} from "./DestinationSender.ts"
import { eventWords } from "./eventWords.ts"

/** A mail as plain text and as HTML. */
export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escaped = (text: string) => text.replace(/[&<>"']/gu, (character) => escapes[character]!)

const cell = "padding:4px 12px 4px 0;vertical-align:top;text-align:left"

/**
 * The mail for an event.
 *
 * @param label The destination's name, which the mail gives as its reason.
 */
const eventMail = (event: Event, label: string | null): Mail => {
  const { headline, facts } = eventWords(event)
  const reason = `Sent because ${label === null ? "a destination" : `the destination "${label.replace(/\s+/gu, " ")}"`} subscribes to ${event.type}.`
  const rows = facts
    .map(
      ([name, value]) =>
        `<tr><th scope="row" style="${cell}">${escaped(name)}</th><td style="${cell}">${escaped(value)}</td></tr>`
    )
    .join("\n")
  return {
    subject: headline,
    text: `${headline}\n\n${facts.map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n${reason}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(headline)}</title></head>
<body style="font-family:sans-serif;font-size:14px;color:#1a1a1a">
<h1 style="font-size:18px">${escaped(headline)}</h1>
<table role="presentation" style="border-collapse:collapse">
${rows}
</table>
<p style="color:#595959">${escaped(reason)}</p>
</body>
</html>
`
  }
}

/** The library's error for a mail that was not accepted. */
interface SmtpError {
  readonly message: string
  readonly code?: string | undefined
  /** The code of the underlying socket error. */
  readonly originalCode?: string | undefined
  /** The status of the relay's response, if there was one. */
  readonly responseCode?: number | undefined
  readonly response?: string | undefined
  readonly permanent?: boolean | undefined
}

/** The relay refused the mail itself: its sender, recipient or content. */
const ofTheMail = new Set(["EENVELOPE", "EMESSAGE"])

/** Shown to callers for all other errors: the relay belongs to the operator. */
const sentences: Readonly<Record<string, string>> = {
  EAUTH: "The mail relay refused the platform's login",
  ENOAUTH: "The mail relay refused the platform's login",
  ETLS: "The connection to the mail relay could not be encrypted",
  EDNS: "The mail relay could not be found",
  EENVELOPE: "The mail relay takes no such address",
  EMESSAGE: "The mail relay takes no such mail",
  ETIMEDOUT: "The mail relay did not answer in time"
}

/** Untrusted certificates and failed handshakes. */
const insecure = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u

const answered = (response: string) => shownBody(Buffer.from(response))

/** The result of a mail that the relay accepted. */
const takenMail = (response: string): SendResult => ({
  succeeded: true,
  gone: false,
  permanent: false,
  statusCode: Number(/^\d{3}/u.exec(response)?.[0] ?? 250),
  error: null,
  answer: answered(response),
  retryAfter: undefined
})

/**
 * The result of a mail that was not accepted: final if the relay refused the mail itself (5xx). Everything else is retried,
 * also a refusal of the platform.
 */
const refusedMail = (error: SmtpError): SendResult => {
  const { code = "", originalCode = "", permanent = false, response = "", responseCode } = error
  if (ofTheMail.has(code) && responseCode !== undefined) {
    return {
      ...unanswered(`The mail relay answered ${responseCode}`),
      permanent,
      statusCode: responseCode,
      answer: answered(response)
    }
  }
  const kind = insecure.test(originalCode) || insecure.test(code) ? "ETLS" : code
  return unanswered(sentences[kind] ?? "The mail relay could not be reached")
}

/** From the name look-up to the relay's last response, including the wait for a free connection. */
const TIME_LIMIT = Duration.seconds(20)
/** Concurrent connections to the relay. */
const CONNECTIONS = 5
/** Bytes of one response after which the connection is closed. */
const ANSWER_LIMIT = 64 * 1024

const tooSlow = unanswered("The mail relay did not answer in time")

/** The default is the login, if it is an address, else `edp` at the public host name. */
const chooseSender = (from: Option.Option<Mailbox>, relay: SmtpRelay, host: string): Mailbox =>
  Option.getOrElse(
    from,
    () => mailbox(relay.login?.user ?? "") ?? { name: "Energy Device Platform", address: `edp@${host}` }
  )

/** The address is passed as a parsed one, so that nothing in it can begin another address. */
const makeMessage = (target: Target, event: Event, from: Mailbox, host: string, now: number): SendMailOptions => ({
  ...eventMail(event, target.label),
  from,
  to: { name: "", address: target.email! },
  date: new Date(now),
  // The same for every attempt, so that mail programs show one message.
  messageId: `<${event.id}.${target.id}@${host}>`,
  headers: {
    "Auto-Submitted": "auto-generated",
    "X-EDP-Event-Id": event.id,
    "X-EDP-Event-Type": event.type
  },
  disableFileAccess: true,
  disableUrlAccess: true
})

/** Sends events as mails by the operator's relay (`SMTP_URL`), one event per mail. */
export class EmailSender extends Context.Service<EmailSender, DestinationSender>()(
  "@edp/server/destinations/EmailSender"
) {
  static readonly layer = Layer.effect(
    EmailSender,
    Effect.gen(function* () {
      const { publicUrl, smtpFrom, smtpRelay } = yield* ServerConfig
      const dial = yield* OutboundDial
      if (Option.isNone(smtpRelay)) {
        const unavailable = "This server sends no mails: its operator has not set SMTP_URL"
        return { send: () => Effect.succeed(unanswered(unavailable)), unavailable }
      }
      const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
      const relay = smtpRelay.value
      const { hostname } = new URL(publicUrl)
      const from = chooseSender(smtpFrom, relay, hostname)
      const places = yield* Semaphore.make(CONNECTIONS)

      const submit = (message: SendMailOptions) =>
        contained<SendResult, SmtpError>(
          // Each mail uses its own connection.
          message,
          (resume) => {
            let socket: Socket | undefined
            const transport = createTransport({
              host: relay.host,
              port: relay.port,
              name: hostname,
              secure: relay.encryption === "always",
              requireTLS: relay.encryption === "required",
              tls: { minVersion: "TLSv1.2" },
              maxResponseSize: ANSWER_LIMIT,
              socketCloseTimeout: 0,
              ...(relay.login !== undefined && {
                auth: { user: relay.login.user, pass: Redacted.value(relay.login.password) }
              }),
              getSocket: (_options, done) => {
                socket = dial.connect(relay.host, relay.port)
                socket.once("error", done)
                socket.once("connect", () => {
                  socket!.removeListener("error", done)
                  done(null, { connection: socket })
                })
              }
            })
            transport.sendMail(message, (error, info) =>
              resume(error === null ? Effect.succeed(takenMail(info.response)) : Effect.fail(error))
            )
            return Effect.sync(() => socket?.destroy())
          },
          () => Effect.succeed(unanswered(NOT_SENT))
        )

      return {
        send: Effect.fn("EmailSender.send")(function* (target, event) {
          const message = makeMessage(target, event, from, hostname, yield* Clock.currentTimeMillis)
          return yield* submit(message).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`An e-mail was not sent: ${error.message}`), refusedMail(error))
            ),
            places.withPermit,
            Effect.timeoutOrElse({ duration: TIME_LIMIT, orElse: () => Effect.succeed(tooSlow) })
          )
        })
      }
    })
  )
}
