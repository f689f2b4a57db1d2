import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Adapters } from "../accounts/adapter-hosts/Adapters.ts"
import * as accounts from "../accounts/layer.ts"

/** Pages and endpoints that adapters serve, outside of the API. */
export const AdapterRoutes = HttpRouter.use((router) =>
  Effect.flatMap(Adapters, ({ running }) =>
    Effect.forEach(
      running.flatMap(({ instance }) => instance.routes ?? []),
      ({ handle, method, path }) => router.add(method, path, handle),
      { discard: true }
    )
  )
).pipe(Layer.provide(accounts.layer))
