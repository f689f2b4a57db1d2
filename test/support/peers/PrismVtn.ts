import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createInstance, type IHttpRequest } from "@stoplight/prism-http"
import { listOperations, operationsByParts } from "../prism/operations.ts"

/** Prism logs to an object with pino's interface. */
const silent: any = {
  ...Object.fromEntries(
    ["trace", "debug", "info", "success", "warn", "error", "fatal"].map((level) => [level, () => {}])
  ),
  child: () => silent
}

const mocking = {
  isProxy: false,
  upstreamProxy: undefined,
  errors: true,
  validateRequest: true,
  checkSecurity: true,
  validateResponse: true,
  mock: { dynamic: false }
} as const

const types: Readonly<Record<string, string>> = { programs: "PROGRAM", events: "EVENT", vens: "VEN", reports: "REPORT" }

/** The document's example of metadata is that of an event for all objects, and its example of targets is a text. */
const mendExample = (path: string, body: unknown): unknown => {
  if (Array.isArray(body)) return body.map((each) => mendExample(path, each))
  const objectType = types[path.split("/")[1]!]
  if (objectType === undefined || typeof body !== "object" || body === null) return body
  const { targets, ...fields } = body as Record<string, unknown>
  return { ...fields, objectType, ...(Array.isArray(targets) && { targets }) }
}

export interface PrismVtn {
  readonly url: string
  /** The requests with the status of their responses: 4xx for one that the document does not allow. */
  readonly seen: ReadonlyArray<string>
  readonly close: () => Promise<unknown>
}

/** A VTN that Prism makes of a document of OpenADR: it responds with the document's examples, and refuses wrong requests. */
export const startPrismVtn = async (document: object): Promise<PrismVtn> => {
  const candidates = operationsByParts(listOperations(document))
  const prism = createInstance(mocking, { logger: silent })
  const seen: Array<string> = []
  const server = createServer(async (message, response) => {
    const parts: Array<Buffer> = []
    for await (const part of message) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString("utf8")
    const { pathname, searchParams } = new URL(message.url!, "http://vtn")
    const isJson = message.headers["content-type"]?.startsWith("application/json") === true
    const query = Object.fromEntries(
      [...new Set(searchParams.keys())].map((name) => {
        const values = searchParams.getAll(name)
        return [name, values.length === 1 ? values[0]! : values]
      })
    )
    const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)]))
    const request: IHttpRequest = {
      method: message.method!.toLowerCase() as IHttpRequest["method"],
      url: { path: pathname, query },
      headers,
      ...(text !== "" && { body: isJson ? JSON.parse(text) : text })
    }
    const outcome = await prism.request(request, candidates(pathname))()
    const { body, status } =
      outcome._tag === "Right"
        ? { body: mendExample(pathname, outcome.right.output.body), status: outcome.right.output.statusCode }
        : { body: { title: outcome.left.name, detail: outcome.left.message }, status: 422 }
    seen.push(`${message.method} ${message.url} ${status}`)
    response.writeHead(status, { "content-type": "application/json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}
