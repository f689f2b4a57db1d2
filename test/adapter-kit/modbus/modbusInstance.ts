import type { Account } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterInstance, CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { modbusAdapter } from "@edp/adapter-kit/modbus/ModbusAdapter"
import { modbusTimes } from "@edp/adapter-kit/modbus/ModbusClient"
import type { ModbusDriver } from "@edp/adapter-kit/modbus/ModbusDriver"
import { Effect, Exit, References, Scope } from "effect"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"

/** Short limits: a device that never responds is given up soon, and an unused connection ends at once. */
const times = { ...modbusTimes, request: "2 seconds", total: "8 seconds", busyPause: "1 millis", idle: 0 }

export const run = <A>(effect: Effect.Effect<A, AdapterError>): Promise<A> =>
  Effect.runPromise(Effect.provideService(effect, References.MinimumLogLevel, "Error"))
export const failure = (effect: Effect.Effect<unknown, AdapterError>): Promise<AdapterError> =>
  run(Effect.flip(effect) as Effect.Effect<AdapterError>)

/** An adapter at work over the given drivers. */
export const startInstance = async (drivers: ReadonlyArray<ModbusDriver>, more: Partial<typeof modbusTimes> = {}) => {
  const scope = Scope.makeUnsafe()
  const adapter = modbusAdapter({ slug: "test", name: "Test", drivers }, { ...times, ...more } as typeof modbusTimes)
  const instance: AdapterInstance<any> = await run(
    Effect.provideService(adapter.create({}, testHost().host), Scope.Scope, scope)
  )
  const { authorization } = instance
  if (authorization.kind !== "form") throw new Error("The adapter has no form")

  const link = async (values: Readonly<Record<string, string>>, memory: unknown = null): Promise<Account<any>> => {
    const linked = await run(authorization.connect(values))
    return testAccount(linked.externalId, linked.credentials, { memory })
  }

  /** A command with the snapshots that it saved, each with the number of `events` at that time. */
  const command = (
    account: Account<any>,
    request: Partial<CommandRequest> & Pick<CommandRequest, "type" | "input">,
    device = "battery"
  ) => {
    const saved: Array<unknown> = []
    const full: CommandRequest = {
      id: "command-1",
      device: { id: "device-1", manufacturerDeviceId: `${account.externalId}/${device}`, type: "battery" },
      revertAfter: null,
      state: null,
      snapshot: null,
      takenSince: [],
      saveSnapshot: (snapshot) => Effect.sync(() => void saved.push(JSON.parse(JSON.stringify(snapshot)))),
      ...request
    }
    return { saved, effect: instance.sendCommand!(account, full), device: full.device }
  }

  return {
    instance,
    authorization,
    link,
    command,
    stop: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
