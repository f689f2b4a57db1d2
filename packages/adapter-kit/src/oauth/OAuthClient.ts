import { Clock, Effect, Redacted } from "effect"
import { type HttpClient, HttpClientRequest, UrlParams } from "effect/http"
import * as oauth from "oauth4webapi"
import { AdapterError, isAdapterError } from "../AdapterError.ts"
import { type HttpResponse, sendRequest } from "../http/httpResponse.ts"
import type { AuthorizationCallback, AuthorizationRequest } from "../ManufacturerAdapter.ts"
import { failureFromCallback, failureFromTokenResponse } from "./oauthFailure.ts"
import type { OAuthTokens } from "./OAuthTokens.ts"
import { conformingResponse } from "./tokenResponse.ts"

type Parameters = Readonly<Record<string, string>>

/** A manufacturer's authorization server and the operator's client there. `Field`: names of `keptFields`. */
export interface OAuthProvider<Field extends string = never> {
  /** For messages, such as Tesla. */
  readonly manufacturer: string
  readonly issuer: string
  /** Whether callbacks must name the issuer (RFC 9207). A wrong issuer is refused in any case. */
  readonly namesIssuer: boolean
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  /** RFC 7009; null if tokens cannot be revoked. */
  readonly revocationEndpoint: string | null
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | null
  /** The part of requests that carries the secret. */
  readonly clientAuthentication: "body" | "basic" | "none"
  /** Form of token requests: RFC 6749 has forms, a few manufacturers want JSON or a query. */
  readonly requestFormat: "form" | "json" | "query"
  readonly scopes: ReadonlyArray<string>
  readonly authorizationParameters: (request: AuthorizationRequest) => Parameters
  /** Further error codes with which the manufacturer says that the grant has ended. */
  readonly lostGrants: ReadonlyArray<string>
  /**
   * Further fields of token responses that the adapter keeps in its credentials, such as the address of the account's data. A field that
   * is absent, no text or longer than 2048 characters is left out.
   */
  readonly keptFields?: ReadonlyArray<Field>
}

/** The tokens of a response with the fields that the adapter keeps, as far as the response has them. */
export type GrantedTokens<Field extends string = never> = OAuthTokens & { readonly [field in Field]?: string }

/** Tokens of an account, with the client for its calls: it makes none after this instance has lost the account. */
export interface OAuthAccount {
  readonly credentials: OAuthTokens
  readonly http: HttpClient.HttpClient
}

/** Signs end users in by OAuth 2.0 authorization code with PKCE, and renews and revokes their tokens. */
export interface OAuthClient<Field extends string = never> {
  readonly authorizationUrl: (request: AuthorizationRequest) => Effect.Effect<string, AdapterError>
  /** The caller has checked the state. */
  readonly exchange: (
    callback: AuthorizationCallback,
    parameters?: Parameters
  ) => Effect.Effect<GrantedTokens<Field>, AdapterError>
  /** The refresh token of the response replaces the given one, which stays if the response has none. */
  readonly refresh: (account: OAuthAccount) => Effect.Effect<GrantedTokens<Field>, AdapterError>
  /** Revokes the refresh token, and with it the grant; the access token if there is no refresh token. */
  readonly revoke: (account: OAuthAccount) => Effect.Effect<void, AdapterError>
}

/** The longest text of a kept field. */
const FIELD_LIMIT = 2048

