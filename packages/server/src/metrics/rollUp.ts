import { Duration, Effect } from "effect"
import { isBusy, RequestsInFlight } from "../platform/observability/RequestsInFlight.ts"
import { EnergyRollups } from "./EnergyRollups.ts"

/** While requests wait, rollups rest this many times as long as the last part took. */
const REST = 3

/** Rolls up until nothing is left. Late rollups slow readers down a little; they never change an answer. */
export const rollUp = Effect.gen(function* () {
  const { rollSome } = yield* EnergyRollups
  const requests = yield* RequestsInFlight
  const rest = (worked: Duration.Duration) =>
    Effect.suspend(() => (isBusy(requests) ? Effect.sleep(Duration.times(worked, REST)) : Effect.void))
  const rollAll: Effect.Effect<void> = Effect.flatMap(Effect.timed(rollSome), ([worked, devices]) =>
    devices > 0 ? Effect.andThen(rest(worked), rollAll) : Effect.void
  )
  yield* rollAll
})
