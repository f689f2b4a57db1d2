import { lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublicAddress } from "../network/publicAddress.ts"

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
