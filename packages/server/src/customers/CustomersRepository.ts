import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { anyOf, conditions, limited, prefixPattern } from "../platform/sql/lists.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { DeviceIdsOfCustomer } from "./DeviceIdsPort.ts"
import { type CustomerFields, CustomerRow, StoredCustomer, customerColumns, toCustomer } from "./customerRow.ts"
import { selectList } from "../platform/sql/selectList.ts"
import { type CustomerSite, customerTable } from "./customerTable.ts"
import { type NewCustomer, referenceTaken } from "./newCustomers.ts"
import { IdRow, countedRow, decodeRows, queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"

export interface Filters {
  readonly referenceId?: ReadonlyArray<string>
  readonly email?: string
  readonly siteId?: ReadonlyArray<string>
  /** A prefix of the first name, the last name or the e-mail address. */
  readonly q?: string
}

/** This many customers are collected and sorted in a few milliseconds. */
const FEW = 5_000

const uniqueReference = uniqueTo("customers_reference_key", referenceTaken)

const CountedCustomerRow = countedRow(CustomerRow)
const ByEmailsRow = Schema.Struct({ email: Schema.String, key: Schema.String, id: Schema.NullOr(Schema.String) })

export const CustomersRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is } = conditions(sql)
  const deviceIds = yield* DeviceIdsOfCustomer
  const devices = deviceIds(sql`customers.workspace_id`, sql`customers.id`)
  const columns = sql`${sql.literal(selectList(StoredCustomer, { emailUnconfirmed: "email_unproven" }))},
    ARRAY(SELECT site_id FROM customer_sites WHERE customer_id = customers.id ORDER BY site_id DESC) AS "connectedSiteIds",
    ARRAY(SELECT device.id FROM (${devices}) AS device ORDER BY device.id DESC) AS "connectedDeviceIds"`
  const rows = Effect.map((found: ReadonlyArray<CustomerRow>) => found.map(toCustomer))
  const row = (id: string, workspaceId: string, fields: CustomerFields, now: Date) => ({
    id,
    workspace_id: workspaceId,
    ...customerColumns(fields),
    created_at: now,
    updated_at: now
  })

  const begins = (q: string) => {
    const pattern = prefixPattern(q)
    return sql.or(["first_name", "last_name", "email"].map((name) => sql`lower(${sql(name)}) LIKE lower(${pattern})`))
  }
  const matching = (workspaceId: string, { referenceId, email, siteId, q }: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      // The index holds digests, because a reference may be longer than an index entry.
      ...(referenceId === undefined
        ? []
        : [
            sql`md5(reference_id) = ANY(ARRAY(SELECT md5(given) FROM unnest(${referenceId}::text[]) AS given))`,
            sql`reference_id = ANY(${referenceId}::text[])`
          ]),
      ...(email === undefined ? [] : [sql`lower(email) = lower(${email})`]),
      ...(siteId === undefined
        ? []
        : [sql`id IN (SELECT customer_id FROM customer_sites WHERE site_id = ANY(${siteId}::text[]))`]),
      ...(q === undefined ? [] : [begins(q)])
    ])

  /**
   * The planner would rather walk all customers by id until enough of them match: without end where few do. It can't walk
   * in the order of an expression, so it gathers the few and sorts.
   */
  const order = (filters: Filters, matches: number) =>
    Object.values(filters).some((given) => given !== undefined) && matches <= FEW ? sql`id || '' DESC` : sql`id DESC`

  return {
    requireCustomer: customerTable(sql).requireCustomer,
    /** A page of all customers with their total. */
    page: (workspaceId: string, limit: number, offset: number) =>
      queryRows(CountedCustomerRow)(sql`SELECT ${columns},
          (SELECT count(*)::int FROM customers WHERE workspace_id = ${workspaceId}) AS total
        FROM (SELECT * FROM customers WHERE workspace_id = ${workspaceId}
          ORDER BY id DESC ${limited(sql, limit, offset)}) AS customers ORDER BY id DESC`),
    // Planned for the actual values: only then can an index serve a prefix.
    list: (workspaceId: string, filters: Filters, matches: number, limit: number, offset: number) =>
      queryRows(CustomerRow)(
        sql`SELECT ${columns} FROM (SELECT * FROM customers WHERE ${matching(workspaceId, filters)}
          ORDER BY ${order(filters, matches)} LIMIT ${limit} OFFSET ${offset}) AS customers ORDER BY id DESC`.unprepared
      ).pipe(rows),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM customers
          WHERE ${matching(workspaceId, filters)}`.unprepared
      ),
    get: (workspaceId: string, id: string) =>
      queryRows(CustomerRow)(
        sql`SELECT ${columns} FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId}`
      ).pipe(rows),
    insert: (id: string, workspaceId: string, fields: CustomerFields, now: Date) =>
      sql`INSERT INTO customers ${sql.insert(row(id, workspaceId, fields, now))}`.pipe(uniqueReference, query),
    /** Returns the ids of the stored customers. Rows are inserted in the order of the reference, so that two such requests don't deadlock. */
    insertMany: (
      workspaceId: string,
      customers: ReadonlyArray<NewCustomer & { readonly id: string }>,
      now: Date
    ): Effect.Effect<ReadonlySet<string>, DatabaseUnavailable> => {
      if (customers.length === 0) return Effect.succeed(new Set())
      const given = JSON.stringify(customers.map(({ id, input }) => row(id, workspaceId, input, now)))
      const names = sql.literal(
        "id, workspace_id, reference_id, first_name, last_name, email, phone, created_at, updated_at"
      )
      return queryRows(IdRow)(sql`INSERT INTO customers (${names})
        SELECT ${names} FROM jsonb_populate_recordset(NULL::customers, ${given}::jsonb) ORDER BY md5(reference_id)
        ON CONFLICT (workspace_id, md5(reference_id)) DO NOTHING RETURNING id`).pipe(
        Effect.map((found) => new Set(found.map(({ id }) => id)))
      )
    },
    byIds: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(CustomerRow)(sql`SELECT ${columns} FROM customers WHERE id = ${anyOf(sql, ids)}
        AND workspace_id = ${workspaceId} ORDER BY id DESC`).pipe(rows),
    /**
     * The key of each e-mail address, which is equal for all its spellings, and the newest customer who has it; null if there is
     * none. Addresses that strangers typed do not count.
     */
    byEmails: (workspaceId: string, emails: ReadonlyArray<string>) =>
      queryRows(ByEmailsRow)(sql`
        SELECT given.email, lower(given.email) AS key, found.id FROM unnest(${emails}::text[]) AS given (email)
          LEFT JOIN LATERAL (SELECT id FROM customers WHERE workspace_id = ${workspaceId}
            AND lower(customers.email) = lower(given.email) AND NOT email_unproven ORDER BY id DESC LIMIT 1) AS found ON true`),
    /** Until the transaction ends, no other one of the workspace that does the same finds or creates customers by e-mail address. */
    holdEmails: (workspaceId: string) =>
      query(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`customers by e-mail ${workspaceId}`}, 0))`),
    /** Lets the customer be found by the e-mail address. */
    proveEmail: (workspaceId: string, id: string, now: Date) =>
      queryRows(CustomerRow)(sql`UPDATE customers SET email_unproven = false, updated_at = ${now}
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND email_unproven RETURNING ${columns}`).pipe(rows),
    /** The newest customers, at most a hundred, who have the e-mail address; those who may not have it do not count. */
    havingEmail: (workspaceId: string, email: string) =>
      queryIds(sql`SELECT id FROM customers WHERE workspace_id = ${workspaceId}
        AND lower(email) = lower(${email}) AND NOT email_unproven ORDER BY id DESC LIMIT 100`),
    existing: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(IdRow)(sql`SELECT id FROM customers WHERE id = ANY(${ids}::text[])
        AND workspace_id = ${workspaceId}`).pipe(
        Effect.map((found): ReadonlySet<string> => new Set(found.map(({ id }) => id)))
      ),
    /** The ids that the workspace has. Locks the customers in their order until the transaction ends: changes of them wait. */
    lockMany: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(IdRow)(sql`SELECT id FROM customers WHERE id = ANY(${ids}::text[])
        AND workspace_id = ${workspaceId} ORDER BY id FOR NO KEY UPDATE`).pipe(
        Effect.map((found): ReadonlySet<string> => new Set(found.map(({ id }) => id)))
      ),
    /** Locks the record until the transaction ends, so that changes of it run one after another. */
    lock: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    update: (workspaceId: string, id: string, changes: CustomerFields, now: Date) =>
      sql`UPDATE customers SET ${sql.update({ ...customerColumns(changes), updated_at: now })}
        WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING ${columns}`.pipe(
        decodeRows(CustomerRow),
        uniqueReference,
        query,
        rows
      ),
    remove: (workspaceId: string, id: string) =>
      query(sql`DELETE FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`)
  }
})

/** The associations of customers and sites. */
export const CustomerSitesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    link: customerTable(sql).link,
    /** Returns no row if they were not linked. */
    unlink: (workspaceId: string, { customerId, siteId }: CustomerSite) =>
      query(sql`DELETE FROM customer_sites
        WHERE customer_id = ${customerId} AND site_id = ${siteId} AND workspace_id = ${workspaceId} RETURNING site_id`)
  }
})
