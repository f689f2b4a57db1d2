import { Clock, Context, Effect, Layer, Option } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"

const DAY = 24 * 60 * 60 * 1000

/** How long the audit log is kept. */
export class AuditRetention extends Context.Service<
  AuditRetention,
  {
    /** Deletes what is older than is to be kept; nothing where everything is. */
    readonly deleteOld: Effect.Effect<void>
  }
>()("@edp/server/AuditRetention") {
  static readonly layer = Layer.effect(
    AuditRetention,
    Effect.gen(function* () {
      const { auditRetentionDays } = yield* ServerConfig
      const repository = yield* AuditLogsRepository
      const deleteOlder = (days: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => repository.deleteBefore(now - days * DAY)).pipe(
          Effect.repeat({ while: (more) => more }),
          Effect.asVoid
        )
      return {
        deleteOld: Option.match(auditRetentionDays, { onNone: () => Effect.void, onSome: deleteOlder }).pipe(
          Effect.withSpan("AuditRetention.deleteOld")
        )
      }
    })
  )
}
