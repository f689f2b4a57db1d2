import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Clock, Effect, Option } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { type CursorPaging, paginateById } from "../platform/sql/lists.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"
import { type AuditQuery, auditSelection } from "./auditSelection.ts"

/** Lists the audit log of an organization, newest first. */
export const AuditLogs = Effect.gen(function* () {
  const repository = yield* AuditLogsRepository

  return {
    list: Effect.fn("AuditLogs.list")((caller: CurrentKey["Service"], query: AuditQuery & CursorPaging) => {
      const selection = auditSelection(caller.organizationId, query)
      return paginateById(query, (window) => repository.list(selection, window), repository.count(selection))
    })
  }
})

const DAY = 24 * 60 * 60 * 1000

/** Deletes records older than the configured retention; none where no retention is set. */
export const deleteOldAuditLogs = Effect.gen(function* () {
  const { auditRetentionDays } = yield* ServerConfig
  if (Option.isNone(auditRetentionDays)) return
  const repository = yield* AuditLogsRepository
  const deleteSome = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    repository.deleteBefore(now - auditRetentionDays.value * DAY)
  )
  yield* Effect.repeat(deleteSome, { while: (more) => more })
}).pipe(Effect.withSpan("AuditLogs.deleteOld"))
