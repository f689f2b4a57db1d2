import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { usageFeed, usagePointFeed, type UtilityMeter } from "./utilityFeed.ts"

export interface UtilityResponse {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface UtilityCall {
  readonly path: string
  readonly query: URLSearchParams
  readonly status: number
}

interface Grant {
  readonly subscription: string
  refreshToken: string
  readonly accessTokens: Set<string>
}

export const utilityClient = { id: "third_party", secret: "a secret of the operator at the utility" } as const
export const SCOPE = "FB=1_3_4_5_13_14_39;IntervalDuration=3600;BlockDuration=daily;HistoryLength=13"

const RESOURCE = "/DataCustodian/espi/1_1/resource"

const readText = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    request.on("end", () => resolve(text))
  })

/**
 * A stand-in for a utility with Green Button Connect My Data on a local port: OAuth 2.0 with the fields of ESPI, and its resources as Atom
 * feeds. It is written from the resources, links and fields that OpenESPI publishes, and was never compared with a utility's own.
 * Each authorization has a new subscription; a refresh token is used once.
 */
export class UtilityServer {
  url = ""
  readonly calls: Array<UtilityCall> = []
  readonly tokenCalls: Array<URLSearchParams> = []
  readonly meters = new Map<string, UtilityMeter>()
  /** Responses instead of the usual ones, by a part of the path, used up in order. */
  readonly faults = new Map<string, Array<UtilityResponse>>()
  /** Fields of token responses beside those of RFC 6749. */
  tokenFields: (subscription: string) => Readonly<Record<string, unknown>> = (subscription) => ({
    resourceURI: `${this.resource()}/Batch/Subscription/${subscription}`,
    authorizationURI: `${this.resource()}/Authorization/${subscription}`,
    customerResourceURI: `${this.resource()}/Batch/RetailCustomer/7`
  })
  /** Whether the list of usage points can be read by itself. */
  hasList = true
  givesValidators = true
  expiresIn = 3600
  readonly revoked: Array<string> = []
  private readonly codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>()
  private readonly grants: Array<Grant> = []
  private subscriptions = 0
  private server: Server | undefined

  async start() {
    const server = createServer((request, response) => void this.handle(request, response))
    this.server = server
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  stop() {
    return new Promise<void>((resolve) => {
      this.server!.close(() => resolve())
      this.server!.closeAllConnections()
    })
  }

  resource() {
    return `${this.url}${RESOURCE}`
  }

  /** The settings of the adapter for this server. */
  settings() {
    return {
      clientId: utilityClient.id,
      clientSecret: utilityClient.secret,
      authorizationUrl: `${this.url}/oauth/authorize`,
      tokenUrl: `${this.url}/oauth/token`,
      revocationUrl: `${this.url}/oauth/revoke`,
      resourceUrl: this.resource(),
      scope: SCOPE,
      utility: "Lakeside Power"
    }
  }

  respondOnce(path: string, ...replies: ReadonlyArray<UtilityResponse>) {
    this.faults.set(path, [...(this.faults.get(path) ?? []), ...replies])
  }

  /** The windows of the batches that were read, as days. */
  windows() {
    return this.calls
      .filter(({ path, status }) => path.includes("/Batch/") && status === 200)
      .map(({ query }) => [query.get("published-min")!.slice(0, 10), query.get("published-max")!.slice(0, 10)] as const)
  }

  /** The customer ends all permissions at the utility. */
  endGrants() {
    this.grants.length = 0
  }

  expireAccessTokens() {
    for (const { accessTokens } of this.grants) accessTokens.clear()
  }

  private async handle(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url!, this.url)
    const text = await readText(request)
    const send = ({ body = "", headers, status }: UtilityResponse) => response.writeHead(status, headers).end(body)
    if (url.pathname === "/oauth/authorize") return this.authorize(url, response)
    if (url.pathname.startsWith("/oauth/")) {
      const reply = this.token(url.pathname, request, new URLSearchParams(text))
      return send({
        status: reply.status,
        body: JSON.stringify(reply.body),
        headers: { "content-type": "application/json" }
      })
    }
    const path = url.pathname.replace(RESOURCE, "")
    const bearer = /^Bearer (.+)$/u.exec(request.headers.authorization ?? "")?.[1] ?? ""
    const grant = this.grants.find(({ accessTokens }) => accessTokens.has(bearer))
    const fault = [...this.faults].find(([part, replies]) => path.includes(part) && replies.length > 0)?.[1].shift()
    const reply =
      grant === undefined ? { status: 401 } : (fault ?? this.respond(path, url.searchParams, grant, request))
    this.calls.push({ path, query: url.searchParams, status: reply.status })
    return send(reply)
  }

