import { Cause, Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { Accounts } from "../../accounts/Accounts.ts"
import { issuedAt } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../../platform/sql/transaction.ts"
import { commandEffect, compare, ConfirmableCommand, effectPause, pollInterval, seenState } from "./stateComparison.ts"
import { CommandOutcomes } from "../CommandOutcomes.ts"
import type { CommandOutcome } from "../CommandsRepository.ts"
import { commandLimits } from "../commandLimits.ts"
import { CONFIRMATION, LATE_RESULTS } from "../commandWork.ts"
import { makeIsolation, isReady } from "../../platform/jobs/isolation.ts"
import type { CommandNote } from "@edp/domain/commands/CommandNote"
import { untilTime } from "../../platform/jobs/workWait.ts"
import { IdRow, queryRows } from "../../platform/sql/rows.ts"

/** A command that was looked at, and the next look; null where it has no time of its own. */
export interface LookedAt {
  readonly id: string
  readonly readingId: string | null
  /** The fields of the reading that confirm commands; null if it decided nothing. */
  readonly seen: object | null
  readonly dueAt: Date | null
}

export const TimedOut = Schema.Struct({ id: Schema.String, executedAt: Schema.Date })
export type TimedOut = typeof TimedOut.Type

/** Whether the device's settings may be those of a later command, or those from before a forced mode that has ended since. */
const isReplaced = `(EXISTS (SELECT FROM commands n WHERE n.device_id = c.device_id AND n.id > c.id
    AND n.handed_at IS NOT NULL)
  OR EXISTS (SELECT FROM forced_modes f WHERE f.device_id = c.device_id
    AND (f.phase = 'ending' OR f.ended_at > c.delivered_at)))`

/** A completed command whose effect no state has shown yet, with the newest state of its device. */
export const UnseenCommand = Schema.Struct({
  ...Struct.pick(ConfirmableCommand.fields, ["id", "type", "input", "readingId", "at", "state"]),
  executedAt: Schema.Date,
  effectUntil: Schema.Date
})
export type UnseenCommand = typeof UnseenCommand.Type

/** The result of a look at such a command. `isOver`: it is not looked at again. */
export interface NotedEffect {
  readonly id: string
  readonly note: CommandNote | null
  readonly isOver: boolean
  readonly dueAt: Date
}

export const ConfirmationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`c.id, c.type, c.input, c.handed_at AS "handedAt", c.delivered_at AS "deliveredAt",
    c.seen_reading_id AS "seenReadingId", c.sent_input AS "sentInput", c.state_before AS "stateBefore",
    c.state_seen AS "stateSeen", m.confirm_within AS "confirmWithin", ${isReplaced} AS "isReplaced", d.manufacturer, d.manufacturer_device_id AS "manufacturerDeviceId",
    d.type AS "deviceType", d.direct, d.static_state AS "staticState", s.reading_id AS "readingId", s.at, s.state,
    coalesce(s.reported_status = 'asleep', false) AS asleep`)
  const joined = sql.literal(`commands c JOIN devices d ON d.id = c.device_id
    JOIN manufacturers m ON m.slug = d.manufacturer LEFT JOIN device_states s ON s.device_id = c.device_id`)
  const limit = (most: number) => sql.literal(`LIMIT ${most}`)
  const locked = sql.literal("FOR UPDATE OF c SKIP LOCKED")
  const isReadyFor = (work: string) => isReady(sql, work, "c.id")
  const among = (ids: ReadonlyArray<string>) => sql`c.id = ANY(${ids}::text[])`
  const toIds = Effect.map((rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id))
  const isInterrupted = sql.literal(`c.status IN ('pending', 'scheduled') AND c.interruptions > 1
    AND s.reading_id IS DISTINCT FROM c.seen_reading_id AND s.at >= c.handed_at`)

  return {
    /** Milliseconds until the next look at a command is due. Interrupted ones have no time: they are looked at all the time. */
    nextDue: untilTime(
      sql,
      sql`least((SELECT min(due_at) FROM commands WHERE status = 'delivered'),
        (SELECT min(due_at) FROM commands WHERE effect_until IS NOT NULL),
        (SELECT timestamptz 'epoch' FROM commands
          WHERE status IN ('pending', 'scheduled') AND interruptions > 1 LIMIT 1))`
    ),
    /** Delivered commands whose next look is due, the longest due first. */
    due: (now: Date, most: number) =>
      queryRows(IdRow)(sql`SELECT c.id FROM commands c WHERE c.status = 'delivered' AND c.due_at <= ${now}
        AND ${isReadyFor(CONFIRMATION)} ORDER BY c.due_at ${limit(most)}`).pipe(toIds),
    /** For a transaction: locks those that are still due; those that others have locked are left out. */
    unconfirmed: (ids: ReadonlyArray<string>, now: Date) =>
      queryRows(ConfirmableCommand)(sql`SELECT ${columns} FROM ${joined}
        WHERE ${among(ids)} AND c.status = 'delivered' AND c.due_at <= ${now} ORDER BY c.due_at ${locked}`),
    /** Commands whose calls were interrupted twice, with readings that are new. */
    dueInterrupted: (most: number) =>
      queryRows(IdRow)(sql`SELECT c.id FROM ${joined}
        WHERE ${isInterrupted} AND ${isReadyFor(CONFIRMATION)} ORDER BY c.id ${limit(most)}`).pipe(toIds),
    /** For a transaction: locks those that are still so; those that others have locked are left out. */
    interrupted: (ids: ReadonlyArray<string>) =>
      queryRows(ConfirmableCommand)(sql`SELECT ${columns} FROM ${joined}
        WHERE ${among(ids)} AND ${isInterrupted} ORDER BY c.id ${locked}`),
    /**
     * Delivered commands that timed out since a time, with readings that are new. Not those after which another command of their type was
     * delivered: the state is that one's.
     */
    dueTimedOut: (since: Date, after: TimedOut, most: number) =>
      queryRows(TimedOut)(sql`SELECT c.id, c.executed_at AS "executedAt" FROM ${joined}
        WHERE ${isReadyFor(LATE_RESULTS)} AND c.reason = 'timeout' AND c.late_result IS NULL AND c.executed_at > ${since}
          AND (c.executed_at, c.id) > (${after.executedAt}::timestamptz, ${after.id}::text)
          AND s.reading_id IS DISTINCT FROM c.seen_reading_id AND s.at >= c.delivered_at
          AND NOT EXISTS (SELECT FROM commands n WHERE n.device_id = c.device_id AND n.id > c.id AND n.type = c.type
            AND n.delivered_at IS NOT NULL)
        ORDER BY c.executed_at, c.id ${limit(most)}`),
    /** For a transaction: locks those whose late result is still unknown; those that others have locked are left out. */
    timedOut: (ids: ReadonlyArray<string>) =>
      queryRows(ConfirmableCommand)(sql`SELECT ${columns} FROM ${joined}
        WHERE ${among(ids)} AND c.reason = 'timeout' AND c.late_result IS NULL ORDER BY c.executed_at, c.id ${locked}`),
    /** Completed commands whose effect is to be looked at, the longest due first. */
    dueUnseen: (now: Date, most: number) =>
      queryRows(IdRow)(sql`SELECT c.id FROM commands c WHERE c.effect_until IS NOT NULL
        AND c.due_at <= ${now} AND ${isReadyFor(CONFIRMATION)} ORDER BY c.due_at ${limit(most)}`).pipe(toIds),
    /** For a transaction: locks those that are still due; those that others have locked are left out. */
    unseen: (ids: ReadonlyArray<string>, now: Date) =>
      queryRows(UnseenCommand)(sql`SELECT c.id, c.type, c.input, c.executed_at AS "executedAt",
          c.effect_until AS "effectUntil", s.reading_id AS "readingId", s.at, s.state
        FROM commands c LEFT JOIN device_states s ON s.device_id = c.device_id
        WHERE ${among(ids)} AND c.effect_until IS NOT NULL AND c.due_at <= ${now} ORDER BY c.due_at ${locked}`),
    noteEffects: (effects: ReadonlyArray<NotedEffect>) =>
      query(
        sql`UPDATE commands c SET note = given.note, due_at = given."dueAt",
            effect_until = CASE WHEN NOT given."isOver" THEN c.effect_until END
          FROM jsonb_to_recordset(${JSON.stringify(effects)}::jsonb)
            AS given (id text, note jsonb, "isOver" boolean, "dueAt" timestamptz)
          WHERE c.id = given.id`.unprepared
      ),
    /** Remembers which readings commands were compared with. */
    remember: (commands: ReadonlyArray<LookedAt>) =>
      query(
        sql`UPDATE commands c SET seen_reading_id = given."readingId", due_at = coalesce(given."dueAt", c.due_at),
            state_seen = coalesce(given.seen, c.state_seen)
          FROM jsonb_to_recordset(${JSON.stringify(commands)}::jsonb)
            AS given (id text, "readingId" text, "dueAt" timestamptz, seen jsonb)
          WHERE c.id = given.id`.unprepared
      )
  }
})

