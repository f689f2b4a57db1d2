import type { CommandSource, Upstream } from "@edp/domain/commands/Command"
import type { CommandStatus } from "@edp/domain/commands/CommandStatus"
import type { CommandNote } from "@edp/domain/commands/CommandNote"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Effect, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"

import { anyOf, conditions, fewRecords, limited, type PageWindow } from "../platform/sql/lists.ts"
import { firstIdAt } from "../platform/Ids.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { untilTime } from "../platform/jobs/workWait.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { query } from "../platform/sql/transaction.ts"
import { commandLimits } from "./commandLimits.ts"
import { TIME_OUTS } from "./commandWork.ts"
import { commandColumns, type CommandInput, CommandRow, confirmingState, effectiveModes } from "./commandRow.ts"
import { IdRow, JsonColumn, queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"

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
  /** The input as the device got it, where its own steps round it. */
  readonly sentInput?: CommandInput | null
  /** Why the device does nothing for the command; only with `completed`. */
  readonly note?: CommandNote | null
  /** A state has shown that the device does something for the command. */
  readonly isShown?: boolean
}

export const DueCommand = Schema.Struct({
  ...CommandRow.fields,
  dueAt: Schema.Date,
  /** Failed attempts. */
  attempts: Schema.Finite,
  /** A worker has called the adapter and has not recorded what became of it. */
  isLeased: Schema.Boolean
})
export type DueCommand = typeof DueCommand.Type

/** An undelivered command that is put off. A call that failed for a known reason counts as an attempt. */
export interface PostponedCommand {
  readonly id: string
  readonly dueAt: Date
  readonly isAttempt: boolean
  readonly upstream: Upstream | null
}

/** A command with which a worker is about to call an adapter, and its claim of the device. */
export interface TakenCommand {
  readonly id: string
  readonly deviceId: string
  readonly claim: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface CommandSelection {
  readonly workspaceId: string
  readonly deviceId?: ReadonlyArray<string> | undefined
  readonly batchId?: ReadonlyArray<string> | undefined
  readonly sourceId?: ReadonlyArray<string> | undefined
  readonly status?: ReadonlyArray<CommandStatus> | undefined
  readonly type?: ReadonlyArray<CommandSlug> | undefined
  /** Issued from then on, and before then: milliseconds since 1970. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/**
 * Milliseconds by which the time of a command's id may be later than that of the command, if the clock was set back: ids do not go back. The time of an id is
 * never the earlier one.
 */
const ID_AHEAD = 86_400_000

/** Lists have at most 1000 pages of 100; rows beyond are not counted. */
const MOST_COUNTED = 100_000

/** Records as JSON with these fields alone: thousands of commands are megabytes. */
const json = <A extends object>(records: ReadonlyArray<A>, fields: ReadonlyArray<keyof A & string>) =>
  JSON.stringify(records, [...fields])

/** A new command as it is stored. */
const toIssuedRow = (command: IssuedCommand, isOutranked: boolean, issuedAt: Date): CommandRow => ({
  ...command,
  status: isOutranked ? "failed" : command.scheduledFor === null ? "pending" : "scheduled",
  reason: isOutranked ? "overridden" : null,
  issuedAt,
  executedAt: isOutranked ? issuedAt : null,
  note: null,
  deliveredAt: null,
  output: null,
  upstream: null,
  lateResult: null,
  forcedMode: null
})

const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })
const IdUpstreamRow = Schema.Struct({ id: Schema.String, upstream: Schema.NullOr(JsonColumn<Upstream>()) })
const IdInterruptionsRow = Schema.Struct({ id: Schema.String, interruptions: Schema.Finite })
const IsRow = Schema.Struct({ is: Schema.Boolean })
const TakenSinceRow = Schema.Struct({ ...Struct.pick(CommandRow.fields, ["deviceId", "type", "input"]) })
const CountedRow = Schema.Struct({ deviceId: Schema.String, n: Schema.Finite })

