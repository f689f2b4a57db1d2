import { UnexpectedResponse } from "@edp/domain/client/responses"
import { RateLimited, ServiceUnavailable, UnknownError } from "@edp/domain/errors/ApiErrors"
import { Duration, Effect } from "effect"
import { HttpClientError } from "effect/http"
import { describeFailure } from "./CliFailure.ts"
import { Output } from "./Output.ts"

const LONGEST_SECONDS = 30

/** 1 s, 2 s, 4 s and so on, at most 30 s. */
const backoff = (failures: number) => Duration.seconds(Math.min(2 ** failures, LONGEST_SECONDS))

/** The pause before a retry; undefined for errors that a retry can't solve. */
const pauseAfter = (error: unknown, failures: number): Duration.Duration | undefined => {
  if (error instanceof RateLimited) return Duration.seconds(error.retryAfter)
  const passes =
    HttpClientError.isHttpClientError(error) ||
    error instanceof ServiceUnavailable ||
    error instanceof UnknownError ||
    (error instanceof UnexpectedResponse && error.status !== undefined && error.status >= 500)
  return passes ? backoff(failures) : undefined
}

/**
 * Retries a call without limit while the service restarts, is unreachable or asks to wait. Notes report the reason once, and
 * the recovery.
 */
export const patiently = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Output> => {
  const attempt = (failures: number, reported: string): Effect.Effect<A, E, R | Output> =>
    Effect.matchEffect(call, {
      onSuccess: (response) =>
        reported === "" ? Effect.succeed(response) : Effect.as(note("The service responds again"), response),
      onFailure: (error) => {
        const pause = pauseAfter(error, failures)
        if (pause === undefined) return Effect.fail(error)
        const { code, message } = describeFailure(error)
        return Effect.gen(function* () {
          if (code !== reported) yield* note(`${code}: ${message}; waiting`)
          yield* Effect.sleep(pause)
          return yield* attempt(failures + 1, code)
        })
      }
    })
  return attempt(0, "")
}

const note = (line: string) => Effect.flatMap(Output, (output) => output.note(line))
