import { WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import { decodeRows, queryRows } from "../platform/sql/rows.ts"

/** The first workspace of an organization. */
export const FirstWorkspace = Schema.Struct({ organizationId: Schema.String, workspaceId: Schema.String })
export type FirstWorkspace = typeof FirstWorkspace.Type

const TimezoneRow = Schema.Struct({ timezone: Schema.String })

/**
 * The workspaces that are paused, for a condition of statements that begin work outside the service: whatever is due of a paused workspace
 * stays due.
 */
export const pausedWorkspaces = (sql: SqlClient.SqlClient) =>
  sql`SELECT paused.id FROM workspaces AS paused WHERE paused.paused_at IS NOT NULL`

/** Statements of later slices and of the first start on organizations and workspaces. */
export const workspaceTable = (sql: SqlClient.SqlClient) => ({
  /** Locks the row until the transaction ends: it cannot be deleted, and concurrent callers wait. */
  requireWorkspace: (organizationId: string, id: string) =>
    Effect.flatMap(
      query(sql`SELECT FROM workspaces WHERE id = ${id} AND organization_id = ${organizationId} FOR NO KEY UPDATE`),
      ([row]) => (row === undefined ? Effect.fail(new WorkspaceNotFound({})) : Effect.void)
    ),
  /** One row if there is an organization. */
  anyOrganization: sql`SELECT 1 FROM organizations LIMIT 1`,
  firstWorkspace: decodeRows(FirstWorkspace)(sql`SELECT id AS "workspaceId", organization_id AS "organizationId"
    FROM workspaces ORDER BY id LIMIT 1`),
  insertOrganization: (id: string, name: string, now: Date) =>
    sql`INSERT INTO organizations (id, name, created_at, updated_at) VALUES (${id}, ${name}, ${now}, ${now})`,
  insertWorkspace: ({ organizationId, workspaceId }: FirstWorkspace, name: string, now: Date) =>
    sql`INSERT INTO workspaces (id, organization_id, name, deletion_protection, timezone, created_at, updated_at)
      VALUES (${workspaceId}, ${organizationId}, ${name}, false, 'UTC', ${now}, ${now})`,
  /** Locks the workspace until the transaction ends: others that do the same wait. */
  hold: (workspaceId: string) => query(sql`SELECT FROM workspaces WHERE id = ${workspaceId} FOR NO KEY UPDATE`),
  timezone: (workspaceId: string) =>
    Effect.map(
      queryRows(TimezoneRow)(sql`SELECT timezone FROM workspaces WHERE id = ${workspaceId}`),
      ([row]) => row?.timezone
    )
})

/** A query of the id of the deployment's first organization. */
export const firstOrganizationId = (sql: SqlClient.SqlClient) => sql`SELECT id FROM organizations ORDER BY id LIMIT 1`
