import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { JsonColumn, queryRows } from "../../platform/sql/rows.ts"
import { query, uniqueTo } from "../../platform/sql/transaction.ts"
import { refusal } from "../problem.ts"
import { type Kind, kinds, type KindName, type ObjectFilters, type ObjectPage } from "./kinds.ts"
import type { ObjectBody } from "../objectBody.ts"
import { objectLimits } from "./objectLimits.ts"
import { ObjectRow } from "./objectRow.ts"
import { commonTargets, grantedTargets } from "../vtnTargetSql.ts"

/**
 * The client that looks at the objects of a workspace. `requested` narrows the targets of a VEN; undefined means all that it was granted, and
 * is for reads of one object.
 */
export interface Viewer {
  readonly workspaceId: string
  readonly role: "BL" | "VEN"
  readonly clientId: string
  readonly requested?: ReadonlyArray<string> | undefined
}

export interface StoredObject {
  readonly id: string
  readonly workspaceId: string
  readonly clientId: string | null
  readonly targets: ReadonlyArray<string> | null | undefined
  readonly body: ObjectBody
  readonly columns: Readonly<Record<string, unknown>>
  readonly now: Date
}

const ReferredVen = Schema.Struct({ clientId: Schema.String })
const AllowedTargets = Schema.Struct({ targets: Schema.Array(Schema.String) })
const ReferredEvent = Schema.Struct({ programId: Schema.String })

const NamedSites = Schema.Struct({ sites: Schema.NullOr(JsonColumn<Readonly<Record<string, string>>>()) })

const taken = {
  vtn_programs_name_key: "programName: Is the name of another program",
  vtn_vens_name_key: "venName: Is the name of another ven",
  vtn_vens_client_key: "clientID: Has a ven already",
  vtn_resources_name_key: "resourceName: Is the name of another resource of the ven"
} as const

/** Turns the violations of unique names into refusals. */
const unique = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Object.entries(taken).reduce<Effect.Effect<A, E | ReturnType<typeof refusal>, R>>(
    (effect, [constraint, detail]) => uniqueTo(constraint, () => refusal(409, detail))(effect),
    self
  )