const clientAuthentication = ({ clientAuthentication, clientSecret }: OAuthProvider<string>): oauth.ClientAuth => {
  if (clientSecret === null || clientAuthentication === "none") return oauth.None()
  const secret = Redacted.value(clientSecret)
  return clientAuthentication === "basic" ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Secrets travel over TLS; only a server on the same machine is called without. */
const isInsecureAllowed = (endpoint: string) => loopback.test(new URL(endpoint).hostname)

/** A request of the library in the form that the manufacturer wants. */
const toRequest = (
  url: string,
  { body, headers }: oauth.CustomFetchOptions<"POST", URLSearchParams>,
  format: OAuthProvider<string>["requestFormat"]
): HttpClientRequest.HttpClientRequest => {
  const request = HttpClientRequest.post(url, { headers })
  if (format === "query") return HttpClientRequest.setUrlParams(request, [...body])
  return format === "json"
    ? HttpClientRequest.bodyJsonUnsafe(request, Object.fromEntries(body))
    : HttpClientRequest.bodyUrlParams(request, [...body])
}

/** The library's checks read a Response. Challenges are left out, since the body says the same. */
const toResponse = ({ body, headers, status }: HttpResponse) =>
  new Response([204, 205, 304].includes(status) ? null : JSON.stringify(body), {
    status,
    headers: { "content-type": headers["content-type"] ?? "application/json" }
  })

type Fetch = (url: string, options: oauth.CustomFetchOptions<"POST", URLSearchParams>) => Promise<Response>

/** @param signIns The client for sign-ins, which have no account yet. */
export const makeOAuthClient = <const Field extends string = never>(
  provider: OAuthProvider<Field>,
  signIns: HttpClient.HttpClient
): OAuthClient<Field> => {
  const { clientId, lostGrants, manufacturer, requestFormat, revocationEndpoint } = provider
  const server: oauth.AuthorizationServer = {
    issuer: provider.issuer,
    authorization_endpoint: provider.authorizationEndpoint,
    token_endpoint: provider.tokenEndpoint,
    authorization_response_iss_parameter_supported: provider.namesIssuer,
    ...(revocationEndpoint !== null && { revocation_endpoint: revocationEndpoint })
  }
  const client: oauth.Client = { client_id: clientId }
  const authentication = clientAuthentication(provider)
  const clientSecrets = provider.clientSecret === null ? [] : [Redacted.value(provider.clientSecret)]

  /**
   * Runs the library's request and check over the platform's HTTP client. What a refused response means is read from the response
   * itself, because manufacturers deviate from the forms that the library expects.
   */
  const call = <A>(
    http: HttpClient.HttpClient,
    endpoint: string,
    secrets: ReadonlyArray<string>,
    use: (options: oauth.HttpRequestOptions<"POST", URLSearchParams>) => Promise<A>
  ): Effect.Effect<A, AdapterError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const context = yield* Effect.context()
      let reply: HttpResponse | undefined
      const fetch: Fetch = (url, options) =>
        sendRequest(http, toRequest(url, options, requestFormat)).pipe(
          // Spans must not show the parameters, which are secrets.
          Effect.provideService(UrlParams.CurrentRedactedNames, [/(?:)/]),
          Effect.map((received) => {
            reply = received
            return toResponse(conformingResponse(received))
          }),
          (response) => Effect.runPromiseWith(context)(response, { signal: options.signal })
        )
      return yield* Effect.tryPromise({
        try: (signal) =>
          use({
            signal,
            [oauth.customFetch]: fetch,
            [oauth.allowInsecureRequests]: isInsecureAllowed(endpoint)
          }),
        catch: (error) => {
          if (isAdapterError(error)) return error
          return reply === undefined
            ? AdapterError.of("misconfigured", `The request to ${manufacturer} could not be made`)
            : failureFromTokenResponse(reply, {
                manufacturer,
                lostGrants,
                secrets: [...clientSecrets, ...secrets],
                now
              })
        }
      })
    })

  const keptFields = (reply: oauth.TokenEndpointResponse) =>
    Object.fromEntries(
      (provider.keptFields ?? []).flatMap((field) => {
        const value = reply[field]
        return typeof value === "string" && value !== "" && value.length <= FIELD_LIMIT ? [[field, value]] : []
      })
    ) as { readonly [field in Field]?: string }

  const toTokens = (
    reply: oauth.TokenEndpointResponse,
    now: number,
    previous: OAuthTokens | null
  ): GrantedTokens<Field> => ({
    ...keptFields(reply),
    accessToken: Redacted.make(reply.access_token),
    refreshToken:
      reply.refresh_token === undefined ? (previous?.refreshToken ?? null) : Redacted.make(reply.refresh_token),
    scope: reply.scope ?? previous?.scope ?? null,
    expiresAt: reply.expires_in === undefined ? null : now + reply.expires_in * 1000
  })

  return {
    authorizationUrl: Effect.fn("OAuthClient.authorizationUrl")(function* (request: AuthorizationRequest) {
      const verifier = Redacted.value(request.codeVerifier)
      const challenge = yield* Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier))
      const url = new URL(provider.authorizationEndpoint)
      const parameters = {
        ...provider.authorizationParameters(request),
        response_type: "code",
        client_id: clientId,
        redirect_uri: request.redirectUri,
        scope: provider.scopes.join(" "),
        state: request.state,
        code_challenge: challenge,
        code_challenge_method: "S256"
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    }),

    exchange: Effect.fn("OAuthClient.exchange")(function* (callback, parameters = {}) {
      const { codeVerifier, redirectUri } = callback
      const now = yield* Clock.currentTimeMillis
      const response = yield* Effect.try({
        try: () =>
          oauth.validateAuthResponse(server, client, new URLSearchParams(callback.parameters), oauth.skipStateCheck),
        catch: (error) =>
          error instanceof oauth.AuthorizationResponseError
            ? failureFromCallback(manufacturer, callback.parameters)
            : AdapterError.of("refused", `The callback is not one of ${manufacturer}`)
      })
      const code = response.get("code") ?? ""
      if (code === "") return yield* AdapterError.of("refused", "The callback has no code")
      const verifier = Redacted.value(codeVerifier)
      const reply = yield* call(signIns, provider.tokenEndpoint, [code, verifier], async (options) =>
        oauth.processAuthorizationCodeResponse(
          server,
          client,
          await oauth.authorizationCodeGrantRequest(server, client, authentication, response, redirectUri, verifier, {
            ...options,
            additionalParameters: parameters
          })
        )
      )
      return toTokens(reply, now, null)
    }),

    refresh: Effect.fn("OAuthClient.refresh")(function* ({ credentials: tokens, http }) {
      if (tokens.refreshToken === null)
        return yield* AdapterError.of("grant_lost", `${manufacturer} has issued no refresh token`, {
          intervention: "sign_in_again"
        })
      const refreshToken = Redacted.value(tokens.refreshToken)
      const now = yield* Clock.currentTimeMillis
      const reply = yield* call(
        http,
        provider.tokenEndpoint,
        [refreshToken, Redacted.value(tokens.accessToken)],
        async (options) =>
          oauth.processRefreshTokenResponse(
            server,
            client,
            await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options)
          )
      )
      return toTokens(reply, now, tokens)
    }),

    revoke: Effect.fn("OAuthClient.revoke")(function* ({ credentials: { accessToken, refreshToken }, http }) {
      if (revocationEndpoint === null) return
      const token = Redacted.value(refreshToken ?? accessToken)
      const hint = refreshToken === null ? "access_token" : "refresh_token"
      yield* call(http, revocationEndpoint, [token], async (options) =>
        oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, authentication, token, {
            ...options,
            additionalParameters: { token_type_hint: hint }
          })
        )
      )
    })
  }
}
