import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import type { ProgramInstanceFilters } from "@edp/domain/programs/ProgramInstance"
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../platform/sql/lists.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { InstanceRow, type StoredInstance } from "./instanceRow.ts"
import { queryCount, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

export type Filters = Omit<Schema.Struct.Type<typeof ProgramInstanceFilters>, "page" | "perPage">

/** The fields to change. */
export type InstanceChanges = Partial<
  Pick<
    StoredInstance,
    | "title"
    | "description"
    | "eligibilityCriteria"
    | "programTerms"
    | "termsVersion"
    | "enrollmentPeriods"
    | "customFields"
    | "status"
  >
>

const slugTaken = uniqueTo(
  "program_instances_slug_key",
  () => new DuplicateName({ message: "The workspace has a program instance of this slug" })
)

export const ProgramInstancesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(
    selectList(
      InstanceRow,
      {
        programSlug: "p.slug",
        programName: "p.name",
        programActive: "p.active",
        programStartsAt: "p.starts_at",
        programEndsAt: "p.ends_at",
        states: "p.states",
        eligibility: "p.eligibility"
      },
      "i"
    )
  )
  const joined = sql.literal("program_instances i JOIN programs p ON p.id = i.program_id")

  const matching = (workspaceId: string, { programSlug, slug, status }: Filters) =>
    sql.and([
      ...is("i.workspace_id", workspaceId),
      ...isAnyOf("p.slug", programSlug),
      ...isAnyOf("i.slug", slug),
      ...isAnyOf("i.status", status)
    ])
  const inWorkspace = (workspaceId: string, id: string) => sql`i.id = ${id} AND i.workspace_id = ${workspaceId}`
  const json = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::json`

  return {
    list: (workspaceId: string, filters: Filters, limit: number, offset: number) =>
      queryRows(InstanceRow)(sql`SELECT ${columns} FROM ${joined} WHERE ${matching(workspaceId, filters)}
        ORDER BY i.id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM ${joined}
        WHERE ${matching(workspaceId, filters)}`),
    get: (workspaceId: string, id: string) =>
      queryRows(InstanceRow)(sql`SELECT ${columns} FROM ${joined} WHERE ${inWorkspace(workspaceId, id)}`),
    byPageSlug: (pageSlug: string) =>
      queryRows(InstanceRow)(sql`SELECT ${columns} FROM ${joined} WHERE i.page_slug = ${pageSlug}`),
    /** Locks the instance and its program against changes and deletion until the transaction ends. */
    hold: (workspaceId: string, id: string) =>
      queryRows(InstanceRow)(sql`SELECT ${columns} FROM ${joined} WHERE ${inWorkspace(workspaceId, id)} FOR SHARE`),
    /** Locks the instance alone, also against new enrollments and dispatches, until the transaction ends. */
    lock: (workspaceId: string, id: string) =>
      queryRows(InstanceRow)(
        sql`SELECT ${columns} FROM ${joined} WHERE ${inWorkspace(workspaceId, id)} FOR UPDATE OF i`
      ),
    /** Returns no row if another instance has the name of the page. */
    insert: (row: StoredInstance) =>
      sql`INSERT INTO program_instances (id, workspace_id, program_id, slug, page_slug, title, description,
          eligibility_criteria, program_terms, terms_version, enrollment_periods, custom_fields, status, created_at,
          updated_at)
        VALUES (${row.id}, ${row.workspaceId}, ${row.programId}, ${row.slug}, ${row.pageSlug}, ${row.title},
          ${row.description}, ${row.eligibilityCriteria}, ${row.programTerms}, ${row.termsVersion},
          ${json(row.enrollmentPeriods)}, ${json(row.customFields)}, ${row.status}, ${row.createdAt}, ${row.updatedAt})
        ON CONFLICT (page_slug) DO NOTHING RETURNING id`.pipe(slugTaken, query),
    update: (id: string, changes: InstanceChanges, now: Date) =>
      query(
        sql`UPDATE program_instances SET ${sql.csv([
          ...(changes.title === undefined ? [] : [sql`title = ${changes.title}`]),
          ...(changes.description === undefined ? [] : [sql`description = ${changes.description}`]),
          ...(changes.eligibilityCriteria === undefined
            ? []
            : [sql`eligibility_criteria = ${changes.eligibilityCriteria}`]),
          ...(changes.programTerms === undefined ? [] : [sql`program_terms = ${changes.programTerms}`]),
          ...(changes.termsVersion === undefined ? [] : [sql`terms_version = ${changes.termsVersion}`]),
          ...(changes.enrollmentPeriods === undefined
            ? []
            : [sql`enrollment_periods = ${json(changes.enrollmentPeriods)}`]),
          ...(changes.customFields === undefined ? [] : [sql`custom_fields = ${json(changes.customFields)}`]),
          ...(changes.status === undefined ? [] : [sql`status = ${changes.status}`]),
          sql`updated_at = ${now}`
        ])} WHERE id = ${id}`
      ),
    remove: (id: string) => query(sql`DELETE FROM program_instances WHERE id = ${id}`)
  }
})
