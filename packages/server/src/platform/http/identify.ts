import { randomUUID } from "node:crypto"
import type { BlockList } from "node:net"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { clientAddress } from "../network/clientAddress.ts"
import { makeRequestInfo, type RequestInfo } from "./RequestInfo.ts"

const saneId = /^[\w.:/+=-]{1,128}$/

// An id is written down and sent back: one that holds a key is not taken.
const isSane = (id: string) => saneId.test(id) && maskKeys(id) === id

const single = (header: string | ReadonlyArray<string> | undefined) => (typeof header === "string" ? header : undefined)

/** What is known of a request by its headers and its connection. */
export const identify = (
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  connection: string | undefined,
  trusted: BlockList
): RequestInfo => {
  const given = single(headers["x-request-id"])
  return makeRequestInfo(
    given !== undefined && isSane(given) ? given : randomUUID(),
    clientAddress(connection, single(headers["x-forwarded-for"]), trusted)
  )
}