/** Commands, and what becomes of them. */
export const CommandsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(commandColumns)
  const confirming = sql.literal(confirmingState("s.state"))
  const { is, isAnyOf } = conditions(sql)
  const rank = (column: string) => sql.literal(`array_position(ARRAY['schedule', 'dispatch', 'user'], ${column})`)

  const isSetting = sql.literal(`source = 'user' AND type NOT LIKE '%:set-operating-mode'`)

  const hasEffect = Object.entries(effectiveModes).map(
    ([type, modes]) => `c.type = '${type}' AND c.input ->> 'operatingMode' IN ('${modes.join("', '")}')`
  )
  const awaitsEffect = sql.literal(`(given.status = 'completed' AND given.reason IS NULL AND given.note IS NULL
    AND given."isShown" IS NOT TRUE AND (${hasEffect.join(" OR ")}))`)
  const later = (at: Date, seconds: number) => sql`${new Date(at.getTime() + seconds * 1000)}::timestamptz`

  /** The indexes are in the order of ids, which begin with their times. */
  const issued = ({ from, to }: CommandSelection) => [
    ...(from === undefined ? [] : [sql`c.id >= ${firstIdAt(from)} AND c.issued_at >= ${new Date(from)}`]),
    ...(to === undefined ? [] : [sql`c.id < ${firstIdAt(to + ID_AHEAD)} AND c.issued_at < ${new Date(to)}`])
  ]

  const matching = (selection: CommandSelection) => {
    const { batchId, deviceId, sourceId, status, type, workspaceId } = selection
    return sql.and([
      ...issued(selection),
      ...is("c.workspace_id", workspaceId),
      ...isAnyOf("c.device_id", deviceId && [...new Set(deviceId)]),
      ...isAnyOf("c.batch_id", batchId && [...new Set(batchId)]),
      ...isAnyOf("c.source_id", sourceId && [...new Set(sourceId)]),
      ...isAnyOf("c.status", status && [...new Set(status)]),
      ...isAnyOf("c.type", type && [...new Set(type)])
    ])
  }

  /**
   * Sent now: what the device shows at this time proves nothing later. After a call that may have arrived, the state from before
   * that call stays.
   */
  const handoverColumns = (
    now: Date
  ) => sql`handed_at = CASE WHEN c.in_hand THEN c.handed_at ELSE ${now}::timestamptz END,
    state_before = CASE WHEN c.in_hand OR c.attempts > 0 THEN c.state_before
      ELSE (SELECT ${confirming} FROM device_states s WHERE s.device_id = c.device_id) END`

  const isOverdue = (now: Date) => sql`status IN ('pending', 'scheduled', 'delivered') AND deadline > '-infinity'
    AND deadline <= ${now} AND (NOT in_hand OR NOT EXISTS (SELECT FROM device_work w
      WHERE w.device_id = c.device_id AND w.claim IS NOT NULL AND w.lease_until > clock_timestamp()))`

  /** Changed rows in the order of their ids, as a list reads them. */
  const changed = (statement: Statement.Fragment) =>
    queryRows(CommandRow)(sql`WITH c AS (${statement}) SELECT ${columns} FROM c ORDER BY c.id`.unprepared)

  return {
    /**
     * For a transaction. Makes devices due and locks their work, in order: whoever changes a device's commands does this first. Returns the
     * devices that still exist.
     */
    holdDevices: (devices: ReadonlyArray<{ readonly deviceId: string; readonly dueAt: Date }>) =>
      queryRows(DeviceIdRow)(
        sql`INSERT INTO device_work (device_id, manufacturer, due_at)
          SELECT d.id, d.manufacturer, given.due_at FROM (
            SELECT "deviceId" AS id, min("dueAt") AS due_at
            FROM jsonb_to_recordset(${json(devices, ["deviceId", "dueAt"])}::jsonb) AS g ("deviceId" text, "dueAt" timestamptz)
            GROUP BY 1) AS given
          JOIN devices d ON d.id = given.id ORDER BY d.id
          ON CONFLICT (device_id) DO UPDATE SET due_at = least(device_work.due_at, excluded.due_at)
          RETURNING device_id AS "deviceId"`.unprepared
      ),
    /** Fails the undelivered commands that new ones override: not those of a higher rank, nor those that a worker has leased. */
    override: (issued: ReadonlyArray<IssuedCommand>, now: Date) =>
      changed(sql`UPDATE commands c SET status = 'failed', reason = 'overridden', executed_at = greatest(c.issued_at, ${now})
        FROM jsonb_to_recordset(${json(issued, ["deviceId", "type", "source", "scheduledFor"])}::jsonb)
          AS given ("deviceId" text, type text, source text, "scheduledFor" timestamptz)
        WHERE c.device_id = given."deviceId" AND c.type = given.type AND c.status IN ('pending', 'scheduled')
          AND NOT c.in_hand AND ${rank("given.source")} >= ${rank("c.source")}
          AND CASE WHEN given."scheduledFor" IS NULL THEN c.status = 'pending' OR c.scheduled_for <= ${now}
            ELSE date_trunc('second', c.scheduled_for) = date_trunc('second', given."scheduledFor") END
        RETURNING c.*`),
    /** A command that meets an undelivered one of a higher rank fails at once. Returns the commands in the given order. */
    insert: (
      issued: ReadonlyArray<IssuedCommand>,
      now: Date
    ): Effect.Effect<ReadonlyArray<CommandRow>, DatabaseUnavailable> =>
      queryIds(
        sql`WITH c AS (INSERT INTO commands (id, workspace_id, device_id, type, input, source, source_id, batch_id, status,
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
        RETURNING id, status) SELECT id FROM c WHERE status = 'failed'`.unprepared
      ).pipe(
        Effect.map((outranked) => {
          const failed = new Set(outranked)
          return issued.map((command) => toIssuedRow(command, failed.has(command.id), now))
        })
      ),
    /**
     * Moves open commands forward and returns those that moved. The times increase even if the clocks of instances differ. A command that
     * has ended keeps its status, but a worker no longer has it leased. A completed command whose effect no state has shown yet awaits one; not
     * one that was so already, which asked for nothing.
     */
    settle: (outcomes: ReadonlyArray<CommandOutcome>, now: Date, confirmWithinSeconds: number) =>
      changed(sql`UPDATE commands c SET status = given.status, reason = given.reason, in_hand = false,
          interruptions = 0, output = coalesce(given.output, c.output), upstream = coalesce(given.upstream, c.upstream),
          sent_input = coalesce(given."sentInput", c.sent_input), note = given.note,
          delivered_at = CASE WHEN given.status = 'delivered' THEN greatest(c.issued_at, ${now}) ELSE c.delivered_at END,
          executed_at = CASE WHEN given.status <> 'delivered' THEN greatest(c.issued_at, c.delivered_at, ${now}) END,
          due_at = CASE WHEN ${awaitsEffect} THEN ${later(now, commandLimits.firstReadingSeconds)} ELSE ${now} END,
          effect_until = CASE WHEN ${awaitsEffect} THEN ${later(now, commandLimits.effectSeconds)} ELSE c.effect_until END,
          deadline = ${later(now, confirmWithinSeconds)}
        FROM ${fewRecords(sql, outcomes, `id text, status text, reason text, output jsonb, upstream jsonb, "sentInput" jsonb, note jsonb, "isShown" boolean`)} AS given
        WHERE c.id = given.id AND (c.status IN ('pending', 'scheduled')
          OR (c.status = 'delivered' AND given.status <> 'delivered'))
        RETURNING c.*`),
    /** Keeps the acceptance's details of a command that a result has settled meanwhile. */
    release: (outcomes: ReadonlyArray<CommandOutcome>) =>
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
      queryRows(IdRow)(sql`UPDATE commands SET late_result = ${JSON.stringify(result)}::jsonb
          WHERE id = ${id} AND status = 'failed' AND reason = 'timeout' AND late_result IS NULL RETURNING id`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    /** The open commands whose time-out has passed. A command in the lease of a living worker gets its outcome from it. */
    overdue: (now: Date, limit: number) =>
      queryIds(sql`SELECT id FROM commands c WHERE ${isOverdue(now)} AND ${isReady(sql, TIME_OUTS, "c.id")}
          ORDER BY deadline LIMIT ${sql.literal(String(limit))}`),
    /** Milliseconds until the next time-out of an open command. */
    nextDeadline: untilTime(
      sql,
      sql`(SELECT min(deadline) FROM commands WHERE status IN ('pending', 'scheduled', 'delivered') AND deadline > '-infinity')`
    ),
    /** For a transaction: locks those that are still overdue; those that other workers have locked are theirs. */
    holdOverdue: (ids: ReadonlyArray<string>, now: Date) =>
      queryRows(IdUpstreamRow)(sql`SELECT id, upstream FROM commands c
          WHERE id = ANY(${ids}::text[]) AND ${isOverdue(now)} ORDER BY deadline FOR UPDATE SKIP LOCKED`),
    /** The undelivered commands of devices that are due, the longest due first, with what was tried. */
    due: (deviceIds: ReadonlyArray<string>, now: Date) =>
      queryRows(DueCommand)(sql`SELECT ${columns}, c.due_at AS "dueAt", c.attempts,
            c.in_hand AS "isLeased" FROM commands c
          WHERE c.device_id = ${anyOf(sql, deviceIds)} AND c.status IN ('pending', 'scheduled') AND c.due_at <= ${now}
          ORDER BY c.due_at, c.id`),
    /**
     * Notes that a worker calls the adapter with each of these commands. Returns how many such calls ended without a record before; no row for
     * a command that has ended or expired meanwhile, nor where the claim of the device is lost.
     */
    take: (wanted: ReadonlyArray<TakenCommand>, now: Date) =>
      queryRows(IdInterruptionsRow)(
        sql`WITH held AS MATERIALIZED (
            SELECT given.id FROM ${fewRecords(sql, wanted, `id text, "deviceId" text, claim uuid`)} AS given
            JOIN device_work w ON w.device_id = given."deviceId" AND w.claim = given.claim
            ORDER BY w.device_id FOR SHARE OF w
          )
          UPDATE commands c SET in_hand = true, interruptions = interruptions + in_hand::int,
            ${handoverColumns(now)}
          FROM held
          WHERE c.id = held.id AND c.status IN ('pending', 'scheduled') AND c.deadline > ${now}
          RETURNING c.id, c.interruptions`.unprepared
      ),
    /** For a transaction: notes that a direct device's manufacturer takes these commands itself. */
    recordHandover: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE commands c SET ${handoverColumns(now)} WHERE id = ${anyOf(sql, ids)}`),
    postpone: (postponed: ReadonlyArray<PostponedCommand>) =>
      query(
        sql`UPDATE commands c SET in_hand = false, due_at = given."dueAt", attempts = attempts + given."isAttempt"::int,
          upstream = coalesce(given.upstream, c.upstream)
        FROM jsonb_to_recordset(${JSON.stringify(postponed)}::jsonb)
          AS given (id text, "dueAt" timestamptz, "isAttempt" boolean, upstream jsonb)
        WHERE c.id = given.id AND c.status IN ('pending', 'scheduled')`.unprepared
      ),
    /**
     * Whether another command may have changed a device since a reading: it was sent or ended then, unless this reading
     * confirmed it. Reads the newest 100 commands.
     */
    mayHaveChanged: (deviceId: string, except: string, since: Date, readingId: string) =>
      queryRows(IsRow)(sql`SELECT EXISTS (SELECT FROM (
            SELECT * FROM commands WHERE device_id = ${deviceId} ORDER BY id DESC LIMIT 100) AS c
          WHERE c.id <> ${except} AND c.handed_at IS NOT NULL AND c.reason IS DISTINCT FROM 'already_so'
            AND (c.status = 'delivered' OR c.status = 'completed' OR c.reason IN ('timeout', 'contradicted_by_state'))
            AND greatest(c.handed_at, c.delivered_at, c.executed_at) >= ${since}
            AND (c.status <> 'completed' OR c.seen_reading_id IS DISTINCT FROM ${readingId})) AS is`).pipe(
        Effect.map(([row]) => row!.is)
      ),
    /**
     * The newest command of each type, other than modes, that devices have taken from users since a time, by device. One that was accepted,
     * or sent twice without a response, may take effect at any moment: it counts, too.
     */
    takenSince: (devices: ReadonlyArray<{ readonly deviceId: string; readonly since: Date }>) =>
      queryRows(TakenSinceRow)(sql`SELECT given."deviceId", taken.*
          FROM jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) AS given ("deviceId" text, since timestamptz)
          CROSS JOIN LATERAL (SELECT DISTINCT ON (type) type, input FROM (
            SELECT id, type, input, coalesce(delivered_at, executed_at) AS at FROM commands
            WHERE device_id = given."deviceId" AND ${isSetting} AND status = 'completed' AND executed_at >= given.since
            UNION ALL
            SELECT id, type, input, coalesce(delivered_at, handed_at) FROM commands
            WHERE device_id = given."deviceId" AND ${isSetting} AND status IN ('pending', 'scheduled', 'delivered')
              AND (status = 'delivered' OR interruptions > 1)
          ) AS taken ORDER BY type, at DESC, id DESC) AS taken`).pipe(
        Effect.map((rows) => Map.groupBy(rows, ({ deviceId }) => deviceId))
      ),
    /** Mode changes of devices by schedules and dispatches since a time; none is not listed. */
    countAutomatic: (deviceIds: ReadonlyArray<string>, since: Date) =>
      queryRows(CountedRow)(sql`SELECT device_id AS "deviceId", count(*)::int AS n FROM commands
          WHERE device_id = ${anyOf(sql, deviceIds)} AND source <> 'user' AND delivered_at > ${since} GROUP BY 1`).pipe(
        Effect.map((rows) => new Map(rows.map(({ deviceId, n }) => [deviceId, n])))
      ),
    get: (workspaceId: string, id: string) =>
      queryRows(CommandRow)(
        sql`SELECT ${columns} FROM commands c WHERE c.id = ${id} AND c.workspace_id = ${workspaceId}`
      ).pipe(Effect.map(([row]) => row)),
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(CommandRow)(sql`SELECT ${columns} FROM commands c WHERE c.id = ${anyOf(sql, ids)} ORDER BY c.id`),
    list: (selection: CommandSelection, { before, limit, offset }: PageWindow) =>
      queryRows(CommandRow)(
        sql`SELECT ${columns} FROM commands c
          WHERE ${matching(selection)} ${before === undefined ? sql`` : sql`AND c.id < ${before}`}
          ORDER BY c.id DESC ${limited(sql, limit, offset)}`.unprepared
      ),
    /** At most the number that pages can reach. */
    count: (selection: CommandSelection) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM (
          SELECT FROM commands c WHERE ${matching(selection)} ${sql.literal(`LIMIT ${MOST_COUNTED}`)}) AS found`
          .unprepared
      ),
    /** For a transaction: locks a command that can still be cancelled. */
    holdCancellable: (workspaceId: string, id: string) =>
      queryRows(IdRow)(sql`SELECT id FROM commands WHERE id = ${id} AND workspace_id = ${workspaceId}
          AND status IN ('pending', 'scheduled') AND NOT in_hand FOR UPDATE`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    /** For a transaction: locks the commands of a source that can still be cancelled; not those that a worker is changing. */
    holdCancellableFrom: (deviceIds: ReadonlyArray<string>, sourceId: string) =>
      queryIds(sql`SELECT id FROM commands
          WHERE device_id = ${anyOf(sql, deviceIds)} AND source_id = ${sourceId}
            AND status IN ('pending', 'scheduled') AND NOT in_hand FOR UPDATE SKIP LOCKED`),
    /** The devices with an undelivered command of a source, or with a forced mode of it that has not ended. */
    openDevices: (deviceIds: ReadonlyArray<string>, sourceId: string) =>
      queryRows(DeviceIdRow)(sql`SELECT device_id AS "deviceId" FROM commands
          WHERE device_id = ${anyOf(sql, deviceIds)} AND source_id = ${sourceId} AND status IN ('pending', 'scheduled')
          UNION
          SELECT f.device_id FROM forced_modes f JOIN commands c ON c.id = f.command_id
          WHERE f.device_id = ${anyOf(sql, deviceIds)} AND f.phase <> 'ended' AND c.source_id = ${sourceId}
          ORDER BY 1`).pipe(Effect.map((rows) => rows.map(({ deviceId }) => deviceId)))
  }
})
