import { connect } from "node:net"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { Effect } from "effect"

/** Connections from this machine to a device, as the service would open them. */
export const localHost: Pick<AdapterHost, "contained" | "dial"> = {
  dial: (host, port) =>
    Effect.callback((resume) => {
      const socket = connect({ host, port, timeout: 10_000 })
      const refused = (message: string) => {
        socket.destroy()
        resume(Effect.fail(AdapterError.of("unreachable", `No connection to ${host}:${port}: ${message}`)))
      }
      socket.once("error", ({ message }) => refused(message))
      socket.once("timeout", () => refused("nothing responds"))
      socket.once("connect", () => {
        socket.removeAllListeners().setTimeout(0)
        resume(Effect.succeed(socket))
      })
      return Effect.sync(() => void socket.destroy())
    }),
  contained: (_, register) => Effect.callback((resume) => register(resume))
}
