import type { AuditLog } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { ValidationError } from "@edp/domain/errors/ApiErrors"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type CursorList, type CursorPaging, paginateById } from "../platform/sql/lists.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"
import { type AuditQuery, auditSelection } from "./auditSelection.ts"

/** Lists the audit log of an organization, newest first. */
export class AuditLogs extends Context.Service<
  AuditLogs,
  {
    readonly list: (
      caller: CurrentKey["Service"],
      query: AuditQuery & CursorPaging
    ) => Effect.Effect<CursorList<AuditLog>, ValidationError | DatabaseUnavailable>
  }
>()("@edp/server/AuditLogs") {
  static readonly layer = Layer.effect(
    AuditLogs,
    Effect.gen(function* () {
      const repository = yield* AuditLogsRepository

      return {
        list: Effect.fn("AuditLogs.list")((caller, query) => {
          const selection = auditSelection(caller.organizationId, query)
          return paginateById(query, (window) => repository.list(selection, window), repository.count(selection))
        })
      }
    })
  )
}

const DAY = 24 * 60 * 60 * 1000

export class AuditRetention extends Context.Service<
  AuditRetention,
  {
    /** Deletes records older than the configured retention; none where no retention is set. */
    readonly deleteOld: Effect.Effect<void, DatabaseUnavailable>
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
