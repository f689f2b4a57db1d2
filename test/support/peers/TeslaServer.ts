import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface TeslaCall {
  readonly method: string
  /** Without the prefix of the signing proxy. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: any
  readonly isSigned: boolean
}

export interface TeslaResponse {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface Site {
  live: Record<string, any>
  info: Record<string, any>
  history: Array<Record<string, any>>
}

interface Vehicle {
  state: "online" | "asleep" | "offline"
  /** Looks at the state until a woken vehicle is online. */
  looksUntilAwake: number
  needsSignature: boolean
  isPaired: boolean
  data: Record<string, any>
}

interface Grant {
  readonly scopes: ReadonlyArray<string>
  refreshToken: string | undefined
  readonly accessTokens: Set<string>
}

export const teslaClient = { id: "tesla-client", secret: "a secret of the operator at Tesla" } as const
const allScopes =
  "openid offline_access vehicle_device_data vehicle_location vehicle_charging_cmds energy_device_data energy_cmds"

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const readText = (request: IncomingMessage) =>
  new Promise<string>((resolve) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    request.on("end", () => resolve(text))
  })

const site = (): Site => ({
  live: {
    solar_power: 1400,
    percentage_charged: 62.5,
    battery_power: 2100,
    load_power: 3220,
    grid_power: -280,
    grid_status: "Active",
    island_status: "on_grid",
    storm_mode_active: false,
    wall_connectors: [{ din: "TWC-1", wall_connector_state: 1, wall_connector_power: 7100 }]
  },
  info: {
    site_name: "Cabin",
    backup_reserve_percent: 20,
    default_real_mode: "autonomous",
    installation_time_zone: "America/Los_Angeles",
    battery_count: 2,
    nameplate_energy: 40_500,
    components: {
      battery: true,
      solar: true,
      batteries: [
        {
          part_name: "Powerwall 2",
          nameplate_energy: 13_500,
          nameplate_max_charge_power: 5000,
          nameplate_max_discharge_power: 5400
        },
        {
          part_name: "Powerwall 2",
          nameplate_energy: 13_500,
          nameplate_max_charge_power: 5000,
          nameplate_max_discharge_power: 5400
        }
      ],
      wall_connectors: [{ din: "TWC-1", serial_number: "W1", part_name: "Gen 3 Wall Connector" }],
      disallow_charge_from_grid_with_solar_installed: true,
      customer_preferred_export_rule: "pv_only"
    }
  },
  history: []
})

const vehicle = (vin: string): Vehicle => ({
  state: "online",
  looksUntilAwake: 2,
  needsSignature: true,
  isPaired: true,
  data: {
    vin,
    charge_state: {
      battery_level: 61,
      battery_range: 180.5,
      charge_limit_soc: 80,
      charge_limit_soc_min: 50,
      charge_limit_soc_max: 100,
      charger_actual_current: 0,
      charger_power: 0,
      charger_voltage: 2,
      charging_state: "Stopped",
      energy_remaining: 45.5,
      minutes_to_full_charge: 0
    },
    drive_state: { latitude: 37.4949, longitude: -121.944 },
    vehicle_config: { car_type: "model3" }
  }
})

/**
 * A stand-in for Tesla's sign-in, Fleet API and signing proxy on a local port, written from the published endpoints, fields,
 * units and errors (developer.tesla.com, Fleet API). It was never compared with Tesla's own. Refresh tokens are used once: a
 * second use ends the grant.
 */
export class TeslaServer {
  url = ""
  readonly calls: Array<TeslaCall> = []
  readonly tokenCalls: Array<URLSearchParams> = []
  readonly sites = new Map<string, Site>()
  readonly vehicles = new Map<string, Vehicle>()
  /** Responses instead of the usual ones, by the end of a path, used up in order. */
  readonly faults = new Map<string, Array<TeslaResponse>>()
  grantedScopes = allScopes
  /** Runs before a call is answered. */
  beforeResponse: (call: TeslaCall) => Promise<void> = () => Promise.resolve()
  /** Runs when a call has taken effect and its response is about to be sent. */
  beforeSending: (call: TeslaCall) => Promise<void> = () => Promise.resolve()
  private readonly codes = new Map<string, { challenge: string; redirectUri: string; scopes: string }>()
  private readonly grants: Array<Grant> = []
  private server: Server | undefined
  private revocations = 0

