import { type Socket, connect } from "node:net"
import { Effect } from "effect"
import { literalAddress } from "../network/publicAddress.ts"
import { contained } from "./contained.ts"
import { type AddressRule, PrivateAddress, guardedLookup } from "./OutboundDial.ts"

/** Whether a host is an address that may not be called. Connections to an address resolve nothing. */
export const isRefusedAddress = (allows: AddressRule, host: string): boolean => {
  const literal = literalAddress(host)
  return literal !== undefined && !allows(literal, host)
}

/** Opens a TCP connection under a rule, whose callbacks are contained. Fails with PrivateAddress, an error of the socket or, after the limit, `timeout`. */
export const dialGuarded = (
  allows: AddressRule,
  host: string,
  port: number,
  limitMs: number
): Effect.Effect<Socket, NodeJS.ErrnoException> =>
  contained<Socket, NodeJS.ErrnoException>(
    {},
    (resume) => {
      const bare = literalAddress(host) ?? host
      if (isRefusedAddress(allows, bare)) return resume(Effect.fail(new PrivateAddress(host)))
      const socket = connect({ host: bare, port, lookup: guardedLookup(allows) })
      const fail = (error: Error) => {
        socket.destroy()
        resume(Effect.fail(error))
      }
      const timer = setTimeout(() => fail(new Error(`No connection within ${limitMs / 1000} seconds`)), limitMs)
      socket.once("error", fail)
      socket.once("connect", () => {
        clearTimeout(timer)
        socket.off("error", fail)
        resume(Effect.succeed(socket))
      })
      socket.once("close", () => clearTimeout(timer))
      return Effect.sync(() => {
        clearTimeout(timer)
        socket.on("error", () => undefined).destroy()
      })
    },
    (error) => Effect.fail(error instanceof Error ? error : new Error("The connection failed"))
  )
