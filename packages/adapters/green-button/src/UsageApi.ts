import { Clock, Effect, Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { type HttpResponse, sendRequest } from "@edp/adapter-kit/http/httpResponse"
import type { Feed } from "@edp/adapter-kit/green-button/Feed"
import { feedParser } from "@edp/adapter-kit/green-button/feedParser"
import type { UsagePoint } from "@edp/adapter-kit/green-button/usagePoints"
import type { Validator } from "./memory.ts"
import { responseFailure } from "./responseFailure.ts"
import { type GreenButtonSettings, resourceBase } from "./settings.ts"
import { type GreenButtonAccount, subscriptionId } from "./credentials.ts"
import { listUsagePoints, parsing } from "./usage.ts"
import { DAY, type ReadWindow } from "./windows.ts"

/** Characters that are parsed before other work has its turn. */
const CHUNK = 65_536

export type BatchResponse =
  | { readonly kind: "feed"; readonly feed: Feed; readonly validator: Validator | null }
  /** Nothing has changed since the call that the validator is of. */
  | { readonly kind: "unchanged" }
  /** The utility prepares the data. */
  | { readonly kind: "preparing" }

/** Calls of a utility's resources in the name of an account. */
export interface UsageApi {
  readonly usagePoints: (account: GreenButtonAccount) => Effect.Effect<ReadonlyArray<UsagePoint>, AdapterError>
  /** The intervals of a window: of one usage point, or of all of the subscription for null. */
  readonly batch: (
    account: GreenButtonAccount,
    link: string | null,
    window: Pick<ReadWindow, "from" | "to">,
    validator: Validator | null
  ) => Effect.Effect<BatchResponse, AdapterError>
}

/** Statuses of a utility that has no list of usage points: its batch names them, too. */
const withoutList = new Set([403, 404, 405, 501])

const time = (at: number) => new Date(at).toISOString().replace(".000", "")

const newValidator = ({ headers }: HttpResponse, address: string): Validator | null => {
  const { etag, "last-modified": modified } = headers
  if (etag !== undefined && etag.length <= 500) return { address, header: "etag", value: etag }
  return modified === undefined || modified.length > 100 ? null : { address, header: "last-modified", value: modified }
}

const conditions = { etag: "if-none-match", "last-modified": "if-modified-since" } as const

/** Parses a feed in parts: one of several megabytes takes a while. */
const parseFeed = Effect.fn("GreenButton.parse")(function* (text: string) {
  const parser = feedParser()
  const step = <A>(run: () => A) =>
    Result.match(parsing(run), {
      onFailure: (problem) => Effect.fail(AdapterError.of("contract", problem)),
      onSuccess: Effect.succeed
    })
  for (let at = 0; at < text.length; at += CHUNK) {
    yield* step(() => parser.write(text.slice(at, at + CHUNK)))
    yield* Effect.yieldNow
  }
  return yield* step(() => parser.end())
})

export const makeUsageApi = (settings: GreenButtonSettings): UsageApi => {
  const base = resourceBase(settings)

  const addresses = Effect.fnUntraced(function* ({ credentials }: GreenButtonAccount) {
    const subscription = subscriptionId(credentials.resourceURI)
    if (subscription === undefined) return yield* AdapterError.of("contract", "The account has no subscription")
    return {
      list: `${base}/Subscription/${subscription}/UsagePoint`,
      batch: `${base}/Batch/Subscription/${subscription}`
    }
  })

  const get = Effect.fnUntraced(function* (
    { credentials, http }: GreenButtonAccount,
    address: string,
    validator: Validator | null
  ) {
    return yield* sendRequest(
      http,
      HttpClientRequest.get(address).pipe(
        HttpClientRequest.bearerToken(Redacted.value(credentials.accessToken)),
        HttpClientRequest.setHeader("accept", "application/atom+xml, application/xml;q=0.9"),
        validator === null
          ? (request) => request
          : HttpClientRequest.setHeader(conditions[validator.header], validator.value)
      )
    )
  })

  const textIn = ({ body }: HttpResponse) => (typeof body === "string" ? body : JSON.stringify(body))

  const batch = Effect.fn("GreenButton.batch")(function* (
    account: GreenButtonAccount,
    link: string | null,
    window: Pick<ReadWindow, "from" | "to">,
    validator: Validator | null
  ) {
    const { batch: whole } = yield* addresses(account)
    const resource = link === null ? whole : `${whole}/UsagePoint/${encodeURIComponent(link)}`
    const address = `${resource}?published-min=${time(window.from)}&published-max=${time(window.to)}`
    const response = yield* get(account, address, validator?.address === address ? validator : null)
    const { status } = response
    if (status === 304) return { kind: "unchanged" } satisfies BatchResponse
    if (status === 202 || status === 204) return { kind: "preparing" } satisfies BatchResponse
    if (status !== 200) return yield* responseFailure(response, "the batch", yield* Clock.currentTimeMillis)
    return {
      kind: "feed",
      feed: yield* parseFeed(textIn(response)),
      validator: newValidator(response, address)
    } satisfies BatchResponse
  })

  const pointsIn = (feed: Feed) =>
    Result.match(listUsagePoints(feed), {
      onFailure: (problem) => Effect.fail(AdapterError.of("contract", problem)),
      onSuccess: Effect.succeed
    })

  return {
    batch,
    usagePoints: Effect.fn("GreenButton.usagePoints")(function* (account) {
      const { list } = yield* addresses(account)
      const now = yield* Clock.currentTimeMillis
      const response = yield* get(account, list, null)
      const { status } = response
      if (status === 202 || status === 204) return []
      if (status === 200) return yield* pointsIn(yield* parseFeed(textIn(response)))
      if (!withoutList.has(status)) return yield* responseFailure(response, "the list of usage points", now)
      const day = Math.floor(now / DAY) * DAY
      const found = yield* batch(account, null, { from: day - 2 * DAY, to: day + DAY }, null)
      return found.kind === "feed" ? yield* pointsIn(found.feed) : []
    })
  }
}
