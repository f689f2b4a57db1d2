import { isCuid } from "@edp/domain/shared/Cuid"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { type PushFields, PushTelemetry } from "@edp/domain/direct-integration/DirectIntegration"
import { Clock, Context, Effect, Exit, Layer, Redacted, Schema } from "effect"
import { KeyAuthenticator } from "../../api-keys/KeyAuthenticator.ts"
import { Ids } from "../../platform/Ids.ts"
import { KeptReadings } from "../retention/KeptReadings.ts"
import { TelemetryWriter } from "./TelemetryWriter.ts"
import { type Window, checkForm, hasAny, noDetails, stateText, takenAt } from "./telemetryChecks.ts"
import { pushable } from "./pushableDevice.ts"
import { DirectDevices } from "./DirectDevices.ts"
import { type Pushed, toPushed } from "./TelemetryPush.ts"

/** A push of one valid reading by a caller who may push it. */
export interface ValidPush {
  readonly caller: CurrentKey["Service"]
  /** Undefined where the device has left its workspace, changed its type or stopped being direct: then nothing was stored. */
  readonly store: Effect.Effect<Pushed | undefined>
}

const decode: (body: unknown) => Exit.Exit<PushFields, unknown> = Schema.decodeUnknownExit(PushTelemetry)

/** The reading of a body that carries a single valid one. */
const validReading = (body: unknown, window: Window) => {
  const decoded = decode(body)
  if (Exit.isFailure(decoded) || decoded.value.readings !== undefined) return undefined
  const reading = decoded.value
  const details = noDetails()
  checkForm(reading, details)
  const at = takenAt(reading, window, [], details)
  return hasAny(details) ? undefined : { ...reading, at }
}

/**
 * Checks the push that fleets send most, one valid reading, without the typed endpoint's decoding of path, query and
 * headers. It makes the same checks and never reports them: a request that fails one is left to the typed endpoint.
 */
export class QuickPush extends Context.Service<
  QuickPush,
  {
    /** Undefined where any check fails; nothing was stored or counted then. */
    readonly check: (push: {
      readonly key: string
      readonly deviceId: string
      readonly body: unknown
    }) => Effect.Effect<ValidPush | undefined>
  }
>()("@edp/server/QuickPush") {
  static readonly layer = Layer.effect(
    QuickPush,
    Effect.gen(function* () {
      const keys = yield* KeyAuthenticator
      const devices = yield* DirectDevices
      const writer = yield* TelemetryWriter
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const { times } = yield* KeptReadings

      const device = (id: string) => {
        const recent = devices.recent(id)
        return recent === undefined
          ? Effect.map(devices.find({ ids: [id], references: [] }), ({ byId }) => byId(id))
          : Effect.succeed(recent)
      }

      return {
        check: Effect.fnUntraced(function* ({ key, deviceId, body }) {
          // Only the typed route reports what is wrong with another id.
          if (!isCuid(deviceId)) return undefined
          const now = clock.currentTimeMillisUnsafe()
          const reading = validReading(body, { now, kept: times() })
          if (reading === undefined) return undefined
          const authenticated = yield* Effect.exit(keys.authenticate(Redacted.make(key)))
          if (Exit.isFailure(authenticated) || authenticated.value.type !== "MANUFACTURER") return undefined
          const caller = authenticated.value
          const allowed = pushable(caller, yield* device(deviceId))
          if (Exit.isFailure(allowed)) return undefined
          const { type } = allowed.value
          const state = stateText(type, reading.state!, ["state"], noDetails())
          if (state === undefined) return undefined
          const { at, onlineStatus: reportedStatus = null, location = null, timestamp } = reading
          const isUntimed = timestamp === undefined
          const id = ids.nextAt(now)
          const written = writer.write([
            { deviceId, type, isDirect: true, at, isUntimed, id, state, reportedStatus, location }
          ])
          return {
            caller,
            store: Effect.map(written, (outcome) => toPushed(outcome, deviceId))
          }
        })
      }
    })
  )
}
