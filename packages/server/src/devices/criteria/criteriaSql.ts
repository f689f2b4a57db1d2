import {
  type Attribute,
  type CollectionType,
  type Condition,
  type Rule,
  type Scalar,
  findAttribute,
  flattenRules
} from "@edp/domain/collections/criteria"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import type { SqlClient, Statement } from "effect/sql"
import { reachabilitySql } from "./reachabilitySql.ts"

type Fragment = Statement.Fragment

/** The tables that a condition on devices reads besides the devices `d`. */
export interface ReadTables {
  /** The current states, `s`: required if no device without a state can meet the condition. */
  readonly states: "none" | "optional" | "required"
  /** The manufacturers, `m`. */
  readonly manufacturers: boolean
  /** The devices' sites, `site`. */
  readonly sites: boolean
}

/** Whether a missing value passes the rule. */
const isNegative = ({ operator, value }: Rule) =>
  operator === "ne" || operator === "nin" || (operator === "exists" && value === false)

const requiresState = (condition: Condition): boolean => {
  if ("all" in condition) return condition.all.some(requiresState)
  if ("any" in condition) return condition.any.length > 0 && condition.any.every(requiresState)
  return "attribute" in condition && condition.attribute.startsWith("state.") && !isNegative(condition)
}

export const findReadTables = (condition: Condition | undefined): ReadTables => {
  const names = condition === undefined ? [] : flattenRules(condition).map(({ attribute }) => attribute)
  const timed = names.includes("onlineStatus")
  const stated = timed || names.some((name) => name.startsWith("state."))
  const isRequired = condition !== undefined && requiresState(condition)
  return {
    states: isRequired ? "required" : stated ? "optional" : "none",
    manufacturers: timed,
    sites: names.some((name) => name.startsWith("site."))
  }
}

/** Columns of the plain attributes. Devices have the alias `d`. */
const columns: Readonly<Record<CollectionType, Readonly<Record<string, string>>>> = {
  DEVICE: {
    type: "d.type",
    manufacturer: "d.manufacturer",
    model: "d.model",
    siteId: "d.site_id",
    referenceId: "d.reference_id",
    name: "d.name",
    tags: "d.tags",
    createdAt: "d.created_at",
    "state.id": "s.reading_id",
    "state.createdAt": "s.at",
    "site.state": "site.state",
    "site.postalCode": "site.postal_code"
  },
  SITE: {
    name: "sites.name",
    referenceId: "sites.reference_id",
    tags: "sites.tags",
    "address.streetOne": "sites.street_one",
    "address.streetTwo": "sites.street_two",
    "address.city": "sites.city",
    "address.state": "sites.state",
    "address.postalCode": "sites.postal_code",
    "address.country": "sites.country"
  },
  CUSTOMER: {
    referenceId: "customers.reference_id",
    email: "customers.email",
    lastName: "customers.last_name",
    createdAt: "customers.created_at"
  }
}

const comparisons = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const
type Comparison = keyof typeof comparisons
const isComparison = (operator: string): operator is Comparison => Object.hasOwn(comparisons, operator)

/**
 * Compiles valid conditions to SQL that is true or false, never null, with the same semantics as `criteriaMatch`. All values
 * and path segments are parameters.
 */
