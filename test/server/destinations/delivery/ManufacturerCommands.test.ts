import type { Command } from "@edp/domain/commands/Command"
import { ManufacturerCommands, type CommandReceipt } from "@edp/server/destinations/delivery/ManufacturerCommands"
import { Ids } from "@edp/server/platform/Ids"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"

const app = useTestApp()

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())
beforeEach(() => {
  receiver.received.length = 0
  receiver.respond((response) => response.writeHead(202).end())
})

const arrange = async () => {
  const place = await arrangeDestinations(app)
  const destination = await place.ok("POST", "/v1/destinations", {
    destinationType: "MANUFACTURER_COMMAND",
    url: `${receiver.url}/commands`,
    manufacturer: "generic"
  })
  const [id, deviceId] = await app.run(Effect.flatMap(Ids, ({ next }) => Effect.replicateEffect(next, 2)))
  const command: Command = {
    id: id!,
    status: "pending",
    type: "battery:set-reserve",
    source: "user",
    issuedAt: "2026-03-01T12:00:00.000Z",
    input: { chargePercentage: 30 },
    output: null,
    upstream: null,
    deviceId: deviceId!,
    transitions: [{ status: "pending", at: "2026-03-01T12:00:00.000Z" }]
  }
  const post = (manufacturer = "generic") =>
    app.run(
      Effect.flatMap(ManufacturerCommands, (commands) =>
        commands.post(place.workspaceId, manufacturer, command)
      ) as Effect.Effect<"absent" | CommandReceipt>
    )
  return { ...place, command, destination, post }
}

describe("a command that is sent to a manufacturer", () => {
  test("is a signed event with the command's id, and shown with the destination's deliveries", async () => {
    const { command, deliveries, destination, post, workspaceId } = await arrange()
    expect(await post()).toEqual({
      accepted: true,
      transient: false,
      retryAfter: undefined,
      upstream: { statusCode: 202, errorCode: null, errorMessage: null, requestId: null }
    })
    const [{ headers, path, text }] = receiver.received as [Receiver["received"][number]]
    expect([path, headers["webhook-id"]]).toEqual(["/commands", command.id])
    expect(new Webhook(destination.secret).verify(text, headers as Record<string, string>)).toEqual({
      id: command.id,
      sequence: Date.parse(command.issuedAt),
      type: "COMMAND_SCHEDULED",
      version: "1.0.0",
      timestamp: command.issuedAt,
      workspaceId,
      data: { command, deviceId: command.deviceId }
    })
    expect(await deliveries(destination.id)).toMatchObject([
      { eventId: command.id, status: "succeeded", attempts: [{ statusCode: 202, error: null }] }
    ])
  })

  test("has the same id on every attempt, and one delivery that shows them all", async () => {
    const { deliveries, destination, post } = await arrange()
    receiver.respond((response) => response.writeHead(503, { "retry-after": "9" }).end("busy"))
    expect(await post()).toEqual({
      accepted: false,
      transient: true,
      retryAfter: 9000,
      upstream: { statusCode: 503, errorCode: null, errorMessage: "busy", requestId: null }
    })
    expect(await deliveries(destination.id)).toMatchObject([{ status: "failed", attempts: [{ responseBody: "busy" }] }])
    receiver.respond((response) => response.writeHead(200).end())
    expect(await post()).toMatchObject({ accepted: true })
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1)
    const [delivery] = await deliveries(destination.id)
    expect(delivery).toMatchObject({ status: "succeeded", attempts: [{ statusCode: 200 }, { statusCode: 503 }] })
  })

  test("fails for good when it is rejected", async () => {
    const { post } = await arrange()
    receiver.respond((response) => response.writeHead(422).end("no such mode"))
    expect(await post()).toMatchObject({
      accepted: false,
      transient: false,
      upstream: { errorMessage: "no such mode" }
    })
  })

  test("may be repeated when there is no response", async () => {
    const { post } = await arrange()
    receiver.respond((response) => response.socket?.destroy())
    expect(await post()).toEqual({ accepted: false, transient: true, retryAfter: undefined, upstream: null })
  })

  test("is not sent without a destination of the manufacturer", async () => {
    const { post } = await arrange()
    expect(await post("simulator")).toBe("absent")
    expect(receiver.received).toEqual([])
  })

  test("deactivates the destination with a 410, after which nothing is sent", async () => {
    const { destination, ok, post } = await arrange()
    receiver.respond((response) => response.writeHead(410).end())
    expect(await post()).toMatchObject({ accepted: false, transient: false })
    expect(await ok("GET", `/v1/destinations/${destination.id}`)).toMatchObject({
      deactivated: true,
      deactivatedReason: "The receiver answered 410 Gone"
    })
    expect(await post()).toBe("absent")
    expect(receiver.received).toHaveLength(1)
  })

  test("deactivates the destination when every attempt has failed for 5 days", async () => {
    const { destination, ok, post } = await arrange()
    receiver.respond((response) => response.writeHead(500).end())
    await post()
    await app.sql(
      (sql) => sql`UPDATE destinations SET failing_since = now() - interval '5 days' WHERE id = ${destination.id}`
    )
    await post()
    expect(await ok("GET", `/v1/destinations/${destination.id}`)).toMatchObject({ deactivated: true })
  })

  test("400 INVALID_STATE redelivery and replay: a command is sent by its own attempts", async () => {
    const { call, deliveries, destination, post } = await arrange()
    await post()
    const [{ id }] = (await deliveries(destination.id)) as [any]
    const path = `/v1/destinations/${destination.id}`
    expectError(await call("POST", `${path}/deliveries/${id}/redeliver`), 400, "INVALID_STATE")
    const from = new Date(Date.now() - 60_000).toISOString()
    expectError(await call("POST", `${path}/replay`, { from, failedOnly: true }), 400, "INVALID_STATE")
  })
})
