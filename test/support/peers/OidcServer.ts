import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import Provider, { type Configuration } from "oidc-provider"

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly referer: string | undefined
  readonly parameters: URLSearchParams
}

export interface OidcServerOptions {
  readonly clientAuthentication?: "client_secret_post" | "client_secret_basic" | "none"
  readonly rotate?: boolean
  /** Seconds. */
  readonly accessTokenLife?: number
}

export const oidcClient = { id: "edp", secret: "a secret of the operator at the manufacturer" } as const

const readText = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    request.on("end", () => resolve(text))
  })

/**
 * `oidc-provider`, a certified OpenID provider, on a local port, with its own login and consent forms. It requires PKCE, names
 * itself in callbacks (RFC 9207), and rotates refresh tokens: the use of an old one ends the grant.
 */
export class OidcServer {
  issuer = ""
  /** Requests of the token endpoint, in order. */
  readonly tokenRequests: Array<ReceivedRequest> = []
  readonly pageRequests: Array<ReceivedRequest> = []
  /** Responses of the token endpoint instead of the provider's, used up in order. */
  readonly tokenFaults: Array<(response: ServerResponse) => void> = []
  /** Runs before the provider handles a token request. */
  beforeToken: () => Promise<void> = () => Promise.resolve()
  private server: Server | undefined
  private handler: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined

  async start(options: OidcServerOptions = {}) {
    await this.listen(0)
    const { accessTokenLife = 3600, clientAuthentication = "client_secret_post", rotate = true } = options
    const configuration: Configuration = {
      clients: [
        {
          client_id: oidcClient.id,
          ...(clientAuthentication !== "none" && { client_secret: oidcClient.secret }),
          token_endpoint_auth_method: clientAuthentication,
          // Any port of a loopback address is allowed for these (RFC 8252).
          application_type: "native",
          redirect_uris: ["http://127.0.0.1/oauth/callback", "http://localhost/oauth/callback"],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"]
        }
      ],
      features: { devInteractions: { enabled: true }, revocation: { enabled: true, allowedPolicy: () => true } },
      pkce: { required: () => true },
      rotateRefreshToken: rotate,
      issueRefreshToken: () => true,
      scopes: ["openid", "offline_access", "devices"],
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      cookies: { keys: ["a key of the test"] },
      ttl: {
        AccessToken: accessTokenLife,
        AuthorizationCode: 60,
        Grant: 3600,
        IdToken: 3600,
        Interaction: 600,
        RefreshToken: 3600,
        Session: 3600
      }
    }
    const provider = new Provider(this.issuer, configuration)
    this.handler = provider.callback()
  }

  private async handle(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url!, this.issuer)
    const received = (parameters: URLSearchParams): ReceivedRequest => ({
      method: request.method!,
      path: url.pathname,
      referer: request.headers.referer,
      parameters
    })
    if (url.pathname !== "/token") {
      this.pageRequests.push(received(url.searchParams))
      return this.handler!(request, response)
    }
    const body = await readText(request)
    this.tokenRequests.push(received(new URLSearchParams([...url.searchParams, ...new URLSearchParams(body)])))
    await this.beforeToken()
    const fault = this.tokenFaults.shift()
    if (fault !== undefined) return fault(response)
    // The provider takes a body that was read before it.
    Object.assign(request, { body: Object.fromEntries(new URLSearchParams(body)) })
    return this.handler!(request, response)
  }

  private listen(port: number) {
    const server = createServer((request, response) => void this.handle(request, response))
    this.server = server
    return new Promise<void>((resolve) =>
      server.listen(port, "127.0.0.1", () => {
        this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resolve()
      })
    )
  }

  /** Takes the server off the network; its sessions and grants stay. */
  goDown() {
    const { server } = this
    return new Promise<void>((resolve) => {
      server!.close(() => resolve())
      server!.closeAllConnections()
    })
  }

  comeBack() {
    return this.listen(Number(new URL(this.issuer).port))
  }

  stop() {
    return this.goDown()
  }
}
