import { UnknownError } from "@edp/domain/errors/ApiErrors"
import { randomUUID } from "node:crypto"
import type { BlockList } from "node:net"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Context } from "effect"
import { clientAddress } from "../network/clientAddress.ts"

/** Facts about the current request, filled in by middleware, for the log, the trace and the metrics. */
export interface RequestInfo {
  readonly id: string
  /** The caller's address; behind trusted proxies, the one that they forward. */
  readonly address: string
  route: string | undefined
  keyId: string | undefined
  workspaceId: string | undefined
  /** Set by the rate limit, and sent with every authenticated response. */
  rateLimit: { readonly limit: number; readonly remaining: number; readonly resetAt: number } | undefined
  /** Seconds after which callers may try again, if the response is SERVICE_UNAVAILABLE. */
  retryAfter: number | undefined
}

export const makeRequestInfo = (id: string, address: string): RequestInfo => ({
  id,
  address,
  route: undefined,
  keyId: undefined,
  workspaceId: undefined,
  rateLimit: undefined,
  retryAfter: undefined
})

/** The current request. The boundary provides it. */
export class CurrentRequest extends Context.Reference<RequestInfo>("@edp/server/CurrentRequest", {
  defaultValue: () => makeRequestInfo("", "")
}) {}

/** The error of a defect, in a whole response or in one item of a bulk response: the id leads an operator to the log. */
export const unexpectedError = ({ id }: RequestInfo) =>
  new UnknownError({ message: `An unexpected error occurred; quote request id ${id}` })

const saneId = /^[\w.:/+=-]{1,128}$/

// The id is logged and sent back, so one that contains a key is not accepted.
const isSane = (id: string) => saneId.test(id) && maskKeys(id) === id

const single = (header: string | ReadonlyArray<string> | undefined) => (typeof header === "string" ? header : undefined)

/** The facts in a request's headers and connection. */
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

/** The headers of every response, with those of the rate limit once it was applied. */
export const responseHeaders = ({ id, rateLimit }: Pick<RequestInfo, "id" | "rateLimit">): Record<string, string> => ({
  "x-request-id": id,
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  ...(rateLimit === undefined
    ? {}
    : {
        "x-ratelimit-limit": String(rateLimit.limit),
        "x-ratelimit-remaining": String(rateLimit.remaining),
        "x-ratelimit-reset": String(rateLimit.resetAt)
      })
})
