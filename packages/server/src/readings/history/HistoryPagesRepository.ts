import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { together } from "../../platform/batching/together.ts"
import { slotOf } from "./countedHours.ts"
import type { HistoryPlan, HistoryState } from "./historyPlan.ts"
import type { Order, Span } from "./historySpan.ts"
import type { ReadingText } from "./historyText.ts"
import { firstOf, historySql } from "./ReadingCountsRepository.ts"

/** Which part of a list, and the most readings that are counted for its total; undefined where none is wanted. */
export interface Wanted {
  readonly span: Span
  readonly order: Order
  readonly limit: number
  readonly offset: number
}

interface LookedRow extends HistoryState {
  readonly n: number
  readonly workspaceId: string | null
  readonly referenceId: string
  readonly stored: number
  readonly others: number
  /** The page in the order of the list, a line a reading: `id milliseconds{...}`. */
  readonly lines: string | null
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

/** So many questions share a statement, and so many statements of one kind are under way at a time. */
const AT_MOST = 32
const AT_ONCE = 2

interface Question {
  readonly deviceId: string
  readonly plan: HistoryPlan | undefined
  readonly wanted: Wanted
  readonly countLimit: number | undefined
}

/** A column of the questions: its name, and an array of its values. */
type Column = readonly [name: string, values: Statement.Fragment]

const restOf = (plan: HistoryPlan | undefined) => plan?.total?.rest ?? []

/** Questions with the same have statements with the same text. */
const kindOf = ({ plan, wanted: { order, limit, offset }, countLimit }: Question) =>
  plan === undefined
    ? ""
    : JSON.stringify([
        plan.months,
        countLimit !== undefined && plan.total !== undefined ? restOf(plan).map(({ month }) => month) : null,
        order,
        limit,
        offset,
        countLimit
      ])

/** After all months: before it there is nothing that is kept. */
const NOWHERE = { month: "9999-01-01", hours: 0 }

/** Where the number of readings before an end of what is counted is kept. */
const slotIn = (counted: Span | undefined, end: (span: Span) => number) => {
  if (counted === undefined || counted.from === counted.to) return NOWHERE
  const { month, hours } = slotOf(end(counted))
  return { month: firstOf(month), hours }
}

/** How long an unknown month is not looked for again, in milliseconds. */
const UNKNOWN_FOR = 10_000

const UNDEFINED_TABLE = "42P01"

const isGone = ({ reason }: SqlError.SqlError) =>
  (reason.cause as { readonly code?: string } | undefined)?.code === UNDEFINED_TABLE

const nameOf = (month: number) => `readings_${new Date(month).toISOString().slice(0, 7).replace("-", "")}`

const readingOf = (line: string): ReadingText => {
  const space = line.indexOf(" ")
  const brace = line.indexOf("{", space)
  return { id: line.slice(0, space), at: Number(line.slice(space, brace)), state: line.slice(brace) }
}

// A text of JSON has its line breaks escaped.
const readingsOf = (lines: string | null): ReadonlyArray<ReadingText> =>
  lines === null ? [] : lines.split("\n").map(readingOf)

/**
 * A page of a history, its total and whose it is, in one statement. Months are read by the names of their tables: a
 * statement on all of them would be planned, or its plan locked, for every one each time, which takes longer than the page.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { before, time } = historySql(sql)
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

  const counted = ({ plan, countLimit }: Question) =>
    restOf(plan).reduce<Statement.Fragment>(
      (sum, { month }, place) => sql`${sum} + (SELECT count(*)::int FROM (SELECT FROM ${sql(nameOf(month))}
        WHERE device_id = q.device_id AND at >= q.${sql(`rest_from_${place}`)} AND at < q.${sql(`rest_to_${place}`)}
        LIMIT ${sql.literal(`${countLimit}`)}) AS part)`,
      sql.literal("0")
    )

  /**
   * Limits are written out, not parameters, and only the end that the page begins at is looked for: so the planner knows,
   * whatever the span, that few rows are wanted, and keeps one plan for all. What lies beyond the other end is left out.
   */
  const page = ([month, next]: ReadonlyArray<number>, { order, limit, offset }: Wanted) => {
    const [from, to] = [sql`at >= q.span_from`, sql`at < q.span_to`]
    const [begins, ends] = order === "asc" ? [from, to] : [to, from]
    const inOrder = (of: number, limited: Statement.Fragment) => sql`SELECT * FROM (
      SELECT id, at, state FROM ${sql(nameOf(of))} WHERE device_id = q.device_id AND ${begins}
      ORDER BY at ${sql.literal(order)} ${limited}) AS nearest WHERE ${ends}`
    const first = inOrder(month!, sql.literal(`LIMIT ${limit} OFFSET ${offset}`))
    const more = (of: number) =>
      sql`UNION ALL (${inOrder(of, sql`LIMIT ${sql.literal(`${limit}`)} - (SELECT count(*) FROM first)`)})`
    return sql`(WITH first AS MATERIALIZED (${first})
      SELECT string_agg(id || ' ' || (date_part('epoch', at) * 1000)::int8 || state::text, E'\n') AS lines
      FROM (SELECT * FROM first ${next === undefined ? sql`` : more(next)}) AS found)`
  }

