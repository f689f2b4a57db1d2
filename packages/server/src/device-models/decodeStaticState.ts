import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { validator } from "@edp/domain/errors/validator"
import { Effect, Result, type Schema } from "effect"

export type StaticState = Readonly<Record<string, unknown>>

const decoders = Object.fromEntries(
  Object.entries(staticStateSchemas).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<StaticState, unknown>, "staticState")
  ])
) as Record<DeviceType, ReturnType<typeof validator<StaticState>>>

/** The static state in the variant of the type. Fields that the variant does not know are dropped. */
export const decodeStaticState = (
  type: DeviceType,
  value: StaticState
): Effect.Effect<StaticState, ValidationError> => {
  const decoded = decoders[type](value, ["staticState"])
  return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(invalid(decoded.failure))
}
