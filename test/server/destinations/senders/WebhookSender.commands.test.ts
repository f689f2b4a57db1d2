import type { Target } from "@edp/server/destinations/senders/DestinationSender"
import { ManufacturerCommandSender } from "@edp/server/destinations/senders/WebhookSender"
import { WebhookSender } from "@edp/server/destinations/senders/WebhookSender"
import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { toSecret } from "@edp/domain/events/webhookSignature"
import { Effect, Layer, Redacted } from "effect"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"
import { alertEvent, commandEvent, makeTarget } from "./sampleEvents.ts"

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())
beforeEach(() => {
  receiver.received.length = 0
  receiver.respond((response) => response.writeHead(202).end())
})

const secret = toSecret(new Uint8Array(32).fill(7))

const send = (event: Parameters<ManufacturerCommandSender["Service"]["send"]>[1]) => {
  const target: Target = makeTarget({
    destinationType: "MANUFACTURER_COMMAND",
    url: Redacted.make(`${receiver.url}/commands`),
    manufacturer: "generic",
    secrets: [Redacted.make(secret)],
    headers: Redacted.make({ "X-Fleet": "7" })
  })
  return Effect.flatMap(ManufacturerCommandSender, (sender) => sender.send(target, event)).pipe(
    Effect.provide(
      ManufacturerCommandSender.layer.pipe(
        Layer.provide(WebhookSender.layer),
        Layer.provide(OutboundHttp.layer({ allowPrivate: true }))
      )
    ),
    Effect.runPromise
  )
}

describe("a command for a manufacturer", () => {
  test("is posted with the destination's headers, signed so that a third-party verifier accepts it", async () => {
    expect(await send(commandEvent(1))).toMatchObject({ succeeded: true, permanent: false, statusCode: 202 })
    const [{ headers, path, text }] = receiver.received as [Receiver["received"][number]]
    expect([path, headers["x-fleet"]]).toEqual(["/commands", "7"])
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(commandEvent(1))
  })

  test.each([400, 401, 403, 404, 409, 410, 422])("fails permanently when rejected with %i", async (status) => {
    receiver.respond((response) => response.writeHead(status).end("no"))
    expect(await send(commandEvent(1))).toMatchObject({
      succeeded: false,
      permanent: true,
      statusCode: status,
      response: "no"
    })
  })

  test.each([408, 425, 429, 500, 502, 503])("is retried after %i", async (status) => {
    receiver.respond((response) => response.writeHead(status, { "retry-after": "9" }).end())
    expect(await send(commandEvent(1))).toMatchObject({ permanent: false, statusCode: status, retryAfter: 9000 })
  })

  test("is retried when there is no response", async () => {
    receiver.respond((response) => response.socket?.destroy())
    expect(await send(commandEvent(1))).toMatchObject({ succeeded: false, permanent: false, statusCode: null })
  })

  test("is the only event that it receives", async () => {
    expect(await send(alertEvent(1))).toMatchObject({
      permanent: true,
      error: "Only commands are sent to a manufacturer"
    })
    expect(receiver.received).toEqual([])
  })
})