  const columnsOf = (questions: ReadonlyArray<Question>): ReadonlyArray<Column> => {
    const [{ plan, countLimit }] = questions as readonly [Question, ...Array<Question>]
    const of = <A>(value: (question: Question) => A) => questions.map(value)
    const instants = (name: string, value: (question: Question) => number): Column => [
      name,
      sql`${of((question) => new Date(value(question)))}::timestamptz[]`
    ]
    const hours = (name: string, end: (span: Span) => number): ReadonlyArray<Column> => {
      const slots = of((question) => slotIn(question.plan?.total?.counted, end))
      return [
        [`${name}_month`, sql`${slots.map(({ month }) => month)}::date[]`],
        [`${name}_hours`, sql`${slots.map(({ hours }) => hours)}::int[]`]
      ]
    }
    return [
      ["device_id", sql`${of(({ deviceId }) => deviceId)}::text[]`],
      ...(plan === undefined
        ? []
        : [
            instants("span_from", ({ wanted }) => wanted.span.from),
            instants("span_to", ({ wanted }) => wanted.span.to)
          ]),
      ...(countLimit === undefined || plan?.total === undefined
        ? []
        : [
            ...hours("counted_from", ({ from }) => from),
            ...hours("counted_to", ({ to }) => to),
            ...restOf(plan).flatMap((_, place) => [
              instants(`rest_from_${place}`, (question) => restOf(question.plan)[place]!.from),
              instants(`rest_to_${place}`, (question) => restOf(question.plan)[place]!.to)
            ])
          ])
    ]
  }

  /** Questions of one kind: the statement has the text that each of them has. */
  const ask = (questions: ReadonlyArray<Question>) => {
    const [first] = questions as readonly [Question, ...Array<Question>]
    const { plan, wanted } = first
    const columns = columnsOf(questions)
    const isCounted = first.countLimit !== undefined && plan?.total !== undefined
    const stored = (name: string) =>
      before(sql`q.device_id`, { month: sql`q.${sql(`${name}_month`)}`, hours: sql`q.${sql(`${name}_hours`)}` })
    return sql<LookedRow>`SELECT q.n::int AS n, d.workspace_id AS "workspaceId", d.reference_id AS "referenceId",
        ${time("greatest(s.first_at, (SELECT kept_from FROM readings_floor))")} AS "firstAt", ${time("s.at")} AS "lastAt", ${time("s.counted_until")} AS "countedUntil",
        ${isCounted ? sql`(${stored("counted_to")} - ${stored("counted_from")})::float8` : sql.literal("0")} AS stored,
        ${isCounted ? counted(first) : sql.literal("0")} AS others, page.*
      FROM unnest(${sql.csv(columns.map(([, values]) => values))}) WITH ORDINALITY
          AS q (${sql.csv([...columns.map(([name]) => sql`${sql(name)}`), sql`n`])})
        CROSS JOIN LATERAL (SELECT id, workspace_id, reference_id FROM devices WHERE id = q.device_id LIMIT 1) AS d
        LEFT JOIN device_states s ON s.device_id = q.device_id
        CROSS JOIN LATERAL ${plan === undefined ? sql.literal("(SELECT NULL AS lines)") : page(plan.months, wanted)} AS page`
  }

  /** Undefined where the months of the questions, which are the same, are not to be had by themselves. */
  const answer = Effect.fnUntraced(function* (questions: ReadonlyArray<Question>) {
    const { plan, countLimit } = questions[0]!
    const rest = countLimit === undefined ? [] : restOf(plan)
    const nothing = questions.map(() => undefined)
    if (!(yield* areThere([...(plan?.months ?? []), ...rest.map(({ month }) => month)]))) return nothing
    const rows = yield* query(
      ask(questions).pipe(
        Effect.catch((error) => {
          if (!isGone(error)) return Effect.fail(error)
          known = new Set()
          return Effect.succeed(undefined)
        })
      )
    )
    if (rows === undefined) return nothing
    const found = new Map(rows.map((row) => [row.n, row]))
    return questions.map((_, place): Looked | null => {
      const row = found.get(place + 1)
      return row === undefined ? null : { ...row, readings: readingsOf(row.lines) }
    })
  })

  const asked = together(answer, { most: AT_MOST, atOnce: AT_ONCE })

  return {
    /**
     * What the plan says, with the state of the device at that very moment; null where there is no such device, undefined
     * where the plan's months are not to be had by themselves. Who asks alike at the same time shares the statement.
     */
    look: (
      deviceId: string,
      plan: HistoryPlan | undefined,
      wanted: Wanted,
      countLimit: number | undefined
    ): Effect.Effect<Looked | null | undefined> => {
      const question = { deviceId, plan, wanted, countLimit }
      return asked(kindOf(question), question)
    }
  }
})

export class HistoryPagesRepository extends Context.Service<HistoryPagesRepository, Effect.Success<typeof make>>()(
  "@edp/server/HistoryPagesRepository"
) {
  static readonly layer = Layer.effect(HistoryPagesRepository, make)
}
