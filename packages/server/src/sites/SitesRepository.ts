import { SiteAlreadyExists } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { anyOf, conditions, limited, prefixPattern } from "../platform/sql/lists.ts"
import { customerTable, customersOfSite, siteIdsOfCustomers } from "../customers/customerTable.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { type SiteFields, SiteRow, StoredSite, siteColumns, toSite } from "./siteRow.ts"
import { selectList } from "../platform/sql/selectList.ts"
import { IdRow, countedRow, decodeRows, queryCount, queryRows } from "../platform/sql/rows.ts"

export interface Filters {
  readonly referenceIds: ReadonlyArray<string> | undefined
  readonly customerIds: ReadonlyArray<string> | undefined
  readonly stateKeys: ReadonlyArray<string> | undefined
  readonly postalKeys: ReadonlyArray<string> | undefined
  readonly tag: ReadonlyArray<string> | undefined
  /** A prefix of the name or of the first street line. */
  readonly q: string | undefined
}

/** This many sites are collected and sorted in a few milliseconds. */
const FEW = 5_000

const addressTaken = uniqueTo("sites_address_key", () => new SiteAlreadyExists({}))

const CountedSiteRow = countedRow(SiteRow)
const AddressHashRow = Schema.Struct({ addressHash: Schema.String })
const HashIdRow = Schema.Struct({ hash: Schema.String, id: Schema.String })

