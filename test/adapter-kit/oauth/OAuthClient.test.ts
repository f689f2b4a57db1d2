import type { ServerResponse } from "node:http"
import { isTransient } from "@edp/adapter-kit/AdapterError"
import { makeOAuthClient, type OAuthProvider } from "@edp/adapter-kit/oauth/OAuthClient"
import { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { Clock, Effect, Redacted, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { testHttp } from "@edp/adapter-kit/testing/TestHost"
import { OidcServer, oidcClient } from "../../support/peers/OidcServer.ts"
import { denyAt, signInAt, UserAgent } from "../../support/UserAgent.ts"

const redirectUri = "http://127.0.0.1:9/oauth/callback"
/** With its challenge, from RFC 7636, appendix B. */
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
const server = new OidcServer()
const agent = () => new UserAgent((url) => url.startsWith(redirectUri))

beforeAll(() => server.start())
afterAll(() => server.stop())
beforeEach(() => {
  server.tokenRequests.length = 0
  server.tokenFaults.length = 0
})

const provider = (changes: Partial<OAuthProvider> = {}): OAuthProvider => ({
  manufacturer: "Acme",
  issuer: server.issuer,
  namesIssuer: true,
  authorizationEndpoint: `${server.issuer}/auth`,
  tokenEndpoint: `${server.issuer}/token`,
  revocationEndpoint: `${server.issuer}/token/revocation`,
  clientId: oidcClient.id,
  clientSecret: Redacted.make(oidcClient.secret),
  clientAuthentication: "body",
  requestFormat: "form",
  scopes: ["openid", "offline_access"],
  authorizationParameters: () => ({ prompt: "consent" }),
  lostGrants: ["login_required"],
  ...changes
})
const client = (changes: Partial<OAuthProvider> = {}) => makeOAuthClient(provider(changes), testHttp)
const account = (credentials: OAuthTokens) => ({ credentials, http: testHttp })
const run = Effect.runPromise
const failure = <A, E>(effect: Effect.Effect<A, E>) => run(Effect.flip(effect))

const authorizationUrl = (changes: Partial<OAuthProvider> = {}, state = "state-1") =>
  run(client(changes).authorizationUrl({ state, redirectUri, codeVerifier: Redacted.make(verifier), language: "en" }))

const callbackAt = (url: string, codeVerifier = verifier) => ({
  parameters: Object.fromEntries(new URL(url).searchParams),
  redirectUri,
  codeVerifier: Redacted.make(codeVerifier)
})

const signIn = async (changes: Partial<OAuthProvider> = {}) =>
  callbackAt((await signInAt(agent(), await authorizationUrl(changes))).url)

const linked = async (changes: Partial<OAuthProvider> = {}) => run(client(changes).exchange(await signIn(changes)))

const answering =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body))

const tokens: OAuthTokens = {
  accessToken: Redacted.make("access-1"),
  refreshToken: Redacted.make("refresh-1"),
  scope: "devices",
  expiresAt: 0
}

describe("further fields of a token response", () => {
  const names = ["resourceURI", "note", "number", "absent", "long"] as const
  const keeping = () => makeOAuthClient({ ...provider(), keptFields: names }, testHttp)
  const body = {
    access_token: "access-2",
    token_type: "bearer",
    resourceURI: "https://utility.example.com/resource/5",
    note: "",
    number: 5,
    long: "x".repeat(2049),
    other: "not named"
  }

  test("are kept as far as the adapter names them and they are texts of a usual length", async () => {
    server.tokenFaults.push(answering(200, body))
    const renewed = await run(keeping().refresh(account(tokens)))
    expect(renewed).toMatchObject({ resourceURI: "https://utility.example.com/resource/5", scope: "devices" })
    expect(Object.keys(renewed).toSorted()).toEqual([
      "accessToken",
      "expiresAt",
      "refreshToken",
      "resourceURI",
      "scope"
    ])
  })

  test("are left out by default, and never replace a token", async () => {
    server.tokenFaults.push(answering(200, body), answering(200, { ...body, accessToken: "another" }))
    expect(Object.keys(await run(client().refresh(account(tokens)))).toSorted()).toEqual([
      "accessToken",
      "expiresAt",
      "refreshToken",
      "scope"
    ])
    const clash = makeOAuthClient({ ...provider(), keptFields: ["accessToken"] }, testHttp)
    expect(Redacted.value((await run(clash.refresh(account(tokens)))).accessToken as Redacted.Redacted)).toBe(
      "access-2"
    )
  })
})

