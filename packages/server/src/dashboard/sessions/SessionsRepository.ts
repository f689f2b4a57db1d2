import { distanceUnits, temperatureUnits } from "@edp/domain/workspaces/displayUnits"
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { KeyRow, type NewSession, SessionRow } from "./sessionRow.ts"
import { IdRow, queryCount, queryIds, queryRows } from "../../platform/sql/rows.ts"

export const ChosenSession = Schema.Struct({
  ...SessionRow.fields,
  /** The id of the chosen workspace, if it is one of the organization. */
  chosenId: Schema.NullOr(Schema.String)
})
export type ChosenSession = typeof ChosenSession.Type

const OrganizationView = Schema.Struct({
  organization: Schema.String,
  workspaces: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      timezone: Schema.String,
      temperatureUnit: Schema.Literals(temperatureUnits),
      distanceUnit: Schema.Literals(distanceUnits)
    })
  )
})
type OrganizationView = typeof OrganizationView.Type

/** Rows that one run of the clean-up deletes. */
const BATCH = 1000

const ListRow = Schema.Struct({ ...SessionRow.fields, madeKeys: Schema.Finite })
const GetRow = Schema.Struct({ ...SessionRow.fields, madeKeys: Schema.Finite })
const RemovedSessionRow = Schema.Struct({ ...Struct.pick(SessionRow.fields, ["id", "keyId", "makerId", "madeBy"]) })
const MakerIdRow = Schema.Struct({ makerId: Schema.String })
const TakeLinkRow = Schema.Struct({ ...KeyRow.fields, linkId: Schema.String, madeBy: Schema.NullOr(Schema.String) })