const { comparedTogether } = commandLimits

const toOutcome = ({ id, input, state, type }: ConfirmableCommand, status: "completed" | "failed"): CommandOutcome => {
  const effect = commandEffect(type, input, state)
  return {
    id,
    status,
    reason: status === "failed" ? "contradicted_by_state" : null,
    output: null,
    upstream: null,
    note: status === "completed" && effect._tag === "Explained" ? effect.note : null,
    isShown: effect._tag === "Shown"
  }
}

/** Milliseconds from the completion of a command to the newest reading that was both taken and arrived after it; undefined without one. */
const measuredAfter = ({ at, executedAt, readingId }: UnseenCommand) => {
  if (at === null || readingId === null) return undefined
  const since = Math.min(at.getTime(), issuedAt(readingId)) - executedAt.getTime()
  return since < 0 ? undefined : since
}

const notMeasured: CommandNote = {
  code: "not_measured",
  sentence: "It is not known what the device did: no reading came in the time after the completion."
}

/** The note of a completed command by the newest state: null if it needs none; undefined if that is not known yet. */
const noteEffect = (command: UnseenCommand) => {
  const { input, state, type } = command
  const since = measuredAfter(command)
  if (since === undefined) return undefined
  const effect = commandEffect(type, input, state)
  if (effect._tag === "Shown") return { note: null }
  if (effect._tag === "Explained") return { note: effect.note }
  return effect._tag === "Idle" && since >= commandLimits.beginsWithinSeconds * 1000 ? { note: effect.note } : undefined
}

