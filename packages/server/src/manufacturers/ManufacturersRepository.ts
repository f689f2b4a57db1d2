import { invalid } from "@edp/domain/errors/ApiErrors"
import { Manufacturer, type UpdateManufacturer } from "@edp/domain/manufacturers/Manufacturer"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows, queryCount, queryRows } from "../platform/sql/rows.ts"
import { firstOrganizationId } from "../workspaces/workspaceTable.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { selectList } from "../platform/sql/selectList.ts"

const slugTaken = uniqueTo("manufacturers_pkey", () => invalid({ slug: "Is taken by another manufacturer" }))

const Owner = Schema.Struct({ owner: Schema.NullOr(Schema.String), first: Schema.NullOr(Schema.String) })
type Owner = typeof Owner.Type

/** An adapter that can connect its manufacturer's devices. */
export interface ConfirmingAdapter {
  readonly slug: string
  /** Seconds within which a device confirms a command. */
  readonly confirmWithin: number
}

/** A PostgreSQL interval. */
const seconds = (n: number) => `${n} seconds`

export const ManufacturersRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(Manufacturer, { onlineWindow: "extract(epoch FROM online_window)::int" }))
  const rows = decodeRows(Manufacturer)

  return {
    list: (limit: number, offset: number) =>
      query(sql`SELECT ${columns} FROM manufacturers ORDER BY slug LIMIT ${limit} OFFSET ${offset}`).pipe(rows),
    count: queryCount(sql`SELECT count(*)::int AS n FROM manufacturers`),
    get: (slug: string) => query(sql`SELECT ${columns} FROM manufacturers WHERE slug = ${slug}`).pipe(rows),
    /** Locks the manufacturer until the transaction ends. */
    lock: (slug: string) =>
      query(sql`SELECT ${columns} FROM manufacturers WHERE slug = ${slug} FOR NO KEY UPDATE`).pipe(rows),
    /** The owning organization, null for the catalogue's, and the deployment's first organization. */
    owner: (slug: string) =>
      queryRows(Owner)(sql`SELECT organization_id AS owner, (${firstOrganizationId(sql)}) AS first
        FROM manufacturers WHERE slug = ${slug}`),
    insert: (manufacturer: Manufacturer, confirmWithin: number, organizationId: string, now: Date) =>
      sql`INSERT INTO manufacturers
          (slug, name, device_types, connectable, direct_integration, logo_url, online_window, confirm_within,
            organization_id, created_at, updated_at)
        VALUES (${manufacturer.slug}, ${manufacturer.name}, ${manufacturer.deviceTypes}::text[],
          ${manufacturer.connectable}, ${manufacturer.directIntegration}, ${manufacturer.logoUrl},
          ${seconds(manufacturer.onlineWindow)}, ${confirmWithin}, ${organizationId}, ${now}, ${now})
        RETURNING ${columns}`.pipe(slugTaken, query, rows),
    update: (slug: string, changes: UpdateManufacturer, now: Date) =>
      query(
        sql`UPDATE manufacturers SET ${sql.update({
          ...(changes.name !== undefined && { name: changes.name }),
          ...(changes.deviceTypes !== undefined && { device_types: changes.deviceTypes }),
          ...(changes.directIntegration !== undefined && { direct_integration: changes.directIntegration }),
          ...(changes.logoUrl !== undefined && { logo_url: changes.logoUrl }),
          ...(changes.onlineWindow !== undefined && { online_window: seconds(changes.onlineWindow) }),
          updated_at: now
        })} WHERE slug = ${slug} RETURNING ${columns}`
      ).pipe(rows),
    /**
     * Manufacturers that can be connected, and no others, and how soon their devices confirm a command, in seconds: `otherwise` those
     * without an adapter. Nothing is confirmed after the time-out.
     */
    setConnectable: (adapters: ReadonlyArray<ConfirmingAdapter>, timeout: number, otherwise: number, now: Date) =>
      query(sql`UPDATE manufacturers SET connectable = wanted.connectable, confirm_within = wanted."confirmWithin",
          updated_at = ${now}
        FROM (SELECT m.slug, given.slug IS NOT NULL AS connectable,
            CASE WHEN given.slug IS NULL THEN ${otherwise}::integer
              ELSE least(given."confirmWithin", ${timeout}::integer) END AS "confirmWithin" FROM manufacturers m
          LEFT JOIN jsonb_to_recordset(${JSON.stringify(adapters)}::jsonb) AS given (slug text, "confirmWithin" integer)
            USING (slug)) AS wanted
        WHERE wanted.slug = manufacturers.slug AND (manufacturers.connectable, manufacturers.confirm_within)
          <> (wanted.connectable, wanted."confirmWithin")`),
    /** Existing manufacturers stay unchanged, also under concurrent inserts. */
    insertMissing: (manufacturers: ReadonlyArray<Omit<Manufacturer, "onlineWindow">>, now: Date) =>
      query(sql`INSERT INTO manufacturers
          (slug, name, device_types, connectable, direct_integration, logo_url, created_at, updated_at)
        SELECT slug, name, ARRAY(SELECT jsonb_array_elements_text("deviceTypes")), connectable, "directIntegration",
          "logoUrl", ${now}, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(manufacturers)}::jsonb) AS given (slug text, name text,
          "deviceTypes" jsonb, connectable boolean, "directIntegration" boolean, "logoUrl" text)
        ORDER BY slug ON CONFLICT DO NOTHING`)
  }
})
