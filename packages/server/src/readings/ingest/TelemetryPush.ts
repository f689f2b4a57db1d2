import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { PushFields, Reading } from "@edp/domain/direct-integration/DirectIntegration"
import { DeviceNotAssociated, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { CurrentRequestTransaction } from "../../platform/sql/RequestTransaction.ts"
import { KeptReadings } from "../retention/KeptReadings.ts"
import type { LatestState, Written } from "./readingBatch.ts"
import { TelemetryWriter } from "./TelemetryWriter.ts"
import {
  type Details,
  type Path,
  checkForm,
  checkKept,
  hasAny,
  isEnough,
  shouldYield,
  noDetails,
  stateText,
  takenAt
} from "./telemetryChecks.ts"
import { type DirectDevice, DirectDevices, pushable, type Refusal } from "./DirectDevices.ts"

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
    ) => Effect.Effect<Pushed, ValidationError | Refusal | DatabaseUnavailable>
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

      /** Adds the problems of states of a device's type to the details. */
      const stateTexts = Effect.fnUntraced(function* (
        { type, workspaceId }: DirectDevice,
        { now, times }: { readonly now: number; readonly times: ReadonlyArray<number> },
        readings: ReadonlyArray<Partial<Reading>>,
        readingPath: (index: number) => Path,
        details: Details
      ) {
        const states: Array<string | undefined> = []
        const limit = kept.timesIn(workspaceId ?? "", type)
        for (const [index, { state }] of readings.entries()) {
          if (shouldYield(index)) yield* Effect.yieldNow
          checkKept(times[index]!, now, limit, readingPath(index), details)
          states.push(stateText(type, state!, [...readingPath(index), "state"], details))
          if (isEnough(details)) break
        }
        return states
      })

      /** A device as it was last found, if it may still be pushed. A request that holds a transaction looks its device up. */
      const findRecent = Effect.fnUntraced(function* (caller: CurrentKey["Service"], id: string) {
        const recent = devices.recent(id)
        if (recent === undefined || (yield* CurrentRequestTransaction) !== undefined) return undefined
        return Exit.isSuccess(pushable(caller, recent)) ? recent : undefined
      })

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

          const store = ({ type }: DirectDevice, states: ReadonlyArray<string | undefined>) =>
            Effect.map(
              writer.write(
                readings.map(({ onlineStatus, location, timestamp }, index) => ({
                  deviceId,
                  type,
                  isDirect: true,
                  at: times[index]!,
                  isUntimed: timestamp === undefined,
                  id: ids.readingAt(now, deviceId),
                  state: states[index]!,
                  reportedStatus: onlineStatus ?? null,
                  location: location ?? null
                }))
              ),
              (written) => toPushed(written, deviceId)
            )

          // The statement that stores readings checks the device, so a recent look-up is enough where it stores them.
          const recent = yield* findRecent(caller, deviceId)
          if (recent !== undefined) {
            const states = yield* stateTexts(recent, { now, times }, readings, readingPath, details)
            const pushed = hasAny(details) ? undefined : yield* store(recent, states)
            if (pushed !== undefined) return pushed
          }
          const device = yield* find(caller, deviceId)
          const problems = noDetails()
          const states = yield* stateTexts(device, { now, times }, readings, readingPath, problems)
          yield* requireNone(problems)
          return (yield* store(device, states)) ?? (yield* new DeviceNotAssociated({}))
        })
      }
    })
  )
}
