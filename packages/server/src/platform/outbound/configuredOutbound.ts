import { Effect, Layer } from "effect"
import { ServerConfig } from "../config/ServerConfig.ts"
import { allowsPrivate } from "../config/requireSettings.ts"
import { OutboundDial } from "./OutboundDial.ts"
import { OutboundHttp } from "./OutboundHttp.ts"
import { OutboundRules } from "./OutboundRules.ts"

/** Where callers may send the platform: on the embedded database, which is for trying it out, to private addresses too. */
export const configuredOutbound = Layer.unwrap(
  Effect.map(ServerConfig, (config) => {
    const allowPrivate = allowsPrivate(config)
    return Layer.mergeAll(
      OutboundHttp.layer({ allowPrivate }),
      OutboundDial.layer({ allowPrivate }),
      OutboundRules.layer({ allowPrivate })
    )
  })
)
