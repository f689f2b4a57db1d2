import { Agent, request } from "node:http"
import type { Wire } from "./Wire.ts"

const agent = new Agent({ keepAlive: true })

export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** Sends a request as it is: fetch would tidy its path and refuse some of its headers and methods. */
export const rawRequest = (url: string, wire: Wire): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const { method, path, body } = wire
    const call = request({ agent, hostname, port, method, path, headers: framed(wire) as never }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as RawResponse["headers"],
          text: Buffer.concat(chunks).toString("utf8")
        })
      )
    })
    call.on("error", reject)
    call.end(body)
  })

/** Node leaves a body of GET, HEAD or DELETE without its length, and the next request would begin in its midst. */
const framed = ({ headers, body }: Wire) =>
  body === undefined || "transfer-encoding" in headers
    ? headers
    : { ...headers, "content-length": Buffer.byteLength(body) }
