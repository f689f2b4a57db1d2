import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Coding, agreeOn, compress } from "../platform/http/compression.ts"
import { isKnown } from "../platform/http/entityTag.ts"

const documentPath = createRequire(import.meta.url).resolve("@edp/domain/openapi.json")
const pagePath = fileURLToPath(new URL("docs/reference.html", import.meta.url))

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("base64")

const hashesOf = (page: string, tag: string) =>
  [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))]
    .map(([, text]) => `'sha256-${sha256(text!)}'`)
    .join(" ")

/** The page runs and shows what it holds itself, and nothing else. */
const policyOf = (page: string) =>
  [
    "default-src 'none'",
    "img-src data:",
    `style-src ${hashesOf(page, "style")}`,
    `script-src ${hashesOf(page, "script")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

interface StaticFile {
  /** As it is, and in each coding: made when the first caller asks for it, and kept. */
  readonly contents: Readonly<Record<Coding | "identity", Effect.Effect<Uint8Array>>>
  readonly contentType: string
  readonly tag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Kept as bytes once somebody asked for it: neither is parsed, and most servers are never asked. */
const read = (path: string, contentType: string, extra: (text: string) => Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const content = yield* Effect.promise(() => readFile(path))
    const contents = {
      identity: Effect.succeed(content),
      br: yield* Effect.cached(Effect.promise(() => compress(content, "br", "kept"))),
      gzip: yield* Effect.cached(Effect.promise(() => compress(content, "gzip", "kept")))
    }
    const headers = { "cache-control": "public, no-cache", vary: "Accept-Encoding", ...extra(content.toString()) }
    return { contents, contentType, tag: sha256(content).slice(0, 22), headers } satisfies StaticFile
  }).pipe(Effect.withSpan("Docs.read", { attributes: { path } }), Effect.cached)

/** The file in the coding that the caller likes best. Each has a tag of its own: they differ byte by byte. */
const answer = (request: HttpServerRequest.HttpServerRequest, file: StaticFile) => {
  const coding = agreeOn(request.headers["accept-encoding"])?.coding
  const etag = coding === undefined ? `"${file.tag}"` : `"${file.tag}-${coding}"`
  const headers = { ...file.headers, etag, ...(coding !== undefined && { "content-encoding": coding }) }
  return isKnown(request.headers["if-none-match"], etag)
    ? Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { ...file.headers, etag } }))
    : Effect.map(file.contents[coding ?? "identity"], (content) =>
        HttpServerResponse.uint8Array(content, { contentType: file.contentType, headers })
      )
}

const serve = (path: HttpRouter.PathInput, file: Effect.Effect<StaticFile>) =>
  HttpRouter.add("GET", path, (request) => Effect.flatMap(file, (read) => answer(request, read)))

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const document = yield* read(documentPath, "application/json; charset=utf-8", () => ({}))
    const page = yield* read(pagePath, "text/html; charset=utf-8", (text) => ({
      "content-security-policy": policyOf(text),
      "referrer-policy": "no-referrer"
    }))
    return Layer.mergeAll(
      serve("/v1/docs", page),
      serve("/v1/docs/swagger.json", document),
      HttpRouter.add("GET", "/", HttpServerResponse.redirect("/v1/docs", { status: 302 }))
    )
  })
)

/** The OpenAPI document at `/v1/docs/swagger.json` and the readable reference at `/v1/docs`, open to everybody; `/` leads there. */
export const Docs = { layer }
