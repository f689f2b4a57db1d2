import { Effect, SchemaGetter } from "effect"

/**
 * Lets a client write a value into a path. Nothing, `.` and `..` would lead to another path, whatever they are escaped to,
 * and half a surrogate pair can't be escaped at all: such a value is refused before anything is sent.
 */
export const pathSegment: SchemaGetter.Getter<string, string> = SchemaGetter.checkEffect((text) =>
  Effect.succeed(
    ["", ".", ".."].includes(text) || !text.isWellFormed()
      ? "Must be what a path can hold: not empty, neither . nor .., without unpaired surrogates"
      : undefined
  )
)
