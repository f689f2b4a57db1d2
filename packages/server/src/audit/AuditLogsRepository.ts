import { type RefusalReason, type WriteAction, auditActions } from "@edp/domain/audit/AuditLog"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type PageWindow, conditions } from "../platform/sql/lists.ts"
import { firstIdAt, issuedAt } from "../platform/Ids.ts"
import { decodeRows, queryCount } from "../platform/sql/rows.ts"
import { query } from "../platform/sql/transaction.ts"
import { type AuditOrigin, AuditRow, type AuditedChange, toAuditLog } from "./auditRow.ts"
import { type AuditSelection, type IndexFilter, indexFilter } from "./auditSelection.ts"
import { selectList } from "../platform/sql/selectList.ts"

export interface NewWrite extends AuditOrigin, AuditedChange {
  readonly action: WriteAction
  readonly resourceId: string
}

/** Refused uses that were counted together. */
export interface CountedRefusal extends AuditOrigin {
  readonly resourceId: string
  readonly reason: RefusalReason
  readonly uses: number
  /** Milliseconds since 1970. */
  readonly lastAt: number
}

const BATCH = 1000

const rows = decodeRows(AuditRow)

const createdAt = (id: string) => new Date(issuedAt(id))

export const AuditLogsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(selectList(AuditRow))

  /** The organizations of the log, for a recursive common table expression: each is found by the index. */
  const organizations = sql`organization AS (
      (SELECT organization_id AS id FROM audit_logs ORDER BY organization_id LIMIT 1)
      UNION ALL SELECT (SELECT organization_id FROM audit_logs WHERE organization_id > organization.id
        ORDER BY organization_id LIMIT 1) FROM organization WHERE organization.id IS NOT NULL
    )`

  const limited = (limit: number, offset = 0) => sql.literal(`LIMIT ${limit} OFFSET ${offset}`)

  /** All conditions except those on the action and on the index's leading column. */
  const others = (selection: AuditSelection, before: string | undefined, lead?: IndexFilter["column"]) => [
    ...is("organization_id", selection.organizationId),
    ...(lead === "resource_id" ? [] : isAnyOf("resource_id", selection.resourceIds)),
    ...(lead === "actor_id" ? [] : isAnyOf("actor_id", selection.actorIds)),
    ...(lead === "workspace_id" ? [] : isAnyOf("workspace_id", selection.workspaceIds)),
    // The id carries the time, so a range of time is a range of ids.
    ...(selection.from === undefined ? [] : [sql`id >= ${firstIdAt(selection.from)}`]),
    ...(selection.to === undefined ? [] : [sql`id < ${firstIdAt(selection.to)}`]),
    ...(before === undefined ? [] : [sql`id < ${before}`])
  ]

  const newest = (where: ReadonlyArray<Statement.Fragment>, { limit, offset }: Pick<PageWindow, "limit" | "offset">) =>
    sql`SELECT ${columns} FROM audit_logs WHERE ${sql.and(where)} ORDER BY id DESC ${limited(limit, offset)}`

  /** Merges the newest records of each value and action: one index has each of these lists in order. */
  const merged = (selection: AuditSelection, { before, limit, offset }: PageWindow, lead: IndexFilter | undefined) => {
    const actions = sql`unnest(${selection.actions ?? auditActions}::text[]) AS done (value)`
    const from =
      lead === undefined ? actions : sql`unnest(${lead.values}::text[]) AS given (value) CROSS JOIN ${actions}`
    const where = [
      ...others(selection, before, lead?.column),
      ...(lead === undefined ? [] : [sql`${sql(lead.column)} = given.value`]),
      sql`action = done.value`
    ]
    return sql`SELECT newest.* FROM ${from}
      CROSS JOIN LATERAL (${newest(where, { limit: limit + offset, offset: 0 })}) AS newest
      ORDER BY newest.id DESC ${limited(limit, offset)}`
  }

  const listed = (selection: AuditSelection, part: PageWindow) => {
    const lead = indexFilter(selection)
    return lead === undefined && selection.actions === undefined
      ? newest(others(selection, part.before), part)
      : merged(selection, part, lead)
  }

  return {
    // Planned with their values. Prepared, their many shapes would evict other statements.
    list: (selection: AuditSelection, part: PageWindow) =>
      query(listed(selection, part).unprepared).pipe(
        rows,
        Effect.map((found) => found.map(toAuditLog))
      ),
    count: (selection: AuditSelection) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM audit_logs
          WHERE ${sql.and([...others(selection, undefined), ...isAnyOf("action", selection.actions)])}`.unprepared
      ),
    /** Does nothing where the record exists. */
    insert: (write: NewWrite) =>
      query(sql`INSERT INTO audit_logs (id, organization_id, workspace_id, action, resource_id, actor_id, actor_type,
          actor_owner_id, address, request_id, before, after, created_at)
        VALUES (${write.id}, ${write.organizationId}, ${write.workspaceId}, ${write.action}, ${write.resourceId},
          ${write.actorId}, ${write.actorType}, ${write.actorOwnerId}, ${write.address}, ${write.requestId},
          ${write.before}::json, ${write.after}::json, ${createdAt(write.id)})
        ON CONFLICT (organization_id, id) DO NOTHING`),
    /** Repeats the record of a workspace's deletion as that of the end of its archived readings. */
    insertErased: (id: string, workspaceId: string) =>
      Effect.asVoid(
        query(sql`WITH RECURSIVE ${organizations}
          INSERT INTO audit_logs (id, organization_id, workspace_id, action, resource_id, actor_id, actor_type, actor_owner_id,
            address, request_id, created_at)
          SELECT ${id}, deleted.organization_id, deleted.workspace_id, 'workspace.erase', deleted.resource_id, deleted.actor_id,
            deleted.actor_type, deleted.actor_owner_id, deleted.address, deleted.request_id, ${createdAt(id)}
          FROM organization JOIN audit_logs AS deleted ON deleted.organization_id = organization.id
            AND deleted.resource_id = ${workspaceId} AND deleted.action = 'workspace.delete'
          LIMIT 1`)
      ),
    /** Upserts with rising counts while the minute lasts. Repeated and reordered writes are harmless. */
    countRefusals: (refusals: ReadonlyArray<CountedRefusal>) =>
      query(sql`INSERT INTO audit_logs AS kept (id, organization_id, workspace_id, action, resource_id, actor_id,
          actor_type, actor_owner_id, address, request_id, reason, uses, last_at, created_at)
        SELECT id, "organizationId", "workspaceId", 'access.refused', "resourceId", "actorId", "actorType",
          "actorOwnerId", address, "requestId", reason, uses, "lastAt", "createdAt"
        FROM jsonb_to_recordset(${JSON.stringify(
          refusals.map((refusal) => ({
            ...refusal,
            lastAt: new Date(refusal.lastAt),
            createdAt: createdAt(refusal.id)
          }))
        )}::jsonb) AS given (id text, "organizationId" text, "workspaceId" text, "resourceId" text, "actorId" text,
          "actorType" text, "actorOwnerId" text, address text, "requestId" text, reason text, uses integer,
          "lastAt" timestamptz, "createdAt" timestamptz)
        ORDER BY id
        ON CONFLICT (organization_id, id) DO UPDATE SET uses = greatest(kept.uses, excluded.uses),
          last_at = greatest(kept.last_at, excluded.last_at)`),
    /** Deletes one batch, the oldest of each organization in the log; true when there may be more. */
    deleteBefore: (time: number) =>
      query(sql`WITH RECURSIVE ${organizations}
        DELETE FROM audit_logs WHERE (organization_id, id) IN (
          SELECT oldest.organization_id, oldest.id FROM organization CROSS JOIN LATERAL (
            SELECT organization_id, id FROM audit_logs
            WHERE organization_id = organization.id AND id < ${firstIdAt(time)}
            ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) AS oldest
          LIMIT ${BATCH})
        RETURNING 1`).pipe(Effect.map((rows) => rows.length === BATCH))
  }
})
