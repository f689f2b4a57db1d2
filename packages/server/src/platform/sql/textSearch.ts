import { Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import { limited, prefixPattern } from "./lists.ts"
import { queryRows } from "./rows.ts"
import { query, transactionsOn } from "./transaction.ts"

/** A record whose texts contain the words of a search, or similar ones. */
export interface SearchedRecord<Field extends string> {
  readonly id: string
  readonly name: string
  /** Tells apart records of the same name. */
  readonly detail: string
  /** The searched fields, from the most telling one to the least. */
  readonly fields: ReadonlyArray<readonly [field: Field, value: string]>
}

/** A table in which texts are searched. Expressions name no parameters: they are those of indexes. */
export interface SearchedTable<Row, Field extends string> {
  readonly table: string
  /** The condition of rows that are found; all by default. */
  readonly condition?: string
  /** The searched fields in lower case, each after a space: `searchedText`. */
  readonly text: string
  /** Whether the table has an index for `text`, as migration 0122 makes them. Without one only the newest rows are searched. */
  readonly isIndexed: boolean
  /** Expressions whose beginnings an index has in this order. */
  readonly beginnings: ReadonlyArray<{ readonly value: string; readonly order: string }>
  /** Columns whose values an index has: who types a whole number wants its record. */
  readonly numbers: ReadonlyArray<string>
  /** The columns of rows that were found, of the table and of what is joined to it. */
  readonly columns: string
  readonly joins: string
  readonly row: Schema.Codec<Row, unknown>
  readonly toRecord: (row: Row) => SearchedRecord<Field>
}

/**
 * An expression of several columns in lower case, each after a space. The default collation knows letters beyond ASCII; a column of
 * another one would decide for all of them.
 */
export const searchedText = (required: ReadonlyArray<string>, optional: ReadonlyArray<string> = []) =>
  `lower((${[...required, ...optional.map((column) => `COALESCE(${column}, '')`)]
    .map((column) => `' ' || ${column}`)
    .join(" || ")}) COLLATE "default")`

/** The words of a query; of more than eight the first. */
export const searchWords = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/\s+/)
      .filter((word) => word !== "")
      .slice(0, 8)
  )
]

/** A workspace's newest rows, which are searched one by one, and about as many of the whole table. */
const TESTED = 300

/** The same for similar words, which take three times as long to find. */
const TESTED_SIMILAR = 100

/** The share of the tested rows that has to match for the index, which lists all matches, to be left alone. */
const COMMON = 0.08

/** Bytes that a row of a searched table takes with some others around it: samples are of whole pages. */
const ROW_BYTES = 300

/** Rows of a table that are ranked. */
const CANDIDATES = 40

/** The share of the three-letter parts of a word that a similar one has: five letters may have a wrong one in the middle. */
const SIMILARITY = 0.5

/** Words of fewer letters have too few parts to be similar to anything. */
const SHORTEST_SIMILAR = 4

/** Milliseconds after which a statement is ended. */
const STATEMENT_TIMEOUT = 5000

const containing = (word: string) => `${word.length < 3 ? "% " : "%"}${prefixPattern(word)}`

/**
 * Searches texts by their parts. An index lists all matches of a workspace before the first is read, which takes long for what many rows contain.
 * Therefore the newest rows are read first, then a sample of all, and the index is used only if these have too few matches.
 */
