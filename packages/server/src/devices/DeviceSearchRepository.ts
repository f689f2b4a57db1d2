import type { Membership } from "@edp/domain/collections/criteria"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { criteriaSql, deviceJoins, readsOf } from "../platform/criteria/criteria.ts"
import { conditions, prefixPattern } from "../platform/sql/lists.ts"
import { customerDeviceIds } from "../platform/sql/references.ts"
import { memberSql } from "../platform/criteria/memberSql.ts"
import { shareEqual } from "../platform/batching/shareEqual.ts"
import { query } from "../platform/sql/transaction.ts"
import { everyDevice, type Lead, leadOf } from "./deviceLead.ts"
import { DeviceListRepository, type Part } from "./DeviceListRepository.ts"
import type { DeviceSelection } from "./deviceSelection.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import type { DeviceRow } from "./toDevice.ts"

/** At most so many of the newest candidates are looked at before all matches are gathered instead. */
const MAX_WINDOW = 20_000

/** Matches may be spread unevenly: so many times the candidates that would do if they were not are looked at. */
const MARGIN = 4

/** Up to so many matches are put in order where they are counted, and give the page with their number. */
const FEW = 2000

/** What a device alone has, or few have: what is found by it is worth keeping until it is counted. */
const telling: ReadonlyArray<string> = ["manufacturer_device_id", "serial_number", "reference_key", "site_id"]

const isNarrow = ({ customerIds, keyed, tags }: DeviceSelection) =>
  tags !== undefined || customerIds !== undefined || keyed.some(({ column }) => telling.includes(column))

/** Which of all matches a page has. */
type Place = Pick<Part, "limit" | "offset">

/** How many match, and the ids of the part that was asked for where few do. */
export interface Matches {
  readonly total: number
  readonly ids: ReadonlyArray<string> | null
}

