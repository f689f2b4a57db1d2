import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { BulkTelemetryAccepted, PushBulkTelemetry } from "@edp/domain/direct-integration/DirectIntegration"
import { DeviceNotAssociated, UnknownError } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { Ids } from "../sql/Ids.ts"
import type { ResolvedReading } from "../telemetry/readingBatch.ts"
import { TelemetryWriter } from "../telemetry/TelemetryWriter.ts"
import type { Outcome } from "../telemetry/written.ts"
import { type BulkItem, bulkItem } from "./bulkItem.ts"
import { type Details, failure, noDetails, sentence } from "./details.ts"
import { pushable } from "./directDevice.ts"
import { DirectDevices, type FoundDevices } from "./DirectDevices.ts"
import { stateText } from "./stateText.ts"

type Caller = CurrentKey["Service"]
type Answer = typeof BulkTelemetryAccepted.Type
type Refused = Answer["errors"][number]

interface Ready {
  readonly index: number
  readonly reading: ResolvedReading
}

const invalidItem = (index: number, details: Details): Refused => ({
  index,
  code: "VALIDATION_ERROR",
  message: sentence(details)
})

const refusedItem = (index: number, { code, message }: Pick<Refused, "code" | "message">): Refused => ({
  index,
  code,
  message
})

const lookupOf = (items: ReadonlyArray<BulkItem>) => ({
  ids: items.flatMap(({ device }) => (typeof device === "string" ? [device] : [])),
  references: items.flatMap(({ device }) => (typeof device === "string" ? [] : [device]))
})

/** What the writer made of the readings, as an error where it did not take one. */
const unwritten = new Map<Outcome, Pick<Refused, "code" | "message">>([
  ["gone", new DeviceNotAssociated({})],
  ["refused", new UnknownError({})]
])

/** Telemetry of many devices: what is wrong with one reading does not sink the others. */
export class BulkTelemetryPush extends Context.Service<
  BulkTelemetryPush,
  { readonly push: (caller: Caller, input: PushBulkTelemetry) => Effect.Effect<Answer> }
>()("@edp/server/BulkTelemetryPush") {
  static readonly layer = Layer.effect(
    BulkTelemetryPush,
    Effect.gen(function* () {
      const devices = yield* DirectDevices
      const writer = yield* TelemetryWriter
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const { telemetryRetentionDays: retentionDays } = yield* ServerConfig

      const resolve = (
        caller: Caller,
        { index, reading, at, device }: BulkItem,
        found: FoundDevices
      ): Ready | Refused => {
        const known = typeof device === "string" ? found.byId(device) : found.byReference(device)
        const allowed = pushable(caller, known)
        if (Exit.isFailure(allowed)) return refusedItem(index, failure(allowed))
        const details = noDetails()
        const state = stateText(allowed.value.type, reading.state, ["state"], details)
        if (state === undefined) return invalidItem(index, details)
        const { onlineStatus, location } = reading
        return {
          index,
          reading: {
            deviceId: allowed.value.id,
            at,
            id: ids.nextAt(clock.currentTimeMillisUnsafe()),
            state,
            reportedStatus: onlineStatus ?? null,
            location: location ?? null
          }
        }
      }

      return {
        push: Effect.fn("BulkTelemetryPush.push")(function* (caller, { readings }) {
          const errors: Array<Refused> = []
          const window = { now: clock.currentTimeMillisUnsafe(), retentionDays }
          const items: Array<BulkItem> = []
          for (const [index, offered] of readings.entries()) {
            const item = bulkItem(offered, index, caller, window)
            if ("details" in item) errors.push(invalidItem(index, item.details))
            else items.push(item)
          }
          const found = yield* devices.find(lookupOf(items))
          const ready: Array<Ready> = []
          for (const item of items) {
            const resolved = resolve(caller, item, found)
            if ("code" in resolved) errors.push(resolved)
            else ready.push(resolved)
          }
          const { outcomes } = yield* writer.write(
            ready.map(({ reading }) => reading),
            { separable: true }
          )
          for (const [at, outcome] of outcomes.entries()) {
            const error = unwritten.get(outcome)
            if (error !== undefined) errors.push(refusedItem(ready[at]!.index, error))
          }
          return {
            accepted: outcomes.filter((outcome) => outcome === "stored").length,
            duplicates: outcomes.filter((outcome) => outcome === "duplicate").length,
            errors: errors.sort((one, other) => one.index - other.index)
          }
        })
      }
    })
  )
}
