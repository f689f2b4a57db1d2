import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "@effect/vitest"
import { SmsSender } from "@edp/server/destinations/senders/SmsSender"
import { smsText } from "@edp/server/destinations/senders/SmsSender"
import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { ConfigProvider, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import twilio from "twilio"
import { eventually } from "../../../support/eventually.ts"
import { alertEvent, makeTarget } from "./sampleEvents.ts"

const ACCOUNT = `AC${"0123456789abcdef".repeat(2)}`
const TOKEN = "for-tests-only"
const NUMBER = "+19165550142"
const FROM = "+15005550006"

interface Seen {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly form: Readonly<Record<string, string>>
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The gateway's response to a message that it queues: the vendor's form of the resource. */
const queued: Reply = {
  status: 201,
  body: JSON.stringify({
    account_sid: ACCOUNT,
    api_version: "2010-04-01",
    body: "…",
    date_created: "Sun, 01 Mar 2026 12:00:00 +0000",
    date_sent: null,
    date_updated: "Sun, 01 Mar 2026 12:00:00 +0000",
    direction: "outbound-api",
    error_code: null,
    error_message: null,
    from: FROM,
    messaging_service_sid: null,
    num_media: "0",
    num_segments: "1",
    price: null,
    price_unit: "USD",
    sid: `SM${"0".repeat(32)}`,
    status: "queued",
    subresource_uris: {},
    to: NUMBER,
    uri: `/2010-04-01/Accounts/${ACCOUNT}/Messages/SM${"0".repeat(32)}.json`
  })
}

/** A refusal in the vendor's form. */
const refused = (status: number, code: number, message: string, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers,
  body: JSON.stringify({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status })
})

/** A gateway on this machine, for the scope's time. With null it hangs. */
const gateway = (reply: Reply | null = queued) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const server = createServer(async (request, response) => {
        const form = Object.fromEntries(new URLSearchParams(await text(request)))
        const { authorization, "content-type": contentType } = request.headers
        seen.push({ method: request.method, path: request.url, authorization, contentType, form })
        if (reply === null) return
        response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return {
        seen,
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () => {
          server.close()
          server.closeAllConnections()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )

/** The vendor's own client, led to another host. */
const vendorsClient = (url: string) => {
  const http = new twilio.RequestClient()
  const request = http.request.bind(http)
  http.request = (options) => request({ ...options, uri: options.uri.replace("https://api.twilio.com", url) })
  return twilio(ACCOUNT, TOKEN, { httpClient: http })
}

const send = (url: string, settings: Readonly<Record<string, string>> = {}, allowPrivate = true) => {
  const env = { SMS_API_URL: url, SMS_ACCOUNT: ACCOUNT, SMS_TOKEN: TOKEN, SMS_FROM: FROM, ...settings }
  const target = makeTarget({ destinationType: "SMS", phoneNumber: NUMBER })
  return Effect.flatMap(SmsSender, (sender) => sender.send(target, alertEvent(1))).pipe(
    Effect.provide(
      SmsSender.layer.pipe(
        Layer.provide(OutboundHttp.layer({ allowPrivate })),
        Layer.provide(ServerConfig.layer),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
        Layer.merge(Logger.layer([]))
      )
    )
  )
}

describe("a text message", () => {
  const senders = [
    [FROM, { from: FROM }],
    ["Energy", { from: "Energy" }],
    [`MG${"a".repeat(32)}`, { messagingServiceSid: `MG${"a".repeat(32)}` }]
  ] as const

  it.live.each(senders)("matches the vendor's own client, from %s", ([from, sender]) =>
    Effect.gen(function* () {
      const { seen, url } = yield* gateway()
      const result = yield* send(url, { SMS_FROM: from })
      expect(result).toMatchObject({ succeeded: true, permanent: false, statusCode: 201, error: null })
      const body = smsText(alertEvent(1))
      const message = yield* Effect.promise(() => vendorsClient(url).messages.create({ to: NUMBER, body, ...sender }))
      expect(message.status).toBe("queued")
      const [ours, theirs] = seen as [Seen, Seen]
      expect({ ...ours, contentType: ours.contentType?.split(";")[0] }).toEqual({
        ...theirs,
        contentType: theirs.contentType?.split(";")[0]
      })
    }).pipe(Effect.scoped)
  )

  it.live("does not reveal the operator's account to callers", () =>
    Effect.gen(function* () {
      const { url } = yield* gateway()
      const { response } = yield* send(url)
      expect(JSON.parse(response!)).toEqual({ sid: `SM${"0".repeat(32)}`, status: "queued" })
    }).pipe(Effect.scoped)
  )

  it.live("has one line of at most 300 characters with the change and its time", () =>
    Effect.sync(() => {
      expect(smsText(alertEvent(1))).toBe("Warning alert: Inverter does not respond (2026-03-01 12:00 UTC)")
      const long = smsText(alertEvent(1, { title: `Hot\r\n${"💥".repeat(400)}` }))
      expect(long.length).toBeLessThanOrEqual(300)
      expect(long.isWellFormed()).toBe(true)
      expect(long).not.toMatch(/[\r\n]/u)
    })
  )
})

describe("a message that the gateway does not accept", () => {
  const forGood = [
    refused(400, 21211, `The 'To' number ${NUMBER} is not a valid phone number.`),
    refused(400, 21610, "Attempt to send to unsubscribed recipient"),
    refused(400, 21614, `'To' number is not a valid mobile number`),
    refused(400, 21408, "Permission to send an SMS has not been enabled for the region indicated by the 'To' number")
  ].map((reply) => [JSON.parse(reply.body).code as number, reply] as const)

  it.live.each(forGood)("fails permanently: %i", ([code, reply]) =>
    Effect.gen(function* () {
      const { url } = yield* gateway(reply)
      const result = yield* send(url)
      expect(result).toMatchObject({ succeeded: false, permanent: true, gone: false, statusCode: 400 })
      expect(result.error).toContain(`code ${code}: `)
      const refusal = yield* Effect.promise(() =>
        vendorsClient(url)
          .messages.create({ to: NUMBER, from: FROM, body: "…" })
          .catch((error: unknown) => error)
      )
      expect(refusal).toMatchObject({ status: 400, code })
    }).pipe(Effect.scoped)
  )

  const forNow: ReadonlyArray<readonly [string, Reply, number | undefined]> = [
    ["429 with a pause", refused(429, 20429, "Too Many Requests", { "retry-after": "30" }), 30_000],
    ["500", refused(500, 20500, "An internal server error has occurred"), undefined],
    ["503 without a word", { status: 503, body: "" }, undefined],
    ["502 that is no JSON", { status: 502, body: "<html>Bad gateway</html>" }, undefined],
    ["a redirect", { status: 302, body: "", headers: { location: "/elsewhere" } }, undefined],
    ["400 for the platform's number", refused(400, 21606, "The 'From' number is not valid"), undefined]
  ]
  it.live.each(forNow)("is retried: %s", ([, reply, retryAfter]) =>
    Effect.gen(function* () {
      const { seen, url } = yield* gateway(reply)
      const result = yield* send(url)
      expect(result).toMatchObject({ succeeded: false, permanent: false, statusCode: reply.status, retryAfter })
      expect(seen).toHaveLength(1)
    }).pipe(Effect.scoped)
  )

  it.live.each([401, 403, 404])(
    "is retried when the platform's account is rejected, without revealing it: %i",
    (status) =>
      Effect.gen(function* () {
        const { url } = yield* gateway(refused(status, 20003, `Authenticate ${ACCOUNT}`))
        const result = yield* send(url)
        expect(result).toMatchObject({ permanent: false, statusCode: status, response: null })
        expect(JSON.stringify(result)).not.toContain(ACCOUNT)
      }).pipe(Effect.scoped)
  )

  it.effect("times out after 10 seconds with a gateway that hangs", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* gateway(null)
      const sending = yield* Effect.forkChild(send(url))
      yield* Effect.promise(() => eventually("it is asked", () => seen.length === 1 || undefined))
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(sending)).error).toBe("The SMS gateway did not respond in time")
    }).pipe(Effect.scoped)
  )
})

it.live("without SMS_API_URL the server reports that it sends no text messages", () =>
  Effect.gen(function* () {
    const env = { SMS_API_URL: "", SMS_ACCOUNT: "", SMS_TOKEN: "", SMS_FROM: "" }
    expect((yield* send("", env)).error).toBe(
      "This server sends no text messages: its operator has not set SMS_API_URL"
    )
  })
)
