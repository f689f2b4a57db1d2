import { execFile } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { extname, join } from "node:path"
import { promisify } from "node:util"
import { builtDigest, builtFolder, sourceDigest } from "@edp/dashboard/build/sourceDigest"
import { Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { answerFile, type StaticFile, staticFile } from "../platform/http/staticFile.ts"

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

const read = (path: string) => Effect.tryPromise(() => readFile(join(builtFolder, path)))

const readAsset = Effect.fnUntraced(function* (name: string) {
  const content = yield* read(`assets/${name}`)
  const contentType = contentTypes[extname(name)] ?? "application/octet-stream"
  return [name, yield* staticFile(content, contentType, assetHeaders, yield* read(`assets/${name}.br`))] as const
})

const readBuilt = Effect.gen(function* () {
  const found = yield* Effect.tryPromise(() => readdir(join(builtFolder, "assets")))
  const names = found.filter((name) => extname(name) !== ".br")
  const index = yield* read("index.html")
  return {
    index: yield* staticFile(index, "text/html; charset=utf-8", pageHeaders),
    assets: new Map(yield* Effect.forEach(names, readAsset, { concurrency: 8 }))
  } satisfies BuiltPage
}).pipe(Effect.withSpan("DashboardPage.read"))

const buildProgram = fileURLToPath(import.meta.resolve("@edp/dashboard/build/build"))
const run = promisify(execFile)

/** Builds in a process of its own: the compiler takes more memory than the service. */
const build = Effect.gen(function* () {
  yield* Effect.logInfo("Building the dashboard: this takes some seconds after an installation or an update")
  yield* Effect.tryPromise((signal) =>
    run(process.execPath, ["--conditions=@edp/source", buildProgram], { signal, timeout: 120_000 })
  )
  yield* Effect.logInfo("The dashboard is built")
}).pipe(Effect.withSpan("DashboardPage.build"))

/**
 * Builds the page if its sources have changed since it was built. Where that fails, or where an installation has no sources, an
 * older build is served.
 */
const buildIfStale = Effect.fnUntraced(function* (readDigest: () => Promise<string>) {
  const built = builtDigest()
  if (built === undefined) {
    yield* Effect.catchCause(build, (cause) =>
      Effect.logWarning("The dashboard cannot be built. The API works; the page is missing", cause)
    )
    return
  }
  yield* Effect.tryPromise(readDigest).pipe(
    Effect.flatMap((present) => (present === built ? Effect.void : build)),
    Effect.catchCause((cause) =>
      Effect.logWarning("The dashboard cannot be built from its present sources. An older build is served", cause)
    )
  )
})

const missing = HttpServerResponse.text(
  "The dashboard could not be built. The log of the service says why; restart the service afterwards. The API works: its reference is at /v1/docs.\n",
  { status: 503 }
)

const pathname = (request: HttpServerRequest.HttpServerRequest) => request.url.split("?", 1)[0] ?? ""

const noRoute = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.fail(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))

const ASSETS = "/dashboard/assets/"

/** The page with a function that reads the digest of its present sources. */
const makeLayer = (readDigest: () => Promise<string>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // Without built files they are made at the start; changed sources are noticed at the first request for the page.
      // Building takes longer than some wait for an answer: it goes on without whoever asked first.
      const work = Effect.andThen(buildIfStale(readDigest), Effect.option(readBuilt))
      const begun = yield* Effect.cached(Effect.forkIn(work, yield* Effect.scope))
      const built = Effect.flatMap(begun, Fiber.join)
      if (builtDigest() === undefined) yield* Effect.forkScoped(built)
      const serve = (request: HttpServerRequest.HttpServerRequest) => {
        const path = pathname(request)
        if (path.startsWith("/dashboard/api/") || path === "/dashboard/api") return noRoute(request)
        return Effect.flatMap(built, (found) => {
          if (found._tag === "None") return Effect.succeed(missing)
          if (!path.startsWith(ASSETS)) return answerFile(request, found.value.index)
          const asset = found.value.assets.get(path.slice(ASSETS.length))
          return asset === undefined ? noRoute(request) : answerFile(request, asset)
        })
      }
      return Layer.mergeAll(HttpRouter.add("GET", "/", serve), HttpRouter.add("GET", "/dashboard/*", serve))
    })
  )

/**
 * The operators' page: `/` and every path under `/dashboard/` answer with the same document, which shows the page of the address.
 * Its endpoints are under `/dashboard/api`. Effect's HttpStaticServer is not used: it would compress each file for every visitor.
 */
export const DashboardPage = { layer: makeLayer(sourceDigest), makeLayer }
