import { type AddressInfo, createServer, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import type { Event } from "@edp/domain/events/Event"
import { EmailSender } from "@edp/server/destinations/senders/EmailSender"
import { MailRelay } from "@edp/server/platform/mail/MailRelay"
import { OutboundDial } from "@edp/server/platform/outbound/OutboundDial"
import { publicLookup } from "@edp/server/platform/outbound/OutboundDial"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { ConfigProvider, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "../../../support/eventually.ts"
import { mailRelay, refusal } from "../../../support/peers/mailRelay.ts"
import { alertEvent, makeTarget } from "./sampleEvents.ts"
import { trusted } from "./trusted.ts"

const target = makeTarget({ destinationType: "EMAIL", email: "ada@example.com", label: "On call" })

type Settings = Readonly<Record<string, string>>
type Outbound = Parameters<typeof OutboundDial.layer>[0]

const makeLayer = (settings: Settings, outbound: Outbound) => {
  const env = { EDP_PUBLIC_URL: "https://edp.example.com", ...settings }
  return EmailSender.layer.pipe(
    Layer.provide(MailRelay.layer),
    Layer.provide(OutboundDial.layer(outbound)),
    Layer.provide(ServerConfig.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
    // Messages to operators are not checked here.
    Layer.merge(Logger.layer([]))
  )
}

const send = (settings: Settings, event: Event = alertEvent(1), outbound: Outbound = { allowPrivate: true }) =>
  Effect.flatMap(EmailSender, (sender) => sender.send(target, event)).pipe(
    Effect.provide(makeLayer(settings, outbound))
  )

const unencrypted = (port: number) => ({ SMTP_URL: `smtp://127.0.0.1:${port}?starttls=optional` })

/** A relay of few words: what it says to each line. */
const rawRelay = (say: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ port: number; sockets: Set<Socket>; close: () => void }>((resolve) => {
          const sockets = new Set<Socket>()
          const server = createServer((socket) => {
            sockets.add(socket)
            socket.on("error", () => {})
            socket.on("close", () => sockets.delete(socket))
            say(socket)
          }).listen(0, "127.0.0.1", () =>
            resolve({
              port: (server.address() as AddressInfo).port,
              sockets,
              close: () => {
                server.close()
                for (const socket of sockets) socket.destroy()
              }
            })
          )
        })
    ),
    ({ close }) => Effect.sync(close)
  )

describe("an e-mail", () => {
  it.live("describes an event as text and HTML, from the platform to the destination's address", () =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ hideSTARTTLS: true })
      const env = { ...unencrypted(relay.port), SMTP_FROM: "Energy Platform <alerts@example.com>" }
      const result = yield* send(env, alertEvent(1, { severity: "CRITICAL", title: "Inverter is too hot" }))
      expect(result).toMatchObject({ succeeded: true, permanent: false, statusCode: 250, error: null })
      const [{ from, mail, to }] = relay.taken as [(typeof relay.taken)[number]]
      expect([from, to]).toEqual(["alerts@example.com", ["ada@example.com"]])
      expect(mail.from).toMatchObject({ name: "Energy Platform", address: "alerts@example.com" })
      expect(mail.subject).toBe("Critical alert: Inverter is too hot")
      expect(mail.text).toContain("Device: Roof inverter")
      expect(mail.text).toContain('the destination "On call" subscribes to ALERT_CREATED')
      expect(mail.html).toContain('<h1 style="font-size:18px">Critical alert: Inverter is too hot</h1>')
      const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
      expect(headers).toMatchObject({
        "auto-submitted": "auto-generated",
        "x-edp-event-id": alertEvent(1).id,
        "x-edp-event-type": "ALERT_CREATED"
      })
    }).pipe(Effect.scoped)
  )

  it.live("has the same Message-ID on every attempt, and a different one for each event", () =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ hideSTARTTLS: true })
      for (const n of [1, 1, 2]) yield* send(unencrypted(relay.port), alertEvent(n))
      const [first, again, other] = relay.taken.map(({ mail }) => mail.messageId)
      expect(first).toBe(`<${alertEvent(1).id}.${target.id}@edp.example.com>`)
      expect([again === first, other === first]).toEqual([true, false])
    }).pipe(Effect.scoped)
  )

  const hostile = "Hot\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script> & \u0000\u202Egnp"
  it.live("gets no headers, recipients or markup from the content of an event", () =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ hideSTARTTLS: true })
      yield* send(unencrypted(relay.port), alertEvent(1, { title: hostile, description: hostile, deviceName: hostile }))
      const [{ mail, raw, to }] = relay.taken as [(typeof relay.taken)[number]]
      expect([to, mail.bcc, mail.cc]).toEqual([["ada@example.com"], undefined, undefined])
      expect(raw.slice(0, raw.indexOf("\r\n\r\n"))).not.toMatch(/^bcc:/imu)
      expect(mail.subject).toBe("Warning alert: Hot Bcc: eve@example.com <script>alert(1)</script> & gnp")
      expect(mail.html).not.toContain("<script>")
      expect(mail.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; gnp")
    }).pipe(Effect.scoped)
  )

  it.live("uses the login as sender by default", () =>
    Effect.gen(function* () {
      yield* trusted
      const relay = yield* mailRelay({ onAuth: (_auth, _session, done) => done(null, { user: "relay" }) })
      yield* send({ SMTP_URL: `smtp://edp%40mail.example.com:secret@localhost:${relay.port}` })
      expect(relay.taken.map(({ from }) => from)).toEqual(["edp@mail.example.com"])
    }).pipe(Effect.scoped)
  )
})

