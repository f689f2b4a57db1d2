import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { agreeOn, type Coding } from "./contentCoding.ts"

/** Smaller bodies fit one packet as they are. */
const UP_TO_BYTES = 1024

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The pace for what is made anew for every request, and for what is kept. */
const levels = { once: { br: 4, gzip: 6 }, kept: { br: 9, gzip: 9 } } as const

/** Compresses in a thread of Node's pool. */
export const compress = (content: Uint8Array, coding: Coding, use: keyof typeof levels): Promise<Uint8Array> =>
  coding === "gzip"
    ? zip(content, { level: levels[use].gzip })
    : brotli(content, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: levels[use].br,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length
        }
      })

const isText = (contentType: string) => /^(text\/|application\/json)/.test(contentType)

/** Adds a request header that the answer depends on. */
export const varyingBy = (response: HttpServerResponse.HttpServerResponse, name: string) => {
  const names = response.headers.vary?.split(", ") ?? []
  return names.includes(name) ? response : HttpServerResponse.setHeader(response, "vary", [...names, name].join(", "))
}

/** The answer in the coding that the request asks for, where its body is worth it. */
export const compressed = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body, headers } = response
  if (body._tag !== "Uint8Array" || headers["content-encoding"] !== undefined || !isText(body.contentType)) {
    return Effect.succeed(response)
  }
  const accepted = request.headers["accept-encoding"]
  const isLarge = body.contentLength > UP_TO_BYTES
  // Most answers are small, and few callers weigh anything by nought: the header needs no reading then.
  if (!isLarge && accepted?.includes("=0") !== true) return Effect.succeed(response)
  const agreed = agreeOn(accepted)
  if (!isLarge && agreed?.always !== true) return Effect.succeed(response)
  const varying = varyingBy(response, "Accept-Encoding")
  if (agreed === undefined || request.method === "HEAD") return Effect.succeed(varying)
  return Effect.promise(() => compress(body.body, agreed.coding, "once")).pipe(
    Effect.map((content) =>
      HttpServerResponse.setHeader(
        HttpServerResponse.setBody(varying, HttpBody.uint8Array(content, body.contentType)),
        "content-encoding",
        agreed.coding
      )
    )
  )
}
