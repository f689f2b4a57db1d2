import { deprecated, Deprecation } from "@edp/domain/auth/middleware"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import { DeprecationLive } from "@edp/server/app/middleware/responseHeaders"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const text = { success: Schema.String, error: NotFound }
const old = deprecated({
  since: "2026-01-01T00:00:00Z",
  sunset: "2027-01-01T00:00:00Z",
  notes: "https://example.com/migrations#old"
})

class TestApi extends HttpApi.make("test")
  .add(
    HttpApiGroup.make("things").add(
      HttpApiEndpoint.get("old", "/old", text).annotateMerge(old),
      HttpApiEndpoint.get("oldAndGone", "/old-and-gone", text).annotateMerge(old),
      HttpApiEndpoint.get("present", "/present", text)
    )
  )
  .middleware(Deprecation) {}

const handlers = HttpApiBuilder.group(TestApi, "things", (handle) =>
  handle.handleAll({
    old: () => Effect.succeed("works"),
    oldAndGone: () => new NotFound({}),
    present: () => Effect.succeed("works")
  })
)

const served = HttpRouter.serve(
  HttpApiBuilder.layer(TestApi).pipe(Layer.provide(handlers), Layer.provide(DeprecationLive)),
  { disableLogger: true, disableListenLog: true }
).pipe(Layer.provideMerge(NodeHttpServer.layerTest))

layer(served)("a deprecated endpoint", (it) => {
  for (const [path, status] of [
    ["/old", 200],
    ["/old-and-gone", 404]
  ] as const) {
    it.effect(`states its dates and a link with a response ${status}`, () =>
      Effect.gen(function* () {
        const response = yield* HttpClient.get(path)
        assert.strictEqual(response.status, status)
        assert.strictEqual(response.headers.deprecation, "@1767225600")
        assert.strictEqual(response.headers.sunset, "Fri, 01 Jan 2027 00:00:00 GMT")
        assert.strictEqual(response.headers.link, `<https://example.com/migrations#old>; rel="deprecation"`)
      })
    )
  }

  it.effect("is the only deprecated one", () =>
    Effect.gen(function* () {
      const { headers } = yield* HttpClient.get("/present")
      assert.deepStrictEqual([headers.deprecation, headers.sunset, headers.link], [undefined, undefined, undefined])
    })
  )

  it.effect("is marked in the OpenAPI document", () =>
    Effect.sync(() => {
      const { paths } = OpenApi.fromApi(TestApi)
      assert.strictEqual(paths["/old"]?.get?.deprecated, true)
      assert.isUndefined(paths["/present"]?.get?.deprecated)
    })
  )
})
