import { readingOf } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { validator } from "@edp/domain/errors/validator"
import { STATE_FIELDS_LIMIT } from "@edp/domain/devices/DeviceState"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Result, type Schema } from "effect"
import type { Details, Path } from "./details.ts"

type State = Readonly<Record<string, unknown>>
// Prepared once: to look up the variant's decoder costs less than to try the variants.
const decoders = Object.fromEntries(
  Object.entries(readingOf).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<State, unknown>, "state", { onExcessProperty: "error" })
  ])
) as Record<DeviceType, ReturnType<typeof validator<State>>>

const completed = (type: DeviceType, state: State): State => {
  if (type === "battery") return { strategy: "unknown", ...state }
  if (type === "vehicle" && typeof state.chargeCompletedAt === "string") {
    return { ...state, chargeCompletedAt: new Date(parseTimestamp(state.chargeCompletedAt)!).toISOString() }
  }
  return state
}

/**
 * The state of a device of this type as JSON text, with the variant's defaults and with times in UTC; or nothing, and
 * what is wrong with it is added to the details.
 */
export const stateText = (type: DeviceType, state: State, path: Path, details: Details): string | undefined => {
  if (Object.keys(state).length > STATE_FIELDS_LIMIT) {
    details[path.join(".")] = `Must have at most ${STATE_FIELDS_LIMIT} fields`
    return undefined
  }
  const decoded = decoders[type](state, path)
  if (Result.isSuccess(decoded)) return JSON.stringify(completed(type, decoded.success))
  Object.assign(details, decoded.failure)
  return undefined
}
