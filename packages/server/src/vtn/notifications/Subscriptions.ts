import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type callbackStatuses,
  COUNTED_NOTIFICATIONS,
  type SubscriptionState
} from "@edp/domain/openadr/OpenAdrSubscriptions"
import type { PageOf } from "@edp/domain/shared/Page"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../../platform/sql/lists.ts"
import { isoOrNull } from "../../platform/sql/records.ts"
import { JsonColumn, queryCount, queryRows, TimestampColumn } from "../../platform/sql/rows.ts"

type Status = (typeof callbackStatuses)[number]

interface Query {
  readonly page?: number
  readonly perPage?: number
  readonly status?: ReadonlyArray<Status>
}

/** A callback as JSON of the database, whose times have their own form. */
interface CallbackJson extends Omit<SubscriptionState["callbacks"][number], "url"> {
  readonly url: string
}

const SubscriptionRow = Schema.Struct({
  id: Schema.String,
  clientId: Schema.String,
  role: Schema.Literals(["BL", "VEN"]),
  venName: Schema.NullOr(Schema.String),
  clientName: Schema.String,
  programName: Schema.NullOr(Schema.String),
  status: Schema.Literals(["HEALTHY", "FAILING", "BROKEN"]),
  callbacks: JsonColumn<ReadonlyArray<CallbackJson>>(),
  createdAt: TimestampColumn,
  updatedAt: TimestampColumn
})

const toTime = (text: string | null) => isoOrNull(text === null ? null : new Date(text))

/** A path may hold a secret of the subscriber. */
const shownUrl = (text: string) => `${/^[a-z]+:\/\/[^/?#@]*/iu.exec(text)?.[0] ?? "https:/"}/********`

const toCallback = (callback: CallbackJson): SubscriptionState["callbacks"][number] => ({
  ...callback,
  url: shownUrl(callback.url),
  failingSince: toTime(callback.failingSince),
  lastFailureAt: toTime(callback.lastFailureAt),
  nextAttemptAt: toTime(callback.nextAttemptAt),
  brokenAt: toTime(callback.brokenAt)
})

const repository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const callbackStatus = `CASE WHEN callback.broken_at IS NOT NULL THEN 'BROKEN' WHEN callback.failures > 0 THEN 'FAILING'
    ELSE 'HEALTHY' END`
  const states = sql.literal(`vtn_subscriptions subscription CROSS JOIN LATERAL (
      SELECT CASE WHEN bool_or(broken_at IS NOT NULL) THEN 'BROKEN' WHEN bool_or(failures > 0) THEN 'FAILING'
          ELSE 'HEALTHY' END AS status
        FROM vtn_callbacks WHERE subscription_id = subscription.id) AS state`)
  const matching = (workspaceId: string, status: Query["status"]) =>
    sql.and([
      sql`subscription.workspace_id = ${workspaceId}`,
      ...(status === undefined ? [] : [sql`state.status = ANY(${status}::text[])`])
    ])
  const callbacks =
    sql.literal(`coalesce((SELECT jsonb_agg(jsonb_build_object('url', callback.url, 'objects', callback.objects,
      'operations', callback.operations, 'status', ${callbackStatus}, 'failures', callback.failures,
      'failingSince', callback.failing_since, 'lastFailureAt', callback.last_failed_at, 'lastError', callback.last_error,
      'nextAttemptAt', CASE WHEN callback.failures > 0 AND callback.broken_at IS NULL THEN callback.due_at END,
      'brokenAt', callback.broken_at,
      'pending', (SELECT count(*) FROM (SELECT FROM vtn_notifications WHERE callback_id = callback.id
        LIMIT ${COUNTED_NOTIFICATIONS}) AS waiting)) ORDER BY callback.position)
    FROM vtn_callbacks callback WHERE callback.subscription_id = subscription.id), '[]'::jsonb)`)

  return {
    list: (workspaceId: string, { status }: Query, limit: number, offset: number) =>
      queryRows(SubscriptionRow)(sql`SELECT subscription.id, subscription.client_id AS "clientId", subscription.role,
          ven.ven_name AS "venName", subscription.client_name AS "clientName", program.program_name AS "programName", state.status, ${callbacks} AS callbacks,
          subscription.created_at AS "createdAt", subscription.modified_at AS "updatedAt"
        FROM ${states} LEFT JOIN vtn_vens ven
          ON ven.workspace_id = subscription.workspace_id AND ven.client_id = subscription.client_id
        LEFT JOIN vtn_programs program
          ON program.workspace_id = subscription.workspace_id AND program.id = subscription.program_key
        WHERE ${matching(workspaceId, status)} ORDER BY subscription.id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (workspaceId: string, { status }: Query) =>
      queryCount(sql`SELECT count(*)::int AS n FROM ${states} WHERE ${matching(workspaceId, status)}`)
  }
})

/** The subscriptions of a workspace as its operators see them: whether their callbacks work. */
export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    readonly list: (
      caller: CurrentKey["Service"],
      query: Query
    ) => Effect.Effect<PageOf<SubscriptionState>, DatabaseUnavailable>
  }
>()("@edp/server/vtn/Subscriptions") {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.map(repository, ({ count, list }) => ({
      list: Effect.fn("Subscriptions.list")(({ workspaceId }, query) =>
        paginate(
          query,
          10,
          (limit, offset) =>
            Effect.map(list(workspaceId, query, limit, offset), (rows) =>
              rows.map((row) => ({ ...row, callbacks: row.callbacks.map(toCallback) }))
            ),
          count(workspaceId, query)
        )
      )
    }))
  )
}
