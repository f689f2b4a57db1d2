import { Effect, Layer, Option } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { OutboundHttp } from "./OutboundHttp.ts"
import { OutboundRules } from "./OutboundRules.ts"

/** Where callers may send the platform: on the embedded database, which is for trying it out, to private addresses too. */
export const configuredOutbound = Layer.unwrap(
  Effect.map(ServerConfig, ({ allowPrivateDestinations, databaseUrl }) => {
    const allowPrivate = Option.match(allowPrivateDestinations, {
      onNone: () => Option.isNone(databaseUrl),
      onSome: (word) => word === "true"
    })
    return Layer.merge(OutboundHttp.layer({ allowPrivate }), OutboundRules.layer({ allowPrivate }))
  })
)