describe("the connection to the relay", () => {
  it.live("is encrypted by STARTTLS before the platform logs in", () =>
    Effect.gen(function* () {
      yield* trusted
      const logins: Array<readonly [string | undefined, string | null | undefined, boolean]> = []
      const relay = yield* mailRelay({
        onAuth: ({ password, username }, { secure }, done) => {
          logins.push([username, password, secure])
          done(null, { user: username })
        }
      })
      const result = yield* send({ SMTP_URL: `smtp://edp:s%2Fcret@localhost:${relay.port}` })
      expect(result.succeeded).toBe(true)
      expect(logins).toEqual([["edp", "s/cret", true]])
      expect(relay.taken.map(({ secure, user }) => [secure, user])).toEqual([[true, "edp"]])
    }).pipe(Effect.scoped)
  )

  it.live("is encrypted from the first byte with smtps", () =>
    Effect.gen(function* () {
      yield* trusted
      const relay = yield* mailRelay({ secure: true })
      expect((yield* send({ SMTP_URL: `smtps://localhost:${relay.port}` })).succeeded).toBe(true)
      expect(relay.taken.map(({ secure }) => secure)).toEqual([true])
    }).pipe(Effect.scoped)
  )

  it.live("sends nothing if encryption is required and not offered", () =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ disabledCommands: ["STARTTLS"] })
      const result = yield* send({ SMTP_URL: `smtp://localhost:${relay.port}` })
      expect(result).toMatchObject({ succeeded: false, permanent: false, statusCode: null })
      expect(result.error).toBe("The connection to the mail relay could not be encrypted")
      expect(relay.taken).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live.each(["smtp", "smtps"])("sends nothing to a relay with an untrusted certificate: %s", (scheme) =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ secure: scheme === "smtps" })
      const result = yield* send({ SMTP_URL: `${scheme}://localhost:${relay.port}` })
      expect(result.error).toBe("The connection to the mail relay could not be encrypted")
      expect(relay.taken).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is not made to a private address, whichever name resolves to it", () =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ hideSTARTTLS: true })
      const careful = {
        allowPrivate: false,
        lookup: (_host: string, options: object, callback: any) => publicLookup("127.0.0.1", options, callback)
      }
      const env = (host: string) => ({
        EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
        SMTP_URL: `smtp://${host}:${relay.port}?starttls=optional`
      })
      for (const host of ["relay.example.com", "127.0.0.1", "2130706433", "[::1]", "[::ffff:7f00:1]", "localhost"]) {
        expect((yield* send(env(host), alertEvent(1), careful)).error).toBe("The mail relay could not be reached")
      }
      expect(relay.connections()).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.effect("times out after 20 seconds with a relay that hangs", () =>
    Effect.gen(function* () {
      const relay = yield* rawRelay(() => {})
      const sending = yield* Effect.forkChild(send(unencrypted(relay.port)))
      yield* Effect.promise(() => eventually("it is connected", () => relay.sockets.size === 1 || undefined))
      yield* TestClock.adjust("20 seconds")
      expect((yield* Fiber.join(sending)).error).toBe("The mail relay did not respond in time")
      yield* Effect.promise(() => eventually("it is let go of", () => relay.sockets.size === 0 || undefined))
    }).pipe(Effect.scoped)
  )

  it.live("is closed if the relay's response is endless", () =>
    Effect.gen(function* () {
      const relay = yield* rawRelay((socket) => {
        const flood = () => {
          while (!socket.destroyed && socket.write("220-and furthermore\r\n".repeat(1000))) void 0
        }
        socket.on("drain", flood)
        flood()
      })
      expect(yield* send(unencrypted(relay.port))).toMatchObject({ succeeded: false, permanent: false })
    }).pipe(Effect.scoped)
  )
})

