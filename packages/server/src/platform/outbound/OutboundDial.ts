import { ADDRCONFIG, lookup as systemLookup } from "node:dns"
import { connect, type LookupFunction, Socket } from "node:net"
import { Context, Layer } from "effect"
import { refusedHost } from "../network/publicAddress.ts"
import { PrivateAddress, publicLookup } from "./publicLookup.ts"

/**
 * Connections that are no requests of HTTP, such as to mail relays and brokers, under the rules of OutboundHttp: a host is judged by its
 * spelling, and every address that it resolves to before that very address is dialled.
 */
export class OutboundDial extends Context.Service<
  OutboundDial,
  {
    /** Why a host is not dialled, as far as its spelling tells; undefined where only resolving it can tell more. */
    readonly refused: (host: string) => string | undefined
    /** Resolves names for connections; fails with PrivateAddress. */
    readonly lookup: LookupFunction
    /** The addresses of a host, of families that this machine has. Fails with PrivateAddress. */
    readonly addressesOf: (host: string) => Promise<ReadonlyArray<string>>
    /** Begins a TCP connection; whoever gets it waits for `connect`, handles `error` and destroys it. */
    readonly connect: (host: string, port: number) => Socket
  }
>()("@edp/server/platform/outbound/OutboundDial") {
  static readonly layer = (options: { readonly allowPrivate: boolean; readonly lookup?: LookupFunction }) => {
    const lookup: LookupFunction = options.lookup ?? (options.allowPrivate ? systemLookup : publicLookup)
    const refused = (host: string) => (options.allowPrivate ? undefined : refusedHost(host))
    return Layer.succeed(OutboundDial, {
      refused,
      lookup,
      addressesOf: (host) =>
        new Promise((resolve, reject) => {
          if (refused(host) !== undefined) return reject(new PrivateAddress(host))
          lookup(host, { all: true, hints: ADDRCONFIG }, (error, found) => {
            if (error !== null) return reject(error)
            resolve((found as ReadonlyArray<{ readonly address: string }>).map(({ address }) => address))
          })
        }),
      connect: (host, port) =>
        refused(host) === undefined ? connect({ host, port, lookup }) : new Socket().destroy(new PrivateAddress(host))
    })
  }
}
