import {
  type Attribute,
  type CollectionType,
  type Condition,
  type Operator,
  type Rule,
  type Scalar,
  findAttribute,
  operatorsByKind
} from "@edp/domain/collections/criteria"
import { Arbitrary, Schema } from "effect"

/** Texts that must not be interpreted as SQL, as a pattern, or as a path. */
export const hostileTexts: ReadonlyArray<string> = [
  "'; DROP TABLE devices; --",
  "%",
  "_",
  "\\",
  '"',
  "$1",
  "{}",
  "a'b",
  "Ünïcödé 😀",
  "",
  "NULL",
  "x".repeat(10_000)
]

const texts = [...hostileTexts, "A", "a", "battery", "CA", "95814", "south", "5"]
const numbers = [0, -1, 2, 5, 5.5, 1e300, -1e-300, 0.1, 2 ** 53]
const times = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00.123+01:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]

/** Attributes of each type, and of what is inside an object some that are there and some that never are. */
export const names: Readonly<Record<CollectionType, ReadonlyArray<string>>> = {
  DEVICE: [
    "type",
    "onlineStatus",
    "manufacturer",
    "model",
    "siteId",
    "referenceId",
    "name",
    "site.state",
    "site.postalCode",
    "tags",
    "createdAt",
    "state.id",
    "state.createdAt",
    "state.power",
    "state.mode",
    "state.it's",
    "state.power.deeper",
    "state.toString",
    "staticState.capacity",
    "staticState.list",
    "staticState.inside.value",
    "staticState.inside.value.deeper",
    'staticState.inside.it\'s a "%".x',
    "staticState.inside.0",
    "staticState.%"
  ],
  SITE: [
    "name",
    "referenceId",
    "tags",
    "address.streetOne",
    "address.streetTwo",
    "address.city",
    "address.state",
    "address.postalCode",
    "address.country",
    "deviceCount"
  ],
  CUSTOMER: ["referenceId", "email", "lastName", "createdAt", "siteCount"]
}

const upTo = (most: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most })))
const oneOf = <A>(values: ReadonlyArray<A>) => Arbitrary.map(upTo(values.length - 1), (index) => values[index]!)

export const scalarsFor = ({ kind, words }: Attribute, operator: Operator): ReadonlyArray<Scalar> => {
  const isOrder = ["gt", "gte", "lt", "lte"].includes(operator)
  if (kind === "time") return times
  if (kind === "number" || isOrder) return numbers
  if (kind === "word" && !["contains", "startsWith"].includes(operator)) return words!
  return kind === "json" && operator !== "startsWith" ? [...texts, ...numbers, true, false] : texts
}

const valueFor = (attribute: Attribute, operator: Operator): Arbitrary.Arbitrary<Rule["value"]> => {
  if (operator === "exists") return oneOf([true, false])
  const scalar = oneOf(scalarsFor(attribute, operator))
  return operator === "in" || operator === "nin" ? Arbitrary.array(scalar, { minLength: 1, maxLength: 4 }) : scalar
}

const someRule = (type: CollectionType): Arbitrary.Arbitrary<Condition> =>
  Arbitrary.flatMap(oneOf(names[type]), (name) => {
    const attribute = findAttribute(type, name)!
    return Arbitrary.flatMap(oneOf(operatorsByKind[attribute.kind]), (operator) =>
      Arbitrary.map(valueFor(attribute, operator), (value): Condition => ({ attribute: name, operator, value }))
    )
  })

/** Any valid criteria, with some values of the records, nested up to the given depth. */
export const someCriteria = (type: CollectionType, depth = 4): Arbitrary.Arbitrary<Condition> =>
  Arbitrary.flatMap(upTo(depth === 0 ? 0 : 5), (shape) => {
    if (shape < 2) return someRule(type)
    const inside = someCriteria(type, depth - 1)
    if (shape === 2) return Arbitrary.map(inside, (not): Condition => ({ not }))
    return Arbitrary.map(Arbitrary.array(inside, { minLength: 1, maxLength: 3 }), (list): Condition =>
      shape === 3 ? { any: list } : { all: list }
    )
  })
