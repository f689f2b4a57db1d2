import { Api } from "@edp/domain/Api"
import { AllowedKeyTypes, WritesNothing } from "@edp/domain/auth/annotations"
import { ReturnsSecret } from "@edp/domain/auth/middleware"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { Context, type Schema } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"

/** One operation of the contract, or its alias under another path. */
export interface Endpoint {
  readonly group: string
  readonly method: string
  /** With parameters as `:name`. */
  readonly path: string
  /** The path under which the OpenAPI document has the operation. */
  readonly documented: string
  readonly params: ReadonlyArray<string>
  readonly allowed: ReadonlyArray<ApiKeyType>
  readonly query: Schema.Codec<any, any> | undefined
  readonly payload: Schema.Codec<any, any> | undefined
  /** Whether its response is not kept for repetitions. */
  readonly returnsSecret: boolean
  /** Whether it only computes something, though it is no GET. */
  readonly writesNothing: boolean
}

const listEndpoints = (api: HttpApi.Top): ReadonlyArray<Endpoint> => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(api as never, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, mergedAnnotations }) => {
      const path = endpoint.path.replace(/(.)\/$/, "$1")
      found.push({
        group: group.identifier,
        method: endpoint.method,
        path,
        documented: path,
        params: [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!),
        allowed: Context.get(mergedAnnotations, AllowedKeyTypes),
        query: endpoint.query as never,
        payload: findPayload(endpoint),
        returnsSecret: Context.get(mergedAnnotations, ReturnsSecret),
        writesNothing: Context.get(mergedAnnotations, WritesNothing)
      })
    }
  })
  return found
}

const contract = listEndpoints(Api as never)
/**
 * The operators' endpoints: served beside the contract, and in no document. Those of the simulator are left out: they change
 * accounts of a simulated manufacturer and no record of an organization. test/server/accounts/SimulatorApi.test.ts has them.
 * So is the stream, whose response does not end: test/server/dashboard/StreamApi.test.ts has it. The endpoints of sessions act on
 * browsers: test/server/dashboard/sessions/Sessions.test.ts has them. Archives of workspaces are made and read in several steps, and pages
 * of readings are no records: test/server/moves and test/server/readings/history/ReadingPages.test.ts have them.
 */
const leftOut = ["simulator", "stream", "signIn", "sessions", "workspaceMoves", "readingPages"]
const operators = listEndpoints(DashboardApi as never).filter(({ group }) => !leftOut.includes(group))

function findPayload(endpoint: HttpApiEndpoint.Top) {
  const [schema] = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  return schema as Schema.Codec<any, any> | undefined
}

/**
 * The manufacturers' endpoints are also served under `/v1`, where the document does not list them; but for the list of a
 * device's commands, whose place there is taken.
 */
const aliases = contract
  .filter(({ group, method }) => group === "directIntegration" || (group === "directCommands" && method === "POST"))
  .map((endpoint): Endpoint => ({ ...endpoint, path: `/v1${endpoint.path}` }))

/** Every operation that the contract declares. */
export const documentedEndpoints: ReadonlyArray<Endpoint> = contract

/** Every operation that the service responds to, the aliases and the operators' own included. */
export const endpoints: ReadonlyArray<Endpoint> = [...contract, ...aliases, ...operators]

/** Every operation once, the operators' own included. */
export const ownEndpoints: ReadonlyArray<Endpoint> = [...contract, ...operators]

export const formatRoute = ({ method, path }: Pick<Endpoint, "method" | "path">) => `${method} ${path}`

/** A path with its parameters filled in. */
export const fillPath = (path: string, params: Readonly<Record<string, string>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name]!))

const patterns = endpoints.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`)
}))

/** The methods that a concrete path takes, HEAD included. */
export const listMethods = (path: string): ReadonlySet<string> => {
  const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  return new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods)
}
