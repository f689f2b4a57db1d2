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

/** A mail's words, as plain text and as a page. */
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
 * The mail that tells of an event.
 *
 * @param label The destination's name, which tells why the mail came.
 */
const mailOf = (event: Event, label: string | null): Mail => {
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

/** What the library says of a mail that was not taken. */
interface SmtpError {
  readonly message: string
  readonly code?: string | undefined
  /** The code of the socket's error that this one stands for. */
  readonly originalCode?: string | undefined
  /** Status of the relay's answer, when there was one. */
  readonly responseCode?: number | undefined
  readonly response?: string | undefined
  readonly permanent?: boolean | undefined
}

/** The mail itself was refused: its sender, its recipient or what it says. */
const ofTheMail = new Set(["EENVELOPE", "EMESSAGE"])

/** Of everything else callers learn no more than this: the relay is the operator's. */
const sentences: Readonly<Record<string, string>> = {
  EAUTH: "The mail relay refused the platform's login",
  ENOAUTH: "The mail relay refused the platform's login",
  ETLS: "The connection to the mail relay could not be encrypted",
  EDNS: "The mail relay could not be found",
  EENVELOPE: "The mail relay takes no such address",
  EMESSAGE: "The mail relay takes no such mail",
  ETIMEDOUT: "The mail relay did not answer in time"
}

/** Codes of certificates that are not trusted, and of handshakes that fail. */
const insecure = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u

const answered = (response: string) => shownBody(Buffer.from(response))

/** What became of a mail that the relay took. */
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
 * What became of a mail that was not taken: refused for good where the relay says so of the mail itself (5xx), else to be tried
 * again, also where it refuses the platform.
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

/** From the first look at the relay's name to its last word, waiting for a free connection included. */
const TIME_LIMIT = Duration.seconds(20)
/** Connections to the relay at a time. */
const CONNECTIONS = 5
/** Bytes of one answer that are read before the relay is given up. */
const ANSWER_LIMIT = 64 * 1024

const tooSlow = unanswered("The mail relay did not answer in time")

/** Without a setting: who logs in, if that is an address; else `edp` at the host that links to the platform lead to. */
const senderOf = (from: Option.Option<Mailbox>, relay: SmtpRelay, host: string): Mailbox =>
  Option.getOrElse(
    from,
    () => mailbox(relay.login?.user ?? "") ?? { name: "Energy Device Platform", address: `edp@${host}` }
  )

/** The address goes as one that was parsed already: nothing in it can begin another one. */
const messageOf = (target: Target, event: Event, from: Mailbox, host: string, now: number): SendMailOptions => ({
  ...mailOf(event, target.label),
  from,
  to: { name: "", address: target.email! },
  date: new Date(now),
  // The same for every repetition, so that mail programs show one message.
  messageId: `<${event.id}.${target.id}@${host}>`,
  headers: {
    "Auto-Submitted": "auto-generated",
    "X-EDP-Event-Id": event.id,
    "X-EDP-Event-Type": event.type
  },
  disableFileAccess: true,
  disableUrlAccess: true
})

/** Hands events as mails to the operator's relay (`SMTP_URL`), one event a mail. */
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
      const from = senderOf(smtpFrom, relay, hostname)
      const places = yield* Semaphore.make(CONNECTIONS)

      const submit = (message: SendMailOptions) =>
        contained<SendResult, SmtpError>(
          // Each mail has a connection of its own.
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
          const message = messageOf(target, event, from, hostname, yield* Clock.currentTimeMillis)
          return yield* submit(message).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`A mail was not sent: ${error.message}`), refusedMail(error))
            ),
            places.withPermit,
            Effect.timeoutOrElse({ duration: TIME_LIMIT, orElse: () => Effect.succeed(tooSlow) })
          )
        })
      }
    })
  )
}
