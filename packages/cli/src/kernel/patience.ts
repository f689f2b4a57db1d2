import { UnexpectedAnswer } from "@edp/domain/client/answers"
import { RateLimited, ServiceUnavailable, UnknownError } from "@edp/domain/errors/ApiErrors"
import { Duration, Effect } from "effect"
import { HttpClientError } from "effect/http"
import { describeFailure } from "./CliFailure.ts"
import { Output } from "./Output.ts"

const LONGEST_SECONDS = 30

/** 1 s, 2 s, 4 s and so on, and then every half minute. */
const backoff = (failures: number) => Duration.seconds(Math.min(2 ** failures, LONGEST_SECONDS))

/** How long to wait before asking again; undefined where asking again would change nothing. */
const pauseAfter = (error: unknown, failures: number): Duration.Duration | undefined => {
  if (error instanceof RateLimited) return Duration.seconds(error.retryAfter)
  const passes =
    HttpClientError.isHttpClientError(error) ||
    error instanceof ServiceUnavailable ||
    error instanceof UnknownError ||
    (error instanceof UnexpectedAnswer && error.status !== undefined && error.status >= 500)
  return passes ? backoff(failures) : undefined
}

/**
 * Makes a call until it is answered, however long the service restarts, is out of reach or asks to wait. What keeps it is
 * told once, and once more when it has passed.
 */
export const patiently = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Output> => {
  const attempt = (failures: number, told: string): Effect.Effect<A, E, R | Output> =>
    Effect.matchEffect(call, {
      onSuccess: (answer) =>
        told === "" ? Effect.succeed(answer) : Effect.as(note("The service answers again"), answer),
      onFailure: (error) => {
        const pause = pauseAfter(error, failures)
        if (pause === undefined) return Effect.fail(error)
        const { code, message } = describeFailure(error)
        return Effect.gen(function* () {
          if (code !== told) yield* note(`${code}: ${message}; waiting`)
          yield* Effect.sleep(pause)
          return yield* attempt(failures + 1, code)
        })
      }
    })
  return attempt(0, "")
}

const note = (line: string) => Effect.flatMap(Output, (output) => output.note(line))
