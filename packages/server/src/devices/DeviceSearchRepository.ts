import type { Membership } from "@edp/domain/collections/criteria"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { criteriaSql, deviceJoins, findReadTables } from "./criteria/criteriaSql.ts"
import { reachabilitySql } from "./criteria/reachabilitySql.ts"
import { type PageWindow, conditions, limited, prefixPattern } from "../platform/sql/lists.ts"
import { customerDeviceIds } from "./deviceTable.ts"
import { memberSql } from "./criteria/memberSql.ts"
import { CollectionsOfDevices } from "./CollectionsPort.ts"
import { DeviceListRepository, type LeadingIndex, everyDevice, chooseIndex } from "./DeviceListRepository.ts"
import type { DeviceSelection } from "./deviceSelection.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import type { DeviceRow } from "./deviceRow.ts"
import { queryIds, queryRows } from "../platform/sql/rows.ts"

/** Candidates that are tested, newest first, before all matches are collected instead. */
const MAX_CANDIDATES = 20_000

/** Matches may be spread unevenly: this many times the candidates that an even spread would need are tested. */
const MARGIN = 4

/** Up to this many matches are sorted by the statement that counts them, which then returns the page as well. */
const FEW = 2000

/** Columns whose values few devices share, so that their matches can be collected before they are counted. */
const telling: ReadonlyArray<string> = ["id", "manufacturer_device_id", "serial_number", "reference_key", "site_id"]

const isNarrow = ({ customerIds, keyed, tags }: DeviceSelection) =>
  tags !== undefined || customerIds !== undefined || keyed.some(({ column }) => telling.includes(column))

/** Which of all matches a page has. */
type PagePosition = Pick<PageWindow, "limit" | "offset">

/** The number of matches, and the ids of the requested window if there are few. */
export const Matches = Schema.Struct({ total: Schema.Finite, ids: Schema.NullOr(Schema.Array(Schema.String)) })
export type Matches = typeof Matches.Type

const IdsSeenRow = Schema.Struct({ ids: Schema.Array(Schema.String), seen: Schema.NullOr(Schema.Finite) })

