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

export class CurrentRequest extends Context.Service<CurrentRequest, RequestInfo>()("@edp/server/CurrentRequest") {}
