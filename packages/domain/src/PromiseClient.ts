import { Duration, Effect, Exit, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Api } from "./Api.ts"
import { layerHttp, makeClient } from "./Client.ts"
import type { CallOptions, PromiseCalls } from "./client/Calls.ts"
import type { ClientOptions } from "./client/retries.ts"
import { eachRecord } from "./client/streamRecords.ts"
import { EdpError, toRejection } from "./client/EdpError.ts"
import { withIdempotencyKey } from "./client/authentication.ts"
import type { ListPage } from "./client/responses.ts"

export { EdpError, eachRecord }
export type { CallOptions, ListPage }

export interface PromiseClientOptions {
  /** Address of the service, without `/v1`; a path before it is kept. */
  readonly baseUrl: string
  /** One API key; several keys are several clients. */
  readonly key: string
  /** Maximum number of retries; default 3, which makes 4 attempts. */
  readonly retries?: number
  /** Whether to retry a call without a response, if a repetition is harmless; default true. */
  readonly retryNoAnswer?: boolean
  /** Time limit of one attempt, in milliseconds; default 40 seconds. */
  readonly timeout?: number
  /** Called before each wait with the reason and the delay in milliseconds. */
  readonly onRetry?: (retry: { readonly reason: string; readonly delay: number }) => void
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** The calls of the API as promises, by group and endpoint. */
export interface PromiseClient extends PromiseCalls<typeof Api> {}

type Call = (request: object) => Effect.Effect<unknown, unknown>

/** Parts that an endpoint does not use are ignored; a part whose fields are all optional may be absent. */
const whole = (request: object | undefined) => ({ query: {}, headers: {}, payload: {}, ...request })

const asPromise =
  (call: Call) =>
  async (request?: object, { idempotencyKey, signal }: CallOptions = {}) => {
    signal?.throwIfAborted()
    const effect = call(whole(request))
    const named = idempotencyKey === undefined ? effect : withIdempotencyKey(idempotencyKey)(effect)
    const exit = await Effect.runPromiseExit(named, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    signal?.throwIfAborted()
    throw toRejection(exit.cause)
  }

const toClientOptions = ({ key, onRetry, ...plain }: PromiseClientOptions): ClientOptions => ({
  ...plain,
  key: Redacted.make(key),
  onRetry: onRetry && (({ delay, reason }) => Effect.sync(() => onRetry({ reason, delay: Duration.toMillis(delay) })))
})

/** A client whose calls are promises: they reject with `EdpError`. Nothing of Effect needs to be known to use it. */
export const createClient = (options: PromiseClientOptions): PromiseClient => {
  const { fetch } = options
  const http = fetch === undefined ? layerHttp : Layer.provide(layerHttp, Layer.succeed(FetchHttpClient.Fetch, fetch))
  const client = Effect.runSync(Effect.provide(makeClient(toClientOptions(options)), http))
  const groups = Object.entries(client).map(([group, calls]) => [
    group,
    Object.fromEntries(Object.entries(calls as Record<string, Call>).map(([name, call]) => [name, asPromise(call)]))
  ])
  return Object.fromEntries(groups) as PromiseClient
}
