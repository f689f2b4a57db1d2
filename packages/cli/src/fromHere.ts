import { Effect, Path } from "effect"

/** A path as a person would write it, for messages. */
export const fromHere = Effect.fnUntraced(function* (path: string) {
  const paths = yield* Path.Path
  const relative = paths.relative(paths.resolve("."), path)
  return relative.startsWith("..") ? path : relative
})
