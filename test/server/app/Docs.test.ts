import { readFileSync } from "node:fs"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, layer } from "@effect/vitest"
import { Docs } from "@edp/server/app/Docs"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"

const served = HttpRouter.serve(Docs.layer, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layerTest)
)

const committed = readFileSync(new URL("../../../packages/domain/openapi.json", import.meta.url), "utf8")

const files = [
  { path: "/v1/docs", type: "text/html", holds: /Scalar\.createApiReference/ },
  { path: "/v1/docs/reference.js", type: "text/javascript", holds: /createApiReference/ },
  { path: "/v1/docs/swagger.json", type: "application/json", holds: /^\{\n {2}"openapi": "3\.1/ }
]

layer(served)("the reference", (it) => {
  for (const { path, type, holds } of files) {
    it.effect(`${path} is served without a key`, () =>
      Effect.gen(function* () {
        const response = yield* HttpClient.get(path)
        assert.strictEqual(response.status, 200)
        assert.match(response.headers["content-type"]!, new RegExp(`^${type}`))
        assert.match(yield* response.text, holds)
      })
    )

    it.effect(`${path} responds 304 to a matching ETag, and 200 to another one`, () =>
      Effect.gen(function* () {
        const { headers } = yield* HttpClient.get(path)
        const asked = (tag: string) =>
          HttpClient.execute(HttpClientRequest.get(path, { headers: { "if-none-match": tag } }))
        const known = yield* asked(`"other", W/${headers.etag}`)
        assert.strictEqual(known.status, 304)
        assert.strictEqual(known.headers.etag, headers.etag)
        assert.strictEqual(yield* known.text, "")
        assert.strictEqual((yield* asked(`"other"`)).status, 200)
        assert.strictEqual(headers["cache-control"], "public, no-cache")
      })
    )

    it.effect(`${path} responds to HEAD without a body`, () =>
      Effect.gen(function* () {
        const response = yield* HttpClient.head(path)
        assert.strictEqual(response.status, 200)
        assert.strictEqual(yield* response.text, "")
      })
    )
  }

  it.effect("the served document equals the committed one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* (yield* HttpClient.get("/v1/docs/swagger.json")).text, committed)
    })
  )

  it.effect("the page runs only this server's scripts and calls only this server", () =>
    Effect.gen(function* () {
      const policy = (yield* HttpClient.get("/v1/docs")).headers["content-security-policy"]!
      const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule]))
      assert.strictEqual(rules.get("default-src"), "default-src 'none'")
      assert.match(rules.get("script-src")!, /^script-src 'self' 'sha256-[^']+'$/)
      assert.strictEqual(rules.get("connect-src"), "connect-src 'self'")
      assert.strictEqual(rules.get("img-src"), "img-src 'self' data:")
      assert.strictEqual(rules.get("frame-ancestors"), "frame-ancestors 'none'")
      assert.notInclude(policy, "unsafe-eval")
    })
  )
})
