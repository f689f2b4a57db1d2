import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import { Organization } from "@edp/domain/organizations/Organization"
import { type UpdateWorkspace, Workspace } from "@edp/domain/workspaces/Workspace"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TimestampColumn, decodeRows, queryCount, timestampColumns } from "../platform/sql/rows.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { selectList } from "../platform/sql/selectList.ts"

const WorkspaceRow = Schema.Struct({
  ...Workspace.fields,
  ...timestampColumns,
  pausedAt: Schema.NullOr(TimestampColumn)
})

const nameTaken = uniqueTo(
  "workspaces_name_key",
  () => new DuplicateName({ message: "The organization has a workspace of this name" })
)

const DeletionProtectionRow = Schema.Struct({ deletionProtection: Schema.Boolean })

export const WorkspacesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(WorkspaceRow))
  const visible = (organizationId: string, workspaceId: string | undefined) =>
    workspaceId === undefined
      ? sql`organization_id = ${organizationId}`
      : sql`organization_id = ${organizationId} AND id = ${workspaceId}`
  const rows = decodeRows(WorkspaceRow)

  return {
    list: (organizationId: string, workspaceId: string | undefined, limit: number, offset: number) =>
      query(sql`SELECT ${columns} FROM workspaces WHERE ${visible(organizationId, workspaceId)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`).pipe(rows),
    count: (organizationId: string, workspaceId: string | undefined) =>
      queryCount(sql`SELECT count(*)::int AS n FROM workspaces
        WHERE ${visible(organizationId, workspaceId)}`),
    get: (organizationId: string, id: string) =>
      query(sql`SELECT ${columns} FROM workspaces WHERE ${visible(organizationId, id)}`).pipe(rows),
    /** Locks the workspace until the transaction ends. */
    lock: (organizationId: string, id: string) =>
      query(sql`SELECT ${columns} FROM workspaces WHERE ${visible(organizationId, id)}
        FOR NO KEY UPDATE`).pipe(rows),
    insert: (workspace: Omit<Workspace, "pausedAt" | "createdAt" | "updatedAt">, now: Date) =>
      sql`INSERT INTO workspaces
          (id, organization_id, name, deletion_protection, timezone, logo_url, accent_color,
            contact_email, contact_phone, contact_url, temperature_unit, distance_unit,
            connect_redirects, created_at, updated_at)
        VALUES (${workspace.id}, ${workspace.organizationId}, ${workspace.name}, ${workspace.deletionProtection},
          ${workspace.timezone}, ${workspace.logoUrl}, ${workspace.accentColor},
          ${workspace.contactEmail}, ${workspace.contactPhone}, ${workspace.contactUrl},
          ${workspace.temperatureUnit}, ${workspace.distanceUnit},
          ${workspace.connectRedirects}::text[], ${now}, ${now}) RETURNING ${columns}`.pipe(nameTaken, query, rows),
    /** Writes only the given fields, so that concurrent changes of different fields are both kept. */
    update: (organizationId: string, id: string, input: UpdateWorkspace, now: Date) =>
      sql`UPDATE workspaces SET name = coalesce(${input.name ?? null}, name),
          deletion_protection = coalesce(${input.deletionProtection ?? null}, deletion_protection),
          timezone = coalesce(${input.timezone ?? null}, timezone),
          logo_url = ${input.logoUrl === undefined ? sql`logo_url` : input.logoUrl},
          accent_color = ${input.accentColor === undefined ? sql`accent_color` : input.accentColor},
          contact_email = ${input.contactEmail === undefined ? sql`contact_email` : input.contactEmail},
          contact_phone = ${input.contactPhone === undefined ? sql`contact_phone` : input.contactPhone},
          contact_url = ${input.contactUrl === undefined ? sql`contact_url` : input.contactUrl},
          temperature_unit = coalesce(${input.temperatureUnit ?? null}, temperature_unit),
          distance_unit = coalesce(${input.distanceUnit ?? null}, distance_unit),
          connect_redirects = coalesce(${input.connectRedirects ?? null}::text[], connect_redirects), updated_at = ${now}
        WHERE ${visible(organizationId, id)} RETURNING ${columns}`.pipe(nameTaken, query, rows),
    setPause: (id: string, pausedAt: Date | null) =>
      query(sql`UPDATE workspaces SET paused_at = ${pausedAt} WHERE id = ${id} RETURNING ${columns}`).pipe(rows),
    remove: (organizationId: string, id: string) =>
      sql`DELETE FROM workspaces WHERE id = ${id} AND organization_id = ${organizationId}`,
    /** Locks the deletion protection until the transaction ends. */
    holdProtection: (id: string) =>
      decodeRows(DeletionProtectionRow)(sql`
        SELECT deletion_protection AS "deletionProtection" FROM workspaces WHERE id = ${id} FOR SHARE`)
  }
})

const OrganizationRow = Schema.Struct({ ...Organization.fields, ...timestampColumns })

export const OrganizationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(OrganizationRow))
  const rows = decodeRows(OrganizationRow)

  return {
    get: (id: string) => query(sql`SELECT ${columns} FROM organizations WHERE id = ${id}`).pipe(rows),
    /** Locks the organization until the transaction ends. */
    lock: (id: string) =>
      query(sql`SELECT ${columns} FROM organizations WHERE id = ${id} FOR NO KEY UPDATE`).pipe(rows),
    rename: (id: string, name: string, now: Date) =>
      query(sql`UPDATE organizations SET name = ${name}, updated_at = ${now}
        WHERE id = ${id} RETURNING ${columns}`).pipe(rows)
  }
})
