import { BlockList, isIP } from "node:net"

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

const plain = (address: string) => (address.startsWith("::ffff:") ? address.slice(7) : address)

/**
 * Who really called: walking X-Forwarded-For from its end, the first address that is no trusted proxy. Without trusted
 * proxies it is the connection's own address, whatever the header says.
 */
export const clientAddress = (
  connection: string | undefined,
  forwardedFor: string | undefined,
  trusted: BlockList
): string => {
  let address = plain(connection ?? "")
  for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
    if (isIP(address) === 0 || !trusted.check(address, family(address))) return address
    const next = plain(hop.trim())
    if (isIP(next) === 0) return address
    address = next
  }
  return address
}