/** Lists that no single index returns in order: several conditions, a name prefix, reachability. */
export const DeviceSearchRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DevicesRepository
  const { inOrder, count } = yield* DeviceListRepository
  const { isAnyOf } = conditions(sql)
  const compile = criteriaSql(sql)
  const collections = yield* CollectionsOfDevices
  const { members } = memberSql(sql, collections.memberIds)
  const { isAsleep, isNotAsleep, isRecent } = reachabilitySql(sql)

  /** The rule of `toOnlineStatus` as a condition on the current states `s` and the manufacturers `m`. */
  const reachable = (statuses: ReadonlyArray<OnlineStatus>, now: Date) => {
    const awake = sql`s.device_id IS NOT NULL AND ${isNotAsleep}`
    const isYoung = sql`(${isRecent(now)})`
    return sql.or(
      statuses.map((status) => {
        if (status === "unknown") return sql`s.device_id IS NULL`
        if (status === "asleep") return sql`${isAsleep}`
        return status === "online" ? sql`${awake} AND ${isYoung}` : sql`${awake} AND NOT ${isYoung}`
      })
    )
  }

  const stateJoin = ({ criteria, statuses }: DeviceSelection) => {
    const { states } = findReadTables(criteria)
    if (states === "required" || statuses === undefined) return states
    return statuses.includes("unknown") ? "optional" : "required"
  }

  const joins = (selection: DeviceSelection) => {
    const { criteria, statuses } = selection
    const timed = statuses?.some((status) => status === "online" || status === "offline") === true
    const { manufacturers, sites } = findReadTables(criteria)
    return sql.literal(deviceJoins({ manufacturers: timed || manufacturers, states: stateJoin(selection), sites }))
  }

  /**
   * With a tag, the planner would first look each device up in the index of the other condition, and then its state. With
   * the condition hidden from the indexes, it applies the more selective test first.
   */
  const keyedConditions = (selection: DeviceSelection) => {
    const all = selection.keyed.flatMap(({ column, values }) => isAnyOf(`d.${column}`, values))
    const isTest = selection.tags !== undefined && stateJoin(selection) === "required"
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
      ...(collectionId === undefined ? [] : [collections.contains(collectionId, "d.id")]),
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
   * The matches among the newest candidates of an index, and whether they are enough or the index has no more. OFFSET 0 makes
   * the planner test the candidates one by one in their order, until there are enough.
   */
  const near = (selection: DeviceSelection, index: LeadingIndex, window: PageWindow, reach: number, now: Date) => {
    const { tags } = selection
    const candidates = inOrder(selection.workspaceId, index, { limit: reach, offset: 0, before: window.before })
    const tagged = tags === undefined ? [] : [sql`d.tags && ${tags}::text[]`]
    const wanted = window.offset + window.limit
    const statement = sql`
      SELECT ids, CASE WHEN cardinality(ids) < ${wanted}::int
        THEN (SELECT count(*)::int FROM (${candidates}) AS candidate) END AS seen
      FROM (SELECT ARRAY(SELECT candidate.id FROM (${candidates}) AS candidate
        CROSS JOIN LATERAL (SELECT * FROM devices WHERE devices.id = candidate.id OFFSET 0) AS d
        ${joins(selection)} WHERE ${sql.and([...others(selection, now), ...tagged])}
        ORDER BY candidate.id DESC ${limited(sql, wanted)}) AS ids OFFSET 0) AS found`
    return Effect.map(queryRows(IdsSeenRow)(statement.unprepared), ([row]) => ({
      ids: row!.ids.slice(window.offset),
      enough: row!.seen === null || row!.seen < reach
    }))
  }

  /**
   * The newest of all matches. OFFSET 0 makes the planner find them all by any index before it sorts them.
   */
  const gathered = (selection: DeviceSelection, window: PageWindow, now: Date) => {
    const { limit, offset, before } = window
    const statement = sql`SELECT id FROM (SELECT d.id FROM devices d
        ${joins(selection)} WHERE ${matching(selection, now)}
        ${before === undefined ? sql`` : sql`AND d.id < ${before}`} OFFSET 0) AS matches
      ORDER BY id DESC ${limited(sql, limit, offset)}`
    return queryIds(statement.unprepared)
  }

  /**
   * The planner can't estimate how many matches there are and where. If they are many, those among the newest candidates
   * fill the page; if not, all are collected, which costs no more than counting them.
   */
  const find = Effect.fnUntraced(function* (
    selection: DeviceSelection,
    window: PageWindow,
    matches: number,
    now: Date
  ) {
    const index = chooseIndex(selection)
    const all = yield* count(selection.workspaceId, everyDevice)
    const reach = Math.ceil((MARGIN * (window.offset + window.limit) * all) / Math.max(matches, 1))
    if (reach <= MAX_CANDIDATES) {
      const { ids, enough } = yield* near(selection, index, window, reach, now)
      if (enough) return ids
    }
    return yield* gathered(selection, window, now)
  })

  const matches = (selection: DeviceSelection, now: Date) =>
    sql`devices d ${joins(selection)} WHERE ${matching(selection, now)}`

  const counting = (selection: DeviceSelection, { limit, offset }: PagePosition, now: Date) =>
    isNarrow(selection)
      ? sql`WITH matches AS MATERIALIZED (SELECT d.id FROM ${matches(selection, now)}),
          counted AS MATERIALIZED (SELECT count(*)::int AS total FROM matches)
        SELECT total, CASE WHEN total <= ${FEW}::int
          THEN ARRAY(SELECT id FROM matches ORDER BY id DESC ${limited(sql, limit, offset)}) END AS ids FROM counted`
      : sql`SELECT count(*)::int AS total, NULL::text[] AS ids FROM ${matches(selection, now)}`

  const chosen = (ids: ReadonlyArray<string>, now: Date) =>
    ids.length === 0 ? Effect.succeed<ReadonlyArray<DeviceRow>>([]) : devices.byIds(ids, now)

  return {
    /** `matches` is an estimate of their number. It decides how the page is found, not what is on it. */
    list: (selection: DeviceSelection, window: PageWindow, matches: number, now: Date) =>
      Effect.flatMap(find(selection, window, matches, now), (ids) => chosen(ids, now)),
    chosen,
    ids: gathered,
    count: (selection: DeviceSelection, window: PagePosition, now: Date) =>
      Effect.map(queryRows(Matches)(counting(selection, window, now).unprepared), ([row]) => row!)
  }
})
