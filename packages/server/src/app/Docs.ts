import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { sendFile, type StaticFile, staticFile } from "../platform/http/staticFile.ts"

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("base64")

/** Scalar's own greys and colours of methods have too little contrast for text of that size. */
const contrast = `.light-mode { --scalar-color-2: #5f5f5f; --scalar-color-3: #5f5f5f; --scalar-sidebar-search-color: #5f5f5f; --scalar-color-blue: #0067a8;
  --scalar-color-green: #06703b; --scalar-color-orange: #9a4a00; --scalar-color-yellow: #7a5a00; --scalar-color-red: #c4002b;
  --scalar-color-purple: #5b3fb3; }
.sidebar-search-placeholder { color: #5f5f5f; }
.dark-mode .sidebar-search-placeholder { color: #b0b0b0; }`

/** Scalar without what calls or advertises other servers: its fonts, its proxy, its telemetry and its assistant. */
const settings = {
  url: "/v1/docs/swagger.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  customCss: contrast
}

const script = `Scalar.createApiReference("#reference", ${JSON.stringify(settings)})`

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Energy Device Platform: API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The OpenAPI document is at <a href="/v1/docs/swagger.json">/v1/docs/swagger.json</a>.</noscript>
    <script src="/v1/docs/reference.js"></script>
    <script>${script}</script>
  </body>
</html>
`

/** Scripts and requests stay on this server. Scalar writes its styles into the page. */
const policy = [
  "default-src 'none'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "style-src 'unsafe-inline'",
  `script-src 'self' 'sha256-${sha256(script)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/**
 * Changes of the script that no setting makes. Scalar's search ranks models above the operations that use them, and shows 25 results:
 * here operations come first, or a model whose name is the query. The example in the field of a key is the beginning of a real key.
 */
const changes: ReadonlyArray<readonly [found: RegExp, replaced: string]> = [
  [
    /\.search\((\w+)\.value,\{limit:([\w$]+)\}\)\),query:/g,
    ".search($1.value).map((e)=>[e.item.type!==`model`?1:e.item.title.toLowerCase()===$1.value.trim().toLowerCase()?0:2,e])" +
      ".sort(([a],[b])=>a-b).slice(0,2*$2).map(([,e])=>e)),query:"
  ],
  [/`QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT`/g, "`server_…`"]
]

const adapted = (script: Buffer) =>
  Buffer.from(
    changes.reduce((text, [found, replaced]) => text.replaceAll(found, replaced), script.toString("utf8")),
    "utf8"
  )

const resolve = (specifier: string) => createRequire(import.meta.url).resolve(specifier)

const documentPath = resolve("@edp/domain/openapi.json")
const scalarPath = join(dirname(resolve("@scalar/api-reference")), "browser", "standalone.js")

/** Reads a file at the first request for it, which most servers never get. */
const fileOnDisk = (path: string, contentType: string, adapt: (content: Buffer) => Buffer = (content) => content) =>
  Effect.promise(() => readFile(path)).pipe(
    Effect.flatMap((content) => staticFile(adapt(content), contentType)),
    Effect.withSpan("Docs.read", { attributes: { path } }),
    Effect.cached
  )

const serve = (path: HttpRouter.PathInput, file: Effect.Effect<StaticFile>) =>
  HttpRouter.add("GET", path, (request) => Effect.flatMap(file, (read) => sendFile(request, read)))

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const document = yield* fileOnDisk(documentPath, "application/json; charset=utf-8")
    const scalar = yield* fileOnDisk(scalarPath, "text/javascript; charset=utf-8", adapted)
    const html = yield* staticFile(Buffer.from(page), "text/html; charset=utf-8", {
      "content-security-policy": policy,
      "referrer-policy": "no-referrer"
    })
    return Layer.mergeAll(
      serve("/v1/docs", Effect.succeed(html)),
      serve("/v1/docs/reference.js", scalar),
      serve("/v1/docs/swagger.json", document)
    )
  })
)

/**
 * The API reference at `/v1/docs`, which is Scalar, and the OpenAPI document at `/v1/docs/swagger.json`. Both need no key.
 * Effect's HttpStaticServer is not used: it would compress four megabytes for every visitor.
 */
export const Docs = { layer }