export const SitesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql`${sql.literal(selectList(StoredSite))}, ${customersOfSite(sql, "sites.id")} AS "customerIds",
    (SELECT coalesce(sum(devices), 0)::int FROM site_device_counts WHERE site_id = sites.id) AS "deviceCount"`
  const rows = Effect.map((found: ReadonlyArray<SiteRow>) => found.map(toSite))
  const row = (id: string, workspaceId: string, fields: SiteFields, now: Date) => ({
    id,
    workspace_id: workspaceId,
    ...siteColumns(fields),
    created_at: now,
    updated_at: now
  })

  const begins = (q: string) => {
    const pattern = prefixPattern(q)
    return sql`(lower(name) LIKE lower(${pattern}) OR lower(street_one) LIKE lower(${pattern}))`
  }
  /** The index holds prefixes, because a reference may be longer than an index entry. */
  const startsWithAny = ([first, ...others]: ReadonlyArray<string>) =>
    others.length === 0
      ? sql`left(reference_id, 200) = left(${first}, 200)`
      : sql`left(reference_id, 200) = ANY(ARRAY(
          SELECT left(given, 200) FROM unnest(${[first, ...others]}::text[]) AS given))`
  const matching = (workspaceId: string, filters: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      ...isAnyOf("reference_id", filters.referenceIds),
      ...(filters.referenceIds === undefined ? [] : [startsWithAny(filters.referenceIds)]),
      ...isAnyOf("state_key", filters.stateKeys),
      ...isAnyOf("postal_key", filters.postalKeys),
      ...(filters.tag === undefined ? [] : [sql`tags && ${filters.tag}::text[]`]),
      ...(filters.q === undefined ? [] : [begins(filters.q)]),
      ...(filters.customerIds === undefined ? [] : [sql`id IN (${siteIdsOfCustomers(sql, filters.customerIds)})`])
    ])

  /**
   * The indexes of tags, beginnings and customers know no order, and the planner would rather walk all sites by id until enough of
   * them match: without end where few do. It can't walk in the order of an expression, so it gathers the few and sorts.
   */
  const order = ({ tag, q, customerIds }: Filters, matches: number) =>
    [tag, q, customerIds].some((given) => given !== undefined) && matches <= FEW ? sql`id || '' DESC` : sql`id DESC`

  return {
    /** A page of all sites with their total. */
    page: (workspaceId: string, limit: number, offset: number) =>
      queryRows(CountedSiteRow)(sql`SELECT ${columns},
          (SELECT count(*)::int FROM sites WHERE workspace_id = ${workspaceId}) AS total
        FROM (SELECT * FROM sites WHERE workspace_id = ${workspaceId} ORDER BY id DESC ${limited(sql, limit, offset)})
          AS sites ORDER BY id DESC`),
    // Planned for the actual values: only then can an index serve a prefix.
    list: (workspaceId: string, filters: Filters, matches: number, limit: number, offset: number) =>
      queryRows(SiteRow)(
        sql`SELECT ${columns} FROM (SELECT * FROM sites WHERE ${matching(workspaceId, filters)}
          ORDER BY ${order(filters, matches)} LIMIT ${limit} OFFSET ${offset}) AS sites ORDER BY id DESC`.unprepared
      ).pipe(rows),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM sites
          WHERE ${matching(workspaceId, filters)}`.unprepared
      ),
    get: (workspaceId: string, id: string) =>
      queryRows(SiteRow)(sql`SELECT ${columns} FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(
        rows
      ),
    /** Sites of any workspace. The caller must check that they may be seen. */
    load: (ids: ReadonlyArray<string>) =>
      queryRows(SiteRow)(sql`SELECT ${columns} FROM sites WHERE id = ${anyOf(sql, ids)}`).pipe(rows),
    byIds: (workspaceId: string, ids: ReadonlyArray<string>) =>
      queryRows(
        SiteRow
      )(sql`SELECT ${columns} FROM sites WHERE id = ${anyOf(sql, ids)} AND workspace_id = ${workspaceId}
        ORDER BY id DESC`).pipe(rows),
    addressHash: (workspaceId: string, id: string) =>
      queryRows(AddressHashRow)(sql`SELECT address_hash AS "addressHash" FROM sites
        WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** The sites that have these addresses, by address hash. */
    taken: (workspaceId: string, hashes: ReadonlyArray<string>) =>
      queryRows(HashIdRow)(sql`SELECT address_hash AS hash, id FROM sites
          WHERE workspace_id = ${workspaceId} AND address_hash = ANY(${hashes}::text[])`).pipe(
        Effect.map((found) => new Map(found.map(({ hash, id }) => [hash, id])))
      ),
    insert: (id: string, workspaceId: string, fields: SiteFields, now: Date) =>
      sql`INSERT INTO sites ${sql.insert(row(id, workspaceId, fields, now))}
        RETURNING ${columns}`.pipe(decodeRows(SiteRow), addressTaken, query, rows),
    /** Returns the ids of the stored sites. Rows are inserted in the order of the address, so that two such requests don't deadlock. */
    insertMany: (
      workspaceId: string,
      sites: ReadonlyArray<SiteFields & { readonly id: string }>,
      now: Date
    ): Effect.Effect<ReadonlySet<string>, DatabaseUnavailable> => {
      const rows = sites.map((site) => row(site.id, workspaceId, site, now))
      if (rows.length === 0) return Effect.succeed(new Set())
      const names = sql.literal(Object.keys(rows[0]!).join(", "))
      return queryRows(IdRow)(sql`INSERT INTO sites (${names})
        SELECT ${names} FROM jsonb_populate_recordset(NULL::sites, ${JSON.stringify(rows)}::jsonb)
        ORDER BY address_hash ON CONFLICT ON CONSTRAINT sites_address_key DO NOTHING RETURNING id`).pipe(
        Effect.map((found) => new Set(found.map(({ id }) => id)))
      )
    },
    /** Locks the record until the transaction ends, so that changes of it run one after another. */
    lock: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** Transactions that are about to refer to the site wait, and find it deleted. */
    lockForRemoval: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} FOR UPDATE`),
    /** Changes the site if its address still has the given hash. */
    update: (workspaceId: string, id: string, addressHash: string, changes: Partial<SiteFields>, now: Date) =>
      sql`UPDATE sites SET ${sql.update({ ...siteColumns(changes), updated_at: now })}
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND address_hash = ${addressHash}
        RETURNING ${columns}`.pipe(decodeRows(SiteRow), addressTaken, query, rows),
    remove: (workspaceId: string, id: string) =>
      sql`DELETE FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`
  }
})

/** The customers that new sites are associated with. */
export const SiteCustomersRepository = Effect.gen(function* () {
  const customers = customerTable(yield* SqlClient.SqlClient)

  return {
    requireCustomer: customers.requireCustomer,
    existing: customers.existing,
    link: customers.link
  }
})
