import type { IncomingHttpHeaders } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"

/** A request and its whole response, as received. */
export interface Exchange {
  readonly method: string
  /** With its query, as the client wrote it. */
  readonly path: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** The response's body: a value if it is JSON, otherwise a text; undefined if it is empty. */
export const readContent = ({ bytes, headers }: Exchange): unknown => {
  if (bytes.length === 0) return undefined
  const text = plain(bytes, headers["content-encoding"]).toString("utf8")
  if (!/^application\/([\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "")) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const plain = (bytes: Buffer, coding: string | undefined) => {
  if (coding === "br") return brotliDecompressSync(bytes)
  return coding === "gzip" ? gunzipSync(bytes) : bytes
}

/** The response's headers as texts; several of a name are one with commas. */
export const readHeaders = ({ headers }: Exchange): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]))
