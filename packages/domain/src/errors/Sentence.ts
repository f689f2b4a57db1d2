import { Schema } from "effect"

export const SENTENCE_MAX_LENGTH = 2000

const keywords = { maxLength: SENTENCE_MAX_LENGTH, pattern: "^[^\\x00]*$" }

/** A sentence for people. Its wording may change, so no more is told of it than how long it can be, and nothing checked. */
export const Sentence = Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema: () => [keywords, true] }))
