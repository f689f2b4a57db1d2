import { Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { isRefusedAddress } from "./guardedConnections.ts"
import { type AddressRule, NOT_CALLED, guardedLookup } from "./OutboundDial.ts"
import { OutboundHttp } from "./OutboundHttp.ts"

/** A client that is made with the first call. */
export type GuardedClient = Effect.Effect<HttpClient.HttpClient>

/** HTTP clients that call the addresses of one rule alone, whatever a host's name resolves to. They follow no redirects. */
export class GuardedHttp extends Context.Service<
  GuardedHttp,
  { readonly make: (allows: AddressRule) => Effect.Effect<GuardedClient> }
>()("@edp/server/platform/outbound/GuardedHttp") {
  static readonly layer = Layer.effect(
    GuardedHttp,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      return {
        make: Effect.fnUntraced(function* (allows) {
          const context = yield* Layer.buildWithScope(
            OutboundHttp.layer({ allowPrivate: true, lookup: guardedLookup(allows) }),
            scope
          )
          const guarded = (client: HttpClient.HttpClient) =>
            HttpClient.transform(client, (response, request) =>
              isRefusedAddress(allows, new URL(request.url).hostname)
                ? Effect.fail(
                    new HttpClientError.HttpClientError({
                      reason: new HttpClientError.InvalidUrlError({ request, description: NOT_CALLED })
                    })
                  )
                : response
            )
          return Effect.map(Context.get(context, OutboundHttp).client, guarded)
        })
      }
    })
  )
}
