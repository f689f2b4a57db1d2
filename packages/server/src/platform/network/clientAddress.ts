import { BlockList, isIP } from "node:net"
import ipaddr from "ipaddr.js"

const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")

/** The addresses of trusted proxies as a list that can be asked; undefined when one of them is no address or network. */
export const proxyList = (entries: ReadonlyArray<string>): BlockList | undefined => {
  const list = new BlockList()
  try {
    for (const entry of entries) {
      const [address = "", bits] = entry.split("/")
      if (bits === undefined) list.addAddress(address, family(address))
      else list.addSubnet(address, Number(bits), family(address))
    }
    return list
  } catch {
    return undefined
  }
}

const MAPPED = "::ffff:"

/** The canonical spelling of an address: IPv4 if it is mapped into IPv6, no zone, lower case, no leading zeros. */
const canonical = (address: string): string => {
  if (isIP(address) === 4) return address
  // A socket that listens on both families reports IPv4 callers like this.
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : ""
  if (isIP(mapped) === 4) return mapped
  return isIP(address) === 6 ? ipaddr.process(address.replace(/%.*$/u, "")).toString() : address
}

/**
 * The address of the caller: the last one in X-Forwarded-For that is not a trusted proxy. Without trusted proxies it is the
 * address of the connection. Effect's xForwardedHeaders is not used: unreadable requests have no HttpServerRequest, and after a malformed
 * entry it falls back to the proxy's address instead of the last valid one.
 */
export const clientAddress = (
  connection: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList
): string => {
  let address = canonical(connection ?? "")
  if (forwardedFor === undefined) return address
  for (const hop of forwardedFor.split(",").toReversed()) {
    if (isIP(address) === 0 || !trusted.check(address, family(address))) return address
    const next = canonical(hop.trim())
    if (isIP(next) === 0) return address
    address = next
  }
  return address
}
