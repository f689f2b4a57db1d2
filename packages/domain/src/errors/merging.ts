import { Effect, Result, type Schema } from "effect"
import { mergePatch } from "./mergePatch.ts"
import type { ValidationError } from "./ApiErrors.ts"
import { invalid } from "./invalid.ts"
import { validator } from "./validator.ts"

/** Merges what a PATCH says of an object field into what there is, and checks the whole. */
export const merging = <A>(schema: Schema.Codec<A, unknown>, field: string) => {
  const decode = validator(schema, field)
  return (before: unknown, patch: unknown): Effect.Effect<A, ValidationError> => {
    const decoded = decode(mergePatch(before, patch), [field])
    return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(invalid(decoded.failure))
  }
}
