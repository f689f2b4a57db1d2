import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { staticStateOf } from "@edp/domain/devices/StaticState"
import type { ValidationError } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Effect, Schema } from "effect"

export type StaticState = Readonly<Record<string, unknown>>

/** The static state in the variant of the type. Fields that the variant does not know are dropped. */
export const decodeStaticState = (
  type: DeviceType,
  value: StaticState
): Effect.Effect<StaticState, ValidationError> => {
  const variant: Schema.Codec<StaticState, unknown> = staticStateOf[type]
  return Schema.decodeUnknownEffect(variant)(value, { errors: "all" }).pipe(
    Effect.mapError((error) => invalid(schemaDetails(error, "staticState", ["staticState"])))
  )
}
