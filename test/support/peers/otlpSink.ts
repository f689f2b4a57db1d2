import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Span {
  readonly traceId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface OtlpSink {
  readonly url: string
  /** All request bodies. */
  readonly text: () => string
  readonly spans: () => ReadonlyArray<Span>
  readonly close: () => Promise<void>
}

/** Receives traces over OTLP with JSON on a local port, and records them. */
export const startOtlpSink = async (): Promise<OtlpSink> => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      bodies.push(body)
      response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join("\n"),
    spans: () => bodies.flatMap((body) => spansIn(JSON.parse(body))),
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}

const spansIn = (body: any): ReadonlyArray<Span> =>
  body.resourceSpans.flatMap(({ scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map(({ traceId, name, attributes }: any) => ({
        traceId,
        name,
        attributes: Object.fromEntries(attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]))
      }))
    )
  )