  async start() {
    const server = createServer((request, response) => void this.handle(request, response))
    this.server = server
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.reset()
  }

  reset() {
    this.calls.length = 0
    this.tokenCalls.length = 0
    this.revocations = 0
    this.faults.clear()
    this.grantedScopes = allScopes
    this.beforeResponse = () => Promise.resolve()
    this.beforeSending = () => Promise.resolve()
    this.sites.clear()
    this.vehicles.clear()
    this.sites.set("2251799813", site())
    this.vehicles.set("5YJ3E1EA7KF000001", vehicle("5YJ3E1EA7KF000001"))
  }

  stop() {
    return new Promise<void>((resolve) => {
      this.server!.close(() => resolve())
      this.server!.closeAllConnections()
    })
  }

  /** The settings of the adapter for this server. */
  settings() {
    return {
      clientId: teslaClient.id,
      clientSecret: teslaClient.secret,
      baseUrl: this.url,
      authUrl: `${this.url}/oauth2/v3/authorize`,
      tokenUrl: `${this.url}/oauth2/v3/token`,
      commandBaseUrl: `${this.url}/proxy`,
      keyDomain: "energy.example.com"
    }
  }

  respondOnce(endOfPath: string, ...replies: ReadonlyArray<TeslaResponse>) {
    this.faults.set(endOfPath, [...(this.faults.get(endOfPath) ?? []), ...replies])
  }

  /** Paths of the calls since the last reset, with their methods. */
  paths() {
    return this.calls.map(({ isSigned, method, path }) => `${method} ${isSigned ? "signed " : ""}${path}`)
  }

