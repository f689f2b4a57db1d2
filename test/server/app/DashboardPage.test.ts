import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, beforeAll, layer } from "@effect/vitest"
import { builtDigest, builtFolder, sourceDigest } from "@edp/dashboard/build/sourceDigest"
import { DashboardPage } from "@edp/server/app/DashboardPage"
import { Effect, Fiber, Layer, Logger } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"
import { buildDashboard } from "../../support/buildDashboard.ts"
import { eventually } from "../../support/eventually.ts"

beforeAll(buildDashboard, 120_000)

const serve = (page: typeof DashboardPage.layer) =>
  HttpRouter.serve(page, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest)
  )

const addresses = ["/", "/dashboard/", "/dashboard/devices/some-id", "/dashboard/energy?unit=month"]

const get = (path: string, headers: Record<string, string> = {}) =>
  HttpClient.execute(HttpClientRequest.get(path, { headers }))

layer(serve(DashboardPage.layer))("the dashboard's page", (it) => {
  for (const path of addresses) {
    it.effect(`${path} responds with the document of the page, which loads only from this server`, () =>
      Effect.gen(function* () {
        const response = yield* get(path)
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers["content-type"], "text/html; charset=utf-8")
        assert.strictEqual(response.headers["cache-control"], "no-cache")
        const policy = response.headers["content-security-policy"]!
        assert.match(policy, /^default-src 'none'; /)
        assert.include(policy, "script-src 'self';")
        assert.include(policy, "style-src 'self';")
        assert.include(policy, "frame-ancestors 'none'")
        assert.notInclude(policy, "unsafe")
        assert.notMatch(yield* response.text, /<style|<script>|https?:/)
      })
    )
  }

  it.effect("without JavaScript it says what is missing and links the reference", () =>
    Effect.gen(function* () {
      const text = yield* (yield* get("/")).text
      assert.match(text, /<noscript>[^]*needs JavaScript[^]*href="\/v1\/docs"[^]*<\/noscript>/)
    })
  )

  it("its files can be read by another account than that which built them", () => {
    const READ_AND_ENTER = 0o005
    assert.strictEqual(statSync(builtFolder).mode & READ_AND_ENTER, READ_AND_ENTER)
    assert.strictEqual(statSync(join(builtFolder, "assets")).mode & READ_AND_ENTER, READ_AND_ENTER)
  })

  it.effect("its files are kept by browsers for ever, and are compressed", () =>
    Effect.gen(function* () {
      const text = yield* (yield* get("/")).text
      const paths = [...text.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)].map(([, path]) => path!)
      assert.isAtLeast(paths.length, 3)
      for (const path of paths) {
        const response = yield* get(path, { "accept-encoding": "br" })
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(response.headers["content-encoding"], "br")
      }
    })
  )

  for (const path of [
    "/dashboard/assets/index-00000000.js",
    "/dashboard/assets/../../package.json",
    "/dashboard/api/none"
  ]) {
    it.effect(`${path} is not found`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* get(path)).status, 404)
      })
    )
  }

  it.effect("its build leaves files of the present sources", () =>
    Effect.gen(function* () {
      assert.strictEqual(builtDigest(), yield* Effect.promise(sourceDigest))
    })
  )
})

let reads = 0
const slow = DashboardPage.makeLayer(() => {
  reads += 1
  return new Promise(() => {})
})

layer(serve(slow))("the page whose sources are still being read", (it) => {
  it.effect("is served, and its sources are read once, although the first who asked for it did not wait", () =>
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(get("/"), { startImmediately: true })
      yield* Fiber.interrupt(first)
      for (const path of addresses) assert.strictEqual((yield* get(path)).status, 200)
      assert.strictEqual(reads, 1)
    })
  )
})

/** Warnings of a page, one list for each. */
const noting = (warnings: Array<string>) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(message))
    })
  ])
const command = "npx -y pnpm@12 --filter @edp/dashboard build"

const withoutSources: Array<string> = []
const noSources = DashboardPage.makeLayer(() => Promise.reject(new Error("The folder of the sources is missing")))
layer(Layer.provide(serve(noSources), noting(withoutSources)))(
  "the page of an installation whose sources cannot be read",
  (it) => {
    it.effect("is the one that was built", () =>
      Effect.gen(function* () {
        for (const path of addresses) assert.strictEqual((yield* get(path)).status, 200)
        assert.deepStrictEqual(withoutSources, [])
      })
    )
  }
)

const ofStale: Array<string> = []
const stale = DashboardPage.makeLayer(() => Promise.resolve("the digest of newer sources"))
layer(Layer.provide(serve(stale), noting(ofStale)))("the page whose sources have changed since it was built", (it) => {
  it.effect("is served, with one warning that says which command builds it", () =>
    Effect.gen(function* () {
      for (const path of addresses) assert.strictEqual((yield* get(path)).status, 200)
      yield* Effect.promise(() => eventually("the warning", () => (ofStale.length > 0 ? true : undefined)))
      assert.lengthOf(ofStale, 1)
      assert.include(ofStale[0], "older than its sources")
      assert.include(ofStale[0], command)
    })
  )
})

const ofMissing: Array<string> = []
const missing = DashboardPage.makeLayer(sourceDigest, join(tmpdir(), "edp-no-built-files"))
layer(Layer.provide(serve(missing), noting(ofMissing)))("the page that is not built", (it) => {
  it.effect("says which command builds it, in the response and with one warning in the log", () =>
    Effect.gen(function* () {
      for (const path of addresses) {
        const response = yield* get(path)
        assert.strictEqual(response.status, 503)
        assert.include(yield* response.text, command)
      }
      assert.lengthOf(ofMissing, 1)
      assert.include(ofMissing[0], command)
    })
  )
})
