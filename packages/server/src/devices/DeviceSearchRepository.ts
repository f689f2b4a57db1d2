import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { criteriaSql, deviceJoins, readsOf } from "../sql/criteria.ts"
import { conditions, prefixPattern } from "../sql/conditions.ts"
import { customerDeviceIds } from "../sql/customerDevices.ts"
import { query } from "../sql/transaction.ts"
import type { Lead } from "./deviceLead.ts"
import { DeviceListRepository, type Part } from "./DeviceListRepository.ts"
import type { DeviceSelection } from "./deviceSelection.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import type { DeviceRow } from "./toDevice.ts"

/** How many of the newest candidates are looked at, first and then, before all matches are gathered. */
const NEAR = [150, 2000]

/** Lists that no single index has in order: several conditions, a name's beginning, reachability. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DevicesRepository
  const { inOrder, limited } = yield* DeviceListRepository
  const { isAnyOf } = conditions(sql)
  const compile = criteriaSql(sql)

  /** What `onlineStatusOf` tells, as a condition over the current states `s` and the manufacturers `m`. */
  const reachable = (statuses: ReadonlyArray<OnlineStatus>, now: Date) => {
    const awake = sql`s.device_id IS NOT NULL AND s.reported_status IS DISTINCT FROM 'asleep'`
    const isYoung = sql`s.at >= ${now}::timestamptz - m.online_window`
    return sql.or(
      statuses.map((status) => {
        if (status === "unknown") return sql`s.device_id IS NULL`
        if (status === "asleep") return sql`s.reported_status = 'asleep'`
        return status === "online" ? sql`${awake} AND ${isYoung}` : sql`${awake} AND NOT ${isYoung}`
      })
    )
  }

  const joins = ({ criteria, statuses }: DeviceSelection) => {
    const timed = statuses?.some((status) => status === "online" || status === "offline") === true
    const { manufacturers, sites, states } = readsOf(criteria)
    return sql.literal(
      deviceJoins({ manufacturers: timed || manufacturers, states: statuses !== undefined || states, sites })
    )
  }

  const matching = (
    { workspaceId, keyed, customerId, collectionId, criteria, tags, connected, statuses, q }: DeviceSelection,
    now: Date
  ) =>
    sql.and([
      sql`d.workspace_id = ${workspaceId}`,
      ...keyed.flatMap(({ column, values }) => isAnyOf(`d.${column}`, values)),
      ...(customerId === undefined
        ? []
        : [sql`d.id IN (${customerDeviceIds(sql, sql`${workspaceId}`, sql`${customerId}`)})`]),
      ...(collectionId === undefined
        ? []
        : [
            sql`EXISTS (SELECT FROM collection_members c WHERE c.collection_id = ${collectionId} AND c.member_id = d.id)`
          ]),
      ...(tags === undefined
        ? []
        : [
            sql`EXISTS (SELECT FROM device_tags t WHERE t.workspace_id = d.workspace_id AND t.device_id = d.id
              AND ${sql.and(isAnyOf("t.tag", tags))})`
          ]),
      ...(connected === undefined ? [] : [`d.disconnected_at IS ${connected ? "" : "NOT "}NULL`]),
      ...(q === undefined ? [] : [sql`d.name_key LIKE lower(${prefixPattern(q)}::text)`]),
      ...(statuses === undefined ? [] : [reachable(statuses, now)]),
      ...(criteria === undefined ? [] : [compile("DEVICE", criteria, now)])
    ])

  /** Those that match among the newest that the lead leads to, and whether these are all that it leads to. */
  const near = (selection: DeviceSelection, lead: Lead, part: Part, limit: number, now: Date) => {
    const candidates = inOrder(selection.workspaceId, lead, { limit, offset: 0, before: part.before })
    const statement = sql<{ readonly seen: number; readonly ids: ReadonlyArray<string> }>`
      WITH candidates AS MATERIALIZED (${candidates})
      SELECT (SELECT count(*)::int FROM candidates) AS seen,
        ARRAY(SELECT d.id FROM candidates JOIN devices d ON d.id = candidates.id ${joins(selection)}
          WHERE ${matching(selection, now)} ORDER BY d.id DESC ${limited(part.offset + part.limit)}) AS ids`
    return Effect.map(query(statement.unprepared), ([row]) => ({ ids: row!.ids, all: row!.seen < limit }))
  }

  /** The newest of all matches, which are found before they are ordered: OFFSET 0 keeps the planner from mixing both. */
  const gathered = (selection: DeviceSelection, { limit, offset, before }: Part, now: Date) => {
    const statement = sql<{ readonly id: string }>`SELECT id FROM (SELECT d.id FROM devices d
        ${joins(selection)} WHERE ${matching(selection, now)}
        ${before === undefined ? sql`` : sql`AND d.id < ${before}`} OFFSET 0) AS matches
      ORDER BY id DESC ${limited(limit, offset)}`
    return Effect.map(query(statement.unprepared), (rows) => rows.map(({ id }) => id))
  }

  /**
   * Matches may be many or few, new or old, and the planner cannot know. Whoever matches among the newest candidates
   * fills most pages; where not, all matches are gathered, which costs what counting them costs.
   */
  const find = Effect.fnUntraced(function* (selection: DeviceSelection, lead: Lead, part: Part, now: Date) {
    const wanted = part.offset + part.limit
    for (const limit of NEAR) {
      if (wanted > limit) continue
      const { ids, all } = yield* near(selection, lead, part, limit, now)
      if (all || ids.length === wanted) return ids.slice(part.offset)
    }
    return yield* gathered(selection, part, now)
  })

  return {
    list: (selection: DeviceSelection, lead: Lead, part: Part, now: Date): Effect.Effect<ReadonlyArray<DeviceRow>> =>
      Effect.flatMap(find(selection, lead, part, now), (ids) =>
        ids.length === 0 ? Effect.succeed([]) : devices.byIds(ids, now)
      ),
    count: (selection: DeviceSelection, now: Date) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM devices d ${joins(selection)}
          WHERE ${matching(selection, now)}`.unprepared
      ).pipe(Effect.map(([row]) => row!.n))
  }
})

export class DeviceSearchRepository extends Context.Service<DeviceSearchRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeviceSearchRepository"
) {
  static readonly layer = Layer.effect(DeviceSearchRepository, make)
}
