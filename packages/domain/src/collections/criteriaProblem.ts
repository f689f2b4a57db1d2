import { isStorableText } from "../shared/Text.ts"
import { parseTimestamp } from "../shared/Timestamps.ts"
import {
  type Attribute,
  type CollectionType,
  MAX_DEPTH,
  MAX_RULES,
  MAX_VALUES,
  type Operator,
  attributeNames,
  findAttribute,
  operators,
  operatorsByKind
} from "./criteria.ts"

interface Walk {
  readonly type: CollectionType
  rules: number
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const shape = "Must be a rule {attribute, operator, value}, {all: [...]}, {any: [...]} or {not: ...}"

/**
 * The first problem of criteria as `path: message`, with the path of the invalid part, such as `criteria.all.2.value`;
 * undefined if they are valid. The path begins with the name of the field that holds the criteria.
 */
export const criteriaProblem = (type: CollectionType, criteria: unknown, field = "criteria"): string | undefined =>
  isObject(criteria) && Object.keys(criteria).length === 0
    ? undefined
    : conditionProblem({ type, rules: 0 }, criteria, field, 0)

const conditionProblem = (walk: Walk, node: unknown, path: string, depth: number): string | undefined => {
  if (!isObject(node)) return `${path}: ${shape}`
  const keys = Object.keys(node)
  const [key] = keys
  if (keys.length === 1 && (key === "all" || key === "any" || key === "not")) {
    if (depth === MAX_DEPTH) return `${path}: Must be nested at most ${MAX_DEPTH} deep`
    const inside = `${path}.${key}`
    return key === "not"
      ? conditionProblem(walk, node[key], inside, depth + 1)
      : listProblem(walk, node[key], inside, depth + 1)
  }
  return ruleProblem(walk, node, path)
}

const listProblem = (walk: Walk, list: unknown, path: string, depth: number): string | undefined => {
  if (!Array.isArray(list) || list.length === 0) return `${path}: Must be a list of at least one condition`
  for (const [index, node] of list.entries()) {
    const problem = conditionProblem(walk, node, `${path}.${index}`, depth)
    if (problem !== undefined) return problem
  }
  return undefined
}

const fields = ["attribute", "operator", "value"]

const ruleProblem = (walk: Walk, rule: Json, path: string): string | undefined => {
  if (!fields.some((field) => Object.hasOwn(rule, field))) return `${path}: ${shape}`
  const unknown = Object.keys(rule).find((key) => !fields.includes(key))
  if (unknown !== undefined) return `${path}: Must have only attribute, operator and value`
  if (++walk.rules > MAX_RULES) return `${path}: Must be one of at most ${MAX_RULES} rules`
  const attribute = typeof rule.attribute === "string" ? findAttribute(walk.type, rule.attribute) : undefined
  if (attribute === undefined || !isStorableText(attribute.name)) {
    return `${path}.attribute: Must be one of ${attributeNames(walk.type).join(", ")}`
  }
  const allowed = operatorsByKind[attribute.kind]
  const operator = operators.find((one) => one === rule.operator)
  if (operator === undefined || !allowed.includes(operator)) {
    return `${path}.operator: Must be one of ${allowed.join(", ")}`
  }
  return valueProblem(attribute, operator, rule.value, `${path}.value`)
}

const valueProblem = (attribute: Attribute, operator: Operator, value: unknown, path: string) => {
  if (operator === "exists") return typeof value === "boolean" ? undefined : `${path}: Must be true or false`
  if (operator !== "in" && operator !== "nin") return scalarProblem(attribute, operator, value, path)
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES) {
    return `${path}: Must be a list of 1 to ${MAX_VALUES} values`
  }
  for (const [index, one] of value.entries()) {
    const problem = scalarProblem(attribute, operator, one, `${path}.${index}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

const isText = (value: unknown) => typeof value === "string" && isStorableText(value)
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value)

const ordering: ReadonlyArray<Operator> = ["gt", "gte", "lt", "lte"]

const scalarProblem = (
  { kind, words }: Attribute,
  operator: Operator,
  value: unknown,
  path: string
): string | undefined => {
  const unless = (right: boolean, what: string) => (right ? undefined : `${path}: Must be ${what}`)
  if (kind === "time") {
    const right = typeof value === "string" && parseTimestamp(value) !== undefined
    return unless(right, "a date-time of RFC 3339, such as 2026-03-01T12:00:00Z")
  }
  if (kind === "number" || ordering.includes(operator)) return unless(isNumber(value), "a number")
  const isPart = operator === "contains" || operator === "startsWith"
  if (kind === "word" && !isPart) return unless(words!.includes(value as string), `one of ${words!.join(", ")}`)
  if (kind !== "json" || operator === "startsWith") return unless(isText(value), "a text without NUL")
  const right = isText(value) || isNumber(value) || typeof value === "boolean"
  return unless(right, "a text without NUL, a number, true or false")
}