describe("a sign-in at a certified provider", () => {
  test("asks for a code with PKCE S256, the state, the scopes and the adapter's own parameters", async () => {
    const url = new URL(await authorizationUrl())
    expect(Object.fromEntries(url.searchParams)).toEqual({
      prompt: "consent",
      response_type: "code",
      client_id: "edp",
      redirect_uri: redirectUri,
      scope: "openid offline_access",
      state: "state-1",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256"
    })
  })

  test.each(["body", "basic"] as const)(
    "exchanges the code with the secret in the %s",
    async (clientAuthentication) => {
      const own = new OidcServer()
      await own.start({
        clientAuthentication: clientAuthentication === "basic" ? "client_secret_basic" : "client_secret_post"
      })
      const changes = {
        issuer: own.issuer,
        authorizationEndpoint: `${own.issuer}/auth`,
        tokenEndpoint: `${own.issuer}/token`,
        clientAuthentication
      }
      const before = Date.now()
      const found = await linked(changes)
      expect(Redacted.value(found.accessToken)).not.toBe("")
      expect(found.refreshToken).not.toBeNull()
      expect(found.scope).toBe("openid offline_access")
      expect(found.expiresAt).toBeGreaterThanOrEqual(before + 3_600_000 - 1000)
      await own.stop()
    }
  )

  test("rotates the refresh token; the use of an old one ends the grant", async () => {
    const first = await linked()
    const second = await run(client().refresh(account(first)))
    expect(Redacted.value(second.refreshToken!)).not.toBe(Redacted.value(first.refreshToken!))
    expect(await failure(client().refresh(account(first)))).toMatchObject({
      failure: "grant_lost",
      intervention: "sign_in_again"
    })
    expect(await failure(client().refresh(account(second)))).toMatchObject({
      failure: "grant_lost",
      upstream: { statusCode: 400, errorCode: "invalid_grant" }
    })
  })

  test("keeps a refresh token that the provider does not rotate", async () => {
    const own = new OidcServer()
    await own.start({ rotate: false })
    const changes = {
      issuer: own.issuer,
      authorizationEndpoint: `${own.issuer}/auth`,
      tokenEndpoint: `${own.issuer}/token`
    }
    const first = await linked(changes)
    const second = await run(client(changes).refresh(account(first)))
    expect(Redacted.value(second.refreshToken!)).toBe(Redacted.value(first.refreshToken!))
    await own.stop()
  })

  test("is revoked with all its tokens", async () => {
    const found = await linked()
    await run(client().revoke(account(found)))
    expect(await failure(client().refresh(account(found)))).toMatchObject({ failure: "grant_lost" })
    await run(client().revoke(account(found)))
  })

  test("fails as refused when the person denies it", async () => {
    const page = await denyAt(agent(), await authorizationUrl())
    expect(await failure(client().exchange(callbackAt(page.url)))).toMatchObject({
      failure: "refused",
      upstream: { errorCode: "access_denied" }
    })
    expect(server.tokenRequests).toHaveLength(0)
  })

  test("is unreachable while the provider is down, and works again afterwards", async () => {
    const found = await linked()
    await server.goDown()
    const failed = await failure(client().refresh(account(found)))
    await server.comeBack()
    expect(failed).toMatchObject({ failure: "unreachable" })
    expect(isTransient(failed)).toBe(true)
    await run(client().refresh(account(found)))
  })
})

