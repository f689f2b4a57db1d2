import type { Socket } from "node:net"
import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import type { SendMailOptions } from "nodemailer"
import { ServerConfig } from "../config/ServerConfig.ts"
import { type Mailbox, type SmtpRelay, mailbox } from "../config/parsers.ts"
import { contained } from "../outbound/contained.ts"
import { OutboundDial } from "../outbound/OutboundDial.ts"

/** A mail as plain text and as HTML. */
export interface MailText {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mail extends MailText {
  /** The address of the recipient. */
  readonly to: string
  /** The first part of the Message-ID: the same for every attempt, so that mail programs show one message. */
  readonly id: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The result of one attempt. A mail without a response, or that the relay does not take for now, may be sent again. */
export interface Mailed {
  readonly succeeded: boolean
  /** The relay refused the mail itself for good: its sender, its recipient or its content. */
  readonly permanent: boolean
  /** The status of the relay's response to the mail, if there was one. */
  readonly statusCode: number | null
  /** A sentence that reveals nothing about the operator's relay; null for a mail that the relay took. */
  readonly error: string | null
  /** The relay's response to the mail. */
  readonly response: string | null
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
  ETIMEDOUT: "The mail relay did not respond in time"
}

/** Untrusted certificates and failed handshakes. */
const insecure = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u

const failed = (error: string): Mailed => ({
  succeeded: false,
  permanent: false,
  statusCode: null,
  error,
  response: null
})

const takenMail = (response: string): Mailed => ({
  succeeded: true,
  permanent: false,
  statusCode: Number(/^\d{3}/u.exec(response)?.[0] ?? 250),
  error: null,
  response
})

/**
 * The result of a mail that was not accepted: final if the relay refused the mail itself (5xx). Everything else is retried,
 * also a refusal of the platform.
 */
const refusedMail = (error: SmtpError): Mailed => {
  const { code = "", originalCode = "", permanent = false, response = "", responseCode } = error
  if (ofTheMail.has(code) && responseCode !== undefined) {
    return {
      ...failed(`The mail relay answered ${responseCode}`),
      permanent,
      statusCode: responseCode,
      response
    }
  }
  const kind = insecure.test(originalCode) || insecure.test(code) ? "ETLS" : code
  return failed(sentences[kind] ?? "The mail relay could not be reached")
}

/** From the name look-up to the relay's last response, including the wait for a free connection. */
const TIME_LIMIT = Duration.seconds(20)
/** Concurrent connections to the relay. */
const CONNECTIONS = 5
/** Bytes of one response after which the connection is closed. */
const RESPONSE_LIMIT = 64 * 1024

const tooSlow = failed("The mail relay did not respond in time")

/** The default is the login, if it is an address, else `edp` at the public host name. */
const chooseSender = (from: Option.Option<Mailbox>, relay: SmtpRelay, host: string): Mailbox =>
  Option.getOrElse(
    from,
    () => mailbox(relay.login?.user ?? "") ?? { name: "Energy Device Platform", address: `edp@${host}` }
  )

/** Sends mails by the operator's relay (`SMTP_URL`). */
export class MailRelay extends Context.Service<
  MailRelay,
  {
    /** Undefined where the operator has set no relay. It never fails: an error is a result. */
    readonly send: ((mail: Mail) => Effect.Effect<Mailed>) | undefined
  }
>()("@edp/server/platform/mail/MailRelay") {
  static readonly layer = Layer.effect(
    MailRelay,
    Effect.gen(function* () {
      const { publicUrl, smtpFrom, smtpRelay } = yield* ServerConfig
      const dial = yield* OutboundDial
      if (Option.isNone(smtpRelay)) return { send: undefined }
      const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
      const relay = smtpRelay.value
      const { hostname } = new URL(publicUrl)
      const from = chooseSender(smtpFrom, relay, hostname)
      const connections = yield* Semaphore.make(CONNECTIONS)

      const submit = (message: SendMailOptions) =>
        contained<Mailed, SmtpError>(
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
              maxResponseSize: RESPONSE_LIMIT,
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
          () => Effect.succeed(failed("The platform could not send the mail"))
        )

      return {
        send: Effect.fn("MailRelay.send")(function* ({ headers, html, id, subject, text, to }: Mail) {
          const message: SendMailOptions = {
            subject,
            text,
            html,
            from,
            // A parsed address, so that nothing in it can begin another one.
            to: { name: "", address: to },
            date: new Date(yield* Clock.currentTimeMillis),
            messageId: `<${id}@${hostname}>`,
            headers: { "Auto-Submitted": "auto-generated", ...headers },
            disableFileAccess: true,
            disableUrlAccess: true
          }
          return yield* submit(message).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`An e-mail was not sent: ${error.message}`), refusedMail(error))
            ),
            connections.withPermit,
            Effect.timeoutOrElse({ duration: TIME_LIMIT, orElse: () => Effect.succeed(tooSlow) })
          )
        })
      }
    })
  )
}
