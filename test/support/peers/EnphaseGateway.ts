import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { localhostCertificate } from "./localhostCertificate.ts"

/** A gateway of one firmware: what it says about itself, and its pages. */
export interface GatewayShape {
  readonly serial: string
  readonly firmware: string
  readonly imeter?: boolean
  /** JSON by path with query; text for pages that are none. */
  readonly pages: Readonly<Record<string, unknown>>
  /** Paths that no user of the owner's kind may read. */
  readonly forbidden?: ReadonlyArray<string>
  /** Paths for which old firmware asks for a digest login. */
  readonly locked?: ReadonlyArray<string>
}

interface Held {
  readonly release: () => void
}

const TARIFF = "/admin/lib/tariff"
const REALM = "enphaseenergy.com"
const UNAUTHORIZED = "<html><head><title>401 Authorization Required</title></head></html>"

const bodyText = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const md5 = (text: string) => createHash("md5").update(text).digest("hex")

const infoXml = ({ firmware, imeter, serial }: GatewayShape) => `<?xml version='1.0' encoding='UTF-8'?>
<envoy_info>
  <time>1796000000</time>
  <device>
    <sn>${serial}</sn>
    <pn>800-00654-r08</pn>
    <software>D${firmware}</software>
    <apiver>1</apiver>${imeter === undefined ? "" : `\n    <imeter>${imeter}</imeter>`}
  </device>
  <package name='app'><pn>500-00002-r01</pn><version>07.06.185</version></package>
</envoy_info>`

/**
 * A gateway in the shape of a firmware, with TLS and tokens from firmware 7 on. It keeps the storage settings that are written, and its
 * batteries follow them as Enphase documents it: below the reserve they charge, above it they discharge.
 */
export class EnphaseGateway {
  readonly shape: GatewayShape
  /** The pages as they are now. */
  readonly pages: Record<string, any>
  /** Method and path of each call. */
  readonly lines: Array<string> = []
  /** Bodies of the writes that were taken. */
  readonly writes: Array<any> = []
  readonly tokens = new Set<string>()
  /** User name and password of old firmware. */
  user = { name: "envoy", password: "" }
  /** Largest number of calls at one time. */
  together = 0
  /** Accepts writes without keeping them. */
  isDeaf = false
  /** Refuses writes to all users. */
  isReadOnly = false
  /** Called before a write is taken, and after that, before its response. */
  beforeWrite: () => Promise<void> = () => Promise.resolve()
  afterWrite: () => Promise<void> = () => Promise.resolve()
  port = 0
  private server: Server | undefined
  private readonly sockets = new Set<Socket>()
  private readonly once = new Map<string, Array<(response: ServerResponse) => void>>()
  private readonly holds = new Map<string, (held: Held) => void>()
  private running = 0
  private nonce = 1
  private followed: { mode: string; reserve: number; fromGrid: boolean } | undefined

  constructor(shape: GatewayShape) {
    this.shape = { ...shape }
    this.pages = structuredClone(shape.pages) as Record<string, any>
    this.user.password = shape.serial.slice(-6)
    this.followed = this.settings()
  }

  get isEncrypted() {
    return Number.parseInt(this.shape.firmware, 10) >= 7
  }

  /** The storage settings as they are written now. */
  get storage(): Record<string, any> {
    return this.pages[TARIFF].tariff.storage_settings
  }

  async start(certificate = localhostCertificate, port = 0) {
    const listener = (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response)
    const server = this.isEncrypted ? createSecureServer(certificate, listener) : createServer(listener)
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket)
      socket.on("error", () => {}).on("close", () => this.sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    this.server = server
    this.port = (server.address() as AddressInfo).port
  }

  async stop() {
    const { server } = this
    if (server === undefined) return
    this.server = undefined
    for (const socket of this.sockets) socket.destroy()
    await new Promise<void>((resolve) => void server.close(() => resolve()))
  }

  /** Responds to the next call of a path in another way. */
  respondOnce(path: string, respond: (response: ServerResponse) => void) {
    this.once.set(path, [...(this.once.get(path) ?? []), respond])
  }

  /** Keeps the next call of a path waiting. Resolves when it has arrived. */
  hold(path: string): Promise<Held> {
    return new Promise((resolve) => this.holds.set(path, resolve))
  }

  private settings() {
    const shown = this.pages[TARIFF]?.tariff?.storage_settings
    return shown === undefined
      ? undefined
      : { mode: shown.mode, reserve: shown.reserved_soc, fromGrid: shown.charge_from_grid }
  }

