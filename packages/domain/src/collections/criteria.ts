/** What a collection gathers. */
export const collectionTypes = ["DEVICE", "SITE", "CUSTOMER"] as const
export type CollectionType = (typeof collectionTypes)[number]

export const operators = [
  "eq",
  "ne",
  "in",
  "nin",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "startsWith",
  "exists"
] as const
export type Operator = (typeof operators)[number]

export type Scalar = string | number | boolean

/** One condition on one attribute of a record. */
export interface Rule {
  readonly attribute: string
  readonly operator: Operator
  /** A list for `in` and `nin`, true or false for `exists`. */
  readonly value: Scalar | ReadonlyArray<Scalar>
}

export type Condition =
  | Rule
  | { readonly all: ReadonlyArray<Condition> }
  | { readonly any: ReadonlyArray<Condition> }
  | { readonly not: Condition }

/** Checked criteria: a condition, or nothing at all. */
export type Criteria = Condition | Readonly<Record<string, never>>

/** What makes a record a member: criteria that it meets now, or its place in the kept set of a collection. */
export type Membership = { readonly criteria: Criteria } | { readonly collectionId: string }

export const CRITERIA_VERSION = "1"

/** How deep `all`, `any` and `not` may stand in one another. */
export const MAX_DEPTH = 5
export const MAX_RULES = 50
/** Values of one `in` or `nin`. */
export const MAX_VALUES = 1000

/** `{}`: no condition. */
export const isEmpty = (criteria: Criteria): criteria is Readonly<Record<string, never>> =>
  Object.keys(criteria).length === 0

export const conditionOf = (criteria: Criteria): Condition | undefined => (isEmpty(criteria) ? undefined : criteria)

/** All rules of a condition, in the order in which they are written. */
export const rulesOf = (condition: Condition): ReadonlyArray<Rule> => {
  if ("all" in condition) return condition.all.flatMap(rulesOf)
  if ("any" in condition) return condition.any.flatMap(rulesOf)
  return "not" in condition ? rulesOf(condition.not) : [condition]
}
