import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { PushFields, Reading } from "@edp/domain/direct-integration/DirectIntegration"
import { DeviceNotAssociated, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../../platform/Ids.ts"
import { KeptReadings } from "../retention/KeptReadings.ts"
import type { LatestState, Written } from "./readingBatch.ts"
import { TelemetryWriter } from "./TelemetryWriter.ts"
import {
  type Details,
  type Path,
  checkForm,
  hasAny,
  isEnough,
  shouldYield,
  noDetails,
  stateText,
  takenAt
} from "./telemetryChecks.ts"
import { pushable, type Refusal } from "./pushableDevice.ts"
import { DirectDevices } from "./DirectDevices.ts"

export interface Pushed {
  readonly accepted: number
  readonly duplicates: number
  readonly latest: LatestState
}

/** The response to a push as JSON text, into which the state is inserted as the JSON text that it is already. */
export const pushedText = ({ accepted, duplicates, latest }: Pushed) => {
  const fields = latest.state.slice(1, -1)
  const recorded = `"id":"${latest.id}","createdAt":"${new Date(latest.at).toISOString()}"`
  return `{"accepted":${accepted},"duplicates":${duplicates},"latest":{${recorded}${fields === "" ? "" : `,${fields}`}}}`
}

/** The outcome for the readings of one device; undefined when it belongs to no workspace any more. */
export const toPushed = ({ outcomes, latest }: Written, deviceId: string): Pushed | undefined => {
  const newest = latest(deviceId)
  if (newest === undefined || outcomes.includes("gone")) return undefined
  const accepted = outcomes.filter((outcome) => outcome === "stored").length
  return { accepted, duplicates: outcomes.length - accepted, latest: newest }
}

const requireNone = (details: Details) => (hasAny(details) ? Effect.fail(invalid(details)) : Effect.void)

/** Pushes telemetry of one device: a reading, or a list of which all or none are stored. */
export class TelemetryPush extends Context.Service<
  TelemetryPush,
  {
    readonly push: (
      caller: CurrentKey["Service"],
      deviceId: string,
      input: PushFields
    ) => Effect.Effect<Pushed, ValidationError | Refusal>
  }
>()("@edp/server/TelemetryPush") {
  static readonly layer = Layer.effect(
    TelemetryPush,
    Effect.gen(function* () {
      const devices = yield* DirectDevices
      const writer = yield* TelemetryWriter
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const kept = yield* KeptReadings

      const find = (caller: CurrentKey["Service"], id: string) =>
        Effect.flatMap(devices.find({ ids: [id], references: [] }), ({ byId }) => pushable(caller, byId(id)))

      return {
        // Untraced: this path is the hottest one, and the batches have spans of their own.
        push: Effect.fnUntraced(function* (caller, deviceId, input) {
          const now = clock.currentTimeMillisUnsafe()
          const details = noDetails()
          checkForm(input, details)
          const readings: ReadonlyArray<Partial<Reading>> = input.readings ?? [input]
          const readingPath = (index: number): Path => (input.readings === undefined ? [] : ["readings", index])
          const window = { now, kept: kept.times() }
          const times: Array<number> = []
          for (const [index, reading] of readings.entries()) {
            if (shouldYield(index)) yield* Effect.yieldNow
            times.push(takenAt(reading, window, readingPath(index), details))
            if (isEnough(details)) break
          }
          yield* requireNone(details)

          const device = yield* find(caller, deviceId)
          const states: Array<string | undefined> = []
          for (const [index, { state }] of readings.entries()) {
            if (shouldYield(index)) yield* Effect.yieldNow
            states.push(stateText(device.type, state!, [...readingPath(index), "state"], details))
            if (isEnough(details)) break
          }
          yield* requireNone(details)

          const written = yield* writer.write(
            readings.map(({ onlineStatus, location, timestamp }, index) => ({
              deviceId,
              type: device.type,
              isDirect: true,
              at: times[index]!,
              isUntimed: timestamp === undefined,
              id: ids.nextAt(now),
              state: states[index]!,
              reportedStatus: onlineStatus ?? null,
              location: location ?? null
            }))
          )
          return toPushed(written, deviceId) ?? (yield* new DeviceNotAssociated({}))
        })
      }
    })
  )
}
