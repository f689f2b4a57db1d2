import { makeModbusClient, modbusTimes } from "@edp/adapter-kit/modbus/ModbusClient"
import type { Renewals } from "@edp/adapter-kit/modbus/ModbusDriver"
import { makeRenewals } from "@edp/adapter-kit/modbus/Renewals"
import { memoryRecords, testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { Effect, Exit, Scope } from "effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { type ScriptedDevice, startScriptedDevice } from "../../support/peers/scriptedModbusDevice.ts"

const MODE = 100
const POWER = 101
/** Milliseconds after which the device falls back to its own mode. */
const FALLS_BACK = 200

let device: ScriptedDevice
let renewed = 0
let watchdog: NodeJS.Timeout
beforeEach(async () => {
  device = await startScriptedDevice([
    [MODE, 1],
    [POWER, 3000]
  ])
  renewed = 0
  const fallBack = () => void device.registers.set(MODE, 0)
  watchdog = setTimeout(fallBack, FALLS_BACK)
  device.script = ({ code }) => {
    if (code === 16) {
      renewed += 1
      clearTimeout(watchdog)
      watchdog = setTimeout(fallBack, FALLS_BACK)
    }
    return undefined
  }
})
afterEach(async () => {
  clearTimeout(watchdog)
  await device.stop()
})

const mode = {
  unitId: 1,
  held: [
    { address: MODE, words: [1] },
    { address: POWER, words: [3000] }
  ],
  renewed: [{ address: MODE, words: [1] }],
  everySeconds: 0.02,
  seconds: null
}

/** An instance of the platform over the records of all. */
const startInstance = async (records = memoryRecords().records) => {
  const scope = Scope.makeUnsafe()
  const { accounts, host } = testHost({ records })
  accounts.set("device", { ...testAccount("device", null), pending: false })
  const renewals: Renewals = await Effect.runPromise(
    Effect.gen(function* () {
      const client = yield* makeModbusClient(host, modbusTimes)
      return (yield* makeRenewals({ client, host }))("device", { host: "127.0.0.1", port: device.port })
    }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  return { renewals, accounts, records, die: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Begins the mode, and waits until it has lasted longer than the device alone would keep it. */
const begin = async (renewals: Renewals, more: object = {}) => {
  await Effect.runPromise(renewals.begin("device/battery", { ...mode, ...more }))
  await eventually("the mode is renewed", () => (renewed >= 12 ? true : undefined))
  expect(device.registers.get(MODE)).toBe(1)
}

const fellBack = () => eventually("the device falls back", () => (device.registers.get(MODE) === 0 ? true : undefined))

it("repeats the write until the mode is ended, by this instance or by another one", async () => {
  const one = await startInstance()
  const other = await startInstance(one.records)
  await begin(one.renewals)
  await Effect.runPromise(other.renewals.end("device/battery"))
  await fellBack()
  await one.die()
  await other.die()
})

it.each<[string, (instance: Awaited<ReturnType<typeof startInstance>>) => Promise<unknown> | void]>([
  ["the platform ends", (instance) => instance.die()],
  ["the account is deleted", ({ accounts }) => void accounts.clear()],
  ["somebody has changed a setting of the mode at the device", () => void device.registers.set(POWER, 500)]
])("does not repeat it once %s: the device falls back by itself", async (_, happen) => {
  const instance = await startInstance()
  await begin(instance.renewals)
  await happen(instance)
  await fellBack()
  await instance.die()
})

it("does not repeat it beyond the time that the mode lasts", async () => {
  const instance = await startInstance()
  await begin(instance.renewals, { seconds: 0.6 })
  await fellBack()
  await instance.die()
})

it("goes on after rounds in which the records could not be read", async () => {
  const { records } = memoryRecords()
  let left = 0
  const get: typeof records.get = (key) =>
    Effect.suspend(() => (left > 0 && left-- > 0 ? Effect.die("The database is unavailable") : records.get(key)))
  const instance = await startInstance({ ...records, get })
  await begin(instance.renewals)
  left = 3
  const before = renewed
  await eventually("the mode is renewed again", () => (left === 0 && renewed > before + 12 ? true : undefined))
  expect(device.registers.get(MODE)).toBe(1)
  await instance.die()
})