describe("an attacker", () => {
  test("cannot use a code with another session's verifier", async () => {
    const callback = await signIn()
    expect(
      await failure(client().exchange({ ...callback, codeVerifier: Redacted.make("w".repeat(64)) }))
    ).toMatchObject({ failure: "grant_lost" })
  })

  test("cannot use a code twice", async () => {
    const callback = await signIn()
    const found = await run(client().exchange(callback))
    expect(await failure(client().exchange(callback))).toMatchObject({ failure: "grant_lost" })
    expect(await failure(client().refresh(account(found)))).toMatchObject({ failure: "grant_lost" })
  })

  test("cannot take PKCE out of the authorization URL", async () => {
    const url = new URL(await authorizationUrl())
    url.searchParams.delete("code_challenge")
    url.searchParams.delete("code_challenge_method")
    const page = await signInAt(agent(), url.href)
    expect(new URL(page.url).searchParams.get("error")).toBe("invalid_request")
    expect(await failure(client().exchange(callbackAt(page.url)))).toMatchObject({ failure: "misconfigured" })
    url.searchParams.set("code_challenge", verifier)
    url.searchParams.set("code_challenge_method", "plain")
    expect(new URL((await signInAt(agent(), url.href)).url).searchParams.get("error")).toBe("invalid_request")
    expect(server.tokenRequests).toHaveLength(0)
  })

  test("cannot mix up two providers: a callback of another issuer, or of none, is refused before the code is sent", async () => {
    const callback = await signIn()
    const { iss, ...unnamed } = callback.parameters
    expect(iss).toBe(server.issuer)
    const wrong = { ...unnamed, iss: "https://attacker.example" }
    expect(await failure(client().exchange({ ...callback, parameters: wrong }))).toMatchObject({ failure: "refused" })
    expect(await failure(client().exchange({ ...callback, parameters: unnamed }))).toMatchObject({ failure: "refused" })
    expect(await failure(client({ namesIssuer: false }).exchange({ ...callback, parameters: wrong }))).toMatchObject({
      failure: "refused"
    })
    expect(server.tokenRequests).toHaveLength(0)
  })

  test("finds no secret in errors and spans, even when the server repeats them", async () => {
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const echo = `refresh-1 access-1 ${oidcClient.secret}`
    server.tokenFaults.push(answering(400, { error: "invalid_grant", error_description: echo }))
    server.tokenFaults.push(answering(400, { error: "invalid_grant", error_description: echo }))
    for (const requestFormat of ["form", "query"] as const) {
      const failed = await failure(client({ requestFormat }).refresh(account(tokens)).pipe(Effect.withTracer(tracer)))
      expect(failed.upstream?.errorMessage).toBe("<redacted> <redacted> <redacted>")
      const seen = JSON.stringify([
        failed,
        String(failed),
        spans.map(({ attributes, name }) => [name, [...attributes]])
      ])
      for (const secret of ["refresh-1", "access-1", oidcClient.secret, encodeURIComponent(oidcClient.secret)])
        expect(seen).not.toContain(secret)
    }
    expect(spans.length).toBeGreaterThan(2)
  })

  test("reads no token over a connection without TLS, unless the server is on the same machine", async () => {
    const failed = await failure(client({ tokenEndpoint: "http://acme.example/token" }).refresh(account(tokens)))
    expect(failed).toMatchObject({ failure: "misconfigured" })
  })
})

