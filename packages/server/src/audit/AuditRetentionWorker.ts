import { Effect, Layer } from "effect"
import { AuditRetention } from "./AuditRetention.ts"

const PAUSE = "1 hour"

/** Keeps the audit log as long as is asked for. */
export const AuditRetentionWorker = Layer.effectDiscard(
  Effect.flatMap(AuditRetention, ({ deleteOld }) =>
    deleteOld.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old audit logs are still to be deleted", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
