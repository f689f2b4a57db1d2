import type { Organization } from "@edp/domain/organizations/Organization"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { iso } from "../platform/sql/records.ts"
import { query } from "../platform/sql/transaction.ts"

interface OrganizationRow extends Omit<Organization, "createdAt" | "updatedAt"> {
  readonly createdAt: Date
  readonly updatedAt: Date
}

const toOrganization = (row: OrganizationRow): Organization => ({
  ...row,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`id, name, created_at AS "createdAt", updated_at AS "updatedAt"`)
  const rows = Effect.map((found: ReadonlyArray<OrganizationRow>) => found.map(toOrganization))

  return {
    get: (id: string) => query(sql<OrganizationRow>`SELECT ${columns} FROM organizations WHERE id = ${id}`).pipe(rows),
    /** Holds the organization against other changes until the end of the transaction. */
    lock: (id: string) =>
      query(sql<OrganizationRow>`SELECT ${columns} FROM organizations WHERE id = ${id} FOR NO KEY UPDATE`).pipe(rows),
    rename: (id: string, name: string, now: Date) =>
      query(sql<OrganizationRow>`UPDATE organizations SET name = ${name}, updated_at = ${now}
        WHERE id = ${id} RETURNING ${columns}`).pipe(rows)
  }
})

export class OrganizationsRepository extends Context.Service<OrganizationsRepository, Effect.Success<typeof make>>()(
  "@edp/server/OrganizationsRepository"
) {
  static readonly layer = Layer.effect(OrganizationsRepository, make)
}
