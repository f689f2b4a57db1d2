import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

const SUBSCRIBER_BITS = 64

/**
 * The key of one caller: an IPv4 address, or the /64 network of an IPv6 address, because a caller with one IPv6 address
 * has its whole /64.
 */
export const callerNetwork = (address: string): string => {
  if (isIP(address) !== 6) return address
  const cidr = `${address.replace(/%.*$/u, "")}/${SUBSCRIBER_BITS}`
  return `${ipaddr.IPv6.networkAddressFromCIDR(cidr).toString()}/${SUBSCRIBER_BITS}`
}
