import { Schema } from "effect"
import { deviceTypes, onlineStatuses } from "../devices/DeviceType.ts"
import { documents, typedAs } from "../shared/documents.ts"
import { StoredText } from "../shared/Text.ts"

/** The type of a collection's members. */
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

/** Maximum nesting of `all`, `any` and `not`. */
export const MAX_DEPTH = 5
export const MAX_RULES = 50
/** Maximum number of values of `in` and `nin`. */
export const MAX_VALUES = 1000
/** Maximum number of names in a path inside `state` or `staticState`, and of characters in each. */
const MAX_PARTS = 16
const MAX_PART = 100
const ATTRIBUTE_LENGTH = "staticState".length + MAX_PARTS * (MAX_PART + 1)

const Scalar = Schema.Union([StoredText(1_048_576), Schema.Finite, Schema.Boolean])
export type Scalar = typeof Scalar.Type

const sized = (minItems: number, maxItems: number) => documents({ minItems, maxItems })

/** A condition on one attribute of a record. */
export const Rule = Schema.Struct({
  attribute: StoredText(ATTRIBUTE_LENGTH).annotate({
    description:
      "DEVICE: type, onlineStatus, manufacturer, model, siteId, referenceId, name, site.state, site.postalCode, tags, createdAt, and any field of `state` and `staticState`, such as state.chargePercentage. SITE: name, referenceId, address.streetOne, address.streetTwo, address.city, address.state, address.postalCode, address.country, tags, deviceCount. CUSTOMER: referenceId, email, lastName, createdAt, siteCount"
  }),
  operator: Schema.Literals(operators).annotate({
    description:
      "eq, ne, in, nin and exists apply to every attribute. gt, gte, lt and lte compare numbers and date-times. contains and startsWith apply to texts; on tags, contains asks for a whole tag. A record without the attribute meets ne, nin and `exists: false` alone"
  }),
  value: Schema.Union([Scalar, Schema.Array(Scalar).check(sized(1, MAX_VALUES))]).annotate({
    description:
      "The value that the attribute is compared with, of the attribute's type: a text, a number, true or false, or a date-time of RFC 3339. For in and nin a list; for exists true or false. A text and a number are never equal"
  })
}).annotate({ identifier: "CriteriaRule", description: "A condition on one attribute of a record" })
export type Rule = typeof Rule.Type

export type Condition =
  | Rule
  | { readonly all: ReadonlyArray<Condition> }
  | { readonly any: ReadonlyArray<Condition> }
  | { readonly not: Condition }

const nested = Schema.suspend((): Schema.Codec<Condition> => Condition)
const conditions = Schema.Array(nested).check(sized(1, MAX_RULES))

const limits = `Conditions are nested at most ${MAX_DEPTH} deep and have at most ${MAX_RULES} rules in all`

export const Condition: Schema.Codec<Condition> = Schema.Union([
  Rule,
  Schema.Struct({ all: conditions }).annotate({
    identifier: "CriteriaAll",
    description: "Met by a record that meets every condition"
  }),
  Schema.Struct({ any: conditions }).annotate({
    identifier: "CriteriaAny",
    description: "Met by a record that meets at least one condition"
  }),
  Schema.Struct({ not: nested }).annotate({
    identifier: "CriteriaNot",
    description: "Met by a record that does not meet the condition"
  })
]).annotate({ identifier: "CriteriaCondition", description: limits })

const NoCondition = Schema.Record(Schema.String, Schema.Never).annotate({
  identifier: "NoCriteria",
  description: "The empty object: no condition"
})

/**
 * A condition, or none. Input is validated by `criteriaProblem`, because the attributes depend on the type of the collection
 * and INVALID_CRITERIA names one path.
 */
export const Criteria = typedAs(
  Schema.Union([Condition, NoCondition]),
  Schema.Record(Schema.String, Schema.Any).annotate({ message: "Must be a JSON object" })
).annotate({ identifier: "Criteria", description: `A condition, or \`{}\`. ${limits}` })
export type Criteria = Condition | Readonly<Record<string, never>>

