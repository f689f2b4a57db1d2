import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { ConnectedAccount } from "@edp/domain/connections/ConnectedAccount"
import type { DeviceConnection } from "@edp/domain/dashboard/DeviceConnection"
import { OnlineStatus } from "@edp/domain/devices/DeviceType"
import { DeviceNotFound } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { iso } from "../platform/sql/records.ts"
import { TimestampColumn, queryRows } from "../platform/sql/rows.ts"
import { fleetSql } from "./fleet/FleetRepository.ts"

const timeOrNull = Schema.NullOr(TimestampColumn)
const account = Struct.pick(ConnectedAccount.fields, ["manufacturer", "name", "status", "lastError", "failures"])

const ConnectionRow = Schema.Struct({
  ...account,
  onlineStatus: OnlineStatus,
  lastOnlineAt: timeOrNull,
  onlineUntil: timeOrNull,
  isUnreachable: Schema.Boolean,
  deviceDisconnectedAt: timeOrNull,
  isDirect: Schema.Boolean,
  accountId: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  status: Schema.NullOr(account.status),
  disconnectedAt: timeOrNull,
  isWorking: Schema.Boolean,
  nextAttemptAt: timeOrNull,
  pausedUntil: timeOrNull
})
type ConnectionRow = typeof ConnectionRow.Type

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { onlineStatus, stateJoins } = fleetSql(sql)
  return {
    /** Accounts that are not connected have no work: theirs is due at infinity. */
    get: (workspaceId: string, id: string, now: Date) =>
      queryRows(ConnectionRow)(sql`SELECT ${onlineStatus(now)} AS "onlineStatus", s.at AS "lastOnlineAt",
          CASE WHEN ${onlineStatus(now)} = 'online' THEN s.at + m.online_window END AS "onlineUntil",
          s.reported_status IS NOT DISTINCT FROM 'unreachable' AS "isUnreachable",
          d.disconnected_at AS "deviceDisconnectedAt", d.direct AS "isDirect",
          a.id AS "accountId", d.manufacturer, a.name, a.status, a.last_error AS "lastError",
          coalesce(w.failures, 0) AS failures, a.disconnected_at AS "disconnectedAt",
          w.claim IS NOT NULL AS "isWorking",
          CASE WHEN w.claim IS NULL AND isfinite(w.due_at) THEN w.due_at END AS "nextAttemptAt",
          (SELECT max(p.until) FROM manufacturer_pauses p WHERE p.manufacturer = a.manufacturer
            AND p.account_id IN ('', a.id) AND p.until > ${now}) AS "pausedUntil"
        FROM devices d ${stateJoins}
          LEFT JOIN accounts a ON a.id = d.account_id AND a.workspace_id = d.workspace_id
          LEFT JOIN account_work w ON w.account_id = a.id
        WHERE d.id = ${id} AND d.workspace_id = ${workspaceId}`).pipe(Effect.map(([row]) => row))
  }
})

const toConnection = (row: ConnectionRow, now: Date): DeviceConnection => {
  const { onlineStatus, lastOnlineAt, onlineUntil, isUnreachable, deviceDisconnectedAt, isDirect } = row
  const { accountId, name, status, manufacturer, lastError, failures, disconnectedAt } = row
  const { isWorking, nextAttemptAt, pausedUntil } = row
  const work = { isWorking, nextAttemptAt, pausedUntil }
  return {
    onlineStatus,
    lastOnlineAt,
    onlineUntil,
    isUnreachable,
    disconnectedAt: deviceDisconnectedAt,
    isDirect,
    account:
      accountId === null || name === null || status === null
        ? null
        : { id: accountId, manufacturer, name, status, lastError, failures, disconnectedAt, ...work },
    asOf: iso(now)
  }
}

/** How devices are reached, and what keeps them from being reached. */
export const DeviceConnections = Effect.gen(function* () {
  const repository = yield* statements
  return {
    get: Effect.fn("DeviceConnections.get")(function* ({ workspaceId }: CurrentKey["Service"], id: string) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const row = yield* repository.get(workspaceId, id, now)
      return row === undefined ? yield* new DeviceNotFound({}) : toConnection(row, now)
    })
  }
})
