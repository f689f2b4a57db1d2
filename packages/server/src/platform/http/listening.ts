import { createServer } from "node:net"
import type * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { StartError } from "../StartError.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { ListeningServer } from "./FrontServer.ts"

/** The setting of a port. */
export type PortSetting = "PORT" | "EDP_METRICS_PORT"

const noAddress = () => "is not an address of this machine: set EDP_HOST to one"

const reasons: Record<string, (setting: PortSetting) => string> = {
  EADDRINUSE: (setting) => `is in use: set ${setting} to another port`,
  EACCES: (setting) => `may not be used by this account: set ${setting} to another port`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress
}

/** Turns the error of listening into one line that names the setting to change. */
const listenFailure = (setting: PortSetting, host: string, port: number, cause: unknown) => {
  const code = (cause as { readonly code?: string } | undefined)?.code ?? "unknown reason"
  const reason = reasons[code]?.(setting) ?? `can't be listened on (${code}): ${setting} and EDP_HOST name it`
  return new StartError({ message: `${host}:${port} ${reason}` })
}

type Listening = Layer.Success<ReturnType<typeof NodeHttpServer.layer>> | ListeningServer

export const listenError = (setting: PortSetting, host: string, port: number) => (error: HttpServerError.ServeError) =>
  Layer.effectContext<Listening, StartError, never>(listenFailure(setting, host, port, error.cause))

/** Fails before anything is opened if the port is in use: otherwise the first keys would be created without being shown. */
export const requireFreePort = Effect.flatMap(ServerConfig, ({ host, port }) =>
  Effect.callback<void, StartError>((resume) => {
    const probe = createServer()
    probe.once("error", (error) => resume(listenFailure("PORT", host, port, error)))
    probe.listen(port, host, () => probe.close(() => resume(Effect.void)))
  })
)
