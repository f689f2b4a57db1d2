import { type Cause, Context, Effect } from "effect"

/** How often a kind of failure is logged at most. */
const INTERVAL = "1 minute"

interface Repeated {
  /** Failures since the last line. */
  left: number
  message: string
}

/** The failures that this process has logged within the last minute, by kind. */
const LoggedFailures = Context.Reference<Map<string, Repeated>>("@edp/server/platform/logs/LoggedFailures", {
  defaultValue: () => new Map()
})

/** Logs, once a minute, how often the failure has repeated; ends when it has not. */
const logRepetitions = (kinds: Map<string, Repeated>, kind: string, repeated: Repeated): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(INTERVAL)
    const { left, message } = repeated
    if (left === 0) return kinds.delete(kind)
    repeated.left = 0
    yield* Effect.logWarning(`${message} (${left} more in the last minute)`)
    return false
  }).pipe(Effect.repeat({ until: (ended) => ended }), Effect.asVoid)

/**
 * Logs a failure that may repeat: the first of its kind with its cause, and then at most one line a minute with the number of the
 * others. Kinds are few: they name an activity, never a record.
 */
export const logFailure = Effect.fnUntraced(function* (kind: string, message: string, cause?: Cause.Cause<unknown>) {
  const kinds = yield* LoggedFailures
  const known = kinds.get(kind)
  if (known !== undefined) {
    known.left += 1
    known.message = message
    return
  }
  const repeated = { left: 0, message }
  kinds.set(kind, repeated)
  yield* cause === undefined ? Effect.logWarning(message) : Effect.logWarning(message, cause)
  yield* Effect.forkDetach(logRepetitions(kinds, kind, repeated))
})
