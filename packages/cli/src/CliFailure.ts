import { Data } from "effect"

/** What the tool itself finds wrong: a stable code, one sentence, and lines that tell more or what to do. */
export class CliFailure extends Data.TaggedError("CliFailure")<{
  readonly code: string
  readonly message: string
  readonly details?: ReadonlyArray<string>
  /** 1: the request or the input; 2: how the command was written. */
  readonly exitCode?: 1 | 2
}> {}

export const usage = (message: string, ...details: ReadonlyArray<string>) =>
  new CliFailure({ code: "USAGE", message, details, exitCode: 2 })
