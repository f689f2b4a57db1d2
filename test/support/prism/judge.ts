import { createInstance, type IHttpRequest, type IHttpResponse } from "@stoplight/prism-http"
import { readContent, type Exchange, readHeaders } from "./Exchange.ts"
import { operationsByParts, listOperations } from "./operations.ts"

export interface Verdict {
  /** `METHOD /path/{parameter}` of the document; undefined where it has no such operation. */
  readonly operation: string | undefined
  /** The response's violations of the document, a sentence each. */
  readonly violations: ReadonlyArray<string>
}

export type Judge = (exchange: Exchange) => Promise<Verdict>

/** Prism logs to an object with pino's interface. */
const silent: any = { info: () => {}, warn: () => {}, error: () => {}, child: () => silent }

/** Requests are not judged: suites send wrong ones on purpose, and the service refuses them itself. */
const proxying = {
  isProxy: true,
  upstream: new URL("http://service"),
  upstreamProxy: undefined,
  errors: false,
  validateRequest: false,
  checkSecurity: false,
  validateResponse: true,
  mock: { dynamic: false }
} as const

/** Prism takes what can't be decoded as it is written; to the service such a path is none of its own. */
const isPath = ({ path }: Exchange) => {
  try {
    return decodeURIComponent(path.split("?")[0]!) !== ""
  } catch {
    return false
  }
}

const toRequest = ({ method, path }: Exchange): IHttpRequest => ({
  method: method.toLowerCase() as IHttpRequest["method"],
  url: { path: path.split("?")[0]! }
})

const toResponse = (exchange: Exchange): IHttpResponse => ({
  statusCode: exchange.status,
  headers: readHeaders(exchange),
  body: readContent(exchange)
})

/** Prism's proxy with a document, but for the forwarding, which has happened already: it would not pass on every byte. */
export const prismJudge = (document: object): Judge => {
  const candidates = operationsByParts(listOperations(document))

  return async (exchange) => {
    const request = toRequest(exchange)
    const operations = candidates(request.url.path)
    // Without any, Prism would treat the document as empty.
    if (!isPath(exchange) || operations.length === 0) return { operation: undefined, violations: [] }
    let operation: string | undefined
    const prism = createInstance(proxying, {
      logger: silent,
      forward: (_request, _upstream, _proxy, resource) => () => async () => {
        if (resource !== undefined) operation = `${resource.method.toUpperCase()} ${resource.path}`
        return { _tag: "Right", right: toResponse(exchange) }
      }
    })
    const outcome = await prism.request(request, operations)()
    if (outcome._tag === "Left") throw outcome.left
    const violations = outcome.right.validations.output.map(({ message, path = [] }) => [...path, message].join(": "))
    return { operation, violations: operation === undefined ? [] : violations }
  }
}
