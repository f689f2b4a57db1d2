import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** All that the internet routes of IPv6: outside of it are ranges without a use yet and old ways to carry an IPv4 address. */
const GLOBAL = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Whether an address belongs to the public internet: neither this machine, a private or link-local network, a cloud's
 * metadata service, multicast nor one of the ranges reserved for other uses, in any spelling, also inside of an IPv6 address
 * that carries an IPv4 one.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.process(address.replace(/%.*$/u, ""))
  return parsed.range() === "unicast" && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL))
}

/** Names that mean this machine or a network's own services wherever they are resolved. */
const localNames = /^(?:.+\.)?(?:localhost|local|internal|intranet|lan|home\.arpa)$/u

/** The address that a URL's or a broker's host is, without the brackets of IPv6; undefined where it is a name. */
export const literalAddress = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/u, "$1")
  return isIP(bare) === 0 ? undefined : bare
}

/** Why a host may not be called, as far as its spelling tells; undefined where only resolving it can tell more. */
export const refusedHost = (host: string): string | undefined => {
  const literal = literalAddress(host)
  if (literal !== undefined) return isPublicAddress(literal) ? undefined : "Must not be a private or local address"
  const name = host.toLowerCase().replace(/\.$/u, "")
  return name === "" || localNames.test(name) || !name.includes(".") ? "Must be a public host name" : undefined
}
