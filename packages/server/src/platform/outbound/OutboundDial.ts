import { ADDRCONFIG, lookup, lookup as systemLookup } from "node:dns"
import { type LookupFunction, Socket, connect } from "node:net"
import { Context, Layer } from "effect"
import { isPublicAddress, refusedHost } from "../network/publicAddress.ts"

/**
 * Shown to callers for a host that is not called. A name that resolves to a private address and one that does not exist get
 * the same message, so that callers cannot probe the private network of the service.
 */
export const NOT_CALLED = "The host could not be found or may not be called"

/** A host resolved to a private or local address. */
export class PrivateAddress extends Error {
  override readonly name = "PrivateAddress"
  constructor(host: string) {
    super(`${host} is a private or local address`)
  }
}

/** Whether an address, to which a host resolved, may be called. */
export type AddressRule = (address: string, host: string) => boolean

/**
 * Resolves a name for a connection, which then dials the checked addresses themselves: a DNS response that changes between two
 * look-ups gains nothing. One forbidden address among others refuses them all.
 */
export const guardedLookup =
  (allows: AddressRule): LookupFunction =>
  (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      if (found.some(({ address }) => !allows(address, host))) return callback(new PrivateAddress(host), [])
      const [first] = found
      return options.all === true ? callback(null, found) : callback(null, first!.address, first!.family)
    })

/** Resolves names to public addresses alone. */
export const publicLookup = guardedLookup(isPublicAddress)

/**
 * Connections other than HTTP, such as to mail relays and brokers, under the rules of OutboundHttp: the host is checked by its
 * spelling and by every address that it resolves to, and the checked address is the one that is dialled.
 */
export class OutboundDial extends Context.Service<
  OutboundDial,
  {
    /** Why a host may not be called, by its spelling alone; undefined if it has to be resolved. */
    readonly refused: (host: string) => string | undefined
    /** Resolves names for connections. Fails with PrivateAddress. */
    readonly lookup: LookupFunction
    /** The addresses of a host in the families that this machine has. Fails with PrivateAddress. */
    readonly findAddresses: (host: string) => Promise<ReadonlyArray<string>>
    /** Begins a TCP connection. The caller waits for `connect`, handles `error` and destroys the socket. */
    readonly connect: (host: string, port: number) => Socket
  }
>()("@edp/server/platform/outbound/OutboundDial") {
  static readonly layer = (options: { readonly allowPrivate: boolean; readonly lookup?: LookupFunction }) => {
    const lookup: LookupFunction = options.lookup ?? (options.allowPrivate ? systemLookup : publicLookup)
    const refused = (host: string) => (options.allowPrivate ? undefined : refusedHost(host))
    return Layer.succeed(OutboundDial, {
      refused,
      lookup,
      findAddresses: (host) =>
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
