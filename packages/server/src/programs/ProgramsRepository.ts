import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import type { ProgramFilters } from "@edp/domain/programs/Program"
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../platform/sql/lists.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { ProgramRow } from "./programRow.ts"
import { queryCount, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

export type Filters = Omit<Schema.Struct.Type<typeof ProgramFilters>, "page" | "perPage">

/** The fields to change. */
export type ProgramChanges = Partial<Omit<ProgramRow, "id" | "slug" | "organizationId" | "createdAt" | "updatedAt">>

const slugTaken = uniqueTo(
  "programs_slug_key",
  () => new DuplicateName({ message: "The slug is taken by another program" })
)

export const ProgramsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const columns = sql.literal(selectList(ProgramRow))

  const visibleTo = (organizationId: string) => sql`(visibility = 'PUBLIC' OR organization_id = ${organizationId})`
  const matching = (organizationId: string, { active, state, visibility }: Filters) =>
    sql.and([
      visibleTo(organizationId),
      ...(state === undefined ? [] : [sql`(states && ${state}::text[] OR states = '{}')`]),
      ...isAnyOf("visibility", visibility),
      ...(active === undefined ? [] : [sql`active = ${active === "true"}`])
    ])
  const json = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::json`

  return {
    list: (organizationId: string, filters: Filters, limit: number, offset: number) =>
      queryRows(ProgramRow)(sql`SELECT ${columns} FROM programs WHERE ${matching(organizationId, filters)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (organizationId: string, filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM programs
        WHERE ${matching(organizationId, filters)}`),
    get: (organizationId: string, slug: string) =>
      queryRows(ProgramRow)(sql`SELECT ${columns} FROM programs WHERE slug = ${slug} AND ${visibleTo(organizationId)}`),
    /** Locks the program against changes until the transaction ends. */
    lock: (organizationId: string, slug: string) =>
      queryRows(ProgramRow)(sql`SELECT ${columns} FROM programs
        WHERE slug = ${slug} AND ${visibleTo(organizationId)} FOR NO KEY UPDATE`),
    insert: (row: ProgramRow) =>
      sql`INSERT INTO programs (id, slug, name, description, states, active, visibility, organization_id, year,
          starts_at, ends_at, eligibility, created_at, updated_at)
        VALUES (${row.id}, ${row.slug}, ${row.name}, ${row.description}, ${row.states}::text[], ${row.active},
          ${row.visibility}, ${row.organizationId}, ${row.year}, ${row.startsAt}, ${row.endsAt},
          ${json(row.eligibility)}, ${row.createdAt}, ${row.updatedAt})`.pipe(slugTaken, query),
    update: (id: string, changes: ProgramChanges, now: Date) =>
      queryRows(ProgramRow)(
        sql`UPDATE programs SET ${sql.csv([
          ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
          ...(changes.description === undefined ? [] : [sql`description = ${changes.description}`]),
          ...(changes.states === undefined ? [] : [sql`states = ${changes.states}::text[]`]),
          ...(changes.active === undefined ? [] : [sql`active = ${changes.active}`]),
          ...(changes.visibility === undefined ? [] : [sql`visibility = ${changes.visibility}`]),
          ...(changes.year === undefined ? [] : [sql`year = ${changes.year}`]),
          ...(changes.startsAt === undefined ? [] : [sql`starts_at = ${changes.startsAt}`]),
          ...(changes.endsAt === undefined ? [] : [sql`ends_at = ${changes.endsAt}`]),
          ...(changes.eligibility === undefined ? [] : [sql`eligibility = ${json(changes.eligibility)}`]),
          sql`updated_at = ${now}`
        ])} WHERE id = ${id} RETURNING ${columns}`
      )
  }
})