/** Lists that no single index has in order: several conditions, a name's beginning, reachability. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DevicesRepository
  const { inOrder, limited, count } = yield* DeviceListRepository
  const shareMatches = shareEqual<Matches>()
  const shareIds = shareEqual<ReadonlyArray<string>>()
  const { isAnyOf } = conditions(sql)
  const compile = criteriaSql(sql)
  const { members } = memberSql(sql)

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

  const statesOf = ({ criteria, statuses }: DeviceSelection) => {
    const { states } = readsOf(criteria)
    if (states === "required" || statuses === undefined) return states
    return statuses.includes("unknown") ? "optional" : "required"
  }

  const joins = (selection: DeviceSelection) => {
    const { criteria, statuses } = selection
    const timed = statuses?.some((status) => status === "online" || status === "offline") === true
    const { manufacturers, sites } = readsOf(criteria)
    return sql.literal(deviceJoins({ manufacturers: timed || manufacturers, states: statesOf(selection), sites }))
  }

  /**
   * Of a device that a tag leads to the planner would first look up its key in the index of the other condition, and then
   * its state. Where that is a mere test, it takes what lets fewer through.
   */
  const keyedConditions = (selection: DeviceSelection) => {
    const all = selection.keyed.flatMap(({ column, values }) => isAnyOf(`d.${column}`, values))
    const isTest = selection.tags !== undefined && statesOf(selection) === "required"
    return isTest ? all.map((condition) => sql`(${condition}) IS TRUE`) : all
  }

  const ofCustomer = (workspaceId: string, id: string) =>
    sql`d.id IN (${customerDeviceIds(sql, sql`${workspaceId}`, sql`${id}`)})`

  const among = (workspaceId: string, membership: Membership, now: Date) =>
    sql`d.id IN (${members({ workspaceId, collectionType: "DEVICE" }, membership, now)})`

  const others = (selection: DeviceSelection, now: Date) => {
    const { workspaceId, customerIds, collectionId, memberships, criteria, connected, statuses, q } = selection
    return [
      sql`d.workspace_id = ${workspaceId}`,
      ...keyedConditions(selection),
      ...(customerIds === undefined ? [] : [sql.or(customerIds.map((id) => ofCustomer(workspaceId, id)))]),
      ...(collectionId === undefined
        ? []
        : [
            sql`EXISTS (SELECT FROM collection_members c WHERE c.collection_id = ${collectionId} AND c.member_id = d.id)`
          ]),
      ...(memberships === undefined ? [] : [sql.or(memberships.map((one) => among(workspaceId, one, now)))]),
      ...(connected === undefined ? [] : [`d.disconnected_at IS ${connected ? "" : "NOT "}NULL`]),
      ...(q === undefined ? [] : [sql`d.name_key LIKE lower(${prefixPattern(q)}::text)`]),
      ...(statuses === undefined ? [] : [reachable(statuses, now)]),
      ...(criteria === undefined ? [] : [compile("DEVICE", criteria, now)])
    ]
  }

  const matching = (selection: DeviceSelection, now: Date) => {
    const { tags } = selection
    if (tags === undefined) return sql.and(others(selection, now))
    const tagged = sql`EXISTS (SELECT FROM device_tags t WHERE t.workspace_id = d.workspace_id AND t.device_id = d.id
      AND ${sql.and(isAnyOf("t.tag", tags))})`
    return sql.and([...others(selection, now), tagged])
  }

  /**
   * Those that match among the newest to which the lead leads, and whether it leads to no more. OFFSET 0 makes the
   * planner look at them one by one in their order, until there are enough.
   */
  const near = (selection: DeviceSelection, lead: Lead, part: Part, window: number, now: Date) => {
    const { tags } = selection
    const candidates = inOrder(selection.workspaceId, lead, { limit: window, offset: 0, before: part.before })
    const tagged = tags === undefined ? [] : [sql`d.tags && ${tags}::text[]`]
    const wanted = part.offset + part.limit
    const statement = sql<{ readonly ids: ReadonlyArray<string>; readonly seen: number | null }>`
      SELECT ids, CASE WHEN cardinality(ids) < ${wanted}::int
        THEN (SELECT count(*)::int FROM (${candidates}) AS candidate) END AS seen
      FROM (SELECT ARRAY(SELECT candidate.id FROM (${candidates}) AS candidate
        CROSS JOIN LATERAL (SELECT * FROM devices WHERE devices.id = candidate.id OFFSET 0) AS d
        ${joins(selection)} WHERE ${sql.and([...others(selection, now), ...tagged])}
        ORDER BY candidate.id DESC ${limited(wanted)}) AS ids OFFSET 0) AS found`
    return Effect.map(query(statement.unprepared), ([row]) => ({
      ids: row!.ids.slice(part.offset),
      enough: row!.seen === null || row!.seen < window
    }))
  }

  /**
   * The newest of all matches. OFFSET 0 makes the planner find them all, by whatever index, before it orders them. That may
   * cost as much as counting them, so those who ask for the same at the same time share it, too.
   */
  const gathered = (selection: DeviceSelection, part: Part, now: Date) => {
    const { limit, offset, before } = part
    const statement = sql<{ readonly id: string }>`SELECT id FROM (SELECT d.id FROM devices d
        ${joins(selection)} WHERE ${matching(selection, now)}
        ${before === undefined ? sql`` : sql`AND d.id < ${before}`} OFFSET 0) AS matches
      ORDER BY id DESC ${limited(limit, offset)}`
    return shareIds(
      JSON.stringify([selection, part]),
      Effect.map(query(statement.unprepared), (rows) => rows.map(({ id }) => id))
    )
  }

  /**
   * Matches may be many or few, new or old, and the planner knows little of it. Where they are many, those among the
   * newest candidates fill the page; else all are gathered, which costs no more than it cost to count them.
   */
  const find = Effect.fnUntraced(function* (selection: DeviceSelection, part: Part, matches: number, now: Date) {
    const lead = leadOf(selection)
    const all = yield* count(selection.workspaceId, everyDevice)
    const window = Math.ceil((MARGIN * (part.offset + part.limit) * all) / Math.max(matches, 1))
    if (window <= MAX_WINDOW) {
      const { ids, enough } = yield* near(selection, lead, part, window, now)
      if (enough) return ids
    }
    return yield* gathered(selection, part, now)
  })

  const matches = (selection: DeviceSelection, now: Date) =>
    sql`devices d ${joins(selection)} WHERE ${matching(selection, now)}`

  const counting = (selection: DeviceSelection, { limit, offset }: Place, now: Date) =>
    isNarrow(selection)
      ? sql<Matches>`WITH matches AS MATERIALIZED (SELECT d.id FROM ${matches(selection, now)}),
          counted AS MATERIALIZED (SELECT count(*)::int AS total FROM matches)
        SELECT total, CASE WHEN total <= ${FEW}::int
          THEN ARRAY(SELECT id FROM matches ORDER BY id DESC ${limited(limit, offset)}) END AS ids FROM counted`
      : sql<Matches>`SELECT count(*)::int AS total, NULL::text[] AS ids FROM ${matches(selection, now)}`

  const chosen = (ids: ReadonlyArray<string>, now: Date) =>
    ids.length === 0 ? Effect.succeed<ReadonlyArray<DeviceRow>>([]) : devices.byIds(ids, now)

  return {
    /** `matches` is about how many there are. The answer does not depend on it, but how it is found does. */
    list: (selection: DeviceSelection, part: Part, matches: number, now: Date) =>
      Effect.flatMap(find(selection, part, matches, now), (ids) => chosen(ids, now)),
    chosen,
    count: (selection: DeviceSelection, part: Place, now: Date) =>
      shareMatches(
        JSON.stringify([selection, part.limit, part.offset]),
        Effect.map(query(counting(selection, part, now).unprepared), ([row]) => row!)
      )
  }
})

export class DeviceSearchRepository extends Context.Service<DeviceSearchRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeviceSearchRepository"
) {
  static readonly layer = Layer.effect(DeviceSearchRepository, make)
}
