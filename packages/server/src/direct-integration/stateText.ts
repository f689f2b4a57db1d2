import { readingOf } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Exit, Schema } from "effect"
import { type Details, failure, type Path } from "./details.ts"

type State = Readonly<Record<string, unknown>>
type Decode = (state: State) => Exit.Exit<State, Schema.SchemaError>

/** More than any variant has. A state of very many wrong fields is answered by one sentence instead of one for each. */
const MAX_FIELDS = 64

// Prepared once: to look up the variant's decoder costs less than to try the variants.
const decoders = Object.fromEntries(
  Object.entries(readingOf).map(([type, schema]) => [
    type,
    Schema.decodeUnknownExit(schema as Schema.Codec<State>, { errors: "all", onExcessProperty: "error" })
  ])
) as Record<DeviceType, Decode>

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
  if (Object.keys(state).length > MAX_FIELDS) {
    details[path.join(".")] = `Must have at most ${MAX_FIELDS} fields`
    return undefined
  }
  const decoded = decoders[type](state)
  if (Exit.isSuccess(decoded)) return JSON.stringify(completed(type, decoded.value))
  Object.assign(details, schemaDetails(failure(decoded), "state", path))
  return undefined
}
