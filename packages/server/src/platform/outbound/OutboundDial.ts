import { ADDRCONFIG, lookup, lookup as systemLookup } from "node:dns"
import { type LookupFunction, Socket, connect } from "node:net"
import { Context, Layer } from "effect"
import { isPublicAddress, refusedHost } from "../network/publicAddress.ts"

/**
 * What callers learn of a host that is not called: the same of a name that leads to a private address and of one that does
 * not exist, or they could ask for the names of the network that the service runs in.
 */
export const NOT_CALLED = "The host could not be found or may not be called"

/** A host resolved to an address that callers' requests may not reach. */
export class PrivateAddress extends Error {
  override readonly name = "PrivateAddress"
  constructor(host: string) {
    super(`${host} is a private or local address`)
  }
}

/**
 * Resolves a name for a connection, which then dials the very addresses that were looked at: an answer that changes between
 * two questions gains nothing. One private address among public ones refuses them all.
 */
export const publicLookup: LookupFunction = (host, options, callback) =>
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, [])
    if (found.some(({ address }) => !isPublicAddress(address))) return callback(new PrivateAddress(host), [])
    const [first] = found
    return options.all === true ? callback(null, found) : callback(null, first!.address, first!.family)
  })

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
