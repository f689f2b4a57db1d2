import { SiteAlreadyExists } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { conditions, prefixPattern } from "../platform/sql/lists.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { siteColumns, type SiteFields, type SiteRow, toSite } from "./siteRow.ts"

export interface Filters {
  readonly referenceIds: ReadonlyArray<string> | undefined
  readonly customerIds: ReadonlyArray<string> | undefined
  readonly stateKeys: ReadonlyArray<string> | undefined
  readonly postalKeys: ReadonlyArray<string> | undefined
  readonly tag: ReadonlyArray<string> | undefined
  /** Beginning of the name or of the first street line. */
  readonly q: string | undefined
}

/** So many sites are gathered and sorted in a few milliseconds. */
const FEW = 5_000

const addressTaken = uniqueTo("sites_address_key", () => new SiteAlreadyExists({}))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(`id, workspace_id AS "workspaceId", name, reference_id AS "referenceId",
    street_one AS "streetOne", street_two AS "streetTwo", city, state, postal_code AS "postalCode", country,
    latitude, longitude, timezone, tags, created_at AS "createdAt", updated_at AS "updatedAt",
    ARRAY(SELECT customer_id FROM customer_sites WHERE site_id = sites.id ORDER BY customer_id DESC) AS "customerIds",
    (SELECT count(*)::int FROM devices
      WHERE devices.site_id = sites.id AND devices.workspace_id = sites.workspace_id) AS "deviceCount"`)
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
  /** The index holds beginnings, because a reference may be longer than an entry of an index. */
  const startsAsOneOf = ([first, ...others]: ReadonlyArray<string>) =>
    others.length === 0
      ? sql`left(reference_id, 200) = left(${first}, 200)`
      : sql`left(reference_id, 200) = ANY(ARRAY(
          SELECT left(given, 200) FROM unnest(${[first, ...others]}::text[]) AS given))`
  const matching = (workspaceId: string, filters: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      ...isAnyOf("reference_id", filters.referenceIds),
      ...(filters.referenceIds === undefined ? [] : [startsAsOneOf(filters.referenceIds)]),
      ...isAnyOf("state_key", filters.stateKeys),
      ...isAnyOf("postal_key", filters.postalKeys),
      ...(filters.tag === undefined ? [] : [sql`tags && ${filters.tag}::text[]`]),
      ...(filters.q === undefined ? [] : [begins(filters.q)]),
      ...(filters.customerIds === undefined
        ? []
        : [sql`id IN (SELECT site_id FROM customer_sites WHERE customer_id = ANY(${filters.customerIds}::text[]))`])
    ])

  /**
   * The indexes of tags, beginnings and customers know no order, and the planner would rather walk all sites by id until enough of
   * them match: without end where few do. It can't walk in the order of an expression, so it gathers the few and sorts.
   */
  const order = ({ tag, q, customerIds }: Filters, matches: number) =>
    [tag, q, customerIds].some((given) => given !== undefined) && matches <= FEW ? sql`id || '' DESC` : sql`id DESC`

  return {
    // Lists are planned for their very values: only then does an index serve the beginning of a text.
    list: (workspaceId: string, filters: Filters, matches: number, limit: number, offset: number) =>
      query(
        sql<SiteRow>`SELECT ${columns} FROM (SELECT * FROM sites WHERE ${matching(workspaceId, filters)}
          ORDER BY ${order(filters, matches)} LIMIT ${limit} OFFSET ${offset}) AS sites ORDER BY id DESC`.unprepared
      ).pipe(rows),
    count: (workspaceId: string, filters: Filters) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM sites
          WHERE ${matching(workspaceId, filters)}`.unprepared
      ).pipe(Effect.map(([row]) => row!.n)),
    get: (workspaceId: string, id: string) =>
      query(sql<SiteRow>`SELECT ${columns} FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(rows),
    byIds: (workspaceId: string, ids: ReadonlyArray<string>) =>
      query(sql<SiteRow>`SELECT ${columns} FROM sites WHERE id = ANY(${ids}::text[]) AND workspace_id = ${workspaceId}
        ORDER BY id DESC`).pipe(rows),
    addressHash: (workspaceId: string, id: string) =>
      query(sql<{ readonly addressHash: string }>`SELECT address_hash AS "addressHash" FROM sites
        WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** Which of the addresses there are, and the sites that have them. */
    taken: (workspaceId: string, hashes: ReadonlyArray<string>) =>
      query(
        sql<{ readonly hash: string; readonly id: string }>`SELECT address_hash AS hash, id FROM sites
          WHERE workspace_id = ${workspaceId} AND address_hash = ANY(${hashes}::text[])`
      ).pipe(Effect.map((found) => new Map(found.map(({ hash, id }) => [hash, id])))),
    insert: (id: string, workspaceId: string, fields: SiteFields, now: Date) =>
      sql<SiteRow>`INSERT INTO sites ${sql.insert(row(id, workspaceId, fields, now))}
        RETURNING ${columns}`.pipe(addressTaken, query, rows),
    /** Answers the ids of those whose address nobody has. In its order, so that two such requests don't deadlock. */
    insertMany: (
      workspaceId: string,
      sites: ReadonlyArray<SiteFields & { readonly id: string }>,
      now: Date
    ): Effect.Effect<ReadonlySet<string>> => {
      const rows = sites.map((site) => row(site.id, workspaceId, site, now))
      if (rows.length === 0) return Effect.succeed(new Set())
      const names = sql.literal(Object.keys(rows[0]!).join(", "))
      return query(sql<{ readonly id: string }>`INSERT INTO sites (${names})
        SELECT ${names} FROM jsonb_populate_recordset(NULL::sites, ${JSON.stringify(rows)}::jsonb)
        ORDER BY address_hash ON CONFLICT ON CONSTRAINT sites_address_key DO NOTHING RETURNING id`).pipe(
        Effect.map((found) => new Set(found.map(({ id }) => id)))
      )
    },
    /** Held until the transaction ends, so that its changes come one after another. */
    lock: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** Whoever is about to refer to it waits, and finds it gone. */
    lockForRemoval: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} FOR UPDATE`),
    /** Changes the site while its address is still the one whose hash is given. */
    update: (workspaceId: string, id: string, addressHash: string, changes: Partial<SiteFields>, now: Date) =>
      sql<SiteRow>`UPDATE sites SET ${sql.update({ ...siteColumns(changes), updated_at: now })}
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND address_hash = ${addressHash}
        RETURNING ${columns}`.pipe(addressTaken, query, rows),
    remove: (workspaceId: string, id: string) =>
      sql`DELETE FROM sites WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`
  }
})

export class SitesRepository extends Context.Service<SitesRepository, Effect.Success<typeof make>>()(
  "@edp/server/SitesRepository"
) {
  static readonly layer = Layer.effect(SitesRepository, make)
}
