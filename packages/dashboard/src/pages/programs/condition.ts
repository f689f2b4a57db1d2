import type { Condition, Rule } from "@edp/domain/collections/criteria"
import { criteriaProblem } from "@edp/domain/collections/criteriaProblem"

/** The attributes of devices that a condition can be made of by fields, each with its comparison. */
export const conditionAttributes = {
  type: { attribute: "type", operator: "eq", kind: "type" },
  manufacturer: { attribute: "manufacturer", operator: "eq", kind: "manufacturer" },
  model: { attribute: "model", operator: "contains", kind: "text" },
  capacity: { attribute: "staticState.capacity", operator: "gte", kind: "number" },
  dischargePower: { attribute: "staticState.maxDischargeRate", operator: "gte", kind: "number" },
  tag: { attribute: "tags", operator: "contains", kind: "text" },
  postalCode: { attribute: "site.postalCode", operator: "startsWith", kind: "text" }
} as const satisfies Record<
  string,
  Pick<Rule, "attribute" | "operator"> & { readonly kind: "type" | "manufacturer" | "text" | "number" }
>
export type ConditionAttribute = keyof typeof conditionAttributes

/** A rule as it is typed. */
export interface ConditionRow {
  readonly attribute: ConditionAttribute
  readonly value: string
}

/** Whether a device must meet all parts or any of them. */
export type Match = "all" | "any"

export interface ConditionGroup {
  readonly rows: ReadonlyArray<ConditionRow>
  readonly match: Match
}

export interface ConditionForm {
  readonly rows: ReadonlyArray<ConditionRow | ConditionGroup>
  readonly match: Match
}

export const isGroup = (row: ConditionRow | ConditionGroup): row is ConditionGroup => "rows" in row

const isNumber = ({ attribute }: ConditionRow) => conditionAttributes[attribute].kind === "number"

/** Whether a row has a value that its attribute takes. */
export const isRowValid = (row: ConditionRow): boolean =>
  isNumber(row) ? row.value.trim() !== "" && Number(row.value) > 0 : row.value.trim() !== ""

const toRule = (row: ConditionRow): Rule => {
  const { attribute, operator } = conditionAttributes[row.attribute]
  return { attribute, operator, value: isNumber(row) ? Number(row.value) : row.value.trim() }
}

const join = (match: Match, conditions: ReadonlyArray<Condition>): Condition | null =>
  conditions.length <= 1 ? (conditions[0] ?? null) : match === "all" ? { all: conditions } : { any: conditions }

/** The criteria of a form whose rows are valid; null without rows. */
export const toCriteria = ({ match, rows }: ConditionForm): Condition | null =>
  join(
    match,
    rows
      .map((row) => (isGroup(row) ? join(row.match, row.rows.map(toRule)) : toRule(row)))
      .filter((each) => each !== null)
  )

const names = Object.keys(conditionAttributes) as ReadonlyArray<ConditionAttribute>

const toRow = (condition: Condition): ConditionRow | undefined => {
  if (!("attribute" in condition)) return undefined
  const found = names.find((name) => {
    const known = conditionAttributes[name]
    return known.attribute === condition.attribute && known.operator === condition.operator
  })
  return found === undefined ? undefined : { attribute: found, value: String(condition.value) }
}

/** The parts of a condition in a form; undefined if one of them has none. */
const toParts = <Row>(condition: Condition, toPart: (part: Condition) => Row | undefined) => {
  const match: Match = "any" in condition ? "any" : "all"
  const parts = "all" in condition ? condition.all : "any" in condition ? condition.any : [condition]
  const rows = parts.map(toPart)
  return rows.includes(undefined) ? undefined : { match, rows: rows as ReadonlyArray<Row> }
}

/** Criteria as the rows of the form, with groups of one more level; undefined for those that the form can't make. */
export const toForm = (criteria: Condition | object | null): ConditionForm | undefined => {
  if (criteria === null || Object.keys(criteria).length === 0) return { rows: [], match: "all" }
  return toParts<ConditionRow | ConditionGroup>(
    criteria as Condition,
    (part) => toRow(part) ?? ("all" in part || "any" in part ? toParts(part, toRow) : undefined)
  )
}

/** Criteria that are typed as JSON; undefined for a text that is none. */
export const readCriteria = (text: string): Condition | Readonly<Record<string, never>> | undefined => {
  try {
    const criteria = JSON.parse(text)
    return criteriaProblem("DEVICE", criteria) === undefined ? criteria : undefined
  } catch {
    return undefined
  }
}
