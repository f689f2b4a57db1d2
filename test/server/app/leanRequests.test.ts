import { handlersOf } from "@edp/server/platform/http/handlersOf"
import { leanly } from "@edp/server/platform/http/leanly"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

class Greeting extends Context.Service<Greeting, string>()("@edp/server/Greeting") {}

class TestApi extends HttpApi.make("test").add(
  HttpApiGroup.make("things").add(
    HttpApiEndpoint.get("seen", "/seen", {
      success: Schema.Struct({ greeting: Schema.String, services: Schema.Array(Schema.String) })
    })
  )
) {}

const handlers = handlersOf(
  TestApi,
  "things",
  Effect.fn(function* (handle) {
    const greeting = yield* Greeting
    return handle.handleAll({
      seen: () =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.succeed({ greeting, services: [...context.mapUnsafe.keys()] })
        )
    })
  })
)

const served = leanly((ours: Context.Context<Greeting>) =>
  HttpRouter.serve(
    HttpApiBuilder.layer(TestApi).pipe(Layer.provide(handlers), Layer.provide(Layer.succeedContext(ours))),
    {
      disableLogger: true,
      disableListenLog: true
    }
  )
).pipe(Layer.provide(Layer.succeed(Greeting, "hello")), Layer.provideMerge(NodeHttpServer.layerTest))

layer(served)("a request", (it) => {
  it.effect("carries no service of ours, and its handler has what it was built with", () =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get("/seen")
      const { greeting, services } = (yield* response.json) as { greeting: string; services: Array<string> }
      assert.strictEqual(greeting, "hello")
      assert.isAbove(services.length, 0)
      assert.deepStrictEqual(
        services.filter((key) => key.startsWith("@edp/server/")),
        []
      )
    })
  )
})
