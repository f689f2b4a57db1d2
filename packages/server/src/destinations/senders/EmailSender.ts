import type { Socket } from "node:net"
import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import type { SendMailOptions } from "nodemailer"
import { contained } from "../../platform/outbound/contained.ts"
import { OutboundDial } from "../../platform/outbound/OutboundDial.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { type Mailbox, mailbox } from "../../platform/config/parsers.ts"
import type { SmtpRelay } from "../../platform/config/parsers.ts"
import { type DestinationSender, NOT_SENT, type SendResult, type Target, unanswered } from "./DestinationSender.ts"
import { mailOf } from "./mailOf.ts"
import { refusedMail, type SmtpError, takenMail } from "./smtpResult.ts"

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
