import type { UnresponsiveDevice } from "@edp/domain/dispatches/ProgramReport"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { EnrollmentStatus } from "@edp/domain/enrollments/Enrollment"
import { Effect, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import type { EnrolledBattery } from "./enrolledEnergy.ts"
import { JsonColumn, queryRows } from "../../platform/sql/rows.ts"

/** The instance of a report. */
export const ReportedInstance = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  /** The workspace's. */
  timezone: Schema.String
})
export type ReportedInstance = typeof ReportedInstance.Type

/** Enrolled devices of a type, with the static figures of batteries. */
export const EnrolledType = Schema.Struct({
  type: DeviceType,
  count: Schema.Finite,
  /** The number of devices that state the figure, and their sum. */
  capacities: Schema.Finite,
  capacityWh: Schema.NullOr(Schema.Finite),
  discharging: Schema.Finite,
  dischargePowerW: Schema.NullOr(Schema.Finite),
  charging: Schema.Finite,
  chargePowerW: Schema.NullOr(Schema.Finite)
})
export type EnrolledType = typeof EnrolledType.Type

/** Changes between the end of the day before and the end of a day; those of the first day include all that came before. */
export const DayStep = Schema.Struct({
  day: Schema.Finite,
  enrollments: Schema.Finite,
  devices: Schema.Finite,
  batteries: Schema.Finite,
  capacities: Schema.Finite,
  capacityWh: Schema.Finite
})
export type DayStep = typeof DayStep.Type

/** Some batteries, which stay text until they are computed: as objects they would take several times as much memory. */
export const BatteryBlock = Schema.Struct({
  block: Schema.Finite,
  batteries: Schema.Finite,
  /** Milliseconds in which they are enrolled, all together. */
  milliseconds: Schema.Finite,
  /** JSON of `BatteryTuple`s. */
  rows: Schema.String
})
export type BatteryBlock = typeof BatteryBlock.Type

const Unresponsive = Schema.Struct({ total: Schema.Finite, device: JsonColumn<UnresponsiveDevice>() })
type Unresponsive = typeof Unresponsive.Type

type BatteryTuple = readonly [
  id: string,
  firstAt: number | null,
  disconnectedAt: number | null,
  settledUntil: number | null,
  old: string,
  settled: string,
  open: string,
  /** Null for all the time. */
  enrolled: ReadonlyArray<readonly [from: number, to: number]> | null
]

/** A block of batteries, or the types and the steps. */
const EnrolledRow = Schema.Struct({
  ...Struct.map(BatteryBlock.fields, Schema.NullOr),
  types: Schema.NullOr(JsonColumn<ReadonlyArray<EnrolledType>>()),
  steps: Schema.NullOr(JsonColumn<ReadonlyArray<DayStep>>())
})

/** The devices that are enrolled in a report's time. */
export interface Enrolled {
  readonly types: ReadonlyArray<EnrolledType>
  readonly steps: ReadonlyArray<DayStep>
  readonly blocks: ReadonlyArray<BatteryBlock>
}

const toEnrolled = (rows: ReadonlyArray<typeof EnrolledRow.Type>): Enrolled => {
  const { steps, types } = rows.find(({ block }) => block === null)!
  const blocks = rows.filter((row): row is BatteryBlock & typeof row => row.block !== null)
  return { types: types ?? [], steps: steps ?? [], blocks }
}

/** The blocks of an instance's batteries: a power of two. A block's day is computed again when one of its batteries changes. */
const BLOCKS = 128

/** The batteries of a block in the span of a report. */
export const toBatteries = ({ rows }: BatteryBlock, span: Span, now: number): ReadonlyArray<EnrolledBattery> =>
  (JSON.parse(rows) as ReadonlyArray<BatteryTuple>).map(
    ([id, firstAt, disconnectedAt, settledUntil, old, settled, open, enrolled]) => ({
      id,
      enrolled: enrolled?.map(([from, to]) => ({ from, to })) ?? [span],
      reporting: firstAt === null ? undefined : { from: firstAt, to: Math.min(disconnectedAt ?? Infinity, now) },
      settledUntil: settledUntil ?? -Infinity,
      hashes: { old: BigInt(old), settled: BigInt(settled), open: BigInt(open) }
    })
  )

const iso = (at: number) => new Date(at).toISOString()

const StatusCountRow = Schema.Struct({ status: EnrollmentStatus, count: Schema.Finite })

