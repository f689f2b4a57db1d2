import { DeviceType } from "@edp/domain/devices/DeviceType"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { conditions } from "../platform/sql/lists.ts"
import { customerDeviceIds, taggedDeviceIds } from "../devices/deviceTable.ts"
import { CollectionsOfDevices, type StoredCollection } from "../devices/CollectionsPort.ts"
import { memberSql } from "../devices/criteria/memberSql.ts"
import { workspaceTable } from "../workspaces/workspaceTable.ts"
import type { Span } from "../energy/intervals.ts"
import { queryCount, queryRows } from "../platform/sql/rows.ts"

/** Conditions that select devices of a workspace; all of them apply. */
export interface MetricSelection {
  readonly workspaceId: string
  readonly types: ReadonlyArray<DeviceType>
  readonly deviceIds: ReadonlyArray<string> | undefined
  readonly siteIds: ReadonlyArray<string> | undefined
  readonly customerIds: ReadonlyArray<string> | undefined
  readonly collections: ReadonlyArray<StoredCollection> | undefined
  readonly tags: ReadonlyArray<string> | undefined
}

export const MetricDeviceRow = Schema.Struct({
  id: Schema.String,
  type: DeviceType,
  siteId: Schema.NullOr(Schema.String),
  /** Milliseconds since 1970. */
  firstAt: Schema.NullOr(Schema.Finite),
  disconnectedAt: Schema.NullOr(Schema.Finite)
})
export type MetricDeviceRow = typeof MetricDeviceRow.Type

export interface SelectedDevice extends Omit<MetricDeviceRow, "firstAt" | "disconnectedAt"> {
  /** From its first reading until it was disconnected or now; undefined if it has never reported. */
  readonly reporting: Span | undefined
}

/**
 * The selected devices at some sites, or those without a site. Thousands of devices stay text until they are computed: as objects they
 * would take several times as much memory.
 */
export const DevicePart = Schema.Struct({
  sites: Schema.Finite,
  devices: Schema.Finite,
  /** JSON of `DeviceTuple`s. */
  rows: Schema.String
})
export type DevicePart = typeof DevicePart.Type

type DeviceTuple = readonly [
  id: string,
  type: DeviceType,
  siteId: string | null,
  firstAt: number | null,
  disconnectedAt: number | null
]

/** The devices of a part. */
export const toDevices = ({ rows }: DevicePart, now: Date): ReadonlyArray<SelectedDevice> =>
  (JSON.parse(rows) as ReadonlyArray<DeviceTuple>).map(([id, type, siteId, firstAt, disconnectedAt]) =>
    selected({ id, type, siteId, firstAt, disconnectedAt }, now)
  )

/** The number of devices of a part, about: a site is never divided. */
const DEVICES_OF_A_PART = 100

export const selected = ({ disconnectedAt, firstAt, ...device }: MetricDeviceRow, now: Date): SelectedDevice => ({
  ...device,
  reporting: firstAt === null ? undefined : { from: firstAt, to: Math.min(disconnectedAt ?? Infinity, now.getTime()) }
})

const TimezoneRow = Schema.Struct({ timezone: Schema.String })

/** Reads the devices that queries select. */
export const MetricsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const collections = yield* CollectionsOfDevices
  const workspaces = workspaceTable(sql)
  const { members } = memberSql(sql, collections.memberIds)
  const milliseconds = (at: Statement.Fragment) => sql`round(date_part('epoch', ${at}) * 1000)`

  const count = (table: "devices" | "sites" | "customers", workspaceId: string, ids: ReadonlyArray<string>) =>
    queryCount(sql`SELECT count(*)::int AS n FROM ${sql(table)}
      WHERE workspace_id = ${workspaceId} AND id = ANY(${ids}::text[])`)

  const ofCustomers = (workspaceId: string, ids: Statement.Fragment) =>
    sql`d.id IN (${customerDeviceIds(sql, sql`${workspaceId}`, sql`ANY(${ids})`)})`

  const ofCollection = (workspaceId: string, collection: StoredCollection, now: Date) => {
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
        : [sql`d.id IN (${taggedDeviceIds(sql, workspaceId, sql`tag = ANY(${tags}::text[])`)})`])
    ])
  }

  return {
    /** The number of these distinct ids that exist in the workspace. */
    count,
    collections: collections.find,
    /** The selected devices in the order of their sites, those without a site last. */
    parts: (selection: MetricSelection, now: Date, limit: number) =>
      queryRows(DevicePart)(
        sql`WITH device AS (
            SELECT d.id, d.type, d.site_id, ${milliseconds(sql`s.first_ever`)} AS first_at,
              ${milliseconds(sql`d.disconnected_at`)} AS disconnected_at
            FROM devices d LEFT JOIN LATERAL (
              SELECT least(s.first_at, s.first_dropped_at) AS first_ever FROM device_states s WHERE s.device_id = d.id
            ) AS s ON true
            WHERE ${matching(selection, now)} LIMIT ${limit}
          ), numbered AS (
            SELECT *, CASE WHEN site_id IS NOT NULL
              THEN (rank() OVER (ORDER BY site_id COLLATE "C") - 1) / ${sql.literal(`${DEVICES_OF_A_PART}`)} END AS part
            FROM device
          )
          SELECT count(DISTINCT site_id)::int AS sites, count(*)::int AS devices,
            json_agg(json_build_array(id, type, site_id, first_at, disconnected_at))::text AS rows
          FROM numbered GROUP BY part ORDER BY part NULLS LAST`.unprepared
      ),
    /** The distinct time zones of these sites; a site without one has the workspace's. There are some 600 zones. */
    timezones: (workspaceId: string, siteIds: ReadonlyArray<string>) =>
      queryRows(TimezoneRow)(sql`SELECT DISTINCT coalesce(sites.timezone, workspaces.timezone) AS timezone
        FROM sites JOIN workspaces ON workspaces.id = sites.workspace_id
        WHERE sites.workspace_id = ${workspaceId} AND sites.id = ANY(${siteIds}::text[])
        ORDER BY timezone LIMIT 1000`).pipe(Effect.map((rows) => rows.map(({ timezone }) => timezone))),
    timezone: (workspaceId: string) => Effect.map(workspaces.timezone(workspaceId), (timezone) => timezone ?? "UTC")
  }
})
