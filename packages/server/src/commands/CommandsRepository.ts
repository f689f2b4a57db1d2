import type { CommandSource, Upstream } from "@edp/domain/commands/Command"
import type { CommandStatus } from "@edp/domain/commands/CommandStatus"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"

import { anyOf, conditions, limited, type PageWindow } from "../platform/sql/lists.ts"
import { query } from "../platform/sql/transaction.ts"
import { commandColumns, type CommandInput, type CommandRow } from "./commandRow.ts"

/** A command to be stored, with its id. */
export interface IssuedCommand {
  readonly id: string
  readonly workspaceId: string
  readonly deviceId: string
  readonly type: CommandSlug
  readonly input: CommandInput
  readonly source: CommandSource
  readonly sourceId: string | null
  readonly batchId: string | null
  readonly scheduledFor: Date | null
  readonly dueAt: Date
  readonly expiresAt: Date
  readonly revertAfter: number | null
}

/** The outcome of an attempt, or a result. `delivered` changes nothing once a result has settled it. */
export interface CommandOutcome {
  readonly id: string
  readonly status: "delivered" | "completed" | "failed"
  readonly reason: CommandReason | null
  readonly output: CommandInput | null
  readonly upstream: Upstream | null
}

export interface DueCommand extends CommandRow {
  readonly dueAt: Date
  /** Failed attempts. */
  readonly attempts: number
  /** A worker has called the adapter and has not recorded what became of it. */
  readonly inHand: boolean
}

export interface CommandSelection {
  readonly workspaceId: string
  readonly deviceId?: ReadonlyArray<string> | undefined
  readonly batchId?: ReadonlyArray<string> | undefined
  readonly sourceId?: ReadonlyArray<string> | undefined
  readonly status?: ReadonlyArray<CommandStatus> | undefined
  readonly type?: ReadonlyArray<CommandSlug> | undefined
}

/** Lists have at most 1000 pages of 100; rows beyond are not counted. */
const MOST_COUNTED = 100_000