/** Reads the figures of program reports. */
export const ProgramReportsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const milliseconds = (at: Statement.Fragment) => sql`round(date_part('epoch', ${at}) * 1000)`
  const stated = (field: string) =>
    sql`CASE WHEN jsonb_typeof(d.static_state -> ${field}) = 'number' THEN (d.static_state ->> ${field})::float8 END`

  /**
   * Enrollments with the time in which they are in force, the sites that they stand for, and these sites' devices with the time in which
   * they are enrolled. An enrollment without a site stands for all sites of the customer.
   */
  const enrolledDevices = ({ id, workspaceId }: ReportedInstance) => sql`enrolled AS MATERIALIZED (
      SELECT customer_id, site_id, manufacturer_slugs, tstzrange(greatest(approved_at, activates_at), unenrolled_at) AS during
      FROM enrollments WHERE program_instance_id = ${id} AND status IN ('approved', 'unenrolled') AND approved_at IS NOT NULL
        AND (unenrolled_at IS NULL OR unenrolled_at > greatest(approved_at, activates_at))
    ), site AS (
      SELECT site_id, manufacturer_slugs, during FROM enrolled WHERE site_id IS NOT NULL
      UNION ALL SELECT c.site_id, e.manufacturer_slugs, e.during
        FROM enrolled e JOIN customer_sites c ON c.customer_id = e.customer_id AND c.workspace_id = ${workspaceId}
        WHERE e.site_id IS NULL
    ), device AS MATERIALIZED (
      SELECT d.id, d.site_id, d.type, d.created_at, d.disconnected_at, range_agg(site.during) AS during,
        ${stated("capacity")} AS capacity, ${stated("maxDischargeRate")} AS discharging, ${stated("maxChargeRate")} AS charging
      FROM site JOIN devices d ON d.site_id = site.site_id AND d.workspace_id = ${workspaceId}
        AND (site.manufacturer_slugs IS NULL OR d.manufacturer = ANY(site.manufacturer_slugs))
      GROUP BY d.id
    )`

  return {
    instance: (workspaceId: string, id: string) =>
      queryRows(ReportedInstance)(sql`SELECT i.id, i.workspace_id AS "workspaceId", w.timezone
        FROM program_instances i JOIN workspaces w ON w.id = i.workspace_id
        WHERE i.id = ${id} AND i.workspace_id = ${workspaceId}`).pipe(Effect.map(([row]) => row)),
    /** The numbers of enrollments by their present status. */
    statuses: (id: string) =>
      queryRows(StatusCountRow)(sql`
        SELECT status, count(*)::int AS count FROM enrollments WHERE program_instance_id = ${id} GROUP BY status`),
    /**
     * Finds what is enrolled by one statement, because finding the devices takes most of its time. Types are those of devices that are connected
     * now. The database does not keep when a device was disconnected before its last connection: steps count it from its creation until it
     * was disconnected last. Blocks are of the batteries that are enrolled within the span; the time of test dispatches at their sites is
     * left out.
     */
    enrolled: (instance: ReportedInstance, bounds: ReadonlyArray<number>, now: number) => {
      const [from, to] = [bounds[0]!, bounds.at(-1)!]
      const hash = (kind: string, state: Statement.Fragment) => sql`hash_record_extended(
        ROW(${sql.literal(`'${kind}'::text`)}, id, first_ever, disconnected_at, ${state}), 0)::text`
      return queryRows(EnrolledRow)(
        // Materialized, so that texts become times once, and not for each row.
        sql`WITH asked AS MATERIALIZED (
          SELECT ${bounds.slice(1).map(iso)}::timestamptz[] AS ends, ${bounds.length - 1}::int AS days, ${iso(now)}::timestamptz AS now,
            tstzmultirange(tstzrange(${iso(from)}, ${iso(to)})) AS span
        ), ${enrolledDevices(instance)}, type AS (
          SELECT type, count(*)::int AS count, count(capacity)::int AS capacities, sum(capacity) AS "capacityWh",
            count(discharging)::int AS discharging, sum(discharging) AS "dischargePowerW",
            count(charging)::int AS charging, sum(charging) AS "chargePowerW"
          FROM device, asked WHERE disconnected_at IS NULL AND during @> now GROUP BY type
        ), connected AS (
          SELECT type, capacity, unnest(during * tstzmultirange(tstzrange(created_at,
            CASE WHEN disconnected_at IS NOT NULL THEN greatest(created_at, disconnected_at) END))) AS during FROM device
        ), entry AS (
          SELECT lower(during) AS at, 1 AS sign, 1 AS enrollments, 0 AS devices, '' AS type, NULL::float8 AS capacity FROM enrolled
          UNION ALL SELECT upper(during), -1, 1, 0, '', NULL FROM enrolled WHERE NOT upper_inf(during)
          UNION ALL SELECT lower(during), 1, 0, 1, type, capacity FROM connected
          UNION ALL SELECT upper(during), -1, 0, 1, type, capacity FROM connected WHERE NOT upper_inf(during)
        ), step AS (
          SELECT width_bucket(at, ends) AS day, sum(sign * enrollments)::int AS enrollments, sum(sign * devices)::int AS devices,
            coalesce(sum(sign) FILTER (WHERE type = 'battery'), 0)::int AS batteries,
            coalesce(sum(sign) FILTER (WHERE type = 'battery' AND capacity IS NOT NULL), 0)::int AS capacities,
            coalesce(sum(sign * capacity) FILTER (WHERE type = 'battery'), 0) AS "capacityWh"
          FROM entry, asked WHERE width_bucket(at, ends) < days GROUP BY 1
        ), test AS (
          SELECT s.site_id, range_agg(tstzrange(s.starts_at, greatest(s.starts_at,
            least(t.ends_at, s.opted_out_at, CASE WHEN t.status = 'cancelled' THEN t.updated_at END)))) AS during
          FROM dispatches t JOIN dispatch_sites s ON s.dispatch_id = t.id
          WHERE t.program_instance_id = ${instance.id} AND t.test AND t.starts_at < ${iso(to)} AND t.ends_at > ${iso(from)}
            AND s.starts_at IS NOT NULL AND NOT s.held_out
          GROUP BY s.site_id
        ), tested AS (
          -- A full join, because it is hashed even where few rows are expected.
          SELECT device.id, device.type, device.disconnected_at, device.during, test.during AS tested
          FROM device FULL JOIN test ON test.site_id = device.site_id OFFSET 0
        ), battery AS (
          SELECT id, disconnected_at, least(s.first_at, s.first_dropped_at) AS first_ever, s.rollup_revision, s.late_readings, s.at,
            CASE WHEN isempty(s.stale) AND isempty(s.rolling) THEN s.settled_until END AS settled,
            CASE WHEN tested IS NOT NULL OR NOT during @> span THEN (during - coalesce(tested, '{}')) * span END AS during
          FROM asked, tested LEFT JOIN device_states s ON s.device_id = tested.id
          WHERE type = 'battery' AND during && span OFFSET 0
        ), counted AS (
          SELECT (hashtextextended(id, 0) & ${sql.literal(`${BLOCKS - 1}`)})::int AS block,
            CASE WHEN during IS NULL THEN ${sql.literal(`${to - from}`)} ELSE
              (SELECT sum(${milliseconds(sql`upper(span)`)} - ${milliseconds(sql`lower(span)`)}) FROM unnest(during) AS span)
            END AS milliseconds,
            json_build_array(id, ${milliseconds(sql`first_ever`)}, ${milliseconds(sql`disconnected_at`)},
              ${milliseconds(sql`settled`)}, ${hash("old", sql`rollup_revision`)}, ${hash("settled", sql`late_readings`)},
              ${hash("open", sql`late_readings, at`)}, CASE WHEN during IS NOT NULL THEN (
                SELECT json_agg(json_build_array(${milliseconds(sql`lower(span)`)}, ${milliseconds(sql`upper(span)`)}) ORDER BY span)
                FROM unnest(during) AS span
              ) END) AS tuple
          FROM battery WHERE NOT coalesce(isempty(during), false)
        )
        SELECT block, count(*)::int AS batteries, sum(milliseconds) AS milliseconds, json_agg(tuple)::text AS rows,
          NULL::json AS types, NULL::json AS steps
        FROM counted GROUP BY block
        UNION ALL SELECT NULL, NULL, NULL, NULL, (SELECT json_agg(t) FROM type t), (SELECT json_agg(s) FROM step s)`
          .unprepared
      ).pipe(Effect.map(toEnrolled))
    },
    /** The devices that did not respond to dispatches that began within a span, the most frequent first, and their number. */
    unresponsive: ({ id, workspaceId }: ReportedInstance, { from, to }: Span, limit: number) =>
      queryRows(Unresponsive)(
        sql`WITH recent AS MATERIALIZED (
          SELECT id, starts_at FROM dispatches
          WHERE program_instance_id = ${id} AND starts_at >= ${iso(from)} AND starts_at <= ${iso(to)}
        ), missed AS (
          SELECT d.device_id, count(*)::int AS unresponsive, max(recent.starts_at) AS at,
            (array_agg(d.site_id ORDER BY recent.starts_at DESC))[1] AS site_id, (count(*) OVER ())::int AS total
          FROM recent JOIN dispatch_devices d ON d.dispatch_id = recent.id AND d.unresponsive
            JOIN devices ON devices.id = d.device_id AND devices.workspace_id = ${workspaceId}
          GROUP BY d.device_id ORDER BY unresponsive DESC, at DESC, d.device_id LIMIT ${limit}
        )
        SELECT total, json_build_object('deviceId', device_id, 'siteId', site_id, 'unresponsive', unresponsive,
          'lastUnresponsiveAt', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'dispatches', (SELECT count(*) FROM recent JOIN dispatch_devices d
            ON d.dispatch_id = recent.id AND d.device_id = missed.device_id AND (d.interval_index IS NOT NULL OR d.unresponsive))
        ) AS device
        FROM missed ORDER BY unresponsive DESC, at DESC, device_id`.unprepared
      ).pipe(Effect.map((rows) => ({ total: rows[0]?.total ?? 0, devices: rows.map(({ device }) => device) })))
  }
})
