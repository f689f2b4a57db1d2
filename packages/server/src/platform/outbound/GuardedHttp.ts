import { Context, Effect, Layer } from "effect"
import { isRefusedAddress } from "./guardedConnections.ts"
import { type AddressRule, NOT_CALLED, guardedLookup } from "./OutboundDial.ts"
import { OutboundFailure, OutboundHttp } from "./OutboundHttp.ts"

/** Sends requests to the addresses of a rule. */
export type GuardedSend = OutboundHttp["Service"]["send"]

/** HTTP to the addresses of one rule alone, whatever a host's name resolves to. Redirects are not followed. */
export class GuardedHttp extends Context.Service<
  GuardedHttp,
  { readonly make: (allows: AddressRule) => Effect.Effect<GuardedSend> }
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
          const { send } = Context.get(context, OutboundHttp)
          return (request) =>
            isRefusedAddress(allows, request.url.hostname)
              ? Effect.fail(new OutboundFailure({ reason: "refused", message: NOT_CALLED }))
              : send(request)
        })
      }
    })
  )
}
