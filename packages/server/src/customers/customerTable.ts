import { CustomerNotFound } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { query } from "../platform/sql/transaction.ts"
import { IdRow, queryRows } from "../platform/sql/rows.ts"

export const CustomerSite = Schema.Struct({ customerId: Schema.String, siteId: Schema.String })
export type CustomerSite = typeof CustomerSite.Type

const ReferenceIdRow = Schema.Struct({ referenceId: Schema.NullOr(Schema.String) })

/** Statements of later slices on customers and their associations with sites. */
export const customerTable = (sql: SqlClient.SqlClient) => ({
  /** Locks the row until the transaction ends, so that it is not deleted before something refers to it. */
  requireCustomer: (workspaceId: string, id: string) =>
    Effect.flatMap(
      query(sql`SELECT FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId} FOR KEY SHARE`),
      ([row]) => (row === undefined ? Effect.fail(new CustomerNotFound({})) : Effect.void)
    ),
  /** The customers that the workspace has. They are locked until the transaction ends, so that none is deleted meanwhile. */
  existing: (
    workspaceId: string,
    ids: ReadonlyArray<string>
  ): Effect.Effect<ReadonlySet<string>, DatabaseUnavailable> =>
    ids.length === 0
      ? Effect.succeed(new Set())
      : queryRows(IdRow)(sql`SELECT id FROM customers
          WHERE id = ANY(${[...new Set(ids)]}::text[]) AND workspace_id = ${workspaceId}
          ORDER BY id FOR KEY SHARE`).pipe(Effect.map((found) => new Set(found.map(({ id }) => id)))),
  /** Associates customers with sites of the workspace. Existing associations are kept. */
  link: (workspaceId: string, links: ReadonlyArray<CustomerSite>): Effect.Effect<void, DatabaseUnavailable> =>
    links.length === 0
      ? Effect.void
      : Effect.asVoid(
          query(sql`INSERT INTO customer_sites (workspace_id, customer_id, site_id)
            SELECT ${workspaceId}, customer, site FROM unnest(${links.map((one) => one.customerId)}::text[],
              ${links.map((one) => one.siteId)}::text[]) AS given (customer, site)
            ON CONFLICT DO NOTHING`)
        )
})

/** Lookups of the associations of customers with sites, and of customers by what identifies them. */
export const customerLookups = (sql: SqlClient.SqlClient) => ({
  /** The associations between the customers and the sites. */
  associated: (customerIds: ReadonlyArray<string>, siteIds: ReadonlyArray<string>) =>
    siteIds.length === 0
      ? Effect.succeed<ReadonlyArray<CustomerSite>>([])
      : queryRows(CustomerSite)(sql`SELECT customer_id AS "customerId", site_id AS "siteId" FROM customer_sites
          WHERE customer_id = ANY(${customerIds}::text[]) AND site_id = ANY(${siteIds}::text[])`),
  /** The newest site of a customer. */
  newestSite: (workspaceId: string, customerId: string) =>
    queryRows(IdRow)(sql`SELECT site_id AS id FROM customer_sites
      WHERE customer_id = ${customerId} AND workspace_id = ${workspaceId} ORDER BY site_id DESC LIMIT 1`).pipe(
      Effect.map(([row]) => row?.id)
    ),
  isCustomerOfSite: (workspaceId: string, customerId: string, siteId: string) =>
    query(sql`SELECT FROM customer_sites WHERE customer_id = ${customerId} AND site_id = ${siteId}
      AND workspace_id = ${workspaceId}`).pipe(Effect.map((rows) => rows.length > 0)),
  /** The customer of a reference, else of an e-mail address. */
  find: (workspaceId: string, referenceId: string, email: string | undefined) =>
    queryRows(IdRow)(sql`SELECT id FROM customers WHERE workspace_id = ${workspaceId}
        AND md5(reference_id) = md5(${referenceId}) AND reference_id = ${referenceId}`).pipe(
      Effect.flatMap(([found]) =>
        found !== undefined || email === undefined
          ? Effect.succeed(found?.id)
          : queryRows(IdRow)(sql`SELECT id FROM customers WHERE workspace_id = ${workspaceId}
              AND lower(email) = lower(${email}) AND NOT email_unproven ORDER BY id DESC LIMIT 1`).pipe(
              Effect.map(([row]) => row?.id)
            )
      )
    ),
  reference: (workspaceId: string, customerId: string) =>
    queryRows(ReferenceIdRow)(sql`SELECT reference_id AS "referenceId" FROM customers
      WHERE id = ${customerId} AND workspace_id = ${workspaceId}`).pipe(Effect.map(([row]) => row?.referenceId))
})

/** A query of the ids of the sites of customers. */
export const siteIdsOfCustomers = (sql: SqlClient.SqlClient, customerIds: ReadonlyArray<string>) =>
  sql`SELECT site_id FROM customer_sites WHERE customer_id = ANY(${customerIds}::text[])`

/** The ids of the customers of a site, newest first. */
export const customersOfSite = (sql: SqlClient.SqlClient, siteId: string) =>
  sql`ARRAY(SELECT customer_id FROM customer_sites WHERE site_id = ${sql(siteId)} ORDER BY customer_id DESC)`
