import { Cause, Clock, Effect, FiberMap, Schema, type Scope } from "effect"
import { AdapterError } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import type { SetPointControl } from "./BrokerDevice.ts"
import type { BrokerSession } from "./BrokerSession.ts"

/** Before a mode there is no set-point: one of another program is left alone. */
const Snapshot = Schema.Struct({ setPoint: Schema.Null })
export const setPointSnapshot = { setPoint: null } satisfies typeof Snapshot.Type

export const isSetPointSnapshot = Schema.is(Snapshot)

export const requireSetPointSnapshot = (snapshot: unknown): Effect.Effect<void, AdapterError> =>
  isSetPointSnapshot(snapshot)
    ? Effect.void
    : Effect.fail(
        AdapterError.of("contract", "The saved settings are not those of a set-point", { commandReason: "refused" })
      )

/** A mode that is to last. */
export interface LastingMode {
  readonly externalId: string
  readonly input: Readonly<Record<string, unknown>>
  readonly everySeconds: number
  /** Seconds; null: until it is ended. */
  readonly seconds: number | null
  /** The set-point with which it has begun. */
  readonly begun: number
  /** Calls with a session of the account's broker, and the device's control as it is described now. */
  readonly use: <A>(
    then: (session: BrokerSession, control: SetPointControl | undefined) => Effect.Effect<A, AdapterError>
  ) => Effect.Effect<A, AdapterError>
}

export interface SetPointModes {
  /** Whether this instance repeats a mode of a device. */
  readonly isLasting: (device: string) => boolean
  /** Whether this instance has sent that set-point in the mode that lasts. */
  readonly hasSent: (device: string, setPoint: number) => boolean
  readonly begin: (device: string, mode: LastingMode) => Effect.Effect<void>
  readonly end: (device: string) => Effect.Effect<void>
}

/** Set-points of a mode that are remembered: a device may show one of some rounds ago. */
const REMEMBERED = 100

/**
 * Sends the set-point again and again on the instance that began the mode, by the newest values. A record tells it when another instance
 * has ended or replaced the mode; if this instance ends, the device drops the set-point by itself.
 */
export const makeSetPointModes = (
  host: Pick<AdapterHost, "records" | "findAccount" | "instance">
): Effect.Effect<SetPointModes, never, Scope.Scope> =>
  Effect.map(FiberMap.make<string>(), (fibers): SetPointModes => {
    const sent = new Map<string, Array<number>>()
    const recordKey = (device: string) => `set-point/${device}`

    const round = Effect.fnUntraced(function* (device: string, mode: LastingMode, token: string, deadline: number) {
      const record = yield* host.records.get(recordKey(device))
      if (record?.value !== token || (yield* Clock.currentTimeMillis) >= deadline) return false
      if ((yield* host.findAccount(mode.externalId)) === undefined) return false
      const renew = mode.use((session, control) =>
        Effect.gen(function* () {
          if (control === undefined) return true
          const { read } = session.feed
          const own = sent.get(device) ?? []
          const shown = control.shown(read)
          // Another program has taken the set-point over.
          if (typeof shown === "number" && !own.includes(shown)) return false
          const setPoint = control.compute(mode.input, read)
          if (typeof setPoint !== "number") return true
          sent.set(device, [...own, setPoint].slice(-REMEMBERED))
          yield* session.broker.publish(control.message(setPoint))
          return true
        })
      )
      // A broker or device that does not respond is tried again.
      return yield* Effect.catch(renew, () => Effect.succeed(true))
    })

    return {
      isLasting: (device) => sent.has(device),
      hasSent: (device, setPoint) => sent.get(device)?.includes(setPoint) === true,
      begin: Effect.fnUntraced(function* (device, mode) {
        const begunAt = yield* Clock.currentTimeMillis
        const token = `${host.instance} ${begunAt}`
        const earlier = yield* host.records.get(recordKey(device))
        yield* host.records.put(recordKey(device), earlier?.version ?? 0, token)
        sent.set(device, [mode.begun])
        const deadline = mode.seconds === null ? Infinity : begunAt + 1000 * mode.seconds
        const tried = Effect.catchCause(round(device, mode, token, deadline), (cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.failCause(cause)
            : Effect.as(
                Effect.logWarning(`The set-point of ${device} could not be sent; it is tried again`, cause),
                true
              )
        )
        const rounds = Effect.repeat(Effect.delay(tried, `${mode.everySeconds} seconds`), {
          while: (goesOn) => goesOn
        })
        yield* FiberMap.run(fibers, device, rounds)
      }),
      end: (device) =>
        Effect.sync(() => sent.delete(device)).pipe(
          Effect.andThen(FiberMap.remove(fibers, device)),
          Effect.andThen(host.records.remove(recordKey(device)))
        )
    }
  })
