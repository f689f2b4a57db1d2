import { type Json, operationsOf, refName, rewrite, schemaRef } from "./document.ts"

/** Safe integers are what JSON integers mean here: their bounds say nothing to a reader. */
const withoutSafeBounds = (node: Json): Json => {
  const { minimum, maximum, ...rest } = node
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum })
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

/** A reference may have a description of its own beside it. */
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

export const simplify = (spec: Json): Json =>
  rewrite(spec, (node) => withPlainRest(withPlainRef(withShortNull(withoutSafeBounds(node)))))

const noun = (name: string) => name.replace(/(.)([A-Z])/g, "$1 $2").toLowerCase()

const pageName = (schema: Json): string | undefined => {
  const item = refName(schema.properties?.data?.items)
  if (item === undefined) return undefined
  return `${item}${"totalItems" in schema.properties ? "Page" : "CursorPage"}`
}

/** Pages are components too, so that a generated client has names for them. */
export const namePages = (spec: Json): void => {
  const named = (schema: Json): Json => {
    const name = pageName(schema)
    if (name === undefined) return schema
    const item = refName(schema.properties.data.items)!
    const walk = name.endsWith("CursorPage") ? "; asked with `cursor`, without totals" : ""
    spec.components.schemas[name] = { ...schema, description: `A page of ${noun(item)} records${walk}` }
    return schemaRef(name)
  }
  for (const { operation } of operationsOf(spec)) {
    for (const response of Object.values<Json>(operation.responses)) {
      for (const media of Object.values<Json>(response.content ?? {})) {
        const { anyOf } = media.schema
        media.schema = anyOf === undefined ? named(media.schema) : { ...media.schema, anyOf: anyOf.map(named) }
      }
    }
  }
}