  private authorize(url: URL, response: ServerResponse) {
    const get = (name: string) => url.searchParams.get(name) ?? ""
    const back = new URL(get("redirect_uri"))
    const code = randomUUID()
    this.codes.set(code, { challenge: get("code_challenge"), redirectUri: get("redirect_uri") })
    const parameters = get("scope") === SCOPE ? { code } : { error: "invalid_scope" }
    for (const [name, value] of Object.entries({ ...parameters, state: get("state") }))
      back.searchParams.set(name, value)
    response.writeHead(302, { location: back.href }).end()
  }

  private token(path: string, { headers }: IncomingMessage, form: URLSearchParams) {
    const get = (name: string) => form.get(name) ?? ""
    const client = Buffer.from((headers.authorization ?? "").replace(/^Basic /u, ""), "base64").toString()
    const [id, secret] = client.split(":").map((part) => decodeURIComponent(part.replaceAll("+", " ")))
    if (id !== utilityClient.id || secret !== utilityClient.secret)
      return { status: 401, body: { error: "invalid_client" } }
    if (path === "/oauth/revoke") {
      this.revoked.push(get("token"))
      const at = this.grants.findIndex(({ refreshToken }) => refreshToken === get("token"))
      if (at >= 0) this.grants.splice(at, 1)
      return { status: 200, body: {} }
    }
    this.tokenCalls.push(form)
    if (get("grant_type") === "refresh_token") {
      const grant = this.grants.find(({ refreshToken }) => refreshToken === get("refresh_token"))
      // The addresses are in the response to a code alone.
      return grant === undefined
        ? { status: 400, body: { error: "invalid_grant" } }
        : { status: 200, body: this.issue(grant) }
    }
    const code = this.codes.get(get("code"))
    this.codes.delete(get("code"))
    const challenge = createHash("sha256").update(get("code_verifier")).digest("base64url")
    if (code === undefined || code.challenge !== challenge || code.redirectUri !== get("redirect_uri"))
      return { status: 400, body: { error: "invalid_grant" } }
    const grant: Grant = { subscription: String(++this.subscriptions), refreshToken: "", accessTokens: new Set() }
    this.grants.push(grant)
    return { status: 200, body: { ...this.issue(grant), ...this.tokenFields(grant.subscription) } }
  }

  private issue(grant: Grant) {
    const accessToken = `access-${randomUUID()}`
    grant.accessTokens.add(accessToken)
    grant.refreshToken = `refresh-${randomUUID()}`
    return {
      access_token: accessToken,
      refresh_token: grant.refreshToken,
      expires_in: this.expiresIn,
      token_type: "Bearer",
      scope: SCOPE
    }
  }

  private respond(
    path: string,
    query: URLSearchParams,
    { subscription }: Grant,
    { headers }: IncomingMessage
  ): UtilityResponse {
    const base = `${this.resource()}/Subscription/${subscription}`
    const meters = [...this.meters.values()]
    const atom = { "content-type": "application/atom+xml" }
    if (path === `/Subscription/${subscription}/UsagePoint`) {
      return this.hasList ? { status: 200, body: usagePointFeed(base, meters), headers: atom } : { status: 404 }
    }
    const [, one] = new RegExp(`^/Batch/Subscription/${subscription}(?:/UsagePoint/([^/]+))?$`, "u").exec(path) ?? [
      null
    ]
    if (one === null) return { status: 404 }
    const seconds = (name: string) => Date.parse(query.get(name) ?? "") / 1000
    const chosen = one === undefined ? meters : meters.filter(({ id }) => id === decodeURIComponent(one))
    const body = usageFeed(base, chosen, seconds("published-min"), seconds("published-max"))
    if (!this.givesValidators) return { status: 200, body, headers: atom }
    const etag = `"${createHash("sha256").update(body).digest("hex")}"`
    return headers["if-none-match"] === etag ? { status: 304 } : { status: 200, body, headers: { ...atom, etag } }
  }
}
