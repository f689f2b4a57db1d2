import {
  CustomerNotFound,
  DeviceNotFound,
  SiteNotFound,
  SiteNotInWorkspace,
  WorkspaceNotFound
} from "@edp/domain/errors/ApiErrors"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { query } from "./transaction.ts"

/** Whether things that a caller names exist in the caller's workspace. An id of the wrong shape exists nowhere. */
export const references = (sql: SqlClient.SqlClient) => {
  const siteWorkspace = (id: string) =>
    isCuid(id)
      ? Effect.map(
          query(sql<{ readonly workspaceId: string }>`
            SELECT workspace_id AS "workspaceId" FROM sites WHERE id = ${id}`),
          ([row]) => row?.workspaceId
        )
      : Effect.succeed(undefined)

  return {
    /** Held until the transaction ends: it is not deleted meanwhile, and whoever else requires it waits. */
    requireWorkspace: (organizationId: string, id: string) =>
      Effect.flatMap(
        query(sql`SELECT FROM workspaces WHERE id = ${id} AND organization_id = ${organizationId} FOR NO KEY UPDATE`),
        ([row]) => (row === undefined ? Effect.fail(new WorkspaceNotFound({})) : Effect.void)
      ),
    /** A site that a path names: a foreign one answers like one that does not exist. */
    requireSite: (workspaceId: string, id: string) =>
      Effect.flatMap(siteWorkspace(id), (owner) =>
        owner === workspaceId ? Effect.void : Effect.fail(new SiteNotFound({}))
      ),
    /** A site that a body names: a foreign one is told from one that does not exist. */
    requireGivenSite: (workspaceId: string, id: string) =>
      Effect.flatMap(siteWorkspace(id), (owner): Effect.Effect<void, SiteNotFound | SiteNotInWorkspace> => {
        if (owner === undefined) return Effect.fail(new SiteNotFound({}))
        return owner === workspaceId ? Effect.void : Effect.fail(new SiteNotInWorkspace({}))
      }),
    /** Held until the transaction ends, so that it is not deleted before something refers to it. */
    requireCustomer: (workspaceId: string, id: string) =>
      Effect.flatMap(
        query(sql`SELECT FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId} FOR KEY SHARE`),
        ([row]) => (row === undefined ? Effect.fail(new CustomerNotFound({})) : Effect.void)
      ),
    requireDevice: (workspaceId: string, id: string) =>
      Effect.flatMap(query(sql`SELECT 1 FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId}`), ([row]) =>
        row === undefined ? Effect.fail(new DeviceNotFound({})) : Effect.void
      )
  }
}
