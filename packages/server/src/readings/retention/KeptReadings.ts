import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { KeptReadings as Told } from "@edp/domain/telemetry/KeptReadingsApi"
import { Context, Effect, Layer, Option } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { RetentionRepository } from "./RetentionRepository.ts"
import type { KeptTimes } from "../ingest/telemetryChecks.ts"

/** Another instance may have dropped readings: it waits longer than this before their table is gone. */
const LOOK = "1 minute"

const timestamp = (at: Date | null) => at?.toISOString() ?? null

/** Of what times readings are kept. */
export class KeptReadings extends Context.Service<
  KeptReadings,
  {
    /** As far as this instance knows, which is never more than a minute behind. */
    readonly times: () => KeptTimes
    /** Learns at once what has just been dropped. */
    readonly look: Effect.Effect<void>
    /** What a caller's organization is told. */
    readonly tell: (caller: CurrentKey["Service"]) => Effect.Effect<Told>
  }
>()("@edp/server/KeptReadings") {
  static readonly layer = Layer.effect(
    KeptReadings,
    Effect.gen(function* () {
      const retentionDays = Option.getOrUndefined((yield* ServerConfig).telemetryRetentionDays)
      const repository = yield* RetentionRepository
      let times: KeptTimes = { retentionDays, droppedBefore: yield* repository.keptFrom }
      const look = Effect.map(repository.keptFrom, (droppedBefore) => {
        times = { retentionDays, droppedBefore }
      })
      yield* Effect.sleep(LOOK).pipe(
        Effect.andThen(look),
        Effect.catchCause((cause) => Effect.logWarning("Which readings are dropped is not known anew", cause)),
        Effect.forever,
        Effect.forkScoped
      )
      const tell = Effect.fnUntraced(function* ({ organizationId }: CurrentKey["Service"]) {
        const droppedBefore = yield* repository.keptFrom
        return {
          retentionDays: retentionDays ?? null,
          droppedBefore: timestamp(droppedBefore === 0 ? null : new Date(droppedBefore)),
          oldestAt: timestamp(yield* repository.oldest(organizationId))
        }
      })

      return { look, times: () => times, tell: Effect.fn("KeptReadings.tell")(tell) }
    })
  )
}
