import { Clock, Effect, Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { isObject } from "@edp/adapter-kit/decoding/jsonPath"
import { boundedText, type HttpResponse, retryAfterHeader, sendRequest } from "@edp/adapter-kit/http/httpResponse"
import { readClaims } from "./accessToken.ts"
import type { EnlightenLogin } from "./GatewayCredentials.ts"

/** The addresses of Enphase's cloud at which tokens are fetched. */
export interface CloudAddresses {
  readonly loginUrl: string
  readonly tokenUrl: string
}

export const enphaseCloud: CloudAddresses = {
  loginUrl: "https://enlighten.enphaseenergy.com/login/login.json?",
  tokenUrl: "https://entrez.enphaseenergy.com/tokens"
}

/** A token with its end, in milliseconds since 1970; null if it does not tell it. */
export interface FetchedToken {
  readonly token: Redacted.Redacted
  readonly expiresAt: number | null
}

/** The response holds what was sent in places: its text is left out. */
const upstream = ({ headers, status }: HttpResponse) => ({
  statusCode: status,
  errorCode: null,
  errorMessage: null,
  requestId: boundedText(headers["x-request-id"], 255)
})

const failure = Effect.fnUntraced(function* (response: HttpResponse, refused: string) {
  const { headers, status } = response
  const more = { upstream: upstream(response) }
  if (status === 429) {
    const retryAt = retryAfterHeader(headers["retry-after"], yield* Clock.currentTimeMillis)
    return yield* AdapterError.of("throttled", "Enlighten asks for a pause", { ...more, retryAt })
  }
  return yield* status >= 500
    ? AdapterError.of("vendor_fault", `Enlighten responds with status ${status}`, more)
    : AdapterError.of("grant_lost", refused, more)
})

const isSuccess = ({ status }: HttpResponse) => status >= 200 && status < 300

/**
 * Signs in at Enlighten and fetches the access token of a gateway. Fails with `grant_lost` where Enlighten refuses the person or the gateway.
 */
export const fetchToken = Effect.fn("Enphase.fetchToken")(function* (
  http: HttpClient.HttpClient,
  { loginUrl, tokenUrl }: CloudAddresses,
  { password, username }: EnlightenLogin,
  serial: string
) {
  const session = yield* sendRequest(
    http,
    HttpClientRequest.post(loginUrl).pipe(
      HttpClientRequest.acceptJson,
      HttpClientRequest.bodyText(
        new URLSearchParams({ "user[email]": username, "user[password]": Redacted.value(password) }).toString(),
        "application/x-www-form-urlencoded"
      )
    )
  )
  if (!isSuccess(session)) return yield* failure(session, "Enlighten refuses the user name or the password")
  const sessionId = isObject(session.body) ? session.body["session_id"] : undefined
  if (typeof sessionId !== "string" || sessionId === "") {
    return yield* AdapterError.of(
      "grant_lost",
      "Enlighten opens no session, as for users with a second factor. Paste an access token instead, or turn the second factor off",
      { upstream: upstream(session) }
    )
  }
  const fetched = yield* sendRequest(
    http,
    HttpClientRequest.post(tokenUrl).pipe(
      HttpClientRequest.bodyText(
        JSON.stringify({ session_id: sessionId, serial_num: serial, username }),
        "application/json"
      )
    )
  )
  if (!isSuccess(fetched)) {
    return yield* failure(fetched, `Enlighten gives this user no access token for the gateway ${serial}`)
  }
  const token = typeof fetched.body === "string" ? fetched.body.trim() : ""
  const claims = readClaims(token)
  if (claims === undefined) {
    return yield* AdapterError.of("contract", "Enlighten responds with something other than an access token", {
      upstream: upstream(fetched)
    })
  }
  return { token: Redacted.make(token), expiresAt: claims.expiresAt } satisfies FetchedToken
})