/** How a record is a member: by criteria that it meets now, or by membership in a materialized collection. */
export type Membership = { readonly criteria: Criteria } | { readonly collectionId: string }

export const CRITERIA_VERSION = "1"

/** `{}`: no condition. */
export const isEmpty = (criteria: Criteria): criteria is Readonly<Record<string, never>> =>
  Object.keys(criteria).length === 0

export const toCondition = (criteria: Criteria): Condition | undefined => (isEmpty(criteria) ? undefined : criteria)

/** All rules of a condition, in their order. */
export const flattenRules = (condition: Condition): ReadonlyArray<Rule> => {
  if ("all" in condition) return condition.all.flatMap(flattenRules)
  if ("any" in condition) return condition.any.flatMap(flattenRules)
  return "not" in condition ? flattenRules(condition.not) : [condition]
}

/**
 * The type of an attribute: a text, a word of an enumeration, a set of tags, an instant, a number, or JSON at a path inside an
 * object.
 */
export type AttributeKind = "text" | "word" | "tags" | "time" | "number" | "json"

export interface Attribute {
  readonly name: string
  readonly kind: AttributeKind
  /** The words that a `word` can be. */
  readonly words?: ReadonlyArray<string>
  /** The location of a `json` attribute in `state` or `staticState`. */
  readonly at?: { readonly field: "state" | "staticState"; readonly path: ReadonlyArray<string> }
}

const some = (kind: AttributeKind, ...names: ReadonlyArray<string>): ReadonlyArray<Attribute> =>
  names.map((name) => ({ name, kind }))

const fixed: Readonly<Record<CollectionType, ReadonlyArray<Attribute>>> = {
  DEVICE: [
    { name: "type", kind: "word", words: deviceTypes },
    { name: "onlineStatus", kind: "word", words: onlineStatuses },
    ...some("text", "manufacturer", "model", "siteId", "referenceId", "name", "site.state", "site.postalCode"),
    ...some("text", "state.id"),
    ...some("tags", "tags"),
    ...some("time", "createdAt", "state.createdAt")
  ],
  SITE: [
    ...some("text", "name", "referenceId"),
    ...some("text", "address.streetOne", "address.streetTwo", "address.city", "address.state"),
    ...some("text", "address.postalCode", "address.country"),
    ...some("tags", "tags"),
    ...some("number", "deviceCount")
  ],
  CUSTOMER: [
    ...some("text", "referenceId", "email", "lastName"),
    ...some("time", "createdAt"),
    ...some("number", "siteCount")
  ]
}

const tables = new Map(
  Object.entries(fixed).map(([type, attributes]) => [type, new Map(attributes.map((one) => [one.name, one]))])
)

const inObject = (name: string): Attribute | undefined => {
  const [field, ...path] = name.split(".", MAX_PARTS + 2)
  if (field !== "state" && field !== "staticState") return undefined
  if (path.length === 0 || path.length > MAX_PARTS) return undefined
  return path.every((part) => part.length > 0 && part.length <= MAX_PART)
    ? { name, kind: "json", at: { field, path } }
    : undefined
}

/** The attribute with a name; undefined if records of the type do not have it. */
export const findAttribute = (type: CollectionType, name: string): Attribute | undefined =>
  tables.get(type)!.get(name) ?? (type === "DEVICE" ? inObject(name) : undefined)

/** The names of the attributes of a type, for error messages. */
export const attributeNames = (type: CollectionType): ReadonlyArray<string> => [
  ...fixed[type].map(({ name }) => name).filter((name) => !name.startsWith("state.")),
  ...(type === "DEVICE" ? ["state.*", "staticState.*"] : [])
]

const equality = ["eq", "ne", "in", "nin", "exists"] as const
const order = ["gt", "gte", "lt", "lte"] as const
const texts = ["contains", "startsWith"] as const

export const operatorsByKind: Readonly<Record<AttributeKind, ReadonlyArray<Operator>>> = {
  text: [...equality, ...texts],
  word: [...equality, ...texts],
  tags: [...equality, ...texts],
  time: [...equality, ...order],
  number: [...equality, ...order],
  json: [...equality, ...order, ...texts]
}
