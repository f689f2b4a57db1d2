import { isDomainValid } from "@hapi/address"
import { literalAddress } from "./publicAddress.ts"

/**
 * Whether a host can be one: an address, or a name whose labels have 1 to 63 letters, digits and inner hyphens and which has
 * 253 characters at most. Names in private networks have underscores, too, and a single label.
 */
export const isHost = (host: string): boolean =>
  literalAddress(host) !== undefined ||
  (host.replace(/\.$/u, "").length <= 253 &&
    isDomainValid(host.replaceAll("_", "x"), { allowFullyQualified: true, minDomainSegments: 1 }))