export const ObjectsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Those of some targets by which a VEN sees programs and events. */
  const granted = ({ clientId, workspaceId }: Viewer, some: Statement.Fragment) =>
    grantedTargets(sql, sql`${workspaceId}`, sql`${clientId}`, some)
  const findAllowed = (viewer: Viewer) =>
    viewer.requested === undefined || viewer.requested.length === 0
      ? Effect.succeed([])
      : Effect.map(
          queryRows(AllowedTargets)(sql`SELECT ARRAY(${granted(viewer, sql`${viewer.requested}::text[]`)}) AS targets`),
          ([row]) => row!.targets
        )

  const isBound = (kind: Kind, { role }: Viewer) => role === "VEN" && kind.privacy === "targets"

  /** The workspace's objects, or of kinds that have an owner those of the VEN. */
  const owned = (kind: Kind, viewer: Viewer): ReadonlyArray<Statement.Fragment> => [
    sql`object.workspace_id = ${viewer.workspaceId}`,
    ...(viewer.role === "VEN" && kind.privacy === "owner" ? [sql`object.client_id = ${viewer.clientId}`] : [])
  ]

  /** The columns of an object; of its targets a VEN is shown those that it may see. */
  const columns = (kind: Kind, allowed: Statement.Fragment | undefined) => {
    const hidden = allowed === undefined ? sql`object.targets` : commonTargets(sql, sql`object.targets`, allowed)
    const targets = kind.hasTargets ? sql`CASE WHEN object.targets IS NOT NULL THEN ${hidden} END` : sql`NULL::text[]`
    const site = kind === kinds.resources ? sql`object.site_id` : sql`NULL::text`
    return sql`object.id, object.client_id AS "clientId", ${targets} AS targets, ${site} AS "siteId", object.body,
      object.created_at AS "createdAt", object.modified_at AS "modifiedAt"`
  }

  /** One object, if the client sees it. */
  const selectOne = (kind: Kind, viewer: Viewer, id: string) => {
    const from = (allowed?: Statement.Fragment) => sql`SELECT ${columns(kind, allowed)}
      FROM ${sql(kind.table)} AS object WHERE ${sql.and([...owned(kind, viewer), sql`object.id = ${id}`])}`
    if (!isBound(kind, viewer)) return from()
    // The targets are computed once for the statement.
    const allowed = sql`(SELECT allowed.targets FROM allowed)::text[]`
    const some = viewer.requested ?? sql`(SELECT targets FROM ${sql(kind.table)} WHERE id = ${id})`
    return sql`WITH allowed AS MATERIALIZED (SELECT ARRAY(${granted(viewer, sql`${some}::text[]`)}) AS targets)
      ${from(allowed)} AND (object.targets IS NULL OR object.targets && ${allowed})`
  }

  const matching = (
    kind: Kind,
    viewer: Viewer,
    filters: ObjectFilters,
    now: Date
  ): ReadonlyArray<Statement.Fragment> => {
    const { active, clientName, eventID, objects, programID, resourceName, targets, venID, venName } = filters
    return [
      ...(programID === undefined
        ? []
        : [sql`${sql(kind === kinds.events ? "vtn_program_id" : "program_key")} = ${programID}`]),
      ...(eventID === undefined ? [] : [sql`object.event_key = ${eventID}`]),
      ...(clientName === undefined ? [] : [sql`object.client_name = ${clientName}`]),
      ...(venName === undefined ? [] : [sql`object.ven_name = ${venName}`]),
      ...(venID === undefined ? [] : [sql`object.ven_id = ${venID}`]),
      ...(resourceName === undefined ? [] : [sql`object.resource_name = ${resourceName}`]),
      ...(objects === undefined ? [] : [sql`object.objects @> ${objects}::text[]`]),
      ...(targets === undefined || isBound(kind, viewer) ? [] : [sql`object.targets @> ${targets}::text[]`]),
      ...(active === true ? [sql`(object.ends_at IS NULL OR object.ends_at > ${now})`] : [])
    ]
  }

  const exists = (statement: Statement.Fragment) =>
    Effect.map(query(sql`SELECT WHERE EXISTS (${statement})`), (rows) => rows.length > 0)

  const hasAtLeast = (count: number, rows: Statement.Fragment) =>
    Effect.map(query(sql`${rows} OFFSET ${count - 1} LIMIT 1`), (found) => found.length > 0)

  return {
    list: Effect.fnUntraced(function* (
      name: KindName,
      viewer: Viewer,
      filters: ObjectFilters,
      { limit, skip }: ObjectPage,
      now: Date
    ) {
      const kind = kinds[name]
      const order = sql.literal(name === "events" ? "priority, id" : "id")
      const allowed = isBound(kind, viewer) ? yield* findAllowed(viewer) : undefined
      const all = [...owned(kind, viewer), ...matching(kind, viewer, filters, now)]
      const select = (conditions: ReadonlyArray<Statement.Fragment>, most: number) => {
        const found = sql`SELECT ${order} FROM ${sql(kind.table)} AS object WHERE ${sql.and([...all, ...conditions])}`
        // Events in progress are few and come last in the order, which would be read up to them: OFFSET 0 has them found by their end.
        const fenced = filters.active === true ? sql`SELECT ${order} FROM (${found} OFFSET 0) AS active` : found
        return sql`${fenced} ORDER BY ${order} LIMIT ${most}`
      }
      // Objects for all VENs and those with targets have indexes of their own: each part of the list is found in its order.
      const parts =
        allowed === undefined
          ? select([], skip + limit)
          : sql`(${select([sql`object.targets IS NULL`], skip + limit)})
            ${allowed.length === 0 ? sql`` : sql`UNION ALL (${select([sql`object.targets && ${allowed}::text[]`], skip + limit)})`}`
      return yield* queryRows(ObjectRow)(
        sql`WITH page AS MATERIALIZED (
            SELECT id FROM (${parts}) AS part ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}
          )
          SELECT ${columns(kind, allowed === undefined ? undefined : sql`${allowed}::text[]`)}
          FROM ${sql(kind.table)} AS object WHERE object.id IN (SELECT id FROM page) ORDER BY ${order}`.unprepared
      )
    }),
    get: (name: KindName, viewer: Viewer, id: string) => queryRows(ObjectRow)(selectOne(kinds[name], viewer, id)),
    /** The same; the object is locked until the transaction ends. */
    lock: (name: KindName, viewer: Viewer, id: string) =>
      queryRows(ObjectRow)(sql`${selectOne(kinds[name], viewer, id)} FOR UPDATE OF object`),
    insert: (name: KindName, { body, clientId, columns, id, now, targets, workspaceId }: StoredObject) =>
      query(
        unique(
          sql`INSERT INTO ${sql(kinds[name].table)} ${sql.insert({
            id,
            workspace_id: workspaceId,
            client_id: clientId,
            body: JSON.stringify(body),
            created_at: now,
            modified_at: now,
            ...columns,
            ...(kinds[name].hasTargets && { targets: targets ?? null })
          })}`
        )
      ),
    update: (name: KindName, { body, clientId, columns, id, now, targets }: Omit<StoredObject, "workspaceId">) =>
      query(
        unique(
          sql`UPDATE ${sql(kinds[name].table)} SET ${sql.update({
            client_id: clientId,
            body: JSON.stringify(body),
            modified_at: now,
            ...columns,
            ...(kinds[name].hasTargets && targets !== undefined && { targets })
          })} WHERE id = ${id}`
        )
      ),
    remove: (name: KindName, id: string) => query(sql`DELETE FROM ${sql(kinds[name].table)} WHERE id = ${id}`),
    /** Locks a program so that it stays while the transaction refers to it. Returns whether there is one. */
    holdProgram: (workspaceId: string, id: string) =>
      Effect.map(
        query(sql`SELECT FROM vtn_programs WHERE id = ${id} AND workspace_id = ${workspaceId} FOR KEY SHARE`),
        (rows) => rows.length > 0
      ),
    /** The client of a VEN, which stays while the transaction refers to it. */
    holdVen: (workspaceId: string, id: string) =>
      Effect.map(
        queryRows(ReferredVen)(sql`SELECT client_id AS "clientId" FROM vtn_vens
          WHERE id = ${id} AND workspace_id = ${workspaceId} FOR SHARE`),
        ([row]) => row?.clientId
      ),
    /** The program of an event that exists. */
    eventProgram: (id: string) =>
      Effect.map(
        queryRows(ReferredEvent)(sql`SELECT vtn_program_id AS "programId" FROM vtn_events WHERE id = ${id}`),
        ([row]) => row?.programId
      ),
    reportProgram: (id: string) =>
      Effect.map(
        queryRows(ReferredEvent)(sql`SELECT program_key AS "programId" FROM vtn_reports WHERE id = ${id}`),
        ([row]) => row?.programId
      ),
    hasEvents: (programId: string) => exists(sql`SELECT FROM vtn_events WHERE vtn_program_id = ${programId}`),
    hasResources: (venId: string) => exists(sql`SELECT FROM vtn_resources WHERE ven_id = ${venId}`),
    hasSites: (venId: string) => exists(sql`SELECT FROM vtn_resources WHERE ven_id = ${venId} AND site_id IS NOT NULL`),
    /** The sites that names of a client's resources stand for, by the names; null if there are none. */
    sitesNamed: (workspaceId: string, clientId: string, names: ReadonlyArray<string>) =>
      Effect.map(
        queryRows(NamedSites)(sql`SELECT jsonb_object_agg(resource_name, site_id) AS sites FROM vtn_resources
          WHERE ven_id = (SELECT id FROM vtn_vens WHERE workspace_id = ${workspaceId} AND client_id = ${clientId})
            AND resource_name = ANY(${names}::text[]) AND site_id IS NOT NULL`),
        ([row]) => row?.sites ?? null
      ),
    hasAllSubscriptions: (workspaceId: string, clientId: string) =>
      hasAtLeast(
        objectLimits.subscriptionsPerClient,
        sql`SELECT FROM vtn_subscriptions WHERE workspace_id = ${workspaceId} AND client_id = ${clientId}`
      ),
    hasAllResources: (workspaceId: string, venId: string) =>
      hasAtLeast(
        objectLimits.resourcesPerVen,
        sql`SELECT FROM vtn_resources WHERE ven_id = ${venId} AND workspace_id = ${workspaceId} AND site_id IS NULL`
      ),
    hasAllReports: (eventId: string, clientId: string) =>
      hasAtLeast(
        objectLimits.reportsPerEvent,
        sql`SELECT FROM vtn_reports WHERE event_key = ${eventId} AND client_id = ${clientId}`
      ),
    /** Gives the resources of a VEN to the VEN's client. */
    moveResources: (venId: string, clientId: string) =>
      query(sql`UPDATE vtn_resources SET client_id = ${clientId} WHERE ven_id = ${venId} AND client_id <> ${clientId}`)
  }
})