/** Settles commands by the states of their devices. */
export class Confirmations extends Context.Service<
  Confirmations,
  {
    /** Checks the commands that are due. Returns whether there may be more. */
    readonly confirm: Effect.Effect<boolean, DatabaseUnavailable>
    /** Milliseconds until the turn of the next command comes. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Keeps late results of commands that timed out within the last hour. */
    readonly findLate: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Confirmations") {
  static readonly layer = Layer.effect(
    Confirmations,
    Effect.gen(function* () {
      const repository = yield* ConfirmationsRepository
      const outcomes = yield* CommandOutcomes
      const accounts = yield* Accounts
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const isolation = yield* makeIsolation(CONFIRMATION)
      const lateIsolation = yield* makeIsolation(LATE_RESULTS)

      /** Compares commands with states. An adapter that fails leaves its commands to the next look, and stops no others. */
      const compareAll = Effect.fnUntraced(function* <Command extends ConfirmableCommand>(
        commands: ReadonlyArray<Command>
      ) {
        const adapters = new Map<string, Parameters<typeof compare>[1]>()
        const failed = new Map<string, unknown>()
        const confirmations = new Map<Command, ReturnType<typeof compare>>()
        for (const command of commands) {
          const { direct, manufacturer } = command
          if (!direct && !adapters.has(manufacturer)) {
            const instance = yield* Effect.catchTag(accounts.instance(manufacturer), "NotConnectable", () =>
              Effect.succeed(undefined)
            )
            adapters.set(manufacturer, instance?.confirms?.bind(instance))
          }
          try {
            confirmations.set(command, compare(command, direct ? undefined : adapters.get(manufacturer)))
          } catch (reason) {
            failed.set(manufacturer, reason)
          }
        }
        for (const [manufacturer, reason] of failed) {
          yield* logFailure(
            `confirms of ${manufacturer}`,
            `The adapter of ${manufacturer} failed to compare a command with a state`,
            Cause.die(reason)
          )
        }
        return (command: Command) => confirmations.get(command) ?? "pending"
      })

      const confirmDelivered = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, now: number) {
        const commands = yield* repository.unconfirmed(ids, new Date(now))
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        const settled = commands.filter((command) => shown(command) !== "pending")
        yield* outcomes.record(
          settled.map((command) => toOutcome(command, shown(command) === "met" ? "completed" : "failed"))
        )
        yield* repository.remember(
          commands.map((command) => ({
            id: command.id,
            readingId: command.readingId,
            seen: seenState(command),
            dueAt:
              shown(command) === "pending"
                ? new Date(now + pollInterval(now - (command.deliveredAt?.getTime() ?? now)))
                : null
          }))
        )
        return commands.length
      }, transaction)

      const rememberReadings = (commands: ReadonlyArray<ConfirmableCommand>) =>
        commands.length === 0
          ? Effect.void
          : repository.remember(
              commands.map((command) => ({
                id: command.id,
                readingId: command.readingId,
                seen: seenState(command),
                dueAt: null
              }))
            )

      const confirmInterrupted = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const commands = yield* repository.interrupted(ids)
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        const met = commands.filter((command) => shown(command) === "met")
        yield* outcomes.record(met.map((command) => toOutcome(command, "completed")))
        yield* rememberReadings(commands.filter((command) => shown(command) !== "met"))
        return commands.length
      }, transaction)

      /** Checks whether devices do something for commands that were completed without a state that shows it. */
      const noteEffects = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, now: number) {
        const commands = yield* repository.unseen(ids, new Date(now))
        if (commands.length === 0) return 0
        yield* repository.noteEffects(
          commands.map((command) => {
            const seen = noteEffect(command)
            const isOver = seen !== undefined || command.effectUntil.getTime() <= now
            const isMeasured = measuredAfter(command) !== undefined
            const pause = effectPause(now - command.executedAt.getTime(), isMeasured)
            const note = isOver && !isMeasured ? notMeasured : (seen?.note ?? null)
            return { id: command.id, note, isOver, dueAt: new Date(now + pause) }
          })
        )
        return commands.length
      }, transaction)

      const findLate = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const commands = yield* repository.timedOut(ids)
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        for (const command of commands) {
          if (shown(command) === "met") yield* outcomes.recordLate(command.id, { status: "completed", reason: null })
        }
        yield* rememberReadings(commands.filter((command) => shown(command) !== "met"))
        return commands.length
      }, transaction)

      return {
        confirm: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const delivered = yield* repository.due(new Date(now), comparedTogether)
          const confirmed = yield* isolation.runIds(delivered, (ids) => confirmDelivered(ids, now))
          const interrupted = yield* repository.dueInterrupted(comparedTogether)
          const settled = yield* isolation.runIds(interrupted, confirmInterrupted)
          const unseen = yield* repository.dueUnseen(new Date(now), comparedTogether)
          const noted = yield* isolation.runIds(unseen, (ids) => noteEffects(ids, now))
          return (
            (delivered.length === comparedTogether && confirmed > 0) ||
            (interrupted.length === comparedTogether && settled > 0) ||
            (unseen.length === comparedTogether && noted > 0)
          )
        }).pipe(Effect.withSpan("Confirmations.confirm")),
        nextDue: repository.nextDue,
        findLate: Effect.gen(function* () {
          const since = new Date((yield* Clock.currentTimeMillis) - commandLimits.lateResultSeconds * 1000)
          for (let after: TimedOut | undefined = { executedAt: since, id: "" }; after !== undefined;) {
            const due: ReadonlyArray<TimedOut> = yield* repository.dueTimedOut(since, after, comparedTogether)
            const ids = due.map(({ id }) => id)
            yield* lateIsolation.runIds(ids, findLate)
            after = due.length < comparedTogether ? undefined : due.at(-1)
          }
        }).pipe(Effect.withSpan("Confirmations.findLate"))
      }
    })
  )
}