describe("responses of token endpoints", () => {
  const refreshed = (body: unknown, status = 200) => {
    server.tokenFaults.push(answering(status, body))
    return run(client().refresh(account(tokens)).pipe(Effect.provideService(Clock.Clock, fixedClock)))
  }
  const fixedClock = Effect.runSync(Effect.scoped(TestClock.make()))

  test.each([
    ["a number of seconds", { access_token: "a2", token_type: "Bearer", expires_in: 1800 }, 200],
    ["seconds as text", { access_token: "a2", token_type: "bearer", expires_in: "1800" }, 200],
    ["names in camel case", { accessToken: "a2", refreshToken: "r2", expiresIn: 1800 }, 200],
    ["no type of the token", { access_token: "a2", expires_in: 1800, refresh_token: null }, 200],
    ["status 201", { access_token: "a2", expires_in: 1800 }, 201],
    ["an ID token of another form", { access_token: "a2", expires_in: 1800, id_token: "x.y.z" }, 200]
  ])("are understood with %s", async (_, body, status) => {
    const found = await refreshed(body, status)
    expect(Redacted.value(found.accessToken)).toBe("a2")
    expect(found.expiresAt).toBe(1_800_000)
    expect(Redacted.value(found.refreshToken!)).toBe("refreshToken" in body ? "r2" : "refresh-1")
  })

  test("without a life time leave the expiry open", async () => {
    expect(await refreshed({ access_token: "a2", token_type: "bearer", scope: ["one", "two"] })).toMatchObject({
      expiresAt: null,
      scope: "one two"
    })
  })

  test.each([
    [400, { error: "invalid_grant" }, "grant_lost", false],
    [401, { error: "login_required" }, "grant_lost", false],
    [401, { error: "invalid_client" }, "misconfigured", false],
    [400, { error: "invalid_scope" }, "misconfigured", false],
    [400, { error: "server_error" }, "vendor_fault", true],
    [400, { error: "something_new" }, "contract", false],
    [403, "<html>blocked</html>", "contract", false],
    [200, { access_token: "" }, "contract", false],
    [200, "<html>maintenance</html>", "contract", false],
    [302, "", "contract", false],
    [500, "<html>", "vendor_fault", true],
    [503, { error: "invalid_grant" }, "vendor_fault", true]
  ])("with status %s and %j are %s", async (status, body, expected, transient) => {
    server.tokenFaults.push(answering(status, body))
    const failed = await failure(client().refresh(account(tokens)))
    expect(failed).toMatchObject({ failure: expected, upstream: { statusCode: status } })
    expect(isTransient(failed)).toBe(transient)
  })

  test("with status 429 say when the next request may come", async () => {
    server.tokenFaults.push(answering(429, "", { "retry-after": "120", "x-request-id": "r-7" }))
    const before = Date.now()
    const failed = await failure(client().refresh(account(tokens)))
    expect(failed).toMatchObject({ failure: "throttled", upstream: { requestId: "r-7" } })
    expect(failed.retryAt).toBeGreaterThanOrEqual(before + 120_000)
    expect(failed.retryAt).toBeLessThan(before + 130_000)
  })

  test("that break off are unreachable", async () => {
    server.tokenFaults.push((response) => {
      response.writeHead(200, { "content-length": "1000" })
      response.write("{")
      response.destroy()
    })
    expect(await failure(client().refresh(account(tokens)))).toMatchObject({ failure: "unreachable" })
  })

  test("to requests in JSON and in the query are the same", async () => {
    for (const requestFormat of ["json", "query"] as const) {
      server.tokenFaults.push(answering(200, { access_token: "a2", token_type: "bearer" }))
      await run(client({ requestFormat }).refresh(account(tokens)))
    }
    const [json, query] = server.tokenRequests
    const expected = { grant_type: "refresh_token", refresh_token: "refresh-1", client_secret: oidcClient.secret }
    expect(JSON.parse([...json!.parameters.keys()][0]!)).toMatchObject(expected)
    expect(Object.fromEntries(query!.parameters)).toMatchObject(expected)
  })

  test("are not waited for without a refresh token", async () => {
    expect(await failure(client().refresh(account({ ...tokens, refreshToken: null })))).toMatchObject({
      failure: "grant_lost"
    })
    expect(server.tokenRequests).toHaveLength(0)
  })
})

test("tokens are stored as JSON and shown nowhere else", () => {
  const stored = Schema.encodeSync(OAuthTokens)(tokens)
  expect(stored).toEqual({ accessToken: "access-1", refreshToken: "refresh-1", scope: "devices", expiresAt: 0 })
  expect(Schema.decodeUnknownSync(OAuthTokens)(JSON.parse(JSON.stringify(stored)))).toEqual(tokens)
  expect(JSON.stringify(tokens)).not.toContain("access-1")
})
