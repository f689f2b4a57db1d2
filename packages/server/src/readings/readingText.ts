import { Schema } from "effect"

export type Order = "asc" | "desc"

/** A reading as it is stored. */
export const ReadingText = Schema.Struct({
  id: Schema.String,
  at: Schema.Finite,
  /** JSON of an object. */
  state: Schema.String
})
export type ReadingText = typeof ReadingText.Type