/** Records as JSON with these fields alone: thousands of commands are megabytes. */
const json = <A extends object>(records: ReadonlyArray<A>, fields: ReadonlyArray<keyof A & string>) =>
  JSON.stringify(records, [...fields])

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(commandColumns)
  const { is, isAnyOf } = conditions(sql)
  const rank = (column: string) => sql.literal(`array_position(ARRAY['schedule', 'dispatch', 'user'], ${column})`)

  const matching = ({ batchId, deviceId, sourceId, status, type, workspaceId }: CommandSelection) =>
    sql.and([
      ...is("c.workspace_id", workspaceId),
      ...isAnyOf("c.device_id", deviceId && [...new Set(deviceId)]),
      ...isAnyOf("c.batch_id", batchId && [...new Set(batchId)]),
      ...isAnyOf("c.source_id", sourceId && [...new Set(sourceId)]),
      ...isAnyOf("c.status", status && [...new Set(status)]),
      ...isAnyOf("c.type", type && [...new Set(type)])
    ])

  /** Changed rows in the order of their ids, as a list reads them. */
  const changed = (statement: Statement.Fragment) =>
    query(sql<CommandRow>`WITH c AS (${statement}) SELECT ${columns} FROM c ORDER BY c.id`.unprepared)

  return {
    /**
     * For a transaction. Makes devices due and locks their work, in order: whoever changes a device's commands does this first. Returns the
     * devices that still exist.
     */
    holdDevices: (devices: ReadonlyArray<{ readonly deviceId: string; readonly dueAt: Date }>) =>
      query(
        sql<{ readonly deviceId: string }>`INSERT INTO device_work (device_id, manufacturer, due_at)
          SELECT d.id, d.manufacturer, given.due_at FROM (
            SELECT "deviceId" AS id, min("dueAt") AS due_at
            FROM jsonb_to_recordset(${json(devices, ["deviceId", "dueAt"])}::jsonb) AS g ("deviceId" text, "dueAt" timestamptz)
            GROUP BY 1) AS given
          JOIN devices d ON d.id = given.id ORDER BY d.id
          ON CONFLICT (device_id) DO UPDATE SET due_at = least(device_work.due_at, excluded.due_at)
          RETURNING device_id AS "deviceId"`.unprepared
      ),
    /** Fails the undelivered commands that new ones override: not those of a higher rank, nor those that a worker has in hand. */
    override: (issued: ReadonlyArray<IssuedCommand>, now: Date) =>
      changed(sql`UPDATE commands c SET status = 'failed', reason = 'overridden', executed_at = greatest(c.issued_at, ${now})
        FROM jsonb_to_recordset(${json(issued, ["deviceId", "type", "source", "scheduledFor"])}::jsonb)
          AS given ("deviceId" text, type text, source text, "scheduledFor" timestamptz)
        WHERE c.device_id = given."deviceId" AND c.type = given.type AND c.status IN ('pending', 'scheduled')
          AND NOT c.in_hand AND ${rank("given.source")} >= ${rank("c.source")}
          AND CASE WHEN given."scheduledFor" IS NULL THEN c.status = 'pending' OR c.scheduled_for <= ${now}
            ELSE date_trunc('second', c.scheduled_for) = date_trunc('second', given."scheduledFor") END
        RETURNING c.*`),
    /** A command that meets an undelivered one of a higher rank fails at once. Returns the commands in the order of their ids. */
    insert: (issued: ReadonlyArray<IssuedCommand>, now: Date) =>
      changed(sql`INSERT INTO commands (id, workspace_id, device_id, type, input, source, source_id, batch_id, status,
          reason, issued_at, executed_at, scheduled_for, expires_at, revert_after, due_at, deadline)
        SELECT given.id, "workspaceId", "deviceId", given.type, given.input, given.source, "sourceId", "batchId",
          CASE WHEN outranked THEN 'failed' WHEN "scheduledFor" IS NULL THEN 'pending' ELSE 'scheduled' END,
          CASE WHEN outranked THEN 'overridden' END, ${now}, CASE WHEN outranked THEN ${now}::timestamptz END,
          "scheduledFor", "expiresAt", "revertAfter", "dueAt", "expiresAt"
        FROM jsonb_to_recordset(${JSON.stringify(issued)}::jsonb) AS given (id text, "workspaceId" text,
          "deviceId" text, type text, input jsonb, source text, "sourceId" text, "batchId" text,
          "scheduledFor" timestamptz, "dueAt" timestamptz, "expiresAt" timestamptz, "revertAfter" integer)
        CROSS JOIN LATERAL (SELECT given.source <> 'user' AND EXISTS (
          SELECT FROM commands c WHERE c.device_id = given."deviceId" AND c.type = given.type
            AND c.status IN ('pending', 'scheduled') AND ${rank("c.source")} > ${rank("given.source")}
            AND CASE WHEN given."scheduledFor" IS NULL THEN c.status = 'pending' OR c.scheduled_for <= ${now}
              ELSE date_trunc('second', c.scheduled_for) = date_trunc('second', given."scheduledFor") END
          ) AS outranked) AS ranks
        RETURNING *`),
    /**
     * Moves open commands forward and returns those that moved. The times increase even if the clocks of instances differ. A command that
     * has ended keeps its status, but a worker has it no longer in hand.
     */
    settle: (outcomes: ReadonlyArray<CommandOutcome>, now: Date, confirmBy: Date) =>
      changed(sql`UPDATE commands c SET status = given.status, reason = given.reason, in_hand = false,
          interruptions = 0, output = coalesce(given.output, c.output), upstream = coalesce(given.upstream, c.upstream),
          delivered_at = CASE WHEN given.status = 'delivered' THEN greatest(c.issued_at, ${now}) ELSE c.delivered_at END,
          executed_at = CASE WHEN given.status <> 'delivered' THEN greatest(c.issued_at, c.delivered_at, ${now}) END,
          due_at = ${now}, deadline = ${confirmBy}
        FROM jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb)
          AS given (id text, status text, reason text, output jsonb, upstream jsonb)
        WHERE c.id = given.id AND (c.status IN ('pending', 'scheduled')
          OR (c.status = 'delivered' AND given.status <> 'delivered'))
        RETURNING c.*`),
    /** Keeps the acceptance's details of a command that a result has settled meanwhile. */
    letGo: (outcomes: ReadonlyArray<CommandOutcome>) =>
      query(
        sql`UPDATE commands c SET in_hand = false, upstream = coalesce(c.upstream, given.upstream)
          FROM jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) AS given (id text, upstream jsonb)
          WHERE c.id = given.id AND (c.in_hand OR (c.upstream IS NULL AND given.upstream IS NOT NULL))`.unprepared
      ),
    /** Keeps a result that came after the time-out. Returns whether there was such a command without one. */
    addLateResult: (
      id: string,
      result: { readonly status: "completed" | "failed"; readonly reason: CommandReason | null; readonly at: Date }
    ) =>
      query(
        sql<{ readonly id: string }>`UPDATE commands SET late_result = ${JSON.stringify(result)}::jsonb
          WHERE id = ${id} AND status = 'failed' AND reason = 'timeout' AND late_result IS NULL RETURNING id`
      ).pipe(Effect.map((rows) => rows.length > 0)),
    /**
     * The open commands whose time-out has passed, locked: those that other workers have locked are theirs. A command in the hand of a
     * living worker gets its outcome from it.
     */
    overdue: (now: Date, limit: number) =>
      query(
        sql<{ readonly id: string; readonly upstream: Upstream | null }>`SELECT id, upstream FROM commands c
          WHERE status IN ('pending', 'scheduled', 'delivered') AND deadline > '-infinity' AND deadline <= ${now}
            AND (NOT in_hand OR NOT EXISTS (SELECT FROM device_work w
              WHERE w.device_id = c.device_id AND w.lease_until > clock_timestamp()))
          ORDER BY deadline LIMIT ${sql.literal(String(limit))} FOR UPDATE SKIP LOCKED`
      ),
    /** The undelivered commands of devices that are due, the longest due first, with what was tried. */
    due: (deviceIds: ReadonlyArray<string>, now: Date) =>
      query(
        sql<DueCommand>`SELECT ${columns}, c.due_at AS "dueAt", c.attempts,
            c.in_hand AS "inHand" FROM commands c
          WHERE c.device_id = ${anyOf(sql, deviceIds)} AND c.status IN ('pending', 'scheduled') AND c.due_at <= ${now}
          ORDER BY c.due_at, c.id`
      ),
    /**
     * Notes that a worker calls the adapter with each of these commands. Returns how many such calls ended without a record before; no row for
     * a command that has ended or expired meanwhile.
     */
    take: (ids: ReadonlyArray<string>, now: Date) =>
      query(
        sql<{ readonly id: string; readonly interruptions: number }>`UPDATE commands SET in_hand = true,
            interruptions = interruptions + in_hand::int,
            handed_at = CASE WHEN in_hand THEN handed_at ELSE ${now}::timestamptz END
          WHERE id = ${anyOf(sql, ids)} AND status IN ('pending', 'scheduled') AND deadline > ${now}
          RETURNING id, interruptions`
      ),
    /** Puts an undelivered command off. A call that failed for a known reason counts as an attempt. */
    postpone: (id: string, dueAt: Date, isAttempt: boolean, upstream: Upstream | null) =>
      query(sql`UPDATE commands SET in_hand = false, due_at = ${dueAt}, attempts = attempts + ${isAttempt ? 1 : 0},
          upstream = coalesce(${upstream === null ? null : JSON.stringify(upstream)}::jsonb, upstream)
        WHERE id = ${id} AND status IN ('pending', 'scheduled')`),
    /** Mode changes of a device by schedules and dispatches since a time. */
    countAutomatic: (deviceId: string, since: Date) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM commands
          WHERE device_id = ${deviceId} AND source <> 'user' AND delivered_at > ${since}`
      ).pipe(Effect.map(([row]) => row!.n)),
    get: (workspaceId: string, id: string) =>
      query(
        sql<CommandRow>`SELECT ${columns} FROM commands c WHERE c.id = ${id} AND c.workspace_id = ${workspaceId}`
      ).pipe(Effect.map(([row]) => row)),
    byIds: (ids: ReadonlyArray<string>) =>
      query(sql<CommandRow>`SELECT ${columns} FROM commands c WHERE c.id = ${anyOf(sql, ids)} ORDER BY c.id`),
    list: (selection: CommandSelection, { before, limit, offset }: PageWindow) =>
      query(
        sql<CommandRow>`SELECT ${columns} FROM commands c
          WHERE ${matching(selection)} ${before === undefined ? sql`` : sql`AND c.id < ${before}`}
          ORDER BY c.id DESC ${limited(sql, limit, offset)}`.unprepared
      ),
    /** At most the number that pages can reach. */
    count: (selection: CommandSelection) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM (
          SELECT FROM commands c WHERE ${matching(selection)} ${sql.literal(`LIMIT ${MOST_COUNTED}`)}) AS found`
          .unprepared
      ).pipe(Effect.map(([row]) => row!.n)),
    /** For a transaction: locks a command that can still be cancelled. */
    holdCancellable: (workspaceId: string, id: string) =>
      query(
        sql<{ readonly id: string }>`SELECT id FROM commands WHERE id = ${id} AND workspace_id = ${workspaceId}
          AND status IN ('pending', 'scheduled') AND NOT in_hand FOR UPDATE`
      ).pipe(Effect.map((rows) => rows.length > 0)),
    /** For a transaction: locks the commands of a source that can still be cancelled; not those that a worker is changing. */
    holdCancellableFrom: (deviceIds: ReadonlyArray<string>, sourceId: string) =>
      query(
        sql<{ readonly id: string }>`SELECT id FROM commands
          WHERE device_id = ${anyOf(sql, deviceIds)} AND source_id = ${sourceId}
            AND status IN ('pending', 'scheduled') AND NOT in_hand FOR UPDATE SKIP LOCKED`
      ).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
    /** The devices with an undelivered command of a source, or with a forced mode of it that has not ended. */
    openDevices: (deviceIds: ReadonlyArray<string>, sourceId: string) =>
      query(
        sql<{ readonly deviceId: string }>`SELECT device_id AS "deviceId" FROM commands
          WHERE device_id = ${anyOf(sql, deviceIds)} AND source_id = ${sourceId} AND status IN ('pending', 'scheduled')
          UNION
          SELECT f.device_id FROM forced_modes f JOIN commands c ON c.id = f.command_id
          WHERE f.device_id = ${anyOf(sql, deviceIds)} AND f.phase <> 'ended' AND c.source_id = ${sourceId}
          ORDER BY 1`
      ).pipe(Effect.map((rows) => rows.map(({ deviceId }) => deviceId)))
  }
})

/** Commands, and what becomes of them. */
export class CommandsRepository extends Context.Service<CommandsRepository, Effect.Success<typeof make>>()(
  "@edp/server/CommandsRepository"
) {
  static readonly layer = Layer.effect(CommandsRepository, make)
}
