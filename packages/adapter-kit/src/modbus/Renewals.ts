import { Cause, Clock, Effect, FiberMap, type Scope } from "effect"
import type { AdapterHost } from "../AdapterHost.ts"
import { holdsAlready } from "./forcedMode.ts"
import type { ModbusAddress, ModbusClient } from "./ModbusClient.ts"
import type { Renewals, RenewedMode } from "./ModbusDriver.ts"

/**
 * Repeats writes on the instance that began the mode. A record tells it when another instance has ended or replaced the mode; if this
 * instance ends, nothing repeats the writes and the device falls back by itself.
 */
export const makeRenewals = ({
  client,
  host
}: {
  readonly client: ModbusClient
  readonly host: Pick<AdapterHost, "records" | "findAccount" | "instance">
}): Effect.Effect<(externalId: string, address: ModbusAddress) => Renewals, never, Scope.Scope> =>
  Effect.map(FiberMap.make<string>(), (fibers) => (externalId, address) => {
    const recordKey = (device: string) => `renewal/${device}`

    const round = Effect.fnUntraced(function* (device: string, mode: RenewedMode, token: string, deadline: number) {
      const record = yield* host.records.get(recordKey(device))
      if (record?.value !== token || (yield* Clock.currentTimeMillis) >= deadline) return false
      if ((yield* host.findAccount(externalId)) === undefined) return false
      const renew = client.use(address, (open) =>
        Effect.gen(function* () {
          const unit = open(mode.unitId)
          if (!(yield* holdsAlready(unit, mode.held))) return false
          yield* Effect.forEach(mode.renewed, unit.write, { discard: true })
          return true
        })
      )
      // A device that does not respond is tried again.
      return yield* Effect.catch(renew, () => Effect.succeed(true))
    })

    return {
      begin: Effect.fnUntraced(function* (device, mode) {
        const begunAt = yield* Clock.currentTimeMillis
        const token = `${host.instance} ${begunAt}`
        const earlier = yield* host.records.get(recordKey(device))
        yield* host.records.put(recordKey(device), earlier?.version ?? 0, token)
        const deadline = mode.seconds === null ? Infinity : begunAt + 1000 * mode.seconds
        const tried = Effect.catchCause(round(device, mode, token, deadline), (cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.failCause(cause)
            : Effect.as(Effect.logWarning(`The mode of ${device} could not be renewed; it is tried again`, cause), true)
        )
        const rounds = Effect.repeat(Effect.delay(tried, `${mode.everySeconds} seconds`), {
          while: (goesOn) => goesOn
        })
        yield* FiberMap.run(fibers, device, rounds)
      }),
      end: (device) => Effect.andThen(FiberMap.remove(fibers, device), host.records.remove(recordKey(device)))
    }
  })
