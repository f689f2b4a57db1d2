import { layerHttp, makeClient } from "@edp/domain/Client"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { Console, DateTime, Effect, Stream } from "effect"
import { arrangeDevice, arrangeSite } from "./arrange.ts"
import { executeCommands, followCommand } from "./commands.ts"
import { readCredentials } from "./credentials.ts"
import { solarDay } from "./solarDay.ts"

const program = Effect.gen(function* () {
  const { baseUrl, manufacturerKey, serverKey } = yield* readCredentials
  const tell = ({ reason }: { readonly reason: string }) => Console.log(`${reason}: trying again`)
  const client = yield* makeClient({ baseUrl, key: serverKey, onRetry: tell })
  const manufacturer = yield* makeClient({ baseUrl, key: manufacturerKey, onRetry: tell })

  const site = yield* arrangeSite(client)
  const inverter = yield* arrangeDevice(client, manufacturer, site.id, "inverter")
  yield* Console.log(`${inverter.name} at ${site.name}, ${site.address.city} (${inverter.id})`)

  // A manufacturer pushes what the device reported; what is there already counts as a duplicate.
  const readings = solarDay(yield* DateTime.now)
  const params = { id: inverter.id }
  const { accepted, duplicates } = yield* manufacturer.directIntegration.push({ params, payload: { readings } })
  yield* Console.log(`pushed yesterday: ${accepted} readings stored, ${duplicates} known before`)

  // Any list is a stream of its records, which asks for pages as they are needed.
  const from = readings[0]!.timestamp
  const history = streamRecords((position) => client.devices.history({ params, query: { from, ...position } }))
  const peak = yield* Stream.runFold(
    history,
    () => 0,
    // Readings don't name the type of their device, so a field tells the variants apart.
    (highest, reading) => ("power" in reading ? Math.max(highest, Number(reading.power)) : highest)
  )
  yield* Console.log(`its highest power was ${peak} W`)

  // The device's type tells what its state holds.
  const devices = streamRecords((position) => client.devices.list({ query: { siteId: [site.id], ...position } }))
  yield* Stream.runForEach(devices, (device) =>
    Console.log(device.type === "inverter" ? `${device.name} now: ${device.state.power} W` : device.name)
  )

  // A command is stored at once, and its status is tracked. Its type determines the fields of its input.
  const battery = yield* arrangeDevice(client, manufacturer, site.id, "battery")
  const sent = yield* client.commands.send({
    params: { id: battery.id },
    payload: { type: "battery:set-reserve", input: { chargePercentage: 30 } }
  })
  yield* executeCommands(manufacturer, battery.id)
  const { status, transitions } = yield* followCommand(client, sent.id)
  yield* Console.log(`the reserve of ${battery.name}: ${status} after ${transitions.length - 1} steps`)

  // An error is caught by its code; what can't be caught here is told by the type.
  yield* client.devices
    .update({ params: { id: "not-there" }, payload: { name: "Garage" } })
    .pipe(Effect.catchTag("DEVICE_NOT_FOUND", ({ message }) => Console.log(`renaming nothing: ${message}`)))
})

const giveUp = (message: string) => {
  process.exitCode = 1
  return Console.error(message)
}

await Effect.runPromise(
  program.pipe(
    // Without a response there is no code: that failure has a tag of its own.
    Effect.catchTag("HttpClientError", ({ message }) => giveUp(`${message}: is the service running?`)),
    Effect.catchTag("NoCredentials", ({ message }) => giveUp(message)),
    Effect.provide(layerHttp)
  )
)
