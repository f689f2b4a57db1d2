import type { IncomingMessage } from "node:http"
import { MAX_HEADERS } from "./serverLimits.ts"
import { type Details, manyHeaders, noHost, otherCoding, twoHosts, unlike, wrongHost } from "./unreadable.ts"

/** A name or an address, and a port. */
const host = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

const isOneOf = (versions: ReadonlyArray<string>, version: string) => versions.includes(version)

const hostsOf = (rawHeaders: ReadonlyArray<string>) => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  return hosts
}

/**
 * What is wrong with a request that Node's parser takes, and that a proxy in front may take for another one: whose request
 * it is, or where its body ends. Undefined for a request that is in order.
 */
export const requestProblem = ({ httpVersion, headers, rawHeaders }: IncomingMessage): Details | undefined => {
  if (!isOneOf(["1.1", "1.0"], httpVersion)) return unlike
  if (rawHeaders.length > 2 * MAX_HEADERS) return manyHeaders
  const hosts = hostsOf(rawHeaders)
  if (hosts > 1) return twoHosts
  if (hosts === 0 && httpVersion === "1.1") return noHost
  if (!host.test(headers.host ?? "")) return wrongHost
  const coding = headers["transfer-encoding"]
  if (coding === undefined) return undefined
  return httpVersion === "1.1" && coding.toLowerCase() === "chunked" ? undefined : otherCoding
}
