import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { leasedRows, RowClaim } from "../../platform/jobs/leasedRows.ts"
import { JsonColumn, queryIds, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import { pausedWorkspaces } from "../../workspaces/workspaceTable.ts"
import type { ObjectBody } from "../objectBody.ts"
import { commonTargets, grantedTargets } from "../vtnTargetSql.ts"
import type { RecordedChange } from "./recordedChange.ts"
import { notificationLimits as limits } from "./notificationLimits.ts"

/** An entry of a subscription's objectOperations. */
export interface StoredCallback {
  readonly id: string
  readonly url: string
  readonly sealedToken: Uint8Array | null
  readonly objects: ReadonlyArray<string>
  readonly operations: ReadonlyArray<string>
}

const KnownToken = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  sealedToken: Schema.NullOr(Schema.Uint8Array)
})
export type KnownToken = typeof KnownToken.Type

/** A callback that this process has leased. */
export const CallbackClaim = Schema.Struct({
  ...RowClaim.fields,
  subscriptionId: Schema.String,
  clientId: Schema.String,
  url: Schema.String,
  sealedToken: Schema.NullOr(Schema.Uint8Array)
})
export type CallbackClaim = typeof CallbackClaim.Type

/** The room of a process for callbacks. */
export interface CallbackRoom {
  readonly all: number
  /** For callbacks that fail. */
  readonly failing: number
  /** The callbacks that it has of each client. */
  readonly byClient: ReadonlyMap<string, number>
}

export const PendingNotification = Schema.Struct({
  id: Schema.String,
  objectType: Schema.String,
  operation: Schema.String,
  object: JsonColumn<ObjectBody>(),
  targets: Schema.NullOr(Schema.Array(Schema.String))
})
export type PendingNotification = typeof PendingNotification.Type

