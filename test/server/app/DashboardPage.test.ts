import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, layer } from "@effect/vitest"
import { builtDigest, sourceDigest } from "@edp/dashboard/build/sourceDigest"
import { DashboardPage } from "@edp/server/app/DashboardPage"
import { Effect, Fiber, Layer, Logger } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"
import { eventually } from "../../support/eventually.ts"

const serve = (page: typeof DashboardPage.layer) =>
  HttpRouter.serve(page, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest)
  )

const addresses = ["/", "/dashboard/", "/dashboard/devices/some-id", "/dashboard/energy?unit=month"]

const get = (path: string, headers: Record<string, string> = {}) =>
  HttpClient.execute(HttpClientRequest.get(path, { headers }))

layer(serve(DashboardPage.layer))("the dashboard's page", (it) => {
  for (const path of addresses) {
    it.effect(`${path} answers with the document of the page, which loads only from this server`, () =>
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

  it.effect("it is built from the present sources", () =>
    Effect.gen(function* () {
      yield* get("/")
      assert.strictEqual(builtDigest(), yield* Effect.promise(sourceDigest))
    })
  )
})

let reads = 0
let finish = () => {}
const slow = DashboardPage.makeLayer(() => {
  reads += 1
  return new Promise((resolve) => (finish = () => resolve(builtDigest() ?? "")))
})

layer(serve(slow))("the page that is not ready yet", (it) => {
  it.effect("is made once, although the first who asked for it does not wait for the answer", () =>
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(get("/"), { startImmediately: true })
      yield* Effect.promise(() => eventually("the first request", () => (reads === 1 ? true : undefined)))
      yield* Fiber.interrupt(first)
      const second = yield* Effect.forkChild(get("/"), { startImmediately: true })
      finish()
      assert.strictEqual((yield* Fiber.join(second)).status, 200)
      assert.strictEqual(reads, 1)
    })
  )
})

const warnings: Array<unknown> = []
const noting = Logger.layer([
  Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") warnings.push(message)
  })
])
const withoutSources = DashboardPage.makeLayer(() => Promise.reject(new Error("The folder of the sources is missing")))

layer(Layer.provide(serve(withoutSources), noting))(
  "the page of an installation whose sources cannot be read",
  (it) => {
    it.effect("is the one that was built before, with a warning in the log", () =>
      Effect.gen(function* () {
        for (const path of addresses) assert.strictEqual((yield* get(path)).status, 200)
        assert.match(String(warnings), /An older build is served/)
      })
    )
  }
)
