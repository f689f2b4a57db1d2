import { Context, Duration, Effect, Layer } from "effect"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { type JobRunner, leaseName, makeJobRunner } from "../platform/jobs/JobRunner.ts"
import { RequestsInFlight, isBusy } from "../platform/observability/RequestsInFlight.ts"
import { EnergyRollups, type RollupPass } from "./EnergyRollups.ts"
import { rollupLimits } from "./rollupLimits.ts"
import { ROLLUP, RollupsRepository } from "./RollupsRepository.ts"

/** The longest part of a rest in milliseconds: a stop ends it after one. */
const REST_PART = 200

/** Runs a pass and, while requests wait, rests for a multiple of its duration. */
export const rollAndRest = Effect.fnUntraced(function* <E>(pass: Effect.Effect<unknown, E>, isStopping: () => boolean) {
  const [worked] = yield* Effect.timed(pass)
  if (!isBusy(yield* RequestsInFlight)) return
  let left = Duration.toMillis(worked) * rollupLimits.restFactor
  while (left > 0 && !isStopping()) {
    yield* Effect.sleep(Math.min(left, REST_PART))
    left -= REST_PART
  }
})

/** Rolls up readings, a pass at a time. Late rollups make queries slower, but never change a response. */
export class RollupRunner extends Context.Service<RollupRunner, JobRunner>()("@edp/server/metrics/RollupRunner") {
  static readonly layer = Layer.effect(
    RollupRunner,
    Effect.gen(function* () {
      const rollups = yield* EnergyRollups
      const repository = yield* RollupsRepository
      const isolation = yield* makeIsolation(ROLLUP)
      let isRunning = false

      const claim = Effect.gen(function* () {
        const pass = isRunning ? undefined : yield* rollups.claim
        if (pass === undefined) return []
        isRunning = true
        return [pass]
      })

      const runner: JobRunner = yield* makeJobRunner<RollupPass>({
        name: "RollupRunner",
        lease: `${rollupLimits.leaseSeconds} seconds`,
        // Nobody waits for a rollup, and readings would announce it all the time.
        poll: rollupLimits.pauseMs,
        patience: `${rollupLimits.patienceSeconds} seconds`,
        item: ({ claim }) => claim,
        claim,
        prepare: () => Effect.succeed(({ job }) => rollAndRest(rollups.roll(job), runner.isStopping)),
        renew: (passes) =>
          Effect.map(
            Effect.filter(passes, (pass) => repository.renew(pass)),
            (held) => new Set(held.map((pass) => leaseName(pass.claim, pass.claim)))
          ),
        putOff: (pass) => repository.release(pass),
        endLeases: repository.endLeases,
        isolation,
        free: () => {
          isRunning = false
        }
      })
      return runner
    })
  )
}
