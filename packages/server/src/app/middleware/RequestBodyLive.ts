import { RequestBody, ServiceErrors } from "@edp/domain/auth/middleware"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Context, Effect, Layer, type Types, Cause, Exit, Schema, SchemaAST } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { bodyLimit, hasBody, jsonBody } from "../../platform/http/jsonBody.ts"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"

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
const queryProblems = (query: Schema.Top | undefined) => {
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
    const own = Object.fromEntries(problems)
    // The names come from the caller, so the record has no prototype.
    const details: Details = Object.assign(Object.create(null), own)
    // All offending fields are reported at once.
    const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in details)))
    const exit = decode?.(rest)
    return exit !== undefined && Exit.isFailure(exit)
      ? Object.assign(details, schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "query"), own)
      : details
  }
}

const requestParts = { Params: "path", Query: "query", Headers: "headers", Payload: "body" } as const

type Reply = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled | ValidationError>

/** A request that does not decode is refused with all offending fields. */
const addDetails = (error: Types.unhandled): Effect.Effect<never, Types.unhandled | ValidationError> => {
  if (!HttpApiError.HttpApiSchemaError.is(error)) return Effect.fail(error)
  // A response that its own schema refuses is a bug: it dies and becomes UNKNOWN_ERROR.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error)
  return Effect.fail(invalid(schemaDetails(error.cause, requestParts[error.kind])))
}

/**
 * Checks the query and the body of every route, whether it has any or not. Bodies that a route accepts are
 * decoded by its handler, see `groupHandlers`.
 */
export const RequestBodyLive = Layer.succeed(RequestBody, (httpEffect, { endpoint }) => {
  const withDetails = Effect.catch(httpEffect, addDetails)
  const problems = queryProblems(endpoint.query)
  const limit = bodyLimit(endpoint)
  return Effect.withFiber((fiber): Reply => {
    const wrong = problems(Context.getUnsafe(fiber.context, HttpServerRequest.ParsedSearchParams))
    if (wrong !== undefined) return Effect.fail(invalid(wrong))
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    return endpoint.payload.size === 0 && hasBody(request)
      ? Effect.andThen(jsonBody(request, limit), withDetails)
      : withDetails
  })
})

/** Declares the errors of the boundary, which belong to every endpoint's contract. */
export const ServiceErrorsLive = Layer.succeed(ServiceErrors, (httpEffect) => httpEffect)
