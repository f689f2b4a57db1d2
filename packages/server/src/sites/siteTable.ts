import { SiteNotFound, SiteNotInWorkspace } from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { queryRows } from "../platform/sql/rows.ts"

const WorkspaceIdRow = Schema.Struct({ workspaceId: Schema.String })
const IdWorkspaceIdRow = Schema.Struct({ id: Schema.String, workspaceId: Schema.String })

/** Checks of other slices that sites exist in the caller's workspace. A malformed id exists nowhere. */
export const siteTable = (sql: SqlClient.SqlClient) => {
  const siteWorkspace = (id: string) =>
    isCuid(id)
      ? Effect.map(
          queryRows(WorkspaceIdRow)(sql`
            SELECT workspace_id AS "workspaceId" FROM sites WHERE id = ${id}`),
          ([row]) => row?.workspaceId
        )
      : Effect.succeed(undefined)

  return {
    /** A site in a path: one of another workspace is reported as not found. */
    requireSite: (workspaceId: string, id: string) =>
      Effect.flatMap(siteWorkspace(id), (owner) =>
        owner === workspaceId ? Effect.void : Effect.fail(new SiteNotFound({}))
      ),
    /** A site in a body: one of another workspace is reported as such. */
    requireGivenSite: (workspaceId: string, id: string) =>
      Effect.flatMap(siteWorkspace(id), (owner): Effect.Effect<void, SiteNotFound | SiteNotInWorkspace> => {
        if (owner === undefined) return Effect.fail(new SiteNotFound({}))
        return owner === workspaceId ? Effect.void : Effect.fail(new SiteNotInWorkspace({}))
      }),
    /** Locks the site until the transaction ends, so that it is not deleted before something refers to it; no row if there is none. */
    lockSite: (workspaceId: string, id: string) =>
      sql`SELECT FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} FOR KEY SHARE`,
    /** The workspaces of existing sites. The sites are locked until the transaction ends, so that none is deleted meanwhile. */
    owners: (siteIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, string>, DatabaseUnavailable> =>
      siteIds.length === 0
        ? Effect.succeed(new Map())
        : queryRows(IdWorkspaceIdRow)(sql`
            SELECT id, workspace_id AS "workspaceId" FROM sites WHERE id = ANY(${[...new Set(siteIds)].sort()}::text[])
            ORDER BY id FOR KEY SHARE`).pipe(
            Effect.map((rows) => new Map(rows.map(({ id, workspaceId }) => [id, workspaceId])))
          )
  }
}
