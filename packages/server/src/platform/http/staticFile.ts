import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { agreeOn, type Coding, compress } from "./compression.ts"
import { isKnown } from "./entityTag.ts"

/** A file that is served as it is. */
export interface StaticFile {
  /** The bytes uncompressed and in each coding. A coding is made for the first caller that asks for it, and kept. */
  readonly contents: Readonly<Record<Coding | "identity", Effect.Effect<Uint8Array>>>
  readonly contentType: string
  readonly tag: string
  readonly headers: Readonly<Record<string, string>>
}

type Headers = Readonly<Record<string, string>>

/**
 * A static file of its content. `extra` are further headers, and replace the usual ones of their names; `br` is the content as
 * compressed by Brotli, if it exists already.
 */
export const staticFile = Effect.fnUntraced(function* (
  content: Uint8Array,
  contentType: string,
  extra: Headers = {},
  br?: Uint8Array
) {
  const contents = {
    identity: Effect.succeed(content),
    br:
      br === undefined
        ? yield* Effect.cached(Effect.promise(() => compress(content, "br", "kept")))
        : Effect.succeed(br),
    gzip: yield* Effect.cached(Effect.promise(() => compress(content, "gzip", "kept")))
  }
  const headers = { "cache-control": "public, no-cache", vary: "Accept-Encoding", ...extra }
  return {
    contents,
    contentType,
    tag: createHash("sha256").update(content).digest("base64").slice(0, 22),
    headers
  } satisfies StaticFile
})

/** Responds in the coding that the caller prefers. Each coding has its own tag, because its bytes differ. */
export const sendFile = (request: HttpServerRequest.HttpServerRequest, file: StaticFile) => {
  const coding = agreeOn(request.headers["accept-encoding"])?.coding
  const etag = coding === undefined ? `"${file.tag}"` : `"${file.tag}-${coding}"`
  const headers = { ...file.headers, etag, ...(coding !== undefined && { "content-encoding": coding }) }
  return isKnown(request.headers["if-none-match"], etag)
    ? Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { ...file.headers, etag } }))
    : Effect.map(file.contents[coding ?? "identity"], (content) =>
        HttpServerResponse.uint8Array(content, { contentType: file.contentType, headers })
      )
}
