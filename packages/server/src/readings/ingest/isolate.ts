import { Cause, Effect, Exit } from "effect"
import type { ResolvedReading } from "./readingBatch.ts"
import { joined, refused, type Written } from "./written.ts"

/** What one caller wants stored: all of it or none, or, where it is separable, whatever can be stored. */
export interface WriteRequest {
  readonly readings: ReadonlyArray<ResolvedReading>
  readonly separable: boolean
  /** Present where the answer to a request is committed together with its readings. */
  readonly answering?: unknown
}

export type WriteRequests = ReadonlyArray<WriteRequest>
export type Answers = (request: WriteRequest) => Exit.Exit<Written>

const bothHalves = (before: Exit.Exit<Written>, after: Exit.Exit<Written>) => {
  if (Exit.isFailure(before)) return before
  return Exit.isFailure(after) ? after : Exit.succeed(joined(before.value, after.value))
}

/**
 * A commit that looks, by halves, for what the database refuses, so that one bad reading takes no other request down.
 * Any other failure is the whole batch's.
 */
export const isolating = (
  commit: (requests: WriteRequests) => Effect.Effect<Answers>,
  isRefusal: (cause: Cause.Cause<never>) => boolean,
  answered: (request: WriteRequest, answers: Effect.Effect<Answers>) => Effect.Effect<Answers>
) => {
  const run = (requests: WriteRequests): Effect.Effect<Answers> =>
    Effect.catchCause(commit(requests), (cause) => {
      if (!isRefusal(cause)) return Effect.succeed(() => Exit.failCause(cause))
      const [only] = requests
      return only === undefined || requests.length > 1 ? inHalves(requests) : alone(only, cause)
    })

  const inHalves = (requests: WriteRequests) => {
    const first = requests.slice(0, requests.length >> 1)
    return Effect.zipWith(run(first), run(requests.slice(first.length)), (before, after): Answers => {
      const early = new Set(first)
      return (request) => (early.has(request) ? before : after)(request)
    })
  }

  const alone = (request: WriteRequest, cause: Cause.Cause<never>): Effect.Effect<Answers> => {
    const { readings, separable } = request
    if (!separable) return Effect.succeed(() => Exit.failCause(cause))
    if (request.answering !== undefined) {
      const parts = { readings, separable }
      return answered(
        request,
        Effect.map(run([parts]), (answers) => () => answers(parts))
      )
    }
    if (readings.length === 1) {
      return Effect.as(Effect.logError("The database refuses a reading", cause), () => Exit.succeed(refused))
    }
    const before = { readings: readings.slice(0, readings.length >> 1), separable }
    const after = { readings: readings.slice(before.readings.length), separable }
    return Effect.map(inHalves([before, after]), (answers) => () => bothHalves(answers(before), answers(after)))
  }

  return run
}
