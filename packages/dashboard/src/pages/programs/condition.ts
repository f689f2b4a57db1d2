import type { Condition, Rule } from "@edp/domain/collections/criteria"

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

export interface ConditionForm {
  readonly rows: ReadonlyArray<ConditionRow>
  /** Whether a device must meet all rules or any of them. */
  readonly match: "all" | "any"
}

const isNumber = ({ attribute }: ConditionRow) => conditionAttributes[attribute].kind === "number"

/** Whether a row has a value that its attribute takes. */
export const isRowValid = (row: ConditionRow): boolean =>
  isNumber(row) ? row.value.trim() !== "" && Number(row.value) > 0 : row.value.trim() !== ""

const toRule = (row: ConditionRow): Rule => {
  const { attribute, operator } = conditionAttributes[row.attribute]
  return { attribute, operator, value: isNumber(row) ? Number(row.value) : row.value.trim() }
}

/** The criteria of a form whose rows are valid; null without rows. */
export const toCriteria = ({ match, rows }: ConditionForm): Condition | null => {
  const rules = rows.map(toRule)
  if (rules.length <= 1) return rules[0] ?? null
  return match === "all" ? { all: rules } : { any: rules }
}

const names = Object.keys(conditionAttributes) as ReadonlyArray<ConditionAttribute>

const toRow = (condition: Condition): ConditionRow | undefined => {
  if (!("attribute" in condition)) return undefined
  const found = names.find((name) => {
    const known = conditionAttributes[name]
    return known.attribute === condition.attribute && known.operator === condition.operator
  })
  return found === undefined ? undefined : { attribute: found, value: String(condition.value) }
}

/** Criteria as the rows of the form; undefined for those that the form can't make. */
export const toForm = (criteria: Condition | object | null): ConditionForm | undefined => {
  if (criteria === null || Object.keys(criteria).length === 0) return { rows: [], match: "all" }
  const condition = criteria as Condition
  const match = "any" in condition ? "any" : "all"
  const rules = "all" in condition ? condition.all : "any" in condition ? condition.any : [condition]
  const rows = rules.map(toRow)
  return rows.includes(undefined) ? undefined : { rows: rows as ReadonlyArray<ConditionRow>, match }
}
