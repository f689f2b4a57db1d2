import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Exit, Schema, SchemaAST } from "effect"

type Given = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
type Details = Record<string, string>

const isList = (ast: SchemaAST.AST) => SchemaAST.isArrays(SchemaAST.toEncoded(ast))

const once = "Must be given once only"
const unknown = "Is not known here"

/**
 * Says what is wrong with the query parameters of an endpoint: every route refuses those that it does not know, and
 * those that are given twice without being lists.
 */
export const queryProblems = (query: Schema.Top | undefined) => {
  const ast = query?.ast
  const signatures = ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  const lists = new Map(signatures.map(({ name, type }) => [String(name), isList(type)]))
  const decode =
    query && Schema.decodeUnknownExit(Schema.toCodecArrayFromSingle(query) as Schema.Codec<unknown>, { errors: "all" })

  const problemOf = (name: string, value: Given[string]) => {
    const isRepeatable = lists.get(name)
    if (isRepeatable === undefined) return unknown
    return Array.isArray(value) && !isRepeatable ? once : undefined
  }

  return (given: Given): Details | undefined => {
    let details: Details | undefined
    for (const name of Object.keys(given)) {
      const problem = problemOf(name, given[name])
      if (problem !== undefined) (details ??= Object.create(null) as Details)[name] = problem
    }
    if (details === undefined) return undefined
    // What else is wrong is told along: all offending fields at once.
    const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in details)))
    const exit = decode?.(rest)
    return exit !== undefined && Exit.isFailure(exit)
      ? Object.assign(details, schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "query"))
      : details
  }
}
