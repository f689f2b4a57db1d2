import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { modbusAdapter } from "@edp/adapter-kit/modbus/ModbusAdapter"
import { anySunSpecDevice } from "@edp/adapter-sunspec/sunSpecAdapter"
import { Effect } from "effect"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"

/** Sends operating modes, one after the other, to the SunSpec battery at a port. Keeps the snapshot in a file. */
const [port = "", file = "", ...modes] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const adapter = modbusAdapter({ slug: "test", name: "Test", drivers: [anySunSpecDevice] })
  const { authorization, sendCommand } = yield* adapter.create({}, testHost().host)
  if (authorization.kind !== "form") return yield* Effect.die("The adapter has no form")
  const linked = yield* authorization.connect({ host: "127.0.0.1", port, unitId: "1" })
  for (const operatingMode of modes) {
    yield* sendCommand!(testAccount(linked.externalId, linked.credentials), {
      id: `command-${operatingMode}`,
      device: { id: "device-1", manufacturerDeviceId: `${linked.externalId}/battery`, type: "battery" },
      type: "battery:set-operating-mode",
      input: { operatingMode, enableGridInteraction: true },
      revertAfter: null,
      state: null,
      snapshot: existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null,
      takenSince: [],
      saveSnapshot: (snapshot) => Effect.sync(() => writeFileSync(file, JSON.stringify(snapshot)))
    })
  }
})

await Effect.runPromise(Effect.scoped(program))
