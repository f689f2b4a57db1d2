import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { builtDigest, builtFolder, sourceDigest } from "@edp/dashboard/build/sourceDigest"
import { Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { sendFile, type StaticFile, staticFile } from "../platform/http/staticFile.ts"

/** Scripts, styles and requests stay on this server; the page is in no frame of another one. Charts are saved as blobs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

const pageHeaders = {
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-cache"
}

/** The name of a built file contains the digest of its content. */
const assetHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin"
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8"
}

interface BuiltPage {
  readonly index: StaticFile
  readonly assets: ReadonlyMap<string, StaticFile>
}

const read = (folder: string, path: string) => Effect.tryPromise(() => readFile(join(folder, path)))

const readAsset = Effect.fnUntraced(function* (folder: string, name: string) {
  const content = yield* read(folder, `assets/${name}`)
  const contentType = contentTypes[extname(name)] ?? "application/octet-stream"
  const compressed = yield* read(folder, `assets/${name}.br`)
  return [name, yield* staticFile(content, contentType, assetHeaders, compressed)] as const
})

const readBuilt = Effect.fn("DashboardPage.read")(function* (folder: string) {
  const found = yield* Effect.tryPromise(() => readdir(join(folder, "assets")))
  const names = found.filter((name) => extname(name) !== ".br")
  const index = yield* read(folder, "index.html")
  return {
    index: yield* staticFile(index, "text/html; charset=utf-8", pageHeaders),
    assets: new Map(yield* Effect.forEach(names, (name) => readAsset(folder, name), { concurrency: 8 }))
  } satisfies BuiltPage
})

const REMEDY = "`npx -y pnpm@12 --filter @edp/dashboard build` builds it; restart the service afterwards"

/** Says that the built files are older than their sources. An installation may have no sources. */
const warnIfStale = (folder: string, readDigest: () => Promise<string>) =>
  Effect.tryPromise(readDigest).pipe(
    Effect.flatMap((present) =>
      present === builtDigest(folder)
        ? Effect.void
        : Effect.logWarning(`The dashboard is older than its sources: ${REMEDY}`)
    ),
    Effect.ignore
  )

const missing = HttpServerResponse.text(
  `The dashboard is not built: ${REMEDY}. The API works: its reference is at /v1/docs.\n`,
  { status: 503 }
)

const pathname = (request: HttpServerRequest.HttpServerRequest) => request.url.split("?", 1)[0] ?? ""

const noRoute = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.fail(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))

const ASSETS = "/dashboard/assets/"

/** The page of a folder of built files, with a function that reads the digest of its present sources. */
const makeLayer = (readDigest: () => Promise<string>, folder = builtFolder) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      if (builtDigest(folder) === undefined) yield* Effect.logWarning(`The dashboard is not built: ${REMEDY}`)
      // The first request for the page begins to read its files, and does not have to wait until they are read.
      const work = Effect.tap(readBuilt(folder), () => Effect.forkIn(warnIfStale(folder, readDigest), scope))
      const begun = yield* Effect.cached(Effect.forkIn(Effect.option(work), scope))
      const serve = (request: HttpServerRequest.HttpServerRequest) => {
        const path = pathname(request)
        if (path.startsWith("/dashboard/api/") || path === "/dashboard/api") return noRoute(request)
        return Effect.flatMap(Effect.flatMap(begun, Fiber.join), (found) => {
          if (found._tag === "None") return Effect.succeed(missing)
          if (!path.startsWith(ASSETS)) return sendFile(request, found.value.index)
          const asset = found.value.assets.get(path.slice(ASSETS.length))
          return asset === undefined ? noRoute(request) : sendFile(request, asset)
        })
      }
      return Layer.mergeAll(HttpRouter.add("GET", "/", serve), HttpRouter.add("GET", "/dashboard/*", serve))
    })
  )

/**
 * The operators' page, of which this serves the built files: `/` and every path under `/dashboard/` respond with the same document, which
 * shows the page of the address. Its endpoints are under `/dashboard/api`. Effect's HttpStaticServer is not used: it would compress each
 * file for every visitor.
 */
export const DashboardPage = { layer: makeLayer(sourceDigest), makeLayer }
