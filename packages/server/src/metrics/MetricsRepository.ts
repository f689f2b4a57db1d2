import type { CollectionType, Criteria } from "@edp/domain/collections/criteria"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { conditions } from "../sql/conditions.ts"
import { customerDeviceIds } from "../sql/customerDevices.ts"
import { memberSql } from "../sql/memberSql.ts"
import { query } from "../sql/transaction.ts"

/** Devices of a workspace that meet every condition. */
export interface MetricSelection {
  readonly workspaceId: string
  readonly types: ReadonlyArray<DeviceType>
  readonly deviceIds: ReadonlyArray<string> | undefined
  readonly siteIds: ReadonlyArray<string> | undefined
  readonly customerIds: ReadonlyArray<string> | undefined
  readonly collections: ReadonlyArray<MetricCollection> | undefined
  readonly tags: ReadonlyArray<string> | undefined
}

export interface MetricCollection {
  readonly id: string
  readonly collectionType: CollectionType
  readonly dynamic: boolean
  readonly criteria: Criteria
}

export interface SelectedDevice {
  readonly id: string
  readonly type: DeviceType
  readonly siteId: string | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const { members } = memberSql(sql)

  const count = (table: "devices" | "sites" | "customers", workspaceId: string, ids: ReadonlyArray<string>) =>
    query(sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM ${sql(table)}
      WHERE workspace_id = ${workspaceId} AND id = ANY(${ids}::text[])`).pipe(Effect.map(([row]) => row!.n))

  const ofCustomers = (workspaceId: string, ids: Statement.Fragment) =>
    sql`d.id IN (${customerDeviceIds(sql, sql`${workspaceId}`, sql`ANY(${ids})`)})`

  const ofCollection = (workspaceId: string, collection: MetricCollection, now: Date) => {
    const { collectionType, criteria, dynamic, id } = collection
    const ids = members({ workspaceId, collectionType }, dynamic ? { criteria } : { collectionId: id }, now)
    if (collectionType === "DEVICE") return sql`d.id IN (${ids})`
    if (collectionType === "SITE") return sql`d.site_id IN (${ids})`
    return ofCustomers(workspaceId, sql`ARRAY(${ids})`)
  }

  const matching = (selection: MetricSelection, now: Date) => {
    const { collections, customerIds, deviceIds, siteIds, tags, types, workspaceId } = selection
    return sql.and([
      sql`d.workspace_id = ${workspaceId}`,
      ...isAnyOf("d.type", types),
      ...isAnyOf("d.id", deviceIds),
      ...isAnyOf("d.site_id", siteIds),
      ...(customerIds === undefined ? [] : [ofCustomers(workspaceId, sql`${customerIds}::text[]`)]),
      ...(collections === undefined ? [] : [sql.or(collections.map((each) => ofCollection(workspaceId, each, now)))]),
      ...(tags === undefined
        ? []
        : [
            sql`d.id IN (SELECT device_id FROM device_tags WHERE device_tags.workspace_id = ${workspaceId}
              AND tag = ANY(${tags}::text[]))`
          ])
    ])
  }

  return {
    /** How many of the ids, each given once, there are in the workspace. */
    count,
    collections: (workspaceId: string, ids: ReadonlyArray<string>) =>
      query(sql<MetricCollection>`SELECT id, collection_type AS "collectionType", dynamic, criteria FROM collections
        WHERE workspace_id = ${workspaceId} AND id = ANY(${ids}::text[]) AND deleted_at IS NULL`),
    devices: (selection: MetricSelection, now: Date, limit: number) =>
      query(
        sql<SelectedDevice>`SELECT d.id, d.type, d.site_id AS "siteId" FROM devices d
          WHERE ${matching(selection, now)} LIMIT ${limit}`.unprepared
      ),
    /** The zones of these sites, each once; a site without one has the workspace's. */
    timezones: (workspaceId: string, siteIds: ReadonlyArray<string>) =>
      query(sql<{ readonly timezone: string }>`SELECT DISTINCT coalesce(sites.timezone, workspaces.timezone) AS timezone
        FROM sites JOIN workspaces ON workspaces.id = sites.workspace_id
        WHERE sites.workspace_id = ${workspaceId} AND sites.id = ANY(${siteIds}::text[]) LIMIT 2`).pipe(
        Effect.map((rows) => rows.map(({ timezone }) => timezone))
      ),
    timezone: (workspaceId: string) =>
      query(sql<{ readonly timezone: string }>`SELECT timezone FROM workspaces WHERE id = ${workspaceId}`).pipe(
        Effect.map(([row]) => row?.timezone ?? "UTC")
      )
  }
})

/** Which devices a metric is of. */
export class MetricsRepository extends Context.Service<MetricsRepository, Effect.Success<typeof make>>()(
  "@edp/server/MetricsRepository"
) {
  static readonly layer = Layer.effect(MetricsRepository, make)
}
