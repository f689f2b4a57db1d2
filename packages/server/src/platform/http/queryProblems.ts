import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Cause, Exit, Schema, SchemaAST } from "effect"

type QueryValues = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
type Details = Record<string, string>

const isList = (ast: SchemaAST.AST) => SchemaAST.isArrays(SchemaAST.toEncoded(ast))

const once = "Must be given only once"
const unknown = "Is not known here"

const instant = (value: QueryValues[string]) => (typeof value === "string" ? parseTimestamp(value) : undefined)

/** Whether a span of time ends before it begins. */
const isBackwards = ({ from, to }: QueryValues) => (instant(from) ?? -Infinity) > (instant(to) ?? Infinity)

/**
 * Says what is wrong with the query parameters of an endpoint: every route refuses those that it does not know, and
 * those that are given twice without being lists. No span of time ends before it begins.
 */
export const queryProblems = (query: Schema.Top | undefined) => {
  const ast = query?.ast
  const signatures = ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  const lists = new Map(signatures.map(({ name, type }) => [String(name), isList(type)]))
  const decode =
    query && Schema.decodeUnknownExit(Schema.toCodecArrayFromSingle(query) as Schema.Codec<unknown>, { errors: "all" })

  const findProblem = (name: string, value: QueryValues[string]) => {
    const isRepeatable = lists.get(name)
    if (isRepeatable === undefined) return unknown
    return Array.isArray(value) && !isRepeatable ? once : undefined
  }

  const findProblems = (given: QueryValues) => {
    const problems: Array<readonly [name: string, problem: string]> = []
    for (const name of Object.keys(given)) {
      const problem = findProblem(name, given[name])
      if (problem !== undefined) problems.push([name, problem])
    }
    if (lists.has("from") && isBackwards(given)) problems.push(["from", "Must not be after `to`"])
    return problems
  }

  return (given: QueryValues): Details | undefined => {
    const problems = findProblems(given)
    if (problems.length === 0) return undefined
    // The names come from the caller, so the record has no prototype.
    const details: Details = Object.assign(Object.create(null), Object.fromEntries(problems))
    // All offending fields are reported at once.
    const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in details)))
    const exit = decode?.(rest)
    return exit !== undefined && Exit.isFailure(exit)
      ? Object.assign(details, schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "query"))
      : details
  }
}
