import { Data } from "effect"

/** A reason not to start: one line that says what is wrong and where. It never holds a secret. */
export class StartError extends Data.TaggedError("StartError")<{ readonly message: string }> {}
