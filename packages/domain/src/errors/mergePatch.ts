import { Effect, Result, type Schema } from "effect"
import { type ValidationError, invalid } from "./ApiErrors.ts"
import { validator } from "./validator.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Applies a JSON merge patch (RFC 7396): objects are merged, null removes a member, any other value replaces the target. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

/** Applies the merge patch of an object field and validates the result. */
export const merging = <A>(schema: Schema.Codec<A, unknown>, field: string) => {
  const decode = validator(schema, field)
  return (before: unknown, patch: unknown): Effect.Effect<A, ValidationError> => {
    const decoded = decode(mergePatch(before, patch), [field])
    return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail(invalid(decoded.failure))
  }
}
