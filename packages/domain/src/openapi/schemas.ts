import { SHAPE } from "../shared/documents.ts"
import { type Json, findComponents, listOperations, refName, rewrite, schemaRef, listSchemas } from "./document.ts"

const isInteger = ({ type }: Json) => type === "integer" || (Array.isArray(type) && type.includes("integer"))

const in32Bits = (bound: number) => bound >= -(2 ** 31) && bound < 2 ** 31

/**
 * Every integer has bounds and a format, so that generated code makes room for it. Without bounds of their own they are
 * the integers that JSON carries safely.
 */
export const withIntegerBounds = (node: Json): Json => {
  if (!isInteger(node) || node.enum !== undefined) return node
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER, format: _, ...rest } = node
  const lowest = node.exclusiveMinimum ?? minimum
  const highest = node.exclusiveMaximum ?? maximum
  return {
    ...rest,
    format: in32Bits(lowest) && in32Bits(highest) ? "int32" : "int64",
    ...(node.exclusiveMinimum === undefined ? { minimum } : {}),
    ...(node.exclusiveMaximum === undefined ? { maximum } : {})
  }
}

const isNull = (schema: Json) => schema.type === "null" && Object.keys(schema).length === 1

/** `anyOf: [string, null]` reads better as `type: [string, null]`, with the words of the whole before those of the part. */
const withShortNull = (node: Json): Json => {
  const [first, second, ...others] = node.anyOf ?? []
  if (second === undefined || others.length > 0 || !isNull(second)) return node
  if (typeof first.type !== "string" || first.enum !== undefined) return node
  const { anyOf: _, ...outer } = node
  return { ...first, ...outer, type: [first.type, "null"] }
}

const notes = new Set(["description", "examples", "default", "deprecated", "title"])

/** Puts annotations beside the schema of a field: client generators treat a second schema as another type. */
const withPlainNotes = (node: Json): Json => {
  const [only, ...others] = node.allOf ?? []
  if (only === undefined || others.length > 0 || !Object.keys(only).every((key) => notes.has(key))) return node
  const { allOf: _, ...outer } = node
  return { ...outer, ...only }
}

const mayBeObject = (type: unknown) => type === "object" || (Array.isArray(type) && type.includes("object"))

/** States that an object without properties may have any: client generators assume that it has none. */
const withFreeFields = (node: Json): Json =>
  mayBeObject(node.type) && node.properties === undefined && node.additionalProperties === undefined
    ? { ...node, additionalProperties: true }
    : node

/** Replaces a union of one member by that member. */
const withoutLoneChoice = (node: Json): Json => {
  const [only, ...others] = node.anyOf ?? []
  if (only === undefined || others.length > 0) return node
  const { anyOf: _, ...outer } = node
  return { ...only, ...outer }
}

/** Puts the description of a reference beside it. */
const withPlainRef = (node: Json): Json => {
  const [first, second, ...others] = node.allOf ?? []
  return second !== undefined && others.length === 0 && refName(first) !== undefined && second.type === undefined
    ? { ...first, ...second }
    : node
}

/** Fields of any name beside known ones need no second schema when the known ones obey the rule of the others too. */
const withPlainRest = (node: Json): Json => {
  const [only, ...others] = node.allOf ?? []
  if (only?.additionalProperties === undefined || others.length > 0 || node.additionalProperties !== undefined)
    return node
  const { allOf: _, ...outer } = node
  return { ...outer, additionalProperties: only.additionalProperties }
}

/** A value that is checked elsewhere is documented by the schema that states its shape. */
const withShape = (node: Json): Json => {
  const stated = (node.allOf ?? []).find((part: Json) => SHAPE in part)
  return stated ?? node
}

const simplifications = [
  withShape,
  withoutLoneChoice,
  withShortNull,
  withIntegerBounds,
  withPlainRef,
  withPlainRest,
  withPlainNotes,
  withFreeFields
]

const withoutMark = (node: Json): Json => {
  const { [SHAPE]: mark, ...plain } = node
  return mark === undefined ? node : plain
}

/** `typedAs` documents the decoded side of a schema, whose component gets a suffix if the encoded side is a component, too. */
const decodedSide = /_1$/

const withSentSide = (node: Json): Json => {
  const name = refName(node)
  return name !== undefined && decodedSide.test(name) ? { ...node, ...schemaRef(name.replace(decodedSide, "")) } : node
}

export const simplify = (spec: Json): Json => {
  const { schemas } = spec.components
  for (const name of Object.keys(schemas).filter((name) => decodedSide.test(name))) delete schemas[name]
  const simple = rewrite(spec, (node) => simplifications.reduce((simplified, change) => change(simplified), node))
  return rewrite(simple, (node) => withSentSide(withoutMark(node)))
}

const isClosed = (schema: Json) => JSON.stringify(schema).includes('"additionalProperties":false')

const open = (schema: Json): Json =>
  rewrite(schema, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false ? rest : { ...rest, additionalProperties }
  )

/**
 * A body may carry fields that the service does not know, which it ignores; a response never does. A component that both
 * stand on is therefore split: requests take `<Name>Input`. `closed` names the components in which an unknown field is an
 * error in requests too.
 */
export const openRequests = (spec: Json, closed: ReadonlySet<string>): void => {
  const schemas: Json = spec.components.schemas
  const operations = listOperations(spec).map(({ operation }) => operation)
  const responses = operations.flatMap(({ responses }) => Object.values<Json>(responses).flatMap(listSchemas))
  const answered = findComponents(spec, responses)
  const sent = [
    ...findComponents(
      spec,
      operations.flatMap(({ requestBody }) => listSchemas(requestBody))
    )
  ].filter((name) => !closed.has(name))
  const standsOnClosed = (name: string) =>
    [...findComponents(spec, [schemaRef(name)])].some((part) => !closed.has(part) && isClosed(schemas[part]))
  const renamed = new Map(
    sent.filter((name) => answered.has(name) && standsOnClosed(name)).map((name) => [name, `${name}Input`])
  )
  const toInput = (schema: Json): Json =>
    rewrite(schema, (node) => {
      const name = renamed.get(refName(node) ?? "")
      return name === undefined ? node : { ...node, ...schemaRef(name) }
    })
  for (const name of sent) {
    if (!answered.has(name) || renamed.has(name)) schemas[renamed.get(name) ?? name] = toInput(open(schemas[name]))
  }
  for (const { requestBody } of operations) {
    for (const media of Object.values<Json>(requestBody?.content ?? {})) media.schema = toInput(open(media.schema))
  }
}
