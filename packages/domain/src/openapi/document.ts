/** A part of the document. Its contents come from the generator; here they are only rearranged. */
export type Json = Record<string, any>

const methods = ["get", "post", "put", "patch", "delete"]

export interface Operation {
  readonly path: string
  readonly method: string
  readonly operation: Json
}

/** Every operation of the document, in its order. */
export const listOperations = (spec: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(spec.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (method in item ? [{ path, method, operation: item[method] }] : []))
  )

const prefix = "#/components/schemas/"

export const schemaRef = (name: string) => ({ $ref: prefix + name })

/** The component that a schema refers to, if it is a reference. */
export const refName = (schema: Json | undefined): string | undefined =>
  typeof schema?.$ref === "string" && schema.$ref.startsWith(prefix) ? schema.$ref.slice(prefix.length) : undefined

/** Rebuilds a part of the document from its leaves up. */
export const rewrite = (node: unknown, change: (node: Json) => Json): any => {
  if (Array.isArray(node)) return node.map((item) => rewrite(item, change))
  if (typeof node !== "object" || node === null) return node
  return change(Object.fromEntries(Object.entries(node).map(([key, value]) => [key, rewrite(value, change)])))
}

/** The names of all components that a schema stands on, its references' references included. */
export const findComponents = (spec: Json, roots: ReadonlyArray<unknown>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== "object" || node === null) return
    const name = refName(node as Json)
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      visit(spec.components.schemas[name])
    }
    Object.values(node).forEach(visit)
  }
  roots.forEach(visit)
  return found
}

/** The schemas of a body, by content type. */
export const listSchemas = (body: Json | undefined): ReadonlyArray<Json> =>
  Object.values<Json>(body?.content ?? {}).map(({ schema }) => schema)
