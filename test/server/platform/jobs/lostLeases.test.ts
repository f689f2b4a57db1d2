import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { Effect, Logger } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { acceptedCommand, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "../../commands/arrangeCommands.ts"
import { arrangeDestinations } from "../../destinations/arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"
import { gate } from "../../../support/races.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({
  own: true,
  adapters: [scripted.adapter],
  env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" }
})
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

const silent = Effect.provide(Logger.layer([]))
const claimedByAnother = "00000000-0000-4000-8000-000000000000"

test("a worker whose device another has claimed during the call neither records its outcome nor sends the next command", async () => {
  const call = gate()
  const place = await arrangeCommands(app, scripted, {
    send: () => Effect.as(call.wait, acceptedCommand)
  })
  const { id } = await place.reserve(30)
  const { id: next } = await place.mode("charge")
  await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(silent))
  await call.entered
  await app.sql(
    (sql) => sql`UPDATE device_work SET claim = ${claimedByAnother}::uuid,
    lease_until = now() + interval '1 hour' WHERE device_id = ${place.deviceId} RETURNING 1`
  )
  call.open()
  await eventually("the worker has ended", async () => {
    await app.run(Effect.flatMap(CommandRunner, ({ renew }) => renew))
    return place.sent().length === 1 ? true : undefined
  })
  expect([(await place.read(id)).status, (await place.read(next)).status]).toEqual(["pending", "pending"])
  // Once the other one has died, the command is repeated.
  await app.sql(
    (sql) => sql`UPDATE device_work SET lease_until = now() WHERE device_id = ${place.deviceId} RETURNING 1`
  )
  await place.perform()
  expect((await place.read(id)).status).toBe("delivered")
})

test("a worker whose ordering key another has claimed during the request records no attempt", async () => {
  const place = await arrangeDestinations(app)
  const arrived = Promise.withResolvers<() => void>()
  receiver.respond((response) => arrived.resolve(() => response.writeHead(204).end()))
  const { id } = await place.destination({ url: receiver.url })
  await place.customer()
  await place.fanOut()
  await place.begin()
  const respond = await arrived.promise
  await app.sql(
    (sql) => sql`UPDATE delivery_lanes SET claim = ${claimedByAnother}::uuid,
    due_at = now() + interval '1 hour' WHERE destination_id = ${id} RETURNING 1`
  )
  receiver.respond((response) => response.writeHead(204).end())
  respond()
  // A later delivery of another destination shows that the former was not recorded.
  const other = await arrangeDestinations(app)
  const { id: otherId } = await other.destination({ url: receiver.url })
  await other.customer()
  await other.deliverUntil(
    "the other arrives",
    async () => (await other.deliveries(otherId))[0]?.status === "succeeded"
  )
  expect(await place.deliveries(id)).toMatchObject([{ status: "pending", attempts: [] }])
  await app.sql((sql) => sql`UPDATE delivery_lanes SET due_at = now() WHERE destination_id = ${id} RETURNING 1`)
  await place.deliverUntil("it is delivered again", async () => (await place.deliveries(id))[0].status === "succeeded")
})
