import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { EnphaseGateway } from "./EnphaseGateway.ts"

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

let made = 0

/** A token in the form of Enphase's, with a signature that nobody checks. */
export const accessToken = (serial: string, expiresAt: number) => {
  made += 1
  const claims = {
    aud: serial,
    iss: "Entrez",
    enphaseUser: "owner",
    exp: Math.floor(expiresAt / 1000),
    jti: String(made),
    username: "ada@example.com"
  }
  return `${encode({ kid: "1", typ: "JWT", alg: "ES256" })}.${encode(claims)}.c2lnbmF0dXJlLTA4MTU-${made}`
}

const bodyText = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const DAY = 86_400_000

/** Enphase's cloud as far as it gives tokens: the sign-in of Enlighten, and Entrez. */
export class EnlightenServer {
  readonly user = { name: "ada@example.com", password: "canary-password-4711" }
  /** Whether the user has a second factor: then there is no session. */
  hasSecondFactor = false
  /** Milliseconds for which tokens are valid. */
  validFor = 365 * DAY
  /** A status in place of the responses. */
  status: number | undefined
  /** Tokens in the order in which they were given. */
  readonly given: Array<string> = []
  private readonly gateways = new Map<string, EnphaseGateway>()
  private server: Server | undefined
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** The tokens of its owner are valid at this gateway. */
  own(gateway: EnphaseGateway) {
    this.gateways.set(gateway.shape.serial, gateway)
  }

  async start() {
    this.server = createServer((request, response) => {
      void (async () => {
        const body = await bodyText(request)
        const json = (status: number, value: object) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
        if (this.status !== undefined) return json(this.status, { message: "no" })
        if (request.url?.startsWith("/login/login.json") === true) {
          const form = new URLSearchParams(body)
          if (form.get("user[email]") !== this.user.name || form.get("user[password]") !== this.user.password) {
            return json(401, { message: `wrong: ${body}` })
          }
          if (this.hasSecondFactor) return json(200, { message: "success", mfa: true })
          return json(200, { message: "success", session_id: "session-1", manager_token: "m", is_consumer: true })
        }
        const { serial_num: serial, session_id: session, username } = JSON.parse(body)
        const gateway = this.gateways.get(serial)
        if (session !== "session-1" || username !== this.user.name || gateway === undefined) {
          return json(403, { message: "not yours" })
        }
        const token = accessToken(serial, this.now() + this.validFor)
        this.given.push(token)
        gateway.tokens.add(token)
        return response.writeHead(200, { "content-type": "text/plain" }).end(token)
      })()
    })
    await new Promise<void>((resolve) => this.server!.listen(0, "127.0.0.1", resolve))
  }

  settings(): Record<string, string> {
    const base = `http://127.0.0.1:${(this.server!.address() as AddressInfo).port}`
    return { loginUrl: `${base}/login/login.json?`, tokenUrl: `${base}/tokens` }
  }

  async stop() {
    this.server?.closeAllConnections()
    await new Promise<void>((resolve) => void this.server?.close(() => resolve()))
  }
}
