import { randomBytes } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { isObject } from "@edp/adapter-kit/decoding/jsonPath"
import { type DigestChallenge, digestHeader, readChallenge } from "@edp/adapter-kit/http/digest"
import { boundedText, type HttpResponse, retryAfterHeader, sendRequest } from "@edp/adapter-kit/http/httpResponse"
import { refusedToken } from "./accessToken.ts"
import type { GatewayAccess, GatewayCredentials } from "./GatewayCredentials.ts"
import { type GatewayInfo, parseInfo } from "./gatewayInfo.ts"

/** Calls of one gateway, one after another. */
export interface EnvoyGateway {
  /** Its description of itself, without a login. */
  readonly info: Effect.Effect<GatewayInfo, AdapterError>
  /** The JSON of a page; undefined where this gateway has none, or none for this user. */
  readonly read: (path: string) => Effect.Effect<unknown, AdapterError>
  readonly write: (path: string, body: unknown) => Effect.Effect<void, AdapterError>
  /** Fails if the gateway does not accept the login. */
  readonly checkLogin: Effect.Effect<void, AdapterError>
}

/** The gateway of an address, and how it is entered; null without a login. */
export interface GatewayAddress extends Pick<GatewayCredentials, "host" | "port"> {
  readonly isEncrypted: boolean
  readonly access: GatewayAccess | null
}

const CHECK_TOKEN = "/auth/check_jwt"
/** A page that every firmware before tokens has. */
const CHECK_PASSWORD = "/api/v1/production"

const NO_PASSWORD = "The gateway refuses the user name or the password"

const upstream = ({ body, status }: HttpResponse) => ({
  statusCode: status,
  errorCode: null,
  errorMessage: boundedText(typeof body === "string" ? body : JSON.stringify(body), 500),
  requestId: null
})

const isRefusal = ({ status }: HttpResponse) => status === 401 || status === 403
/** Firmware leads to pages for errors by redirects. */
const isMissing = ({ status }: HttpResponse) => status === 404 || (status >= 300 && status < 400)

/** The failure of a response that is neither a success, nor missing, nor a refusal. */
const failure = Effect.fnUntraced(function* (response: HttpResponse, page: string) {
  const { headers, status } = response
  const more = { upstream: upstream(response) }
  if (status === 429) {
    const retryAt = retryAfterHeader(headers["retry-after"], yield* Clock.currentTimeMillis)
    return yield* AdapterError.of("throttled", "The gateway asks for a pause", { ...more, retryAt })
  }
  return yield* AdapterError.of(
    status >= 500 ? "vendor_fault" : "contract",
    `The gateway responds to ${page} with status ${status}`,
    more
  )
})

/** The path without its query, for messages. */
const pageName = (path: string) => path.split("?", 1)[0]!

/** @param inTurn Runs a call once the ones before it have ended. */
export const envoyGateway = (
  http: HttpClient.HttpClient,
  { access, host, isEncrypted, port }: GatewayAddress,
  inTurn: <A>(call: Effect.Effect<A, AdapterError>) => Effect.Effect<A, AdapterError>
): EnvoyGateway => {
  const base = `${isEncrypted ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`
  let challenge: DigestChallenge | undefined
  let count = 0

  const send = (method: "GET" | "PUT", path: string, headers: Readonly<Record<string, string>>, body?: unknown) => {
    const bare = HttpClientRequest.make(method)(`${base}${path}`).pipe(
      HttpClientRequest.setHeaders({ accept: "application/json", ...headers })
    )
    return sendRequest(
      http,
      body === undefined ? bare : HttpClientRequest.bodyText(bare, JSON.stringify(body), "application/json")
    )
  }

  const login = (method: string, uri: string): Readonly<Record<string, string>> => {
    if (access?.kind === "token") return { authorization: `Bearer ${Redacted.value(access.token)}` }
    if (access === null || challenge === undefined) return {}
    count += 1
    const clientNonce = randomBytes(8).toString("hex")
    const own = { username: access.username, password: Redacted.value(access.password) }
    return { authorization: digestHeader(challenge, own, { method, uri, count, clientNonce }) }
  }

  /** Most pages of old firmware need no login: it is sent where the gateway asks for it. */
  const exchange = (method: "GET" | "PUT", path: string, body?: unknown) =>
    inTurn(
      Effect.gen(function* () {
        const first = yield* send(method, path, login(method, path), body)
        if (access?.kind !== "digest" || first.status !== 401) return first
        const asked = readChallenge(first.headers["www-authenticate"])
        if (asked === undefined) return first
        challenge = asked
        count = 0
        return yield* send(method, path, login(method, path), body)
      })
    )

  const checkLogin = Effect.gen(function* () {
    const response = yield* exchange("GET", access?.kind === "token" ? CHECK_TOKEN : CHECK_PASSWORD)
    if (response.status >= 200 && response.status < 300) return
    if (!isRefusal(response)) return yield* failure(response, "its login")
    if (access?.kind !== "token") return yield* AdapterError.of("grant_lost", NO_PASSWORD)
    if (access.login !== null) {
      return yield* AdapterError.of("token_refused", "The gateway no longer accepts its access token")
    }
    const now = yield* Clock.currentTimeMillis
    return yield* AdapterError.of("grant_lost", refusedToken(Redacted.value(access.token), now))
  })

  let isLoginChecked = false
  /** Firmware refuses some pages to all users: only the check says whether it is the login. */
  const requireLogin = Effect.suspend(() =>
    isLoginChecked ? Effect.void : Effect.tap(checkLogin, () => Effect.sync(() => void (isLoginChecked = true)))
  )

  return {
    info: Effect.gen(function* () {
      const response = yield* inTurn(send("GET", "/info", { accept: "*/*" }))
      const info = parseInfo(response.body)
      if (info === undefined) return yield* AdapterError.of("contract", "The device is no Enphase gateway")
      return info
    }),
    checkLogin,
    read: Effect.fn("EnvoyGateway.read")(function* (path) {
      const response = yield* exchange("GET", path)
      if (isMissing(response)) return undefined
      if (isRefusal(response)) return yield* Effect.as(requireLogin, undefined)
      const { body, status } = response
      if (status < 200 || status >= 300) return yield* failure(response, pageName(path))
      // Pages for browsers stand in for those that old firmware does not have.
      if (typeof body === "string" && body.trimStart().startsWith("<")) return undefined
      if (isObject(body) && "error" in body) return undefined
      if (typeof body !== "object" || body === null) {
        return yield* AdapterError.of(
          "contract",
          `The gateway responds to ${pageName(path)} with something other than JSON`
        )
      }
      return body
    }),
    write: Effect.fn("EnvoyGateway.write")(function* (path, body) {
      const response = yield* exchange("PUT", path, body)
      if (response.status >= 200 && response.status < 300) return
      const more = { upstream: upstream(response) }
      if (isRefusal(response)) {
        yield* requireLogin
        return yield* AdapterError.of("refused", "The gateway does not let this user change its settings", {
          ...more,
          commandReason: "scope_missing"
        })
      }
      if (response.status >= 500 || response.status === 429) return yield* failure(response, pageName(path))
      return yield* AdapterError.of("refused", `The gateway refuses the settings with status ${response.status}`, {
        ...more,
        commandReason: "refused"
      })
    })
  }
}