  /** Sets the power of the batteries by the settings that they follow. */
  private behave() {
    const { followed } = this
    const charge: number = this.pages["/ivp/ensemble/secctrl"]?.ENC_agg_soc
    if (followed === undefined || charge === undefined) return
    const target = followed.mode === "backup" ? 100 : followed.reserve
    const milliwatts = charge < target ? -640_000 : charge > target ? 512_000 : 0
    for (const device of this.pages["/ivp/ensemble/power"]["devices:"]) {
      device.real_power_mw = milliwatts
      device.apparent_power_mva = milliwatts
    }
    this.pages["/ivp/ensemble/secctrl"].configured_backup_soc = target
  }

  private knows({ headers, method, url }: IncomingMessage): boolean {
    const sent = headers.authorization ?? ""
    if (this.isEncrypted) return this.tokens.has(sent.replace(/^Bearer /u, ""))
    const values = Object.fromEntries(
      Array.from(sent.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/gu), ([, name, quoted, plain]) => [name, quoted ?? plain])
    )
    const { cnonce, nc, nonce, response, uri, username } = values
    const secret = md5(`${this.user.name}:${REALM}:${this.user.password}`)
    return (
      username === this.user.name &&
      nonce === `nonce-${this.nonce}` &&
      uri === url &&
      response === md5(`${secret}:${nonce}:${nc}:${cnonce}:auth:${md5(`${method}:${url}`)}`)
    )
  }

  private refuse(response: ServerResponse) {
    const challenge = `Digest realm="${REALM}", qop="auth", nonce="nonce-${this.nonce}", opaque="1", algorithm=MD5`
    response
      .writeHead(401, { "content-type": "text/html", ...(!this.isEncrypted && { "www-authenticate": challenge }) })
      .end(UNAUTHORIZED)
  }

  private async take(body: string, response: ServerResponse) {
    await this.beforeWrite()
    const written = JSON.parse(body)
    const { storage_settings: settings, ...tariff } = written.tariff ?? {}
    const { storage_settings: own, ...ownTariff } = this.pages[TARIFF].tariff
    // Whatever is left out would be lost.
    const isWhole =
      JSON.stringify(Object.keys(tariff).toSorted()) === JSON.stringify(Object.keys(ownTariff).toSorted()) &&
      JSON.stringify(Object.keys(settings ?? {}).toSorted()) === JSON.stringify(Object.keys(own).toSorted())
    if (!isWhole) return response.writeHead(400).end("{}")
    if (!this.isDeaf) {
      this.writes.push(written)
      this.pages[TARIFF].tariff = written.tariff
      // While Enphase plans the battery, it does not follow the mode.
      if (settings.opt_schedules !== true) this.followed = this.settings()
      this.behave()
    }
    await this.afterWrite()
    return response.writeHead(200, { "content-type": "application/json" }).end('{"message":"success"}')
  }

  private async handle(request: IncomingMessage, response: ServerResponse) {
    const { method = "GET", url = "/" } = request
    const path = url.split("?", 1)[0]!
    this.lines.push(`${method} ${url}`)
    this.running += 1
    this.together = Math.max(this.together, this.running)
    response.once("close", () => (this.running -= 1))
    const body = await bodyText(request)
    const held = this.holds.get(path)
    if (held !== undefined) {
      this.holds.delete(path)
      await new Promise<void>((resolve) => held({ release: resolve }))
    }
    const [respond, ...others] = this.once.get(path) ?? []
    if (respond !== undefined) {
      this.once.set(path, others)
      return respond(response)
    }
    if (path === "/info") {
      return response.writeHead(200, { "content-type": "application/xml" }).end(infoXml(this.shape))
    }
    const isKnown = this.knows(request)
    const isLocked = this.isEncrypted || this.shape.locked?.includes(path) === true
    if ((isLocked && !isKnown) || this.shape.forbidden?.includes(path) === true) return this.refuse(response)
    if (path === "/auth/check_jwt") return response.writeHead(200).end("<!DOCTYPE html><h2>Valid token.</h2>")
    if (method === "PUT" && path === TARIFF) {
      return this.isReadOnly ? this.refuse(response) : void (await this.take(body, response))
    }
    const page = this.pages[url] ?? this.pages[path]
    if (page === undefined) {
      return response.writeHead(404, { "content-type": "application/json" }).end('{ "error" : "404 - Not Found" }')
    }
    const isText = typeof page === "string"
    response
      .writeHead(200, { "content-type": isText ? "text/html" : "application/json" })
      .end(isText ? page : JSON.stringify(page))
  }
}
