import { verb } from "../kernel/verb.ts"
import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { AllowedKeyTypes } from "@edp/domain/auth/annotations"
import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { readResponse } from "@edp/domain/client/responses"
import { Console, Context, Effect, Option, Redacted } from "effect"
import { Argument, Flag } from "effect/cli"
import { Headers, HttpClient, HttpClientError, HttpClientRequest, UrlParams } from "effect/http"
import { bodyText } from "../kernel/files.ts"
import { CliFailure, usage } from "../kernel/CliFailure.ts"
import { Connection } from "../kernel/Connection.ts"
import { parseHeaders, several, text } from "../kernel/flags.ts"
import { Output, refuseCsv } from "../kernel/Output.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const
const KEY_HEADER = "service-api-key"
/** The service ends requests after 30 seconds. */
const TIME_LIMIT = "40 seconds"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly annotations: Context.Context<never>
}
interface Group {
  readonly annotations: Context.Context<never>
  readonly endpoints: Readonly<Record<string, Endpoint>>
}

const isMatch = (template: string, path: string) => {
  const [steps, given] = [template.split("/"), path.split("/")]
  return (
    steps.length === given.length &&
    steps.every((step, at) => (step.startsWith(":") ? given[at] !== "" : step === given[at]))
  )
}

const parameters = ({ path }: Endpoint) => path.split("/:").length - 1

/** The allowed key types of a path, by the endpoint with the fewest parameters that matches; empty without one. */
const allowedTypes = (method: string, path: string): ReadonlyArray<ApiKeyType> => {
  // The telemetry endpoints are also served under /v1.
  const paths = [path, path.replace(/^\/v1\/devices/u, "/devices")]
  const wanted = method === "HEAD" ? "GET" : method
  const groups = Object.values({ ...Api.groups, ...DashboardApi.groups }) as unknown as ReadonlyArray<Group>
  const [found] = groups
    .flatMap((group) => Object.values(group.endpoints).map((endpoint) => ({ group, endpoint })))
    .filter(({ endpoint }) => endpoint.method === wanted && paths.some((one) => isMatch(endpoint.path, one)))
    .toSorted((one, other) => parameters(one.endpoint) - parameters(other.endpoint))
  if (found === undefined) return path === "/metrics" ? ["MANAGEMENT"] : []
  return Context.get(Context.merge(found.group.annotations, found.endpoint.annotations), AllowedKeyTypes)
}

const parseQuery = Effect.fnUntraced(function* (pairs: ReadonlyArray<string>) {
  const parameters: Array<readonly [string, string]> = []
  for (const pair of pairs) {
    const at = pair.indexOf("=")
    if (at < 1) return yield* usage(`--query must be name=value, not ${JSON.stringify(pair)}`)
    parameters.push([pair.slice(0, at), pair.slice(at + 1)])
  }
  return parameters
})

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const toFailure = (status: number, body: unknown) => {
  const { code, message } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>
  return new CliFailure({
    code: typeof code === "string" ? code : "REFUSED",
    message: typeof message === "string" ? message : `status ${status}`
  })
}

export const api = verb(
  "api",
  "Send any request to the API",
  {
    method: Argument.String("method").pipe(
      Argument.map((method) => method.toUpperCase()),
      Argument.filter(
        (method) => methods.some((one) => one === method),
        () => `Must be one of ${methods.join(", ")}`
      ),
      Argument.withDescription(methods.join(", "))
    ),
    path: Argument.String("path").pipe(
      Argument.filter(
        (path) => path.startsWith("/") && !path.startsWith("//"),
        () => "Must begin with a slash, such as /v1/devices"
      ),
      Argument.withDescription("Path of the API, with or without a query")
    ),
    data: text("data", "Request body: text, @FILE, or @- for standard input"),
    query: several("query", "A query parameter, name=value"),
    header: Flag.String("header").pipe(
      Flag.withMetavar("'name: value'"),
      Flag.withDescription("A request header; repeat for several"),
      Flag.atLeast(0)
    ),
    idempotencyKey: text(
      "idempotency-key",
      "Idempotency key: a repeated request within 24 hours has no further effect"
    ),
    key: Flag.Literals("key", apiKeyTypes).pipe(
      Flag.withDescription("Key type; default: one that the endpoint allows"),
      Flag.optional
    ),
    include: Flag.Boolean("include").pipe(
      Flag.withDescription("Also show the response's status and headers"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ data, header, idempotencyKey, include, key, method, path, query }) {
    const connection = yield* Connection
    const output = yield* Output
    yield* refuseCsv("edp api")
    const headers = yield* parseHeaders(header)
    const parameters = yield* parseQuery(query)
    const { baseUrl } = yield* connection.profile
    const [pathname = "/"] = path.split(/[?#]/u)
    const types = Option.isSome(key) ? [key.value] : allowedTypes(method, pathname)
    const secret = types.length === 0 ? undefined : yield* connection.keyFor(types)
    const body = Option.isSome(data) ? yield* bodyText(data.value) : undefined
    const request = HttpClientRequest.make(method as (typeof methods)[number])(`${baseUrl}${path}`).pipe(
      HttpClientRequest.appendUrlParams(UrlParams.fromInput(parameters)),
      body === undefined ? (bare) => bare : HttpClientRequest.bodyText(body, "application/json"),
      HttpClientRequest.setHeaders({
        ...(Option.isSome(idempotencyKey) && { "idempotency-key": idempotencyKey.value }),
        ...headers
      })
    )
    const sent =
      secret === undefined ? request : HttpClientRequest.setHeader(request, KEY_HEADER, Redacted.value(secret))
    const reply = yield* HttpClient.execute(sent).pipe(
      Effect.flatMap((response) => readResponse(request, response)),
      Effect.timeoutOrElse({
        duration: TIME_LIMIT,
        orElse: () =>
          Effect.fail(
            new CliFailure({ code: "UNREACHABLE", message: `${baseUrl} did not respond within ${TIME_LIMIT}` })
          )
      }),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.provideService(Headers.CurrentRedactedNames, [...Headers.CurrentRedactedNames.defaultValue(), KEY_HEADER])
    )
    const content = yield* Effect.catchIf(reply.text, HttpClientError.isHttpClientError, () => Effect.succeed(""))
    const document = parsed(content)
    if (output.json) {
      const shown = document ?? (content === "" ? null : content)
      yield* output.show(include ? { status: reply.status, headers: reply.headers, body: shown } : shown, () => "")
    } else {
      const top = include
        ? [`HTTP ${reply.status}`, ...Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`), ""]
        : []
      const shown = document === undefined ? content.trimEnd() : JSON.stringify(document, null, 2)
      const lines = [...top, ...(shown === "" ? [] : [shown])]
      if (lines.length > 0) yield* Console.log(lines.join("\n"))
    }
    if (reply.status >= 400) return yield* toFailure(reply.status, document)
  }),
  [
    "edp api GET /v1/devices --query type=inverter",
    `edp api PATCH /v1/sites/SITE_ID --data '{"name": "Home"}'`,
    "edp api POST /v1/sites --data @site.json --idempotency-key first-site --include"
  ]
)
