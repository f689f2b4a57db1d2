import type * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Layer } from "effect"
import type { HttpServerError } from "effect/http"
import type { ListeningServer } from "./FrontServer.ts"
import { StartError } from "../sql/StartError.ts"

const reasons: Record<string, string> = {
  EADDRINUSE: "is in use",
  EACCES: "may not be used by this account",
  EADDRNOTAVAIL: "is not an address of this machine",
  ENOTFOUND: "is not an address of this machine"
}

/** A port that can't be listened on, in one line. */
export const listenFailure = (host: string, port: number, cause: unknown) => {
  const code = (cause as { readonly code?: string } | undefined)?.code ?? "unknown reason"
  return new StartError({ message: `${host}:${port} ${reasons[code] ?? `can't be listened on (${code})`}` })
}

type Listening = Layer.Success<ReturnType<typeof NodeHttpServer.layer>> | ListeningServer

export const listenError = (host: string, port: number) => (error: HttpServerError.ServeError) =>
  Layer.effectContext<Listening, StartError, never>(listenFailure(host, port, error.cause))
