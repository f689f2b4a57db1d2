import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { type PushFields, PushTelemetry } from "@edp/domain/direct-integration/DirectIntegration"
import { Cause, Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import { Ids } from "../../platform/Ids.ts"
import { KeptReadings } from "./KeptReadings.ts"
import { TelemetryWriter } from "./TelemetryWriter.ts"
import { hasAny, noDetails } from "./details.ts"
import { type DirectDevice, pushable } from "./directDevice.ts"
import { DirectDevices } from "./DirectDevices.ts"
import { stateText } from "./stateText.ts"
import { type Pushed, pushedOf } from "./TelemetryPush.ts"
import { checkForm, takenAt, type Window } from "./untypedChecks.ts"

type Caller = CurrentKey["Service"]

/** A push of one reading that is in order in every respect, but for its caller's rate limit. */
export interface GoodPush {
  readonly caller: Caller
  /**
   * Stores the reading; undefined when the device has left its workspace. Rejects when storing failed: then it may be stored
   * none the less, and a second attempt, with another id and perhaps another time, could store it twice.
   */
  readonly store: () => Promise<Pushed | undefined>
}

const decode: (body: unknown) => Exit.Exit<PushFields, unknown> = Schema.decodeUnknownExit(PushTelemetry)

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The reading of a body that carries a single good one. */
const understand = (body: string, window: Window) => {
  const decoded = decode(parse(body))
  if (Exit.isFailure(decoded)) return undefined
  const reading = decoded.value
  const details = noDetails()
  checkForm(reading, details)
  const at = takenAt(reading, window, [], details)
  return reading.readings !== undefined || hasAny(details) ? undefined : { ...reading, at }
}

type GoodReading = NonNullable<ReturnType<typeof understand>>

const valueOf = <A>(exit: Exit.Exit<A, unknown>) => (Exit.isSuccess(exit) ? exit.value : undefined)

/**
 * The way of a push that is in order: the same checks as every push has, the same statements shared with others, but no
 * fiber of its own. Whatever is not in order is left to `TelemetryPush`, which knows what to answer; nothing was stored
 * or counted then.
 */
export class QuickPush extends Context.Service<
  QuickPush,
  {
    /** Answers undefined unless the push is good. */
    readonly check: (
      push: { readonly deviceId: string; readonly body: string },
      authenticate: () => Promise<Exit.Exit<Caller, unknown>>
    ) => Promise<GoodPush | undefined>
  }
>()("@edp/server/QuickPush") {
  static readonly layer = Layer.effect(
    QuickPush,
    Effect.gen(function* () {
      const devices = yield* DirectDevices
      const writer = yield* TelemetryWriter
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const { times } = yield* KeptReadings

      const goodPush = (
        reading: GoodReading,
        caller: Caller | undefined,
        device: DirectDevice | undefined
      ): GoodPush | undefined => {
        if (caller?.type !== "MANUFACTURER") return undefined
        const allowed = valueOf(pushable(caller, device))
        if (allowed === undefined) return undefined
        const { id: deviceId, type } = allowed
        const state = stateText(type, reading.state!, ["state"], noDetails())
        if (state === undefined) return undefined
        const { at, onlineStatus: reportedStatus = null, location = null } = reading
        const isUntimed = reading.timestamp === undefined
        const id = ids.nextAt(clock.currentTimeMillisUnsafe())
        return {
          caller,
          store: async () => {
            const exit = await writer.ask([{ deviceId, type, at, isUntimed, id, state, reportedStatus, location }])
            if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
            return pushedOf(exit.value, deviceId)
          }
        }
      }

      const deviceOf = async (id: string) =>
        devices.recent(id) ?? valueOf(await devices.find.ask({ ids: [id], references: [] }))?.byId(id)

      return {
        check: async ({ deviceId, body }, authenticate) => {
          const reading = understand(body, { now: clock.currentTimeMillisUnsafe(), kept: times() })
          if (reading === undefined) return undefined
          const device = deviceOf(deviceId)
          const caller = valueOf(await authenticate())
          return goodPush(reading, caller, await device)
        }
      }
    })
  )
}
