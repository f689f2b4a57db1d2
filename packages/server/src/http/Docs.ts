import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"

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
  readonly content: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

/** Kept as bytes once somebody asked for it: neither is parsed, and most servers are never asked. */
const read = (path: string, contentType: string, extra: (text: string) => Readonly<Record<string, string>>) =>
  Effect.promise(() => readFile(path)).pipe(
    Effect.map((content): StaticFile => {
      const headers = { etag: `"${sha256(content).slice(0, 22)}"`, "cache-control": "public, no-cache" }
      return { content, contentType, headers: { ...headers, ...extra(content.toString()) } }
    }),
    Effect.withSpan("Docs.read", { attributes: { path } }),
    Effect.cached
  )

const isKnown = (request: HttpServerRequest.HttpServerRequest, etag: string | undefined) =>
  (request.headers["if-none-match"] ?? "")
    .split(",")
    .some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag)

const serve = (path: HttpRouter.PathInput, file: Effect.Effect<StaticFile>) =>
  HttpRouter.add("GET", path, (request) =>
    Effect.map(file, ({ content, contentType, headers }) =>
      isKnown(request, headers.etag)
        ? HttpServerResponse.empty({ status: 304, headers })
        : HttpServerResponse.uint8Array(content, { contentType, headers })
    )
  )

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const document = yield* read(documentPath, "application/json; charset=utf-8", () => ({}))
    const page = yield* read(pagePath, "text/html; charset=utf-8", (text) => ({
      "content-security-policy": policyOf(text),
      "referrer-policy": "no-referrer"
    }))
    return Layer.mergeAll(serve("/v1/docs", page), serve("/v1/docs/swagger.json", document))
  })
)

/** The OpenAPI document at `/v1/docs/swagger.json` and the readable reference at `/v1/docs`, open to everybody. */
export const Docs = { layer }
