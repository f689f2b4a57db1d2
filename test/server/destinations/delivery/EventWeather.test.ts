import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Command } from "@edp/domain/commands/Command"
import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import { inTransaction } from "@edp/server/platform/sql/transaction"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { seedDevice, seedSite } from "../../../support/Seed.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { forecast } from "../../../support/peers/forecasts.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"

let asked = 0
let respond: (response: ServerResponse) => void
const forecasts = createServer((_, response) => {
  asked += 1
  respond(response)
})
let receiver: Receiver
beforeAll(async () => {
  await new Promise<void>((listening) => forecasts.listen(0, "127.0.0.1", listening))
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.stop()
  await new Promise<unknown>((closed) => forecasts.close(closed))
})
beforeEach(() => {
  asked = 0
  receiver.received.length = 0
  respond = (response) => void response.end(JSON.stringify(forecast))
})

const app = useTestApp({
  env: {
    get WEATHER_URL() {
      return `http://127.0.0.1:${(forecasts.address() as AddressInfo).port}`
    }
  }
})

const weather = {
  temperature: 61.3,
  condition: "partly_cloudy",
  cloudCover: 45,
  windSpeed: 7.4,
  observedAt: "2026-03-01T12:00:00.000Z"
}

/** Destinations with and without weather, and what each has got. */
const arrange = async (eventTypes: ReadonlyArray<string>) => {
  const arranged = await arrangeDestinations(app)
  await arranged.destination({ url: `${receiver.url}/with`, includeWeather: true, eventTypes })
  await arranged.destination({ url: `${receiver.url}/without`, eventTypes })
  const got = (path: string) => receiver.received.filter((one) => one.path === path).map(({ event }) => event.data)
  return { ...arranged, got }
}

test("an event of a site, or of an alert at one, has the weather there if the destination requests it", async () => {
  const { deliverUntil, got, keys, ok } = await arrange(["SITE_CREATED", "ALERT_CREATED"])
  const site = await seedSite(app, keys.SERVER)
  await deliverUntil("the site arrives", () => receiver.received.length === 2)
  await ok("POST", "/v1/alerts", { siteId: site.id, title: "Dark", sourceSystem: "watch", severity: "INFO" })
  await deliverUntil("the alert arrives", () => receiver.received.length === 4)
  expect(got("/with").map((data) => data.weather)).toEqual([weather, weather])
  expect(got("/without").map((data) => "weather" in data)).toEqual([false, false])
  // Once for a place, however many events there are.
  expect(asked).toBe(1)
})

test("an event of a command has the weather at its device's site", async () => {
  const { deliverUntil, got, keys } = await arrange(["COMMAND_FAILED"])
  const site = await seedSite(app, keys.SERVER)
  const deviceId = await seedDevice(app, site.workspaceId, { siteId: site.id })
  const [command] = (Command.ast.annotations as { readonly examples: ReadonlyArray<Command> }).examples
  const data = { command: { ...command!, deviceId }, deviceId }
  await app.run(
    Effect.gen(function* () {
      const { publish } = yield* EventOutbox
      yield* inTransaction(publish([{ type: "COMMAND_FAILED", workspaceId: site.workspaceId, data }]))
    }) as Effect.Effect<void>
  )
  await deliverUntil("both have it", () => receiver.received.length === 2)
  expect(got("/with").map((data) => data.weather)).toEqual([weather])
})

test("an event without a site or with unknown weather has null, and is delivered", async () => {
  respond = (response) => void response.writeHead(500).end()
  const { customer, deliverUntil, got, keys } = await arrange(["SITE_CREATED", "CUSTOMER_CREATED"])
  await seedSite(app, keys.SERVER, { location: { latitude: 12, longitude: 34 } })
  await customer()
  await deliverUntil("both arrive", () => got("/with").length === 2)
  expect(got("/with").map((data) => data.weather)).toEqual([null, null])
})

test("a sample has the weather at its site, or null without a site", async () => {
  const { destination, got, ok } = await arrange(["SITE_CREATED"])
  const url = `${receiver.url}/with`
  for (const type of ["SITE_CREATED", "CUSTOMER_CREATED"]) {
    const { id } = await destination({ url, includeWeather: true, eventTypes: [type] })
    expect((await ok("POST", `/v1/destinations/${id}/test`)).succeeded).toBe(true)
  }
  expect(got("/with").map((data) => data.weather)).toEqual([weather, null])
})
