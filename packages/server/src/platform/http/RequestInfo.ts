import { UnknownError } from "@edp/domain/errors/ApiErrors"
import { Context } from "effect"

/** What is known of the request in hand; middleware fill it in as they learn it, for the log, the trace and the metrics. */
export interface RequestInfo {
  readonly id: string
  /** The caller's address, behind trusted proxies the one they tell. */
  readonly address: string
  route: string | undefined
  keyId: string | undefined
  workspaceId: string | undefined
  /** Set by the rate limit, and sent with every authenticated answer. */
  rateLimit: { readonly limit: number; readonly remaining: number; readonly resetAt: number } | undefined
}

export const makeRequestInfo = (id: string, address: string): RequestInfo => ({
  id,
  address,
  route: undefined,
  keyId: undefined,
  workspaceId: undefined,
  rateLimit: undefined
})

/** The request in hand: the boundary provides it to everything inside. */
export class CurrentRequest extends Context.Reference<RequestInfo>("@edp/server/CurrentRequest", {
  defaultValue: () => makeRequestInfo("", "")
}) {}

/** The error of a defect, in a whole response or in one item of a bulk response: the id leads an operator to the log. */
export const unexpectedError = ({ id }: RequestInfo) =>
  new UnknownError({ message: `An unexpected error occurred; quote request id ${id}` })
