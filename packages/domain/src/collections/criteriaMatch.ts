import { parseTimestamp } from "../shared/Timestamps.ts"
import {
  type Attribute,
  type CollectionType,
  type Condition,
  type Criteria,
  type Operator,
  type Rule,
  type Scalar,
  findAttribute,
  isEmpty
} from "./criteria.ts"

type Json = Readonly<Record<string, unknown>>

/** A device, site or customer in the form of a response. */
export type MatchedRecord = object

/** The value of a field of an object; undefined for arrays. */
const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? (value as Json)[name]
    : undefined

const at = (value: unknown, path: ReadonlyArray<string>) => path.reduce(field, value)

const attributePath = ({ at: inside, name }: Attribute): ReadonlyArray<string> => {
  if (inside !== undefined) return [inside.field, ...inside.path]
  const [first, ...rest] = name.split(".") as [string, ...Array<string>]
  return first === "site" ? ["location", "address", ...rest] : [first, ...rest]
}

/** The value of an attribute of a record; null and an empty list of tags count as missing. */
const attributeValue = (record: MatchedRecord, attribute: Attribute): unknown => {
  if (attribute.name === "siteCount") return (field(record, "connectedSiteIds") as ReadonlyArray<string>).length
  const value = at(record, attributePath(attribute))
  if (value === undefined || value === null) return undefined
  if (attribute.kind === "tags") return (value as ReadonlyArray<string>).length === 0 ? undefined : value
  return attribute.kind === "time" ? parseTimestamp(value as string) : value
}

const compare = (operator: Operator, left: number, right: number) => {
  if (operator === "gt") return left > right
  if (operator === "gte") return left >= right
  return operator === "lt" ? left < right : left <= right
}

/** Whether a present value passes a positive operator. Values of different types are never equal. */
const passes = (kind: Attribute["kind"], operator: Operator, value: unknown, wanted: Scalar): boolean => {
  if (kind === "tags") {
    // A set contains a whole tag, where a text contains a part.
    const onTag = operator === "contains" ? "eq" : operator
    return (value as ReadonlyArray<string>).some((tag) => passes("text", onTag, tag, wanted))
  }
  if (operator === "eq") return value === wanted
  if (operator === "startsWith") return typeof value === "string" && value.startsWith(wanted as string)
  if (operator === "contains") {
    if (Array.isArray(value)) return value.includes(wanted)
    return typeof value === "string" && typeof wanted === "string" && value.includes(wanted)
  }
  return typeof value === "number" && compare(operator, value, wanted as number)
}

const opposite = { ne: "eq", nin: "in" } as const

const ruleMatches = (type: CollectionType, rule: Rule, record: MatchedRecord): boolean => {
  const attribute = findAttribute(type, rule.attribute)!
  const { operator } = rule
  if (operator === "ne" || operator === "nin") {
    return !ruleMatches(type, { ...rule, operator: opposite[operator] }, record)
  }
  const value = attributeValue(record, attribute)
  if (operator === "exists") return (value !== undefined) === rule.value
  if (value === undefined) return false
  const wanted = (operator === "in" ? rule.value : [rule.value]) as ReadonlyArray<Scalar>
  const single = operator === "in" ? "eq" : operator
  return wanted.some((one) =>
    passes(attribute.kind, single, value, attribute.kind === "time" ? parseTimestamp(one as string)! : one)
  )
}

const conditionMatches = (type: CollectionType, condition: Condition, record: MatchedRecord): boolean => {
  if ("all" in condition) return condition.all.every((one) => conditionMatches(type, one, record))
  if ("any" in condition) return condition.any.some((one) => conditionMatches(type, one, record))
  return "not" in condition ? !conditionMatches(type, condition.not, record) : ruleMatches(type, condition, record)
}

/** Whether a record meets valid criteria. Every record meets `{}`. */
export const criteriaMatch = (type: CollectionType, criteria: Criteria, record: MatchedRecord): boolean =>
  isEmpty(criteria) || conditionMatches(type, criteria, record)
