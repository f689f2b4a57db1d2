import { transformOas3Operations } from "@stoplight/http-spec/oas3/operation"
import { bundleTarget } from "@stoplight/json"
import type { getHttpOperationsFromSpec } from "@stoplight/prism-http"

export type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>

/**
 * The operations of a document, in Prism's form. Prism's own reader replaces every reference by what it refers to. A record
 * that stands in each of many events is then compiled as often as it stands there, into one function of several megabytes,
 * on which V8's optimizer takes gigabytes. Here each operation keeps its references, and the schemas that they lead to.
 */
export const listOperations = (document: object): Operations =>
  transformOas3Operations(document as Record<string, unknown>).map(
    (operation) => bundleTarget({ document: { ...document, __target__: operation }, path: "#/__target__" }) as never
  )

const splitTag = (path: string) => path.split("/").length

/** Finds the operations that a path may be one of: Prism compares a path with each that it is given, and sorts them all. */
export const operationsByParts = (operations: Operations): ((path: string) => Operations) => {
  const byParts = Map.groupBy(operations, ({ path }) => splitTag(path))
  return (path) => byParts.get(splitTag(path)) ?? []
}
