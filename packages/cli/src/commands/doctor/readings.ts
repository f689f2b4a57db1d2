import { Effect, Result } from "effect"
import { Connection } from "../../Connection.ts"
import { describeFailure } from "../../describeFailure.ts"
import type { Profile } from "../../Profile.ts"
import { ok, warning } from "./Check.ts"

const NAME = "readings"

/** How long readings are kept, and since when there are any: a management key is told. */
export const checkReadings = Effect.fn("doctor.readings")(function* ({ keys }: Profile) {
  const stored = keys.get("MANAGEMENT")
  if (stored === undefined) return []
  const client = yield* (yield* Connection).clientWith(stored.key, { retries: 0 })
  const answer = yield* Effect.result(client.keptReadings.get())
  if (Result.isFailure(answer)) {
    const { code, message } = describeFailure(answer.failure)
    // The key's own check tells of a key that does not work.
    if (code === "UNAUTHENTICATED") return []
    return [warning(NAME, `${code}: ${message}`, "Is the service of another version than this tool?")]
  }
  const { droppedBefore, oldestAt, retentionDays } = answer.success
  const kept = retentionDays === null ? "kept for ever" : `kept for ${retentionDays} days (EDP_TELEMETRY_RETENTION)`
  const oldest = oldestAt === null ? "there are none" : `the oldest is of ${oldestAt}`
  const dropped = droppedBefore === null ? [] : [`dropped before ${droppedBefore.slice(0, 10)}`]
  return [ok(NAME, [kept, ...dropped, oldest].join(", "))]
})
