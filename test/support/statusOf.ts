import { get } from "node:http"

/** The status that an address answers within the time, undefined when nothing answers. Each call is a new connection. */
export const statusOf = (url: string, timeoutMs: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on("error", () => resolve(undefined))
  })
