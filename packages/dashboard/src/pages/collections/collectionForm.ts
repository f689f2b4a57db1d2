import type { Collection } from "@edp/domain/collections/Collection"
import {
  type CollectionType,
  type Condition,
  type Criteria,
  findAttribute,
  isEmpty,
  type Operator,
  operatorsByKind,
  type Rule,
  type Scalar
} from "@edp/domain/collections/criteria"
import { criteriaProblem } from "@edp/domain/collections/criteriaProblem"

/** How records become members. */
export const memberships = ["dynamic", "stored", "manual"] as const
export type Membership = (typeof memberships)[number]

export const membership = ({ dynamic, criteria }: Pick<Collection, "dynamic" | "criteria">): Membership =>
  dynamic ? "dynamic" : isEmpty(criteria) ? "manual" : "stored"

export interface RuleForm {
  /** Identifies the rule while rules are added and removed. */
  readonly key: number
  readonly attribute: string
  readonly operator: Operator
  /** As typed: values of a list are separated by commas. */
  readonly value: string
}

/** Criteria of one level. */
export interface CriteriaForm {
  readonly match: "all" | "any"
  readonly rules: ReadonlyArray<RuleForm>
}

export const emptyCriteria: CriteriaForm = { match: "all", rules: [] }

export const newRule = (key: number, type: CollectionType): RuleForm => ({
  key,
  attribute: type === "DEVICE" ? "type" : type === "SITE" ? "address.state" : "email",
  operator: "eq",
  value: ""
})

const isRule = (condition: Condition): condition is Rule => "attribute" in condition

const formRule = ({ attribute, operator, value }: Rule, key: number): RuleForm => ({
  key,
  attribute,
  operator,
  value: Array.isArray(value) ? value.join(", ") : String(value)
})

/** Stored criteria as a form; undefined if they are nested. */
export const formFromCriteria = (criteria: Criteria): CriteriaForm | undefined => {
  if (isEmpty(criteria)) return emptyCriteria
  if (isRule(criteria)) return { match: "all", rules: [formRule(criteria, 0)] }
  const match = "all" in criteria ? "all" : "any" in criteria ? "any" : undefined
  const conditions = "all" in criteria ? criteria.all : "any" in criteria ? criteria.any : []
  return match !== undefined && conditions.every(isRule) ? { match, rules: conditions.map(formRule) } : undefined
}

/** The operators that an attribute allows. */
export const operatorsFor = (type: CollectionType, attribute: string): ReadonlyArray<Operator> =>
  operatorsByKind[findAttribute(type, attribute.trim())?.kind ?? "json"]

/** A value of a field of a state may be a number, true or false. */
const scalar = (text: string, isNumber: boolean, isJson: boolean): Scalar => {
  const number = Number(text.replace(",", "."))
  if ((isNumber || isJson) && text !== "" && Number.isFinite(number)) return number
  return isJson && (text === "true" || text === "false") ? text === "true" : text
}

const ruleValue = (type: CollectionType, { attribute, operator, value }: RuleForm): Rule["value"] => {
  if (operator === "exists") return value !== "false"
  const kind = findAttribute(type, attribute.trim())?.kind
  const read = (text: string) => scalar(text.trim(), kind === "number", kind === "json")
  if (operator !== "in" && operator !== "nin") return read(value)
  return value
    .split(",")
    .filter((each) => each.trim() !== "")
    .map(read)
}

export const criteriaFromForm = (type: CollectionType, { match, rules }: CriteriaForm): Criteria =>
  rules.length === 0
    ? {}
    : ({
        [match]: rules.map((rule) => ({
          attribute: rule.attribute.trim(),
          operator: rule.operator,
          value: ruleValue(type, rule)
        }))
      } as unknown as Criteria)

export interface CriteriaProblem {
  readonly rule: number
  readonly field: "attribute" | "operator" | "value"
}

/** The first field of a rule that the service would refuse. */
export const invalidField = (type: CollectionType, criteria: Criteria): CriteriaProblem | undefined => {
  const problem = criteriaProblem(type, criteria)
  const found = problem?.match(/^criteria\.(?:all|any)\.(\d+)\.(attribute|operator|value)/)
  return found ? { rule: Number(found[1]), field: found[2] as CriteriaProblem["field"] } : undefined
}
