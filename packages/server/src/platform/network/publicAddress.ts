import { isIP } from "node:net"
import { isDomainValid, isEmailValid } from "@hapi/address"
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

/**
 * Whether a host can be one: an address, or a name whose labels have 1 to 63 letters, digits and inner hyphens and which has
 * 253 characters at most. Names in private networks have underscores, too, and a single label.
 */
export const isHost = (host: string): boolean =>
  literalAddress(host) !== undefined ||
  (host.replace(/\.$/u, "").length <= 253 &&
    isDomainValid(host.replaceAll("_", "x"), { allowFullyQualified: true, minDomainSegments: 1 }))

/** Whether a relay without SMTPUTF8 takes an address as a sender: in ASCII, also at a host of a private network. */
export const isPlainEmailAddress = (text: string): boolean =>
  isEmailValid(text, { allowUnicode: false, minDomainSegments: 1 })

/** Whether mail can be sent to an address as far as its form tells. Letters of any script may be in it. */
export const isEmailAddress = (text: string): boolean => isEmailValid(text)
