import ipaddr from "ipaddr.js"
import { isPublicAddress } from "./publicAddress.ts"

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The networks in which the platform may call hosts that end users name, such as inverters. */
export interface DeviceNetworks {
  readonly words: ReadonlySet<"private" | "public" | "loopback">
  readonly ranges: ReadonlyArray<Range>
}

/** Addresses for networks of homes and firms. Link-local ones are none: in clouds they lead to the metadata service. */
const PRIVATE = new Set(["private", "uniqueLocal", "carrierGradeNat"])

/** Reads the words `private` and `public` and ranges such as 10.0.0.0/8; undefined if one of them is neither. */
export const parseDeviceNetworks = (text: string): DeviceNetworks | undefined => {
  const words = new Set<"private" | "public">()
  const ranges: Array<Range> = []
  for (const part of text.split(",").map((each) => each.trim())) {
    if (part === "private" || part === "public") words.add(part)
    else if (ipaddr.isValidCIDR(part)) ranges.push(ipaddr.parseCIDR(part))
    else return undefined
  }
  return { words, ranges }
}

/** Whether the platform may call an address, in any spelling, also an IPv4 address inside an IPv6 one. */
export const isInNetworks = ({ ranges, words }: DeviceNetworks, address: string): boolean => {
  const bare = address.replace(/^\[(.*)\]$/u, "$1").replace(/%.*$/u, "")
  if (!ipaddr.isValid(bare)) return false
  const parsed = ipaddr.process(bare)
  return (
    (words.has("public") && isPublicAddress(bare)) ||
    (words.has("private") && PRIVATE.has(parsed.range())) ||
    (words.has("loopback") && parsed.range() === "loopback") ||
    ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match([network, bits] as never))
  )
}
