import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { query } from "../sql/transaction.ts"
import type { HistoryPlan, HistoryState, InMonth } from "./historyPlan.ts"
import type { Order, Span } from "./historySpan.ts"
import type { ReadingText } from "./historyText.ts"
import { historySql } from "./ReadingCountsRepository.ts"

/** Which part of a list, and the most readings that are counted for its total; undefined where none is wanted. */
export interface Wanted {
  readonly span: Span
  readonly order: Order
  readonly limit: number
  readonly offset: number
}

/** A page's readings in the order of the list, each column a text of lines. */
interface Lines {
  readonly ids: string | null
  readonly times: string | null
  readonly states: string | null
}

interface LookedRow extends Lines, HistoryState {
  readonly workspaceId: string | null
  readonly referenceId: string
  readonly stored: number
  readonly others: number
}

export interface Looked extends HistoryState {
  readonly workspaceId: string | null
  readonly referenceId: string
  readonly readings: ReadonlyArray<ReadingText>
  /** Of what is counted already. */
  readonly stored: number
  /** Of the rest, at most as many of each part as were asked for. */
  readonly others: number
}

/** How long an unknown month is not looked for again, in milliseconds. */
const UNKNOWN_FOR = 10_000

const UNDEFINED_TABLE = "42P01"

const isGone = ({ reason }: SqlError.SqlError) =>
  (reason.cause as { readonly code?: string } | undefined)?.code === UNDEFINED_TABLE

const nameOf = (month: number) => `readings_${new Date(month).toISOString().slice(0, 7).replace("-", "")}`

// A text of JSON has its line breaks escaped.
const linesOf = (text: string | null) => (text === null ? [] : text.split("\n"))

const readingsOf = ({ ids, times, states }: Lines): ReadonlyArray<ReadingText> => {
  const [idLines, timeLines, stateLines] = [linesOf(ids), linesOf(times), linesOf(states)]
  return idLines.map((id, place) => ({ id, at: Number(timeLines[place]), state: stateLines[place]! }))
}

/**
 * A page of a history, its total and whose it is, in one statement. Months are read by the names of their tables: a
 * statement on all of them would be planned, or its plan locked, for every one each time, which takes longer than the page.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { storedIn, time } = historySql(sql)
  let known = new Set<string>()
  let lookedAt = Number.NEGATIVE_INFINITY

  const lookForTables = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - lookedAt < UNKNOWN_FOR) return
    const rows = yield* query(sql<{ readonly name: string }>`SELECT relname AS name FROM pg_inherits
      JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'readings'::regclass`)
    known = new Set(rows.map(({ name }) => name))
    lookedAt = now
  })

  const areThere = Effect.fnUntraced(function* (months: ReadonlyArray<number>) {
    const names = months.map(nameOf)
    if (!names.every((name) => known.has(name))) yield* lookForTables
    return names.every((name) => known.has(name))
  })

  const readingsIn = (deviceId: string, month: number, { from, to }: Span) =>
    sql`${sql(nameOf(month))} WHERE device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`

  const counted = (deviceId: string, rest: ReadonlyArray<InMonth>, limit: number) =>
    rest.reduce<Statement.Fragment>(
      (sum, part) => sql`${sum} + (SELECT count(*)::int FROM
        (SELECT FROM ${readingsIn(deviceId, part.month, part)} LIMIT ${limit}) AS part)`,
      sql.literal("0")
    )

  /**
   * Limits are written out, not parameters, and only the end that the page begins at is looked for: so the planner knows,
   * whatever the span, that few rows are wanted, and keeps one plan for all. What lies beyond the other end is left out.
   */
  const page = (deviceId: string, [month, next]: ReadonlyArray<number>, { span, order, limit, offset }: Wanted) => {
    const [from, to] = [sql`at >= ${new Date(span.from)}`, sql`at < ${new Date(span.to)}`]
    const [begins, ends] = order === "asc" ? [from, to] : [to, from]
    const inOrder = (of: number, limited: Statement.Fragment) => sql`SELECT * FROM (
      SELECT id, at, state FROM ${sql(nameOf(of))} WHERE device_id = ${deviceId} AND ${begins}
      ORDER BY at ${sql.literal(order)} ${limited}) AS nearest WHERE ${ends}`
    const first = inOrder(month!, sql.literal(`LIMIT ${limit} OFFSET ${offset}`))
    const more = (of: number) =>
      sql`UNION ALL (${inOrder(of, sql`LIMIT ${sql.literal(`${limit}`)} - (SELECT count(*) FROM first)`)})`
    return sql`(WITH first AS MATERIALIZED (${first})
      SELECT string_agg(id, E'\n') AS ids, string_agg((date_part('epoch', at) * 1000)::int8::text, E'\n') AS times,
        string_agg(state::text, E'\n') AS states
      FROM (SELECT * FROM first ${next === undefined ? sql`` : more(next)}) AS found)`
  }

  const ask = (deviceId: string, plan: HistoryPlan | undefined, wanted: Wanted, limit: number | undefined) => {
    const total = limit === undefined ? undefined : plan?.total
    return sql<LookedRow>`SELECT d.workspace_id AS "workspaceId", d.reference_id AS "referenceId",
        ${time("greatest(s.first_at, (SELECT kept_from FROM readings_floor))")} AS "firstAt", ${time("s.at")} AS "lastAt", ${time("s.counted_until")} AS "countedUntil",
        ${total === undefined ? sql.literal("0") : storedIn(deviceId, total.counted)} AS stored,
        ${counted(deviceId, total?.rest ?? [], limit ?? 0)} AS others, page.*
      FROM devices d LEFT JOIN device_states s ON s.device_id = d.id,
        ${plan === undefined ? sql.literal("(SELECT NULL AS ids, NULL AS times, NULL AS states)") : page(deviceId, plan.months, wanted)} AS page
      WHERE d.id = ${deviceId}`
  }

  return {
    /**
     * What the plan says, with the state of the device at that very moment; null where there is no such device, undefined
     * where the plan's months are not to be had by themselves.
     */
    look: Effect.fnUntraced(function* (
      deviceId: string,
      plan: HistoryPlan | undefined,
      wanted: Wanted,
      countLimit: number | undefined
    ) {
      const months = plan === undefined ? [] : [...plan.months, ...(plan.total?.rest ?? []).map(({ month }) => month)]
      if (!(yield* areThere(months))) return undefined
      const rows = yield* query(
        ask(deviceId, plan, wanted, countLimit).pipe(
          Effect.catch((error) => {
            if (!isGone(error)) return Effect.fail(error)
            known = new Set()
            return Effect.succeed(undefined)
          })
        )
      )
      if (rows === undefined) return undefined
      const [row] = rows
      return row === undefined ? null : { ...row, readings: readingsOf(row) }
    })
  }
})

export class HistoryPagesRepository extends Context.Service<HistoryPagesRepository, Effect.Success<typeof make>>()(
  "@edp/server/HistoryPagesRepository"
) {
  static readonly layer = Layer.effect(HistoryPagesRepository, make)
}
