import { createServer } from "node:net"
import { Effect } from "effect"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { StartError } from "../platform/StartError.ts"
import { listenFailure } from "../platform/http/listenError.ts"

/** Fails before anything is opened or made when the port can't be had; the first keys would be made unseen otherwise. */
export const requireFreePort = Effect.flatMap(ServerConfig, ({ host, port }) =>
  Effect.callback<void, StartError>((resume) => {
    const probe = createServer()
    probe.once("error", (error) => resume(listenFailure("PORT", host, port, error)))
    probe.listen(port, host, () => probe.close(() => resume(Effect.void)))
  })
)