type Options = NonNullable<Parameters<typeof mailRelay>[0]>

describe("an e-mail that the relay does not accept", () => {
  const refusing = (status: number): ReadonlyArray<readonly [string, number, Options]> => [
    ["its sender", status, { onMailFrom: (_address, _session, done) => done(refusal(status, "Not you")) }],
    ["its recipient", status, { onRcptTo: (_address, _session, done) => done(refusal(status, "Nobody here")) }],
    [
      "what it says",
      status,
      {
        onData: (stream, _session, done) => {
          stream.resume()
          stream.on("end", () => done(refusal(status, "Not that")))
        }
      }
    ]
  ]

  it.live.each(refusing(451))("is retried when %s is rejected with %i", ([, status, options]) =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ hideSTARTTLS: true, ...options })
      const result = yield* send(unencrypted(relay.port))
      expect(result).toMatchObject({ succeeded: false, permanent: false, statusCode: status })
      expect(result.error).toBe(`The mail relay answered ${status}`)
    }).pipe(Effect.scoped)
  )

  it.live.each(refusing(554))("fails permanently when %s is rejected with %i", ([, status, options]) =>
    Effect.gen(function* () {
      const relay = yield* mailRelay({ hideSTARTTLS: true, ...options })
      const result = yield* send(unencrypted(relay.port))
      expect(result).toMatchObject({ succeeded: false, permanent: true, statusCode: status })
      expect(result.response).toMatch(/^554 .*(?:Not you|Nobody here|Not that)/u)
    }).pipe(Effect.scoped)
  )

  it.live("is retried when the platform's login is rejected, without details for callers", () =>
    Effect.gen(function* () {
      yield* trusted
      const relay = yield* mailRelay({
        onAuth: (_auth, _session, done) => done(refusal(535, "No such user edp-relay"))
      })
      const result = yield* send({ SMTP_URL: `smtp://edp-relay:wrong@localhost:${relay.port}` })
      expect(result).toMatchObject({ permanent: false, error: "The mail relay refused the platform's login" })
      expect(JSON.stringify(result)).not.toContain("edp-relay")
    }).pipe(Effect.scoped)
  )

  it.live("is retried when the relay is unreachable, without revealing its address to callers", () =>
    Effect.gen(function* () {
      const { close, port } = yield* rawRelay(() => {})
      close()
      const result = yield* send(unencrypted(port))
      expect(result).toMatchObject({ permanent: false, error: "The mail relay could not be reached", response: null })
    }).pipe(Effect.scoped)
  )
})

it.live("without SMTP_URL the server reports that it sends no e-mails", () =>
  Effect.gen(function* () {
    const unavailable = "This server sends no mails: its operator has not set SMTP_URL"
    const sender = yield* EmailSender.pipe(Effect.provide(makeLayer({}, { allowPrivate: true })))
    expect(sender.unavailable).toBe(unavailable)
    expect((yield* send({})).error).toBe(unavailable)
  })
)