export const CallbacksRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isAwake = sql`broken_at IS NULL AND vtn_callbacks.workspace_id NOT IN (${pausedWorkspaces(sql)})
    AND EXISTS (SELECT FROM vtn_notifications WHERE callback_id = vtn_callbacks.id)`
  const leases = leasedRows(sql, { table: "vtn_callbacks", id: "id", leaseSeconds: limits.leaseSeconds, isAwake })

  return {
    /** The callbacks of a subscription, with their tokens. */
    known: (subscriptionId: string) =>
      queryRows(KnownToken)(sql`SELECT id, url, sealed_token AS "sealedToken" FROM vtn_callbacks
        WHERE subscription_id = ${subscriptionId} ORDER BY position`),
    /** Replaces the callbacks of a subscription; notifications that wait for the former ones go with them. */
    replace: (workspaceId: string, subscriptionId: string, callbacks: ReadonlyArray<StoredCallback>) =>
      Effect.gen(function* () {
        yield* query(sql`DELETE FROM vtn_callbacks WHERE subscription_id = ${subscriptionId}`)
        yield* Effect.forEach(
          callbacks,
          ({ id, objects, operations, sealedToken, url }, position) =>
            query(sql`INSERT INTO vtn_callbacks (id, workspace_id, subscription_id, position, url, sealed_token, objects,
                operations, due_at)
              VALUES (${id}, ${workspaceId}, ${subscriptionId}, ${position}, ${url}, ${sealedToken}, ${objects}::text[],
                ${operations}::text[], now())`),
          { discard: true }
        )
      }),
    /**
     * Writes the notifications of a change, one for each callback that asks for it and whose client sees the object, with the targets that
     * this client sees.
     */
    record: (change: RecordedChange) => {
      const { hasTargets, object, objectType, operation, ownerId, privacy, programId, targets, workspaceId } = change
      const own = sql`${targets}::text[]`
      const [place, client] = [sql`subscription.workspace_id`, sql`subscription.client_id`]
      const permitted = sql`ARRAY(${grantedTargets(sql, place, client, sql`subscription.targets`)})`
      const isVen = sql`subscription.role = 'VEN'`
      const seen =
        privacy === "owner"
          ? sql`(NOT ${isVen} OR subscription.client_id = ${ownerId})`
          : sql`(NOT ${isVen} OR ${own} IS NULL OR cardinality(visible.targets) > 0)`
      const wanted = hasTargets
        ? sql`(${privacy === "targets" ? isVen : sql`false`} OR subscription.targets IS NULL OR ${own} @> subscription.targets)`
        : sql`true`
      const inProgram =
        programId === null
          ? sql`true`
          : sql`(subscription.program_key IS NULL OR subscription.program_key = ${programId})`
      const shown =
        privacy === "targets" ? sql`CASE WHEN ${isVen} THEN ${commonTargets(sql, own, permitted)} ELSE ${own} END` : own
      return query(sql`INSERT INTO vtn_notifications (callback_id, object_type, operation, object, targets, created_at)
        SELECT callback.id, ${objectType}, ${operation}, ${JSON.stringify(object)}::jsonb, visible.targets, now()
        FROM vtn_callbacks callback JOIN vtn_subscriptions subscription ON subscription.id = callback.subscription_id
          CROSS JOIN LATERAL (SELECT ${shown} AS targets OFFSET 0) AS visible
        WHERE callback.workspace_id = ${workspaceId} AND callback.broken_at IS NULL
          AND callback.objects @> ARRAY[${objectType}]::text[] AND callback.operations @> ARRAY[${operation}]::text[]
          AND ${seen} AND ${wanted} AND ${inProgram}
        ORDER BY callback.id`)
    },
    leases,
    /**
     * Leases due callbacks, those first that have waited for longest. A client gets no more than its share, and callbacks that fail get no
     * more than theirs, however many are due.
     */
    claim: (claim: string, holder: string, { all, byClient, failing }: CallbackRoom) => {
      const busy = [...byClient].map(([clientId, count]) => ({ clientId, count }))
      const full = busy.filter(({ count }) => count >= limits.perClient).map(({ clientId }) => clientId)
      return queryRows(CallbackClaim)(sql`WITH due AS MATERIALIZED (
          SELECT vtn_callbacks.id, due_at, failures > 0 AS fails, subscription.client_id
          FROM vtn_callbacks JOIN vtn_subscriptions subscription ON subscription.id = subscription_id
          WHERE due_at <= now() AND ${isAwake} AND subscription.client_id <> ALL(${full}::text[])
            ${failing > 0 ? sql`` : sql`AND failures = 0`}
          ORDER BY due_at LIMIT ${limits.considered}
        ), of_clients AS (
          SELECT id, due_at, fails, client_id, coalesce(busy.count, 0)
            + row_number() OVER (PARTITION BY client_id ORDER BY due_at, id) AS place
          FROM due LEFT JOIN jsonb_to_recordset(${JSON.stringify(busy)}::jsonb) AS busy ("clientId" text, count integer)
            ON busy."clientId" = client_id
        ), fitting AS (
          SELECT id, due_at, fails, client_id, row_number() OVER (PARTITION BY fails ORDER BY due_at, id) AS place
          FROM of_clients WHERE place <= ${limits.perClient}
        ), chosen AS MATERIALIZED (
          SELECT callback.id, client_id FROM fitting JOIN vtn_callbacks callback ON callback.id = fitting.id
          WHERE callback.due_at <= now() AND (NOT fails OR place <= ${failing})
          ORDER BY fitting.due_at LIMIT ${all} FOR UPDATE OF callback SKIP LOCKED
        )
        UPDATE vtn_callbacks callback SET claim = ${claim}::uuid, holder = ${holder}::uuid, due_at = ${leases.leased}
        FROM chosen WHERE callback.id = chosen.id
        RETURNING callback.id, claim, failures, subscription_id AS "subscriptionId", chosen.client_id AS "clientId", url,
          sealed_token AS "sealedToken"`)
    },
    /** The oldest notifications of a callback. */
    pending: (callbackId: string) =>
      queryRows(PendingNotification)(sql`SELECT id::text, object_type AS "objectType", operation, object, targets
        FROM vtn_notifications WHERE callback_id = ${callbackId} ORDER BY vtn_notifications.id LIMIT ${limits.sentPerClaim}`),
    /** Returns whether the notification was still to be told: not where its subscription has changed meanwhile. */
    delivered: (id: PendingNotification["id"]) =>
      Effect.map(
        queryIds(sql`DELETE FROM vtn_notifications WHERE id = ${id}::bigint RETURNING id::text`),
        (deleted) => deleted.length > 0
      ),
    /** Ends the lease of a callback that has taken what it was sent, and that is due at once if there is more. */
    succeeded: ({ claim, id }: RowClaim) =>
      query(sql`UPDATE vtn_callbacks SET claim = NULL, due_at = now(), failures = 0, failing_since = NULL
        WHERE id = ${id} AND claim = ${claim}::uuid`),
    /**
     * Puts a callback off and ends its lease. One that has taken a notification before works: it begins to fail now. Returns whether it is
     * broken now; its notifications are gone then.
     */
    failed: ({ claim, id }: RowClaim, error: string, hasTaken: boolean) =>
      Effect.gen(function* () {
        const before = sql`CASE WHEN ${hasTaken}::boolean THEN 0 ELSE failures END`
        const since = sql`CASE WHEN ${hasTaken}::boolean THEN now() ELSE coalesce(failing_since, now()) END`
        const [broken] = yield* queryIds(sql`UPDATE vtn_callbacks SET claim = NULL, failures = ${before} + 1,
            last_error = ${error}, last_failed_at = now(), failing_since = ${since},
            due_at = now() + least(${limits.longestPauseSeconds}::float8,
              ${limits.firstPauseSeconds}::float8 * 2 ^ least(${before}, 20)) * interval '1 second',
            broken_at = CASE WHEN ${since} <= now() - ${limits.brokenAfterSeconds}::float8 * interval '1 second'
              THEN now() END
          WHERE id = ${id} AND claim = ${claim}::uuid RETURNING CASE WHEN broken_at IS NULL THEN '' ELSE id END AS id`)
        if (broken !== id) return false
        yield* query(sql`DELETE FROM vtn_notifications WHERE callback_id = ${id}`)
        return true
      }),
    /** Lets no callback wait longer than a time from now, as after a clock was set back. */
    limitWaits: query(sql`UPDATE vtn_callbacks SET due_at = now()
      WHERE due_at > now() + ${limits.longestPauseSeconds}::float8 * interval '1 second'`)
  }
})
