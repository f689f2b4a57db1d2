import { Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { isRefusedAddress } from "./guardedConnections.ts"
import { type AddressRule, NOT_CALLED, guardedLookup } from "./OutboundDial.ts"
import { OutboundHttp } from "./OutboundHttp.ts"

/** HTTP clients that call the addresses of one rule alone, whatever a host's name resolves to. They follow no redirects. */
export class GuardedHttp extends Context.Service<
  GuardedHttp,
  { readonly make: (allows: AddressRule) => Effect.Effect<HttpClient.HttpClient> }
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
          const { client } = Context.get(context, OutboundHttp)
          return HttpClient.make((request, url) =>
            isRefusedAddress(allows, url.hostname)
              ? Effect.fail(
                  new HttpClientError.HttpClientError({
                    reason: new HttpClientError.InvalidUrlError({ request, description: NOT_CALLED })
                  })
                )
              : Effect.flatMap(client, (http) => http.execute(request))
          )
        })
      }
    })
  )
}
