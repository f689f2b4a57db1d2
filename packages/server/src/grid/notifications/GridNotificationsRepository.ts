import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type RowClaim, leasedRows } from "../../platform/jobs/leasedRows.ts"
import { JsonColumn, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import { pausedWorkspaces } from "../../workspaces/workspaceTable.ts"
import { gridNotificationLimits } from "./notificationLimits.ts"
import type { VtnBroker } from "./vtnBroker.ts"

/** A broker with the filters of the topics that are subscribed to. */
export interface SubscribedBroker extends VtnBroker {
  readonly filters: ReadonlyArray<string>
}

export const NotificationRow = Schema.Struct({
  id: Schema.String,
  mechanism: Schema.Literals(["none", "webhook", "mqtt"]),
  settingsMark: Schema.String,
  checkedAt: Schema.Date,
  lastError: Schema.NullOr(Schema.String),
  bearerHash: Schema.NullOr(Schema.Uint8Array),
  subscriptionId: Schema.NullOr(Schema.String),
  subscribedAt: Schema.NullOr(Schema.Date),
  broker: Schema.NullOr(JsonColumn<SubscribedBroker>()),
  version: Schema.Finite
})
export type NotificationRow = typeof NotificationRow.Type

const columns = `grid_connection_id AS id, mechanism, settings_mark AS "settingsMark", checked_at AS "checkedAt",
  last_error AS "lastError", bearer_hash AS "bearerHash", subscription_id AS "subscriptionId",
  subscribed_at AS "subscribedAt", broker, version`

interface Owner {
  readonly id: string
  readonly workspaceId: string
}

/** How a check of the notifications of a VTN ended. */
export interface CheckResult {
  readonly mechanism: NotificationRow["mechanism"]
  readonly mark: string
  readonly error: string | null
  readonly broker: SubscribedBroker | null
  readonly at: Date
}

export const GridNotificationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const all = sql.literal(columns)
  const { leaseSeconds } = gridNotificationLimits
  const isAwake = sql`mechanism = 'mqtt' AND workspace_id NOT IN (${pausedWorkspaces(sql)})
    AND EXISTS (SELECT FROM grid_connections c WHERE c.id = grid_connection_id AND c.enabled)`
  const leases = leasedRows(sql, { table: "grid_notifications", id: "grid_connection_id", leaseSeconds, isAwake })
  const one = Effect.map(([row]: ReadonlyArray<NotificationRow>) => row)

  return {
    leases,
    get: (id: string) =>
      one(queryRows(NotificationRow)(sql`SELECT ${all} FROM grid_notifications WHERE grid_connection_id = ${id}`)),
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(NotificationRow)(
        sql`SELECT ${all} FROM grid_notifications WHERE grid_connection_id = ANY(${ids}::text[])`
      ),
    /** The notifications of a connection that is known by the token of its callback. */
    byPath: (hash: Uint8Array) =>
      one(queryRows(NotificationRow)(sql`SELECT ${all} FROM grid_notifications WHERE path_hash = ${hash}`)),
    /** Stores the secrets of a callback before the VTN gets them: it calls while it subscribes. */
    prepareCallback: (
      { id, workspaceId }: Owner,
      mark: string,
      pathHash: Uint8Array,
      bearerHash: Uint8Array,
      at: Date
    ) =>
      query(sql`INSERT INTO grid_notifications
          (grid_connection_id, workspace_id, mechanism, settings_mark, checked_at, path_hash, bearer_hash, version, failures)
        VALUES (${id}, ${workspaceId}, 'webhook', ${mark}, ${at}, ${pathHash}, ${bearerHash}, 1, 0)
        ON CONFLICT (grid_connection_id) DO UPDATE SET mechanism = 'webhook', settings_mark = excluded.settings_mark,
          checked_at = excluded.checked_at, path_hash = excluded.path_hash, bearer_hash = excluded.bearer_hash,
          subscribed_at = NULL, version = grid_notifications.version + 1`),
    subscribed: (id: string, subscriptionId: string, at: Date) =>
      query(sql`UPDATE grid_notifications SET subscription_id = ${subscriptionId}, subscribed_at = ${at}
        WHERE grid_connection_id = ${id}`),
    unsubscribed: (id: string) =>
      query(sql`UPDATE grid_notifications SET subscription_id = NULL, subscribed_at = NULL, path_hash = NULL,
          bearer_hash = NULL
        WHERE grid_connection_id = ${id}`),
    /** Records a check. A broker is connected to at once if it is another one, or has other topics. */
    checked: ({ id, workspaceId }: Owner, { at, broker, error, mark, mechanism }: CheckResult) => {
      const json = broker === null ? null : JSON.stringify(broker)
      const isSame = sql`grid_notifications.mechanism = excluded.mechanism
        AND grid_notifications.broker IS NOT DISTINCT FROM excluded.broker`
      return query(sql`INSERT INTO grid_notifications (grid_connection_id, workspace_id, mechanism, settings_mark, checked_at,
          last_error, broker, version, due_at, failures)
        VALUES (${id}, ${workspaceId}, ${mechanism}, ${mark}, ${at}, ${error}, ${json}::jsonb, 1,
          CASE WHEN ${mechanism}::text = 'mqtt' THEN clock_timestamp() END, 0)
        ON CONFLICT (grid_connection_id) DO UPDATE SET mechanism = excluded.mechanism,
          settings_mark = excluded.settings_mark, checked_at = excluded.checked_at, broker = excluded.broker,
          last_error = CASE WHEN ${isSame} AND excluded.mechanism = 'mqtt' THEN grid_notifications.last_error
            ELSE excluded.last_error END,
          version = grid_notifications.version + CASE WHEN ${isSame} THEN 0 ELSE 1 END,
          failures = CASE WHEN ${isSame} THEN grid_notifications.failures ELSE 0 END,
          due_at = CASE WHEN ${isSame} AND grid_notifications.due_at IS NOT NULL OR grid_notifications.claim IS NOT NULL
            THEN grid_notifications.due_at ELSE excluded.due_at END`)
    },
    notified: (id: string, at: Date) =>
      query(sql`UPDATE grid_notifications SET notified_at = ${at} WHERE grid_connection_id = ${id}`),
    /** Forgets the notifications of a connection, such as of one that now is to another VTN. */
    forget: (id: string) => query(sql`DELETE FROM grid_notifications WHERE grid_connection_id = ${id}`),
    /** The row while its claim is held and the connection is to have a broker. */
    held: ({ claim, id }: RowClaim) =>
      one(
        queryRows(NotificationRow)(sql`SELECT ${all} FROM grid_notifications
          WHERE grid_connection_id = ${id} AND claim = ${claim}::uuid AND ${isAwake}`)
      ).pipe(
        // Looked at all the time: not worth a trace.
        Effect.withTracerEnabled(false)
      ),
    connected: ({ claim, id }: RowClaim, at: Date) =>
      query(sql`UPDATE grid_notifications SET connected_at = ${at}, last_error = NULL, failures = 0
        WHERE grid_connection_id = ${id} AND claim = ${claim}::uuid`),
    /** Records a failed attempt of settings that have not changed meanwhile, and ends its lease. */
    failed: ({ claim, id }: RowClaim, version: number, error: string, pauseMs: number) =>
      query(sql`UPDATE grid_notifications SET claim = NULL, connected_at = NULL,
          last_error = CASE WHEN version = ${version} THEN ${error} ELSE last_error END,
          failures = CASE WHEN version = ${version} THEN least(failures + 1, 30) ELSE failures END,
          due_at = CASE WHEN version = ${version} THEN ${leases.later(pauseMs)} ELSE clock_timestamp() END
        WHERE grid_connection_id = ${id} AND claim = ${claim}::uuid`)
  }
})
