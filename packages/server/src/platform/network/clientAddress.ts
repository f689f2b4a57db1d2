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

/** The one spelling of an address: IPv4 where it is mapped into IPv6, no zone, lower case, no leading zeros. */
const canonical = (address: string): string => {
  if (isIP(address) === 4) return address
  // How a socket that listens on both families spells every IPv4 caller.
  const mapped = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : ""
  if (isIP(mapped) === 4) return mapped
  return isIP(address) === 6 ? ipaddr.process(address.replace(/%.*$/u, "")).toString() : address
}

/**
 * Who really called: walking X-Forwarded-For from its end, the first address that is no trusted proxy. Without trusted
 * proxies it is the connection's own address, whatever the header says.
 */
export const clientAddress = (
  connection: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList
): string => {
  let address = canonical(connection ?? "")
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    if (isIP(address) === 0 || !trusted.check(address, family(address))) return address
    const next = canonical(hop.trim())
    if (isIP(next) === 0) return address
    address = next
  }
  return address
}
