import type * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { StartError } from "../StartError.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { ListeningServer } from "./FrontServer.ts"
import { findPortProblem, portProblem, type PortSetting } from "./portProblem.ts"

type Listening = Layer.Success<ReturnType<typeof NodeHttpServer.layer>> | ListeningServer

export const listenError = (setting: PortSetting, host: string, port: number) => (error: HttpServerError.ServeError) =>
  Layer.effectContext<Listening, StartError, never>(
    new StartError({ message: portProblem(setting, host, port, error.cause) })
  )

/** Fails before anything is opened if the port is in use: otherwise the first keys would be created without being shown. */
export const requireFreePort = Effect.gen(function* () {
  const { host, port } = yield* ServerConfig
  const problem = yield* Effect.promise(() => findPortProblem(host, port))
  if (problem !== undefined) return yield* new StartError({ message: problem })
})
