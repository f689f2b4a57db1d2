import { createInstance, type IHttpRequest } from "@stoplight/prism-http"
import { listOperations, operationsByParts } from "../../support/prism/operations.ts"
import { officialDocument } from "./openAdrDocument.ts"

export interface VtnExchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly request: unknown
  readonly status: number
  /** Absent where a test lets a VTN respond with what the document does not allow. */
  readonly response?: unknown
}

/** Prism logs to an object with pino's interface. */
const silent: any = { info: () => {}, warn: () => {}, error: () => {}, child: () => silent }

const checking = {
  isProxy: true,
  upstream: new URL("http://vtn"),
  upstreamProxy: undefined,
  errors: false,
  validateRequest: true,
  checkSecurity: true,
  validateResponse: true,
  mock: { dynamic: false }
} as const

/** Violations that the VTN allows on purpose, each by its rule in docs/openadr-vtn.md. */
const lenient: ReadonlyArray<RegExp> = [
  // Null is the default of every optional field.
  /^request: body: .* must be (object|array|string|number|integer|boolean)( or null)?$/u,
  // A client may send back what it has read, with the object's own type and metadata.
  /^request: body: .*objectType must be equal to one of the allowed values/u,
  /^request: body: Request body must match exactly one schema in oneOf$/u,
  // The text of the document allows a start without a time, for "now".
  /intervalPeriod\.start must match format "date-time"$/u,
  // 405, 413, 415, 429 and some 409 are listed nowhere; `openAdrDocument.ts` checks that they are problems.
  /^response: Unable to match the returned status code/u
]

const toQuery = (path: string): Record<string, string | Array<string>> => {
  const { searchParams } = new URL(path, "http://vtn")
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    })
  )
}

const candidates = operationsByParts(listOperations(officialDocument))

/**
 * Throws unless Prism, as a proxy with the official document, has nothing against the response, nor against a request that the VTN has accepted.
 */
export const checkWithPrism = async (exchange: VtnExchange): Promise<void> => {
  const { headers, method, request, response, status } = exchange
  const path = exchange.path.split("?")[0]!
  const operations = candidates(path)
  if (operations.length === 0 || method === "HEAD") return
  const input: IHttpRequest = {
    method: method.toLowerCase() as IHttpRequest["method"],
    url: { path, query: toQuery(exchange.path) },
    headers: { "content-type": "application/json", ...headers },
    ...(request !== undefined && { body: request })
  }
  let isKnown = false
  const prism = createInstance(checking, {
    logger: silent,
    forward: (_request, _upstream, _proxy, resource) => () => async () => {
      isKnown = resource !== undefined
      const output = { statusCode: status, headers: { "content-type": "application/json" }, body: response }
      return { _tag: "Right", right: output } as never
    }
  })
  const outcome = await prism.request(input, operations)()
  if (outcome._tag === "Left") throw outcome.left
  if (!isKnown) return
  const { input: requests, output: responses } = outcome.right.validations
  const sentences = (kind: string, found: typeof requests) =>
    found.map(({ message, path: at = [] }) =>
      [kind, at[0] === "body" || at[0] === "query" ? at[0] : "", message].filter(Boolean).join(": ")
    )
  const violations = [
    ...(status < 300 ? sentences("request", requests) : []),
    ...("response" in exchange ? sentences("response", responses) : [])
  ].filter((sentence) => !lenient.some((form) => form.test(sentence)))
  if (violations.length > 0) throw new Error(`Prism: ${method} ${exchange.path} ${status}: ${violations.join("; ")}`)
}
