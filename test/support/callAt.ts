import { get } from "node:http"

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON body, if there is one. */
  readonly body: any
}

export interface CallOptions {
  readonly key?: string
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The longest wait for the response, in milliseconds. */
  readonly patience?: number
}

/** Sends one request to a running service and returns any response. */
export const callAt = async (
  url: string,
  method: string,
  path: string,
  { key, body, headers, patience }: CallOptions = {}
): Promise<Reply> => {
  const response = await fetch(url + path, {
    method,
    ...(patience === undefined ? {} : { signal: AbortSignal.timeout(patience) }),
    headers: {
      // Compression would take a share of the whole run's time; its own suites ask for it.
      "Accept-Encoding": "identity",
      ...(key === undefined ? {} : { "Service-Api-Key": key }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  const text = await response.text()
  const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** The status that an address returns within the time, or undefined. Each call opens a new connection. */
export const readStatus = (url: string, timeoutMs: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on("error", () => resolve(undefined))
  })