export const SessionsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keyColumns =
    sql.literal(`api_keys.id AS "keyId", api_keys.name AS "keyName", api_keys.key_prefix AS "keyPrefix",
    api_keys.organization_id AS "organizationId", api_keys.workspace_id AS "workspaceId", api_keys.owner_id AS "ownerId",
    api_keys.rate_limits AS "rateLimits", api_keys.revoked_at AS "revokedAt", api_keys.expires_at AS "keyExpiresAt"`)
  const columns = sql`session.id, session.maker_id AS "makerId", session.made_by AS "madeBy", session.method, session.address, session.user_agent AS "userAgent",
    session.signed_in_at AS "signedInAt", session.last_used_at AS "lastUsedAt", session.expires_at AS "expiresAt",
    ${keyColumns}`
  /** Valid keys that the browser's sessions made. */
  const withMadeKeys = (now: Date) => sql`${columns}, (SELECT count(*)::int FROM api_keys AS made
      WHERE made.made_by = session.maker_id AND made.revoked_at IS NULL
        AND (made.expires_at IS NULL OR made.expires_at > ${now})) AS "madeKeys"`
  const first = <A>([row]: ReadonlyArray<A>) => row

  /** Sessions that a request could still use. */
  const live = (organizationId: string, now: Date) =>
    sql`FROM dashboard_sessions AS session JOIN api_keys ON api_keys.id = session.key_id
      WHERE session.organization_id = ${organizationId} AND session.expires_at > ${now}
        AND api_keys.revoked_at IS NULL AND (api_keys.expires_at IS NULL OR api_keys.expires_at > ${now})`

  return {
    /** A session by its token, and whether its organization has the chosen workspace. */
    byToken: (tokenHash: Uint8Array, workspaceId: string | null) =>
      queryRows(ChosenSession)(sql`SELECT ${columns}, (SELECT workspaces.id FROM workspaces
            WHERE workspaces.id = ${workspaceId} AND workspaces.organization_id = api_keys.organization_id) AS "chosenId"
          FROM dashboard_sessions AS session JOIN api_keys ON api_keys.id = session.key_id
          WHERE session.token_hash = ${tokenHash}`).pipe(Effect.map(first)),
    /** Never shortens a session: instances write in any order. */
    extend: (id: string, now: Date, expiresAt: Date) =>
      query(sql`UPDATE dashboard_sessions SET last_used_at = greatest(last_used_at, ${now}),
        expires_at = greatest(expires_at, ${expiresAt}) WHERE id = ${id}`),
    list: (organizationId: string, now: Date, limit: number, offset: number) =>
      queryRows(ListRow)(sql`SELECT ${withMadeKeys(now)} ${live(organizationId, now)}
        ORDER BY session.id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (organizationId: string, now: Date) =>
      queryCount(sql`SELECT count(*)::int AS n ${live(organizationId, now)}`),
    get: (organizationId: string, id: string, now: Date) =>
      queryRows(GetRow)(sql`SELECT ${withMadeKeys(now)} ${live(organizationId, now)} AND session.id = ${id}`).pipe(
        Effect.map(first)
      ),
    insert: (session: NewSession) =>
      query(sql`INSERT INTO dashboard_sessions (id, token_hash, key_id, organization_id, maker_id, made_by, method, address, user_agent,
          signed_in_at, last_used_at, expires_at)
        VALUES (${session.id}, ${session.tokenHash}, ${session.keyId}, ${session.organizationId}, ${session.makerId},
          ${session.madeBy}, ${session.method},
          ${session.address}, ${session.userAgent}, ${session.signedInAt}, ${session.signedInAt}, ${session.expiresAt})`),
    /** True for the one of concurrent calls that deleted it. */
    remove: (id: string) =>
      query(sql`DELETE FROM dashboard_sessions WHERE id = ${id} RETURNING 1`).pipe(
        Effect.map((rows) => rows.length === 1)
      ),
    /** Ends the session of a browser that signs in again. */
    removeByToken: (tokenHash: Uint8Array) =>
      queryRows(RemovedSessionRow)(sql`DELETE FROM dashboard_sessions
          WHERE token_hash = ${tokenHash} RETURNING id, key_id AS "keyId", maker_id AS "makerId", made_by AS "madeBy"`).pipe(
        Effect.map(first)
      ),
    /** The browser of a session and those that signed in by links of its sessions, to any depth. */
    browsersFrom: (organizationId: string, makerId: string) =>
      queryRows(MakerIdRow)(sql`WITH RECURSIVE browser AS (
          SELECT ${makerId}::text COLLATE "C" AS id
          UNION SELECT session.maker_id FROM browser JOIN dashboard_sessions AS session ON session.made_by = browser.id
            WHERE session.organization_id = ${organizationId}
        ) SELECT id AS "makerId" FROM browser`).pipe(Effect.map((rows) => rows.map((row) => row.makerId))),
    /** Ends the sessions that began by links of these browsers, and their links; returns the ids of the sessions. */
    removeMade: (organizationId: string, makerIds: ReadonlyArray<string>) =>
      queryIds(sql`WITH links AS (DELETE FROM dashboard_links WHERE made_by = ANY(${makerIds}::text[]))
        DELETE FROM dashboard_sessions WHERE made_by = ANY(${makerIds}::text[]) AND organization_id = ${organizationId}
        RETURNING id`),
    /** The organization's name and its workspaces in order of their names. */
    organization: (organizationId: string, limit: number) =>
      queryRows(
        OrganizationView
      )(sql`SELECT organizations.name AS organization, coalesce((SELECT json_agg(json_build_object('id', id,
            'name', name, 'timezone', timezone, 'temperatureUnit', temperature_unit, 'distanceUnit', distance_unit) ORDER BY name, id)
          FROM (SELECT id, name, timezone, temperature_unit, distance_unit FROM workspaces WHERE organization_id = organizations.id
            ORDER BY name, id LIMIT ${limit}) AS workspace), '[]') AS workspaces
        FROM organizations WHERE organizations.id = ${organizationId}`).pipe(Effect.map(([row]) => row!)),
    insertLink: (link: {
      readonly id: string
      readonly tokenHash: Uint8Array
      readonly keyId: string
      readonly expiresAt: Date
      readonly madeBy: string | null
    }) =>
      query(sql`INSERT INTO dashboard_links (id, token_hash, key_id, expires_at, made_by)
        VALUES (${link.id}, ${link.tokenHash}, ${link.keyId}, ${link.expiresAt}, ${link.madeBy})`),
    /** Uses up a link: of concurrent calls one gets its key. */
    takeLink: (tokenHash: Uint8Array, now: Date) =>
      queryRows(TakeLinkRow)(sql`DELETE FROM dashboard_links AS link USING api_keys
        WHERE link.token_hash = ${tokenHash} AND link.expires_at > ${now} AND api_keys.id = link.key_id
        RETURNING link.id AS "linkId", link.made_by AS "madeBy", ${keyColumns}`).pipe(Effect.map(first)),
    /** The oldest live MANAGEMENT key of the oldest organization. */
    firstKey: (now: Date) =>
      queryRows(IdRow)(sql`SELECT id FROM api_keys
        WHERE organization_id = (SELECT id FROM organizations ORDER BY id LIMIT 1) AND type = 'MANAGEMENT'
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
        ORDER BY id LIMIT 1`).pipe(Effect.map((rows) => first(rows)?.id)),
    /** Deletes a batch of what has ended; true when there may be more. */
    deleteEnded: (now: Date) =>
      Effect.zipWith(
        query(sql`DELETE FROM dashboard_sessions WHERE id IN (SELECT session.id FROM dashboard_sessions AS session
            JOIN api_keys ON api_keys.id = session.key_id
            WHERE session.expires_at <= ${now} OR api_keys.revoked_at IS NOT NULL OR api_keys.expires_at <= ${now}
            LIMIT ${BATCH} FOR UPDATE OF session SKIP LOCKED) RETURNING 1`),
        query(sql`DELETE FROM dashboard_links WHERE id IN (SELECT id FROM dashboard_links WHERE expires_at <= ${now}
            LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING 1`),
        (sessions, links) => sessions.length === BATCH || links.length === BATCH
      )
  }
})
