import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  BulkReading,
  type BulkTelemetryAccepted,
  type PushBulkTelemetry
} from "@edp/domain/direct-integration/DirectIntegration"
import { DeviceNotAssociated } from "@edp/domain/errors/ApiErrors"
import { validator } from "@edp/domain/errors/validator"
import { Clock, Context, Effect, Exit, Layer, Result } from "effect"
import { CurrentRequest, unexpectedError } from "../../platform/http/RequestInfo.ts"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { KeptReadings } from "../retention/KeptReadings.ts"
import { DirectDevices, type FoundDevices, pushable } from "./DirectDevices.ts"
import type { DeviceReference } from "../../devices/directDeviceTable.ts"
import { TelemetryWriter } from "./TelemetryWriter.ts"
import type { Outcome, ResolvedReading } from "./readingBatch.ts"
import {
  type Details,
  type Window,
  checkKept,
  failure,
  hasAny,
  shouldYield,
  noDetails,
  sentence,
  stateText,
  takenAt
} from "./telemetryChecks.ts"

/** An item of a bulk push, checked as far as possible without its device. */
interface BulkItem {
  readonly index: number
  readonly reading: BulkReading
  readonly at: number
  /** The device's id, or its manufacturer's name for it. */
  readonly device: string | DeviceReference
}

export interface BadItem {
  readonly index: number
  readonly details: Details
}

interface PushingKey {
  readonly workspaceId: string
  readonly manufacturerScope: ReadonlyArray<string> | null
}

const decode = validator(BulkReading, "reading")

const checkDevice = (reading: BulkReading, caller: PushingKey, details: Details): BulkItem["device"] | undefined => {
  const { deviceId, manufacturerDeviceId } = reading
  if (deviceId !== undefined) {
    if (manufacturerDeviceId !== undefined) details.manufacturerDeviceId = "Must be absent with deviceId"
    return deviceId
  }
  if (manufacturerDeviceId === undefined) {
    details.deviceId = "Is required, or else manufacturerDeviceId"
    return undefined
  }
  const [first, ...others] = caller.manufacturerScope ?? []
  const manufacturer = reading.manufacturer ?? (others.length === 0 ? first : undefined)
  if (manufacturer === undefined) {
    details.manufacturer = "Is required, because the key's scope has several manufacturers"
    return undefined
  }
  return { workspaceId: caller.workspaceId, manufacturer, manufacturerDeviceId }
}

const bulkItem = (item: unknown, index: number, caller: PushingKey, window: Window): BulkItem | BadItem => {
  const decoded = decode(item)
  if (Result.isFailure(decoded)) return { index, details: decoded.failure }
  const reading = decoded.success
  const details = noDetails()
  const at = takenAt(reading, window, [], details)
  const device = checkDevice(reading, caller, details)
  return device === undefined || hasAny(details) ? { index, details } : { index, reading, at, device }
}

type Caller = CurrentKey["Service"]
type Reply = typeof BulkTelemetryAccepted.Type
type Refused = Reply["errors"][number]

interface Ready {
  readonly index: number
  readonly reading: ResolvedReading
}

const refused = (index: number, { code, message }: Pick<Refused, "code" | "message">): Refused => ({
  index,
  code,
  message
})

const invalid = (index: number, details: Details) =>
  refused(index, { code: "VALIDATION_ERROR", message: sentence(details) })

/** Each id once, so that pushes of few devices share a statement. */
const makeLookup = (items: ReadonlyArray<BulkItem>) => {
  const ids = new Set<string>()
  const references: Array<DeviceReference> = []
  for (const { device } of items) {
    if (typeof device === "string") ids.add(device)
    else references.push(device)
  }
  return { ids: [...ids], references }
}

const count = (outcomes: ReadonlyArray<Outcome>, wanted: Outcome) =>
  outcomes.filter((outcome) => outcome === wanted).length

/** Pushes telemetry of many devices: an invalid reading does not affect the others. */
export class BulkTelemetryPush extends Context.Service<
  BulkTelemetryPush,
  { readonly push: (caller: Caller, input: PushBulkTelemetry) => Effect.Effect<Reply, DatabaseUnavailable> }
>()("@edp/server/BulkTelemetryPush") {
  static readonly layer = Layer.effect(
    BulkTelemetryPush,
    Effect.gen(function* () {
      const devices = yield* DirectDevices
      const writer = yield* TelemetryWriter
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const { times, timesIn } = yield* KeptReadings

      const understand = Effect.fnUntraced(function* (
        caller: Caller,
        readings: ReadonlyArray<unknown>,
        errors: Array<Refused>
      ) {
        const window = { now: clock.currentTimeMillisUnsafe(), kept: times() }
        const items: Array<BulkItem> = []
        for (const [index, offered] of readings.entries()) {
          if (shouldYield(index)) yield* Effect.yieldNow
          const item = bulkItem(offered, index, caller, window)
          if ("details" in item) errors.push(invalid(index, item.details))
          else items.push(item)
        }
        return items
      })

      const resolve = (caller: Caller, item: BulkItem, found: FoundDevices): Ready | Refused => {
        const { index, reading, at, device } = item
        const allowed = pushable(caller, typeof device === "string" ? found.byId(device) : found.byReference(device))
        if (Exit.isFailure(allowed)) return refused(index, failure(allowed))
        const { id: deviceId, type } = allowed.value
        const details = noDetails()
        const now = clock.currentTimeMillisUnsafe()
        checkKept(at, now, timesIn(caller.workspaceId, type), [], details)
        const state = stateText(type, reading.state, ["state"], details)
        if (state === undefined || hasAny(details)) return invalid(index, details)
        const id = ids.readingAt(now, deviceId)
        const { onlineStatus: reportedStatus = null, location = null } = reading
        const isUntimed = reading.timestamp === undefined
        return {
          index,
          reading: { deviceId, type, isDirect: true, at, isUntimed, id, state, reportedStatus, location }
        }
      }

      return {
        push: Effect.fn("BulkTelemetryPush.push")(function* (caller, { readings }) {
          const errors: Array<Refused> = []
          const items = yield* understand(caller, readings, errors)
          const found = yield* devices.find(makeLookup(items))
          const ready: Array<Ready> = []
          for (const [position, item] of items.entries()) {
            if (shouldYield(position)) yield* Effect.yieldNow
            const resolved = resolve(caller, item, found)
            if ("code" in resolved) errors.push(resolved)
            else ready.push(resolved)
          }
          const offered = ready.map(({ reading }) => reading)
          const { outcomes } = yield* writer.write(offered, { separable: true })
          const unwritten: Partial<Record<Outcome, Pick<Refused, "code" | "message">>> = {
            gone: new DeviceNotAssociated({}),
            refused: unexpectedError(yield* CurrentRequest)
          }
          for (const [at, outcome] of outcomes.entries()) {
            const error = unwritten[outcome]
            if (error !== undefined) errors.push(refused(ready[at]!.index, error))
          }
          return {
            accepted: count(outcomes, "stored"),
            duplicates: count(outcomes, "duplicate"),
            errors: errors.sort((one, other) => one.index - other.index)
          }
        })
      }
    })
  )
}
