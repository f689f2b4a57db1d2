import { deviceTypes, onlineStatuses } from "../devices/DeviceType.ts"

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

/**
 * What an attribute holds: a text, a text of a closed list, a set of tags, an instant, a number, or any JSON at a path
 * inside an object.
 */
export type AttributeKind = "text" | "word" | "tags" | "time" | "number" | "json"

export interface Attribute {
  readonly name: string
  readonly kind: AttributeKind
  /** The words that a `word` can be. */
  readonly words?: ReadonlyArray<string>
  /** Where in `state` or `staticState` a `json` attribute is. */
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

/** Nothing that a device reports is deeper than this, and no name is longer. */
const MAX_PARTS = 16
const MAX_PART = 100

const inObject = (name: string): Attribute | undefined => {
  const [field, ...path] = name.split(".", MAX_PARTS + 2)
  if (field !== "state" && field !== "staticState") return undefined
  if (path.length === 0 || path.length > MAX_PARTS) return undefined
  return path.every((part) => part.length > 0 && part.length <= MAX_PART)
    ? { name, kind: "json", at: { field, path } }
    : undefined
}

/** The attribute of a name; undefined where records of the type have none of it. */
export const attributeOf = (type: CollectionType, name: string): Attribute | undefined =>
  tables.get(type)!.get(name) ?? (type === "DEVICE" ? inObject(name) : undefined)

/** How the attributes of a type are written, for those who asked for another one. */
export const attributeNames = (type: CollectionType): ReadonlyArray<string> => [
  ...fixed[type].map(({ name }) => name).filter((name) => !name.startsWith("state.")),
  ...(type === "DEVICE" ? ["state.*", "staticState.*"] : [])
]

const equality = ["eq", "ne", "in", "nin", "exists"] as const
const order = ["gt", "gte", "lt", "lte"] as const
const texts = ["contains", "startsWith"] as const

export const operatorsOf: Readonly<Record<AttributeKind, ReadonlyArray<Operator>>> = {
  text: [...equality, ...texts],
  word: [...equality, ...texts],
  tags: [...equality, ...texts],
  time: [...equality, ...order],
  number: [...equality, ...order],
  json: [...equality, ...order, ...texts]
}