  private async handle(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url!, this.url)
    const text = await readText(request)
    const send = ({ body, headers, status }: TeslaResponse) =>
      response
        .writeHead(status, { "content-type": "application/json", "x-txid": "txid-1", ...headers })
        .end(typeof body === "string" ? body : JSON.stringify(body))
    if (url.pathname === "/oauth2/v3/authorize") return this.authorize(url, response)
    if (url.pathname === "/oauth2/v3/token") return send(this.token(new URLSearchParams(text)))
    if (url.pathname === "/oauth2/v3/revoke") return send(this.revoke(new URLSearchParams(text)))
    const isSigned = url.pathname.startsWith("/proxy/")
    const call: TeslaCall = {
      method: request.method!,
      path: isSigned ? url.pathname.slice("/proxy".length) : url.pathname,
      query: url.searchParams,
      body: text === "" ? null : JSON.parse(text),
      isSigned
    }
    this.calls.push(call)
    await this.beforeResponse(call)
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? ""
    if (!this.grants.some(({ accessTokens }) => accessTokens.has(bearer)))
      return send({ status: 401, body: { response: null, error: "token expired (401)", error_description: "" } })
    const fault = [...this.faults].find(([end, replies]) => call.path.endsWith(end) && replies.length > 0)?.[1].shift()
    const reply = fault ?? this.respond(call)
    await this.beforeSending(call)
    return send(reply)
  }

  private authorize(url: URL, response: ServerResponse) {
    const get = (name: string) => url.searchParams.get(name) ?? ""
    const code = `NA_${randomUUID()}`
    this.codes.set(code, {
      challenge: get("code_challenge"),
      redirectUri: get("redirect_uri"),
      scopes: this.grantedScopes
    })
    const back = new URL(get("redirect_uri"))
    for (const [name, value] of Object.entries({ code, state: get("state"), locale: get("locale") }))
      back.searchParams.set(name, value)
    response.writeHead(302, { location: back.href }).end()
  }

  private token(form: URLSearchParams): TeslaResponse {
    this.tokenCalls.push(form)
    const get = (name: string) => form.get(name) ?? ""
    if (get("client_id") !== teslaClient.id || get("client_secret") !== teslaClient.secret)
      return { status: 401, body: { error: "unauthorized_client" } }
    if (get("grant_type") === "refresh_token") {
      const grant = this.grants.find(({ refreshToken }) => refreshToken === get("refresh_token"))
      if (grant === undefined) {
        // An old refresh token: the grant that it belonged to ends.
        for (const one of this.grants)
          if (get("refresh_token").startsWith(findPrefix(one))) one.refreshToken = undefined
        return { status: 401, body: { error: "login_required", error_description: "The refresh_token is invalid" } }
      }
      return { status: 200, body: this.issue(grant) }
    }
    const code = this.codes.get(get("code"))
    this.codes.delete(get("code"))
    const challenge = createHash("sha256").update(get("code_verifier")).digest("base64url")
    if (code === undefined || code.challenge !== challenge || code.redirectUri !== get("redirect_uri"))
      return { status: 400, body: { error: "invalid_grant" } }
    if (get("audience") !== this.url) return { status: 400, body: { error: "invalid_request" } }
    const grant: Grant = { scopes: code.scopes.split(" "), refreshToken: undefined, accessTokens: new Set() }
    this.grants.push(grant)
    return { status: 200, body: this.issue(grant) }
  }

  private issue(grant: Grant) {
    const claims = { iss: "https://fleet-auth.tesla.com", sub: "owner-1", scp: grant.scopes, jti: randomUUID() }
    const accessToken = `${encoded({ alg: "RS256" })}.${encoded(claims)}.signature`
    grant.accessTokens.add(accessToken)
    grant.refreshToken = `${findPrefix(grant)}${randomUUID()}`
    return { access_token: accessToken, refresh_token: grant.refreshToken, expires_in: 28_800, token_type: "Bearer" }
  }

  /** Number of grants that were revoked since the last reset. */
  revoked() {
    return this.revocations
  }

  /** The owner ends all permissions in the Tesla account. */
  endGrants() {
    this.grants.length = 0
  }

  private revoke(form: URLSearchParams): TeslaResponse {
    this.revocations += 1
    const at = this.grants.findIndex(({ refreshToken }) => refreshToken === form.get("token"))
    if (at >= 0) this.grants.splice(at, 1)
    return { status: 200, body: {} }
  }

  /** Ends all access tokens; refresh tokens stay. */
  expireAccessTokens() {
    for (const { accessTokens } of this.grants) accessTokens.clear()
  }

  private respond(call: TeslaCall): TeslaResponse {
    const { body, path } = call
    const ok = (response: unknown): TeslaResponse => ({ status: 200, body: { response } })
    const notFound: TeslaResponse = { status: 404, body: { response: null, error: "not_found", error_description: "" } }
    if (path === "/api/1/products") return ok(this.products())
    if (path === "/api/1/vehicles/fleet_status") return ok(this.fleetStatus(body.vins))
    const [, kind, id = "", ...rest] = /^\/api\/1\/(energy_sites|vehicles)\/([^/]+)\/?(.*)$/.exec(path) ?? []
    const end = rest[0] ?? ""
    const found = kind === "energy_sites" ? this.sites.get(id) : undefined
    if (found !== undefined) return this.siteResponse(found, end, call, ok) ?? notFound
    const car = kind === "vehicles" ? this.vehicles.get(id) : undefined
    return car === undefined ? notFound : (this.vehicleResponse(car, end, call, ok) ?? notFound)
  }

  private siteResponse(one: Site, end: string, { body, method }: TeslaCall, ok: (response: unknown) => TeslaResponse) {
    if (method === "GET") {
      if (end === "live_status") return ok(one.live)
      if (end === "site_info") return ok(one.info)
      return end === "calendar_history" ? ok({ period: "day", time_series: one.history }) : undefined
    }
    const updated = ok({ code: 201, message: "Updated" })
    if (end === "backup") one.info["backup_reserve_percent"] = body.backup_reserve_percent
    else if (end === "operation") one.info["default_real_mode"] = body.default_real_mode
    else if (end === "grid_import_export") Object.assign(one.info["components"], body)
    else return undefined
    return updated
  }

  private vehicleResponse(
    car: Vehicle,
    end: string,
    { body, isSigned, query }: TeslaCall,
    ok: (response: unknown) => TeslaResponse
  ): TeslaResponse | undefined {
    const asleep = "vehicle unavailable: vehicle is offline or asleep"
    if (end === "") {
      if (car.state === "asleep" && car.looksUntilAwake === 0) car.state = "online"
      if (car.state === "asleep" && car.looksUntilAwake < Number.POSITIVE_INFINITY) car.looksUntilAwake -= 1
      return ok({ vin: car.data["vin"], state: car.state })
    }
    if (end === "wake_up") {
      car.looksUntilAwake = Math.min(car.looksUntilAwake, 2)
      return ok({ vin: car.data["vin"], state: car.state })
    }
    if (car.state !== "online") return { status: 408, body: { response: null, error: asleep, error_description: "" } }
    if (end === "vehicle_data") {
      const { drive_state, ...data } = car.data
      const withLocation = query.get("endpoints")?.split(";").includes("location_data") === true
      return ok({ ...data, state: car.state, ...(withLocation && { drive_state }) })
    }
    if (car.needsSignature && !isSigned)
      return { status: 403, body: { response: null, error: "Tesla Vehicle Command Protocol required" } }
    if (isSigned && !car.isPaired)
      return {
        status: 500,
        body: {
          response: null,
          error: "vehicle rejected request: your public key has not been paired with the vehicle"
        }
      }
    const charge = car.data["charge_state"]
    const done = ok({ result: true, reason: "" })
    const refused = (reason: string) => ok({ result: false, reason })
    if (end === "command/charge_start") {
      if (charge.charging_state === "Disconnected") return refused("disconnected")
      if (charge.charging_state === "Charging") return refused("is_charging")
      Object.assign(charge, { charging_state: "Charging", charger_power: 7, charger_voltage: 236 })
      return done
    }
    if (end === "command/charge_stop") {
      if (charge.charging_state !== "Charging") return refused("not_charging")
      Object.assign(charge, { charging_state: "Stopped", charger_power: 0 })
      return done
    }
    if (end !== "command/set_charge_limit") return undefined
    charge.charge_limit_soc = body.percent
    return done
  }

  private products() {
    const cars = [...this.vehicles].map(([vin, { state }]) => ({ id: 1, vin, display_name: "Blue", state }))
    const sites = [...this.sites].map(([id, { info }]) => ({
      energy_site_id: Number(id),
      resource_type: "battery",
      site_name: info["site_name"],
      gateway_id: "GW-1",
      components: { battery: true, solar: true }
    }))
    return [...cars, ...sites]
  }

  private fleetStatus(vins: ReadonlyArray<string>) {
    const known = vins.filter((vin) => this.vehicles.has(vin))
    const paired = (vin: string) => this.vehicles.get(vin)!.isPaired
    return {
      key_paired_vins: known.filter(paired),
      unpaired_vins: known.filter((vin) => !paired(vin)),
      vehicle_info: Object.fromEntries(
        known.map((vin) => [vin, { vehicle_command_protocol_required: this.vehicles.get(vin)!.needsSignature }])
      )
    }
  }
}

/** Refresh tokens of one grant begin alike, so that an old one is recognized. */
const prefixes = new WeakMap<Grant, string>()
const findPrefix = (grant: Grant) => {
  const prefix = prefixes.get(grant) ?? `NA_${randomUUID()}_`
  prefixes.set(grant, prefix)
  return prefix
}