export const makeTextSearch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transaction = transactionsOn(sql)

  const contains = (text: Statement.Fragment, words: ReadonlyArray<string>) =>
    sql.and(words.map((word) => sql`${text} LIKE lower(${containing(word)}::text)`))

  const isSimilar = (text: Statement.Fragment, words: ReadonlyArray<string>) =>
    sql.and(
      words.map((word) =>
        word.length < SHORTEST_SIMILAR ? contains(text, [word]) : sql`lower(${word}::text) <% ${text}`
      )
    )

  type Matches = (text: Statement.Fragment) => Statement.Fragment

  /** Candidates among the newest rows, in a sample and by the index, until there are enough. `more` are queries of further ids. */
  const statement = <Row, Field extends string>(
    searched: SearchedTable<Row, Field>,
    workspaceId: string,
    matches: Matches,
    tested: number,
    more: ReadonlyArray<Statement.Fragment>,
    order: Statement.Fragment
  ) => {
    const table = sql(searched.table)
    const text = sql.literal(searched.text)
    const condition = searched.condition === undefined ? sql`` : sql.literal(` AND ${searched.condition}`)
    const matching = sql`${matches(text)} ${condition} AND (SELECT count(*) FROM newest) = ${tested}::int`
    const enough = tested * COMMON
    const share = sql`least(100, ${tested * ROW_BYTES * 100}::float8 / greatest(pg_relation_size(${searched.table}::regclass), 1))`
    // The expression of the workspace is in the index of texts alone: no other index can lead to these rows.
    const indexed = sql`SELECT id FROM ${table} WHERE workspace_id || '' = ${workspaceId} AND ${matching}
      AND (SELECT count(*) FROM near) + (SELECT count(*) FROM sampled) < ${enough}::int ${limited(sql, CANDIDATES)}`
    const found = [
      ...more,
      sql`SELECT id FROM near`,
      ...(searched.isIndexed ? [sql`SELECT id FROM sampled`, sql`(${indexed})`] : [])
    ].reduce((all, each) => sql`${all} UNION ${each}`)
    return sql`WITH newest AS MATERIALIZED (
        SELECT id, ${text} AS content FROM ${table} WHERE workspace_id = ${workspaceId} ${condition}
        ORDER BY id DESC ${limited(sql, tested)}),
      near AS MATERIALIZED (SELECT id FROM newest WHERE ${matches(sql`content`)} ${limited(sql, CANDIDATES)}),
      sampled AS MATERIALIZED (
        SELECT id FROM ${table} TABLESAMPLE SYSTEM (${share}) REPEATABLE (0)
        WHERE workspace_id = ${workspaceId} AND ${matching} AND (SELECT count(*) FROM near) < ${enough}::int
        ${limited(sql, CANDIDATES)}),
      found AS MATERIALIZED (${found})
      SELECT ${sql.literal(searched.columns)} FROM found JOIN ${table} USING (id) ${sql.literal(searched.joins)}
      ORDER BY ${order} ${limited(sql, CANDIDATES * (2 + more.length))}`.unprepared
  }

  const read = <Row, Field extends string>(
    searched: SearchedTable<Row, Field>,
    rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
  ): Effect.Effect<ReadonlyArray<SearchedRecord<Field>>, DatabaseUnavailable> =>
    Effect.map(queryRows(searched.row)(rows), (found) => found.map(searched.toRecord))

  return {
    /** Runs searches with their settings: indexes are used whatever their use seems to cost. */
    searching: <A, E, R>(search: Effect.Effect<A, E, R>) =>
      transaction(
        Effect.andThen(
          query(sql`SELECT set_config('enable_seqscan', 'off', true), set_config('statement_timeout', ${String(STATEMENT_TIMEOUT)}, true),
            set_config('pg_trgm.word_similarity_threshold', ${String(SIMILARITY)}, true)`),
          search
        )
      ),
    /** Records that contain all words. Those whose fields begin with the whole text are among them, and the one with this id. */
    containing: <Row, Field extends string>(
      searched: SearchedTable<Row, Field>,
      workspaceId: string,
      whole: string,
      words: ReadonlyArray<string>
    ) => {
      const table = sql(searched.table)
      const condition = searched.condition === undefined ? sql`` : sql.literal(` AND ${searched.condition}`)
      const begun = searched.beginnings.map(
        ({ order, value }) => sql`(SELECT id FROM ${table} WHERE workspace_id = ${workspaceId}
          AND ${sql.literal(value)} LIKE lower(${prefixPattern(whole)}::text) ${condition}
          ORDER BY ${sql.literal(order)} ${limited(sql, CANDIDATES)})`
      )
      const numbered = searched.numbers.map(
        (
          column
        ) => sql`(SELECT id FROM ${table} WHERE workspace_id = ${workspaceId} AND ${sql.literal(column)} = ${whole}
          ${condition} ORDER BY id DESC ${limited(sql, CANDIDATES)})`
      )
      const named = sql`SELECT id FROM ${table} WHERE id = ${whole} AND workspace_id = ${workspaceId} ${condition}`
      const matches = (text: Statement.Fragment) => contains(text, words)
      return read(
        searched,
        statement(searched, workspaceId, matches, TESTED, [named, ...numbered, ...begun], sql`id DESC`)
      )
    },
    /** Records with words that are similar to all words, the most similar ones first. */
    similar: <Row, Field extends string>(
      searched: SearchedTable<Row, Field>,
      workspaceId: string,
      words: ReadonlyArray<string>
    ) => {
      const text = sql.literal(searched.text)
      const similarity = words
        .map((word) => sql`word_similarity(lower(${word}::text), ${text})`)
        .reduce((sum, each) => sql`${sum} + ${each}`)
      const matches = (searchedIn: Statement.Fragment) => isSimilar(searchedIn, words)
      return read(
        searched,
        statement(searched, workspaceId, matches, TESTED_SIMILAR, [], sql`${similarity} DESC, id DESC`)
      )
    }
  }
})
