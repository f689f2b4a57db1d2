import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { untilDatabaseTime } from "../../platform/jobs/workWait.ts"
import { JsonColumn, queryIds, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import { pausedWorkspaces } from "../../workspaces/workspaceTable.ts"
import type { ObjectBody } from "../objectBody.ts"
import { commonTargets, grantedTargets } from "../vtnTargetSql.ts"
import { brokerLimits as limits } from "./brokerLimits.ts"
import { changeTopic } from "./brokerTopics.ts"
import type { RecordedChange } from "./recordedChange.ts"

export const BrokerMessage = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  clientId: Schema.NullOr(Schema.String),
  topic: Schema.String,
  objectType: Schema.String,
  operation: Schema.String,
  object: JsonColumn<ObjectBody>(),
  targets: Schema.NullOr(Schema.Array(Schema.String))
})
export type BrokerMessage = typeof BrokerMessage.Type

const Claim = Schema.Struct({ failures: Schema.Finite })

// Times are the database's, so that processes whose clocks differ agree on the lease.
/** The messages that wait for the broker, and which instance publishes them. */
export const BrokerMessagesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isAwake = sql`workspace_id NOT IN (${pausedWorkspaces(sql)})`
  const later = (seconds: number) => sql`clock_timestamp() + ${seconds}::float8 * interval '1 second'`

  return {
    /** Writes the messages of a change: one for business logic, and one for each VEN that sees the object, with the targets that it sees. */
    record: (change: RecordedChange) => {
      const { object, objectType, operation, ownerId, privacy, targets, workspaceId } = change
      const own = sql`${targets}::text[]`
      const granted = grantedTargets(sql, sql`ven.workspace_id`, sql`ven.client_id`, own)
      const isSeen =
        privacy === "owner"
          ? sql`ven.client_id = ${ownerId}`
          : sql`(${own} IS NULL OR cardinality(visible.targets) > 0)`
      const shown =
        privacy === "owner"
          ? own
          : sql`CASE WHEN ${own} IS NOT NULL THEN ${commonTargets(sql, own, sql`ARRAY(${granted})`)} END`
      return query(sql`WITH receivers AS (
          SELECT NULL::text AS client_id, ${own} AS targets
          UNION ALL
          SELECT ven.client_id, visible.targets FROM vtn_vens ven
            CROSS JOIN LATERAL (SELECT ${shown} AS targets OFFSET 0) AS visible
          WHERE ven.workspace_id = ${workspaceId} AND ${isSeen}
        )
        INSERT INTO vtn_broker_messages (workspace_id, client_id, topic, object_type, operation, object, targets, created_at)
        SELECT ${workspaceId}, client_id, ${changeTopic(change)}, ${objectType}, ${operation},
          ${JSON.stringify(object)}::jsonb, targets, now()
        FROM receivers`)
    },
    /** Milliseconds until a message is due. */
    nextDue: untilDatabaseTime(
      sql,
      sql`(SELECT due_at FROM vtn_broker_work WHERE EXISTS (SELECT FROM vtn_broker_messages WHERE ${isAwake}))`
    ),
    /** Takes the right to publish, if messages are due. Nobody else has it until the lease ends or the run is settled. */
    claim: Effect.map(
      queryRows(Claim)(sql`UPDATE vtn_broker_work SET due_at = ${later(limits.leaseSeconds)}
        WHERE due_at <= clock_timestamp() AND EXISTS (SELECT FROM vtn_broker_messages WHERE ${isAwake})
        RETURNING failures`),
      ([claim]) => claim
    ),
    oldest: queryRows(BrokerMessage)(sql`SELECT id::text, workspace_id AS "workspaceId", client_id AS "clientId", topic,
        object_type AS "objectType", operation, object, targets
      FROM vtn_broker_messages WHERE ${isAwake} ORDER BY vtn_broker_messages.id LIMIT ${limits.publishedTogether}`),
    published: (ids: ReadonlyArray<string>) =>
      query(sql`DELETE FROM vtn_broker_messages WHERE id = ANY(${ids}::bigint[])`),
    /** Counts an attempt for a message at which the connection broke. Returns its id if it is given up. */
    broke: (id: string) =>
      Effect.andThen(
        query(sql`UPDATE vtn_broker_messages SET attempts = attempts + 1 WHERE id = ${id}::bigint`),
        queryIds(sql`DELETE FROM vtn_broker_messages
          WHERE id = ${id}::bigint AND attempts >= ${limits.attempts} RETURNING id::text`)
      ),
    /** Drops what has waited for too long, and the oldest of too many. Returns the ids. */
    drop: queryIds(sql`DELETE FROM vtn_broker_messages
      WHERE created_at < now() - ${limits.keptSeconds}::float8 * interval '1 second'
        OR id <= (SELECT id FROM vtn_broker_messages ORDER BY id DESC OFFSET ${limits.kept} LIMIT 1)
      RETURNING id::text`),
    succeeded: query(sql`UPDATE vtn_broker_work SET due_at = clock_timestamp(), failures = 0`),
    failed: (pauseSeconds: number) =>
      query(sql`UPDATE vtn_broker_work SET due_at = ${later(pauseSeconds)}, failures = least(failures + 1, 30)`),
    /** Lets messages wait for no longer than a lease, as after a clock was set back. */
    limitWaits: query(sql`UPDATE vtn_broker_work SET due_at = clock_timestamp()
      WHERE due_at > ${later(limits.leaseSeconds)} + interval '1 minute'`)
  }
})
