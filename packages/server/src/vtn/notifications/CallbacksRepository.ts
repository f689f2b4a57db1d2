import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { untilDatabaseTime } from "../../platform/jobs/workWait.ts"
import { queryIds, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import { pausedWorkspaces } from "../../workspaces/workspaceTable.ts"
import type { ObjectBody } from "../objectBody.ts"
import { JsonColumn } from "../../platform/sql/rows.ts"
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

export const DueCallback = Schema.Struct({
  id: Schema.String,
  subscriptionId: Schema.String,
  url: Schema.String,
  sealedToken: Schema.NullOr(Schema.Uint8Array),
  failures: Schema.Finite
})
export type DueCallback = typeof DueCallback.Type

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
    /** Milliseconds until a callback with a notification is due. */
    nextDue: untilDatabaseTime(
      sql,
      sql`(SELECT min(due_at) FROM vtn_callbacks callback WHERE broken_at IS NULL
        AND EXISTS (SELECT FROM vtn_notifications WHERE callback_id = callback.id))`
    ),
    /** Takes due callbacks; each is due again after the lease, unless it is settled before. */
    claim: queryRows(DueCallback)(sql`UPDATE vtn_callbacks
      SET due_at = now() + ${limits.leaseSeconds}::float8 * interval '1 second'
      WHERE id IN (SELECT id FROM vtn_callbacks callback
        WHERE due_at <= now() AND broken_at IS NULL AND workspace_id NOT IN (${pausedWorkspaces(sql)})
          AND EXISTS (SELECT FROM vtn_notifications WHERE callback_id = callback.id)
        ORDER BY due_at LIMIT ${limits.claimedTogether} FOR UPDATE SKIP LOCKED)
      RETURNING id, subscription_id AS "subscriptionId", url, sealed_token AS "sealedToken", failures`),
    /** The oldest notifications of a callback. */
    pending: (callbackId: string) =>
      queryRows(PendingNotification)(sql`SELECT id::text, object_type AS "objectType", operation, object, targets
        FROM vtn_notifications WHERE callback_id = ${callbackId} ORDER BY vtn_notifications.id LIMIT ${limits.sentPerClaim}`),
    delivered: (id: PendingNotification["id"]) => query(sql`DELETE FROM vtn_notifications WHERE id = ${id}::bigint`),
    succeeded: (callbackId: string) =>
      query(sql`UPDATE vtn_callbacks SET due_at = now(), failures = 0, failing_since = NULL
        WHERE id = ${callbackId}`),
    /** Puts a callback off. Returns its id if it is broken now; its notifications are gone then. */
    failed: (callbackId: string, error: string) =>
      Effect.gen(function* () {
        const broken =
          yield* queryIds(sql`UPDATE vtn_callbacks SET failures = failures + 1, last_error = ${error}, last_failed_at = now(),
            failing_since = coalesce(failing_since, now()),
            due_at = now() + least(${limits.longestPauseSeconds}::float8,
              ${limits.firstPauseSeconds}::float8 * 2 ^ least(failures, 20)) * interval '1 second',
            broken_at = CASE WHEN failing_since <= now() - ${limits.brokenAfterSeconds}::float8 * interval '1 second'
              THEN now() END
          WHERE id = ${callbackId} RETURNING CASE WHEN broken_at IS NULL THEN '' ELSE id END AS id`)
        if (broken[0] === callbackId) {
          yield* query(sql`DELETE FROM vtn_notifications WHERE callback_id = ${callbackId}`)
        }
        return broken[0] === callbackId
      }),
    /** Lets no callback wait longer than a time from now, as after a clock was set back. */
    limitWaits: query(sql`UPDATE vtn_callbacks SET due_at = now()
      WHERE due_at > now() + ${limits.longestPauseSeconds}::float8 * interval '1 second'`)
  }
})
