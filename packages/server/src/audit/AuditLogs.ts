import type { AuditLog } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { ValidationError } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { type PageOf, makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { decodeCursor, encodeCursor, refusePageWithCursor } from "../platform/sql/lists.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"
import { type AuditQuery, type AuditSelection, auditSelection } from "./auditSelection.ts"

interface Paging {
  readonly page?: number
  readonly perPage?: number
  readonly cursor?: string
}

interface Answer {
  readonly body: PageOf<AuditLog> | { readonly data: ReadonlyArray<AuditLog>; readonly perPage: number }
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined
}

/** The last record of a page. */
type Key = readonly [id: string]

const isKey = (key: unknown): key is Key => Array.isArray(key) && key.length === 1 && isCuid(String(key[0]))

const nextCursor = (last: AuditLog | undefined, more: boolean) =>
  more && last !== undefined ? encodeCursor([last.id]) : undefined

/** Lists the audit log of an organization, newest first. */
export class AuditLogs extends Context.Service<
  AuditLogs,
  {
    readonly list: (caller: CurrentKey["Service"], query: AuditQuery & Paging) => Effect.Effect<Answer, ValidationError>
  }
>()("@edp/server/AuditLogs") {
  static readonly layer = Layer.effect(
    AuditLogs,
    Effect.gen(function* () {
      const repository = yield* AuditLogsRepository

      const walk = Effect.fnUntraced(function* (selection: AuditSelection, [before]: Key, perPage: number) {
        const found = yield* repository.list(selection, { limit: perPage + 1, offset: 0, before })
        const data = found.slice(0, perPage)
        return { body: { data, perPage }, next: nextCursor(data.at(-1), found.length > perPage) }
      })

      const page = Effect.fnUntraced(function* (selection: AuditSelection, { page = 1, perPage = 10 }: Paging) {
        const offset = (page - 1) * perPage
        const list = repository.list(selection, { limit: perPage + 1, offset, before: undefined })
        const [found, counted] = yield* Effect.all([list, repository.count(selection)] as const, { concurrency: 2 })
        const data = found.slice(0, perPage)
        // Records may arrive between the two statements: the page proves this minimum.
        const total = found.length === 0 ? counted : Math.max(counted, offset + found.length)
        return { body: makePage(data, page, perPage, total), next: nextCursor(data.at(-1), found.length > perPage) }
      })

      return {
        list: Effect.fn("AuditLogs.list")(function* (caller, query) {
          yield* refusePageWithCursor(query)
          const selection = auditSelection(caller.organizationId, query)
          if (query.cursor === undefined) return yield* page(selection, query)
          return yield* walk(selection, yield* decodeCursor(query.cursor, isKey), query.perPage ?? 10)
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
