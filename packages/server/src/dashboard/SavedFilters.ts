import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type CreateSavedFilter,
  SAVED_FILTERS_LIMIT,
  SavedFilter,
  type UpdateSavedFilter
} from "@edp/domain/dashboard/SavedFilter"
import { DuplicateName, InvalidState, NotFound } from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn, query, uniqueTo } from "../platform/sql/transaction.ts"
import { decodeRows, queryCount, timestampColumns } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

const taken = uniqueTo(
  "saved_filters_name_key",
  () => new DuplicateName({ message: "The page has a filter of this name" })
)

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(SavedFilter))
  const rows = decodeRows(SavedFilter.mapFields(Struct.assign(timestampColumns)))

  return {
    /** Locks the workspace until the transaction ends, so that filters are counted before one more is saved. */
    hold: (workspaceId: string) => query(sql`SELECT FROM workspaces WHERE id = ${workspaceId} FOR NO KEY UPDATE`),
    list: (workspaceId: string, limit: number, offset: number) =>
      query(sql`SELECT ${columns} FROM saved_filters WHERE workspace_id = ${workspaceId}
        ORDER BY name, page LIMIT ${limit} OFFSET ${offset}`).pipe(rows),
    count: (workspaceId: string) =>
      queryCount(sql`SELECT count(*)::int AS n FROM saved_filters
        WHERE workspace_id = ${workspaceId}`),
    get: (workspaceId: string, id: string) =>
      query(sql`SELECT ${columns} FROM saved_filters WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(rows),
    lock: (workspaceId: string, id: string) =>
      query(
        sql`SELECT ${columns} FROM saved_filters WHERE id = ${id} AND workspace_id = ${workspaceId} FOR UPDATE`
      ).pipe(rows),
    insert: (workspaceId: string, filter: SavedFilter) =>
      sql`INSERT INTO saved_filters (id, workspace_id, name, page, query, created_at, updated_at)
        VALUES (${filter.id}, ${workspaceId}, ${filter.name}, ${filter.page}, ${filter.query}, ${filter.createdAt},
          ${filter.updatedAt})`.pipe(taken, query),
    update: (id: string, changes: { readonly name?: string; readonly query?: string }, now: Date) =>
      sql`UPDATE saved_filters SET ${sql.csv([
        ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
        ...(changes.query === undefined ? [] : [sql`query = ${changes.query}`]),
        sql`updated_at = ${now}`
      ])} WHERE id = ${id} RETURNING ${columns}`.pipe(taken, query, rows),
    remove: (workspaceId: string, id: string) =>
      query(
        sql`DELETE FROM saved_filters WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING ${columns}`
      ).pipe(rows)
  }
})

type Caller = CurrentKey["Service"]
type Paging = { readonly page?: number; readonly perPage?: number }

/** Filters that a workspace keeps under names. */
export class SavedFilters extends Context.Service<
  SavedFilters,
  {
    readonly list: (caller: Caller, paging: Paging) => Effect.Effect<PageOf<SavedFilter>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<SavedFilter, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateSavedFilter
    ) => Effect.Effect<SavedFilter, DuplicateName | InvalidState | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateSavedFilter
    ) => Effect.Effect<SavedFilter, NotFound | DuplicateName | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  }
>()("@edp/server/SavedFilters") {
  static readonly layer = Layer.effect(
    SavedFilters,
    Effect.gen(function* () {
      const repository = yield* statements
      const audit = yield* AuditTrail
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const one = <E>(rows: Effect.Effect<ReadonlyArray<SavedFilter>, E>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)))

      return {
        list: Effect.fn("SavedFilters.list")(({ workspaceId }, paging) =>
          paginate(
            paging,
            10,
            (limit, offset) => repository.list(workspaceId, limit, offset),
            repository.count(workspaceId)
          )
        ),
        get: Effect.fn("SavedFilters.get")(({ workspaceId }, id) => one(repository.get(workspaceId, id))),
        create: Effect.fn("SavedFilters.create")(({ workspaceId }, input) =>
          Effect.gen(function* () {
            yield* repository.hold(workspaceId)
            if ((yield* repository.count(workspaceId)) >= SAVED_FILTERS_LIMIT) {
              return yield* new InvalidState({
                message: `The workspace has ${SAVED_FILTERS_LIMIT} saved filters; delete one first`
              })
            }
            const at = new Date(yield* Clock.currentTimeMillis).toISOString()
            const { name, page, query } = input
            const filter: SavedFilter = { id: yield* ids.next, name, page, query, createdAt: at, updatedAt: at }
            yield* repository.insert(workspaceId, filter)
            yield* audit.record({
              action: "saved-filter.create",
              resourceId: filter.id,
              workspaceId,
              after: filter
            })
            return filter
          }).pipe(transaction)
        ),
        update: Effect.fn("SavedFilters.update")(({ workspaceId }, id, { name, query }) =>
          Effect.gen(function* () {
            const before = yield* one(repository.lock(workspaceId, id))
            const changes = realChanges(before, {
              ...(name !== undefined && { name }),
              ...(query !== undefined && { query })
            })
            if (changes === undefined) return before
            const after = yield* one(repository.update(id, changes, new Date(yield* Clock.currentTimeMillis)))
            yield* audit.record({ action: "saved-filter.update", resourceId: id, workspaceId, before, after })
            return after
          }).pipe(transaction)
        ),
        remove: Effect.fn("SavedFilters.remove")(({ workspaceId }, id) =>
          Effect.gen(function* () {
            const before = yield* one(repository.remove(workspaceId, id))
            yield* audit.record({ action: "saved-filter.delete", resourceId: id, workspaceId, before })
          }).pipe(transaction)
        )
      }
    })
  )
}
