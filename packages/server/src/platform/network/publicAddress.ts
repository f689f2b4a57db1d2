import { isIP } from "node:net"
import { isDomainValid, isEmailValid } from "@hapi/address"
import ipaddr from "ipaddr.js"

/** The globally routed range of IPv6. The rest is unassigned or carries IPv4 addresses in old ways. */
const GLOBAL = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Whether an address belongs to the public internet: not this machine, a private or link-local network, a cloud's metadata
 * service, multicast or a reserved range, in any spelling, also as an IPv4 address inside an IPv6 one.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.process(address.replace(/%.*$/u, ""))
  return parsed.range() === "unicast" && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL))
}

/** Names of this machine or of services in a private network. */
const localNames = /^(?:.+\.)?(?:localhost|local|internal|intranet|lan|home\.arpa)$/u

/** The host of a URL or broker if it is an address, without IPv6 brackets; undefined for a name. */
export const literalAddress = (host: string): string | undefined => {
  const bare = host.replace(/^\[(.*)\]$/u, "$1")
  return isIP(bare) === 0 ? undefined : bare
}

/** Why a host may not be called, by its spelling alone; undefined if it has to be resolved. */
export const refusedHost = (host: string): string | undefined => {
  const literal = literalAddress(host)
  if (literal !== undefined) return isPublicAddress(literal) ? undefined : "Must not be a private or local address"
  const name = host.toLowerCase().replace(/\.$/u, "")
  return name === "" || localNames.test(name) || !name.includes(".") ? "Must be a public host name" : undefined
}

/**
 * Whether a host is well-formed: an address, or a name of at most 253 characters with labels of 1 to 63 letters, digits and
 * inner hyphens. Names in private networks may have underscores and a single label.
 */
export const isHost = (host: string): boolean =>
  literalAddress(host) !== undefined ||
  (host.replace(/\.$/u, "").length <= 253 &&
    isDomainValid(host.replaceAll("_", "x"), { allowFullyQualified: true, minDomainSegments: 1 }))

/** Whether a relay without SMTPUTF8 accepts the sender address: ASCII only; single-label hosts are allowed. */
export const isPlainEmailAddress = (text: string): boolean =>
  isEmailValid(text, { allowUnicode: false, minDomainSegments: 1 })

/** Whether the text is a well-formed e-mail address, in any script. */
export const isEmailAddress = (text: string): boolean => isEmailValid(text)