export const criteriaSql = (sql: SqlClient.SqlClient) => {
  /** A missing value fails every positive test. */
  const present = (value: Fragment, test: Fragment) => sql`(${value} IS NOT NULL AND ${test})`
  /** Sent as texts: the driver derives the type of a list of numbers from the first. */
  const numbers = (values: ReadonlyArray<number>) => sql`${values.map(String)}::text[]::float8[]`
  const anyOf = (tests: ReadonlyArray<Fragment>) => sql`(${sql.or(tests)})`

  const ofText = (column: Fragment, { operator, value }: Rule): Fragment => {
    if (operator === "in") return present(column, sql`${column} = ANY(${value as ReadonlyArray<string>}::text[])`)
    if (operator === "contains") return present(column, sql`strpos(${column}, ${value as string}::text) > 0`)
    if (operator === "startsWith") return present(column, sql`starts_with(${column}, ${value as string}::text)`)
    return present(column, sql`${column} = ${value as string}::text`)
  }

  const ofTags = (column: Fragment, { operator, value }: Rule): Fragment => {
    if (operator === "exists") return sql`(cardinality(${column}) > 0)`
    if (operator === "startsWith") {
      return sql`EXISTS (SELECT FROM unnest(${column}) AS tag WHERE starts_with(tag, ${value as string}::text))`
    }
    const wanted = (operator === "in" ? value : [value]) as ReadonlyArray<string>
    return sql`(${column} && ${wanted}::text[])`
  }

  /** Values have milliseconds and columns microseconds: an instant equals a value if it is within that millisecond. */
  const ofTime = (column: Fragment, { operator, value }: Rule): Fragment => {
    const at = (milliseconds: Fragment) => sql`('epoch'::timestamptz + ${milliseconds} * interval '1 millisecond')`
    const within = (milliseconds: Fragment) =>
      sql`(${column} >= ${at(milliseconds)} AND ${column} < ${at(sql`(${milliseconds} + 1)`)})`
    const given = (text: string, later = 0) => sql`${parseTimestamp(text)! + later}::float8`
    if (operator === "in") {
      const instants = (value as ReadonlyArray<string>).map((text) => parseTimestamp(text)!)
      return present(
        column,
        sql`EXISTS (SELECT FROM unnest(${numbers(instants)}) AS given (instant)
        WHERE ${within(sql`given.instant`)})`
      )
    }
    const text = value as string
    if (operator === "gt") return present(column, sql`${column} >= ${at(given(text, 1))}`)
    if (operator === "gte") return present(column, sql`${column} >= ${at(given(text))}`)
    if (operator === "lt") return present(column, sql`${column} < ${at(given(text))}`)
    return present(column, operator === "lte" ? sql`${column} < ${at(given(text, 1))}` : within(given(text)))
  }

  const ofCount = (count: Fragment, { operator, value }: Rule): Fragment => {
    if (operator === "in") return sql`(${count}::float8 = ANY(${numbers(value as ReadonlyArray<number>)}))`
    const sign = isComparison(operator) ? comparisons[operator] : "="
    return sql`(${count}::float8 ${sql.literal(sign)} ${value as number}::float8)`
  }

  const json = (value: Scalar) => sql`${JSON.stringify(value)}::jsonb`
  /**
   * The planner has no statistics of JSON values and would assume that almost no row passes: it would scan the states of all
   * devices first. For a CASE it assumes one half.
   */
  const where = (condition: Fragment, test: Fragment) => sql`(CASE WHEN ${condition} THEN ${test} ELSE false END)`
  /** Compares JSON values as JSON, without casts. */
  const ofJson = (found: Fragment, { operator, value }: Rule): Fragment => {
    const is = (kind: string) => sql`jsonb_typeof(${found}) = ${kind}::text`
    const text = sql`(${found} #>> '{}'::text[])`
    const there = sql`${found} IS NOT NULL`
    if (operator === "in") {
      const texts = (value as ReadonlyArray<Scalar>).map((one) => JSON.stringify(one))
      return where(there, sql`${found} = ANY(${texts}::text[]::jsonb[])`)
    }
    const single = value as Scalar
    if (isComparison(operator)) {
      return where(is("number"), sql`${found} ${sql.literal(comparisons[operator])} ${json(single)}`)
    }
    if (operator === "startsWith") return where(is("string"), sql`starts_with(${text}, ${single as string}::text)`)
    if (operator === "contains") {
      const inList = where(is("array"), sql`${found} @> ${JSON.stringify([single])}::jsonb`)
      if (typeof single !== "string") return inList
      return anyOf([inList, where(is("string"), sql`strpos(${text}, ${single}::text) > 0`)])
    }
    return where(there, sql`${found} = ${json(single)}`)
  }

  const { isAsleep, isRecent } = reachabilitySql(sql)
  const reachability = (now: Date) => sql`CASE WHEN s.device_id IS NULL THEN 'unknown'
    WHEN ${isAsleep} THEN 'asleep' WHEN ${isRecent(now)} THEN 'online' ELSE 'offline' END`

  const devicesAtSite = sql`(SELECT coalesce(sum(devices), 0)::bigint FROM site_device_counts WHERE site_id = sites.id)`
  const sitesOfCustomer = sql`(SELECT count(*) FROM customer_sites WHERE customer_sites.customer_id = customers.id)`

  const operand = (type: CollectionType, { at, kind, name }: Attribute, now: Date): Fragment => {
    if (at !== undefined) {
      const object = sql`${sql(at.field === "state" ? "s.state" : "d.static_state")}`
      return at.path.reduce((inside, part) => sql`(${inside} -> ${part}::text)`, object)
    }
    if (kind === "number") return type === "SITE" ? devicesAtSite : sitesOfCustomer
    return name === "onlineStatus" ? reachability(now) : sql`${sql(columns[type][name]!)}`
  }

  const tests = { text: ofText, word: ofText, tags: ofTags, time: ofTime, number: ofCount, json: ofJson } as const

  const isThere = ({ kind }: Attribute, found: Fragment) => {
    if (kind === "json") return sql`(coalesce(jsonb_typeof(${found}), 'null') <> 'null')`
    return sql`(${found} IS NOT NULL)`
  }

  const ofRule = (type: CollectionType, rule: Rule, now: Date): Fragment => {
    const attribute = findAttribute(type, rule.attribute)!
    const found = operand(type, attribute, now)
    if (rule.operator === "ne") return sql`NOT ${tests[attribute.kind](found, { ...rule, operator: "eq" })}`
    if (rule.operator === "nin") return sql`NOT ${tests[attribute.kind](found, { ...rule, operator: "in" })}`
    if (rule.operator !== "exists") return tests[attribute.kind](found, rule)
    const there = attribute.kind === "tags" ? ofTags(found, rule) : isThere(attribute, found)
    return rule.value === true ? there : sql`NOT ${there}`
  }

  const compile = (type: CollectionType, condition: Condition, now: Date): Fragment => {
    if ("all" in condition) return sql`(${sql.and(condition.all.map((one) => compile(type, one, now)))})`
    if ("any" in condition) return sql`(${sql.or(condition.any.map((one) => compile(type, one, now)))})`
    return "not" in condition ? sql`NOT ${compile(type, condition.not, now)}` : ofRule(type, condition, now)
  }
  return compile
}

/**
 * How states are joined: as the planner decides, or by index for each device, which suits a range of devices.
 */
export type StatesBy = "plan" | "device"

const stateTables: Readonly<Record<StatesBy, string>> = {
  plan: "device_states s ON s.device_id = d.id",
  device: "LATERAL (SELECT * FROM device_states WHERE device_states.device_id = d.id OFFSET 0) AS s ON true"
}

/** If a state is required, the planner may start with the states and skip devices without a match. */
const stateJoins = { none: [], optional: ["LEFT JOIN"], required: ["JOIN"] } as const

/** The joins for a condition on devices, after `FROM devices d`. */
export const deviceJoins = ({ manufacturers, sites, states }: ReadTables, statesBy: StatesBy = "plan"): string =>
  [
    ...(manufacturers ? ["JOIN manufacturers m ON m.slug = d.manufacturer"] : []),
    ...stateJoins[states].map((join) => `${join} ${stateTables[statesBy]}`),
    ...(sites ? ["LEFT JOIN sites site ON site.id = d.site_id"] : [])
  ].join(" ")
