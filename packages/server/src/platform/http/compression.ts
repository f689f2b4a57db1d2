import { promisify } from "node:util"
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect } from "effect"
import { HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"

export type Coding = "br" | "gzip"

/** In the order of our preference among codings of equal weight. */
const codings: ReadonlyArray<Coding> = ["br", "gzip"]

export interface Agreed {
  readonly coding: Coding
  /** The caller accepts no uncompressed body, however small. */
  readonly always: boolean
}

const member = /^([\w*-]+)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** Weights of the header's codings, 0 to 1. Malformed members are ignored. */
const parseWeights = (header: string) => {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(",")) {
    const [, name, weight = "1"] = member.exec(part.replaceAll(/[ \t]/g, "")) ?? []
    if (name !== undefined) weights.set(name === "x-gzip" ? "gzip" : name, Number(weight))
  }
  return weights
}

/**
 * Chooses the coding of the greatest weight in Accept-Encoding; undefined for an uncompressed body, also if the caller accepts no
 * available coding.
 */
export const agreeOn = (acceptEncoding: string | undefined): Agreed | undefined => {
  if (acceptEncoding === undefined) return undefined
  const weights = parseWeights(acceptEncoding)
  const others = weights.get("*")
  const findWeight = (coding: Coding) => weights.get(coding) ?? others ?? 0
  const coding = codings.reduce((best, one) => (findWeight(one) > findWeight(best) ? one : best))
  const identity = weights.get("identity") ?? (others === 0 ? 0 : undefined)
  if (findWeight(coding) === 0 || (identity !== undefined && identity > findWeight(coding))) return undefined
  return { coding, always: identity === 0 }
}

/** Smaller bodies fit into one packet uncompressed. */
const UP_TO_BYTES = 1024

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Compression levels for responses to one request, and for files that are kept compressed. */
const levels = { once: { br: 4, gzip: 6 }, kept: { br: 9, gzip: 9 } } as const

const brotliParams = (quality: number) => ({
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  [constants.BROTLI_PARAM_QUALITY]: quality
})

/** Compresses in a thread of Node's pool. */
export const compress = (content: Uint8Array, coding: Coding, use: keyof typeof levels): Promise<Uint8Array> =>
  coding === "gzip"
    ? zip(content, { level: levels[use].gzip })
    : brotli(content, {
        params: { ...brotliParams(levels[use].br), [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
      })

const compressor = (coding: Coding) =>
  coding === "gzip"
    ? createGzip({ level: levels.once.gzip })
    : createBrotliCompress({ params: brotliParams(levels.once.br) })

/** Compresses a streamed body as it is sent. */
const compressedStream = (body: HttpBody.Stream, coding: Coding) =>
  HttpBody.stream(
    NodeStream.pipeThroughSimple(body.stream, () => compressor(coding)),
    body.contentType
  )

/** Events of a stream are sent as they happen; a compressor would collect them. */
const isText = (contentType: string) => /^(text\/(?!event-stream)|application\/json)/.test(contentType)

/** Adds a header name to Vary. */
export const varyingBy = (response: HttpServerResponse.HttpServerResponse, name: string) => {
  const names = response.headers.vary?.split(", ") ?? []
  return names.includes(name) ? response : HttpServerResponse.setHeader(response, "vary", [...names, name].join(", "))
}

/**
 * Compresses a response as its request accepts. Effect's compression middleware is not used: it streams the compressed body, whose size
 * `UnreadResponses` must know, and it ignores weights and `identity;q=0`.
 */
export const compressed = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body, headers } = response
  if (body._tag !== "Uint8Array" && body._tag !== "Stream") return Effect.succeed(response)
  if (headers["content-encoding"] !== undefined || !isText(body.contentType)) return Effect.succeed(response)
  const accepted = request.headers["accept-encoding"]
  const isLarge = body._tag === "Stream" || body.contentLength > UP_TO_BYTES
  // Most responses are small, and few callers send a weight of 0: the header is not parsed for them.
  if (!isLarge && accepted?.includes("=0") !== true) return Effect.succeed(response)
  const agreed = agreeOn(accepted)
  if (!isLarge && agreed?.always !== true) return Effect.succeed(response)
  const varying = varyingBy(response, "Accept-Encoding")
  if (agreed === undefined || request.method === "HEAD") return Effect.succeed(varying)
  const content: Effect.Effect<HttpBody.HttpBody> =
    body._tag === "Stream"
      ? Effect.succeed(compressedStream(body, agreed.coding))
      : Effect.map(
          Effect.promise(() => compress(body.body, agreed.coding, "once")),
          (bytes) => HttpBody.uint8Array(bytes, body.contentType)
        )
  return Effect.map(content, (sent) =>
    HttpServerResponse.setHeader(HttpServerResponse.setBody(varying, sent), "content-encoding", agreed.coding)
  )
}
