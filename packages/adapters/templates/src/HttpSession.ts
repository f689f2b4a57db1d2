import { randomBytes } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { asNumber, isObject, parseFilterPath, valueAt } from "@edp/adapter-kit/decoding/jsonPath"
import { type DigestChallenge, digestHeader, readChallenge } from "@edp/adapter-kit/http/digest"
import { boundedText, type HttpResponse, retryAfterHeader, sendRequest } from "@edp/adapter-kit/http/httpResponse"
import type { HttpTemplate } from "./HttpTemplate.ts"
import { fillRequest, plannedRead, type PlannedRequest, type ReadResponse } from "./httpExchange.ts"

/** A device at an address, with what a person entered. Stored encrypted. */
export const HttpCredentials = Schema.Struct({
  host: Schema.String,
  port: Schema.Int,
  tls: Schema.Boolean,
  /** SHA-256 of the device's certificate, if it has none of a known authority. */
  fingerprint: Schema.NullOr(Schema.String),
  givenName: Schema.NullOr(Schema.String),
  /** The slug of the template. */
  template: Schema.String,
  username: Schema.NullOr(Schema.String),
  /** Password or token. */
  password: Schema.NullOr(Schema.String),
  /** Inputs of the template by name. */
  inputs: Schema.Record(Schema.String, Schema.String),
  serial: Schema.NullOr(Schema.String),
  /** Capacities in Wh that a person entered, by the device's key. */
  capacities: Schema.Record(Schema.String, Schema.Finite)
})
export type HttpCredentials = typeof HttpCredentials.Type

/** The token or challenge that a login left behind, for the next request. */
export interface LoginState {
  token?: string
  challenge?: DigestChallenge
  count?: number
}

/** Reads and commands of one device. */
export interface HttpSession {
  /** The response's body. Fails for a status that is no success. */
  readonly send: (request: PlannedRequest) => Effect.Effect<unknown, AdapterError>
  /** Sends each request of the names once, and reads the responses by name. */
  readonly readAll: (names?: Iterable<string>) => Effect.Effect<ReadResponse, AdapterError>
}

const headerText = /^[\t\x20-\x7e\x80-\xff]*$/
const NO_HEADER = "The user name, the token or an input has characters that a request can't have in its headers"

const refusedLogin = (message: string) => AdapterError.of("grant_lost", message)

/** Why a response is no success. Its text may hold what was sent, and is left out where that was a login. */
const failure = ({ body, headers, status }: HttpResponse, now: number): AdapterError => {
  const upstream = {
    statusCode: status,
    errorCode: null,
    errorMessage: boundedText(typeof body === "string" ? body : JSON.stringify(body), 500),
    requestId: null
  }
  if (status === 401 || status === 403) return refusedLogin("The device refuses the login")
  if (status === 429) {
    const retryAt = retryAfterHeader(headers["retry-after"], now)
    return AdapterError.of("throttled", "The device asks for a pause", { retryAt, upstream })
  }
  if (status >= 500) return AdapterError.of("vendor_fault", `The device responds with status ${status}`, { upstream })
  return AdapterError.of("contract", `The device responds with status ${status}`, { upstream })
}

const isSuccess = ({ status }: HttpResponse) => status >= 200 && status < 300
const asksForLogin = ({ status }: HttpResponse) => status === 401 || status === 403

/** The value of a cookie that a response sets. Several headers come joined by commas. */
const cookieFrom = (header: string | undefined, name: string) => {
  const found = (header ?? "").split(/,\s*(?=[^;,=\s]+=)/u).find((one) => one.startsWith(`${name}=`))
  return found?.slice(name.length + 1).split(";", 1)[0]
}

export const baseUrl = ({ host, port, tls }: Pick<HttpCredentials, "host" | "port" | "tls">) =>
  `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`

/** The requests to a device with its login. `state` keeps tokens between calls. */
export const httpSession = (
  http: HttpClient.HttpClient,
  template: HttpTemplate,
  credentials: HttpCredentials,
  state: LoginState
): HttpSession => {
  const authentication = template.authentication ?? { kind: "none" }
  const username = authentication.username ?? credentials.username ?? ""
  const { inputs, password, serial } = credentials
  // A device that was set up without a login gets none.
  const kind = password === null ? "none" : authentication.kind
  const known = { ...(serial !== null && { serialNumber: serial }), ...inputs }

  const call = (planned: PlannedRequest, more: Readonly<Record<string, string>> = {}) => {
    const query = new URLSearchParams(planned.query).toString()
    const uri = `${planned.path}${query === "" ? "" : `?${query}`}`
    const headers = { accept: "application/json", ...planned.headers, ...more }
    if (!Object.values(headers).every((value) => headerText.test(value))) {
      return { uri, response: Effect.fail(AdapterError.of("misconfigured", NO_HEADER)) }
    }
    const bare = HttpClientRequest.make(planned.method as "GET")(`${baseUrl(credentials)}${uri}`).pipe(
      HttpClientRequest.setHeaders(headers)
    )
    const request =
      planned.json !== undefined
        ? HttpClientRequest.bodyText(bare, JSON.stringify(planned.json), "application/json")
        : planned.form !== undefined
          ? HttpClientRequest.bodyText(
              bare,
              new URLSearchParams(planned.form).toString(),
              "application/x-www-form-urlencoded"
            )
          : bare
    return { uri, response: sendRequest(http, request) }
  }

  const header = (token: string) => {
    const name = (authentication.header ?? "Authorization").toLowerCase()
    return { [name]: `${authentication.prefix ?? ""}${token}` }
  }

  const login = Effect.gen(function* () {
    const own = { ...known, username, password: password ?? "" }
    const response = yield* call(fillRequest(plannedRead(authentication.request!), own)).response
    // Devices respond to a wrong password in many ways, and some repeat it.
    if (!isSuccess(response)) {
      return yield* response.status >= 500
        ? AdapterError.of("vendor_fault", `The login of the device responds with status ${response.status}`)
        : refusedLogin("The device refuses the login")
    }
    const token =
      authentication.cookie === undefined
        ? valueAt(response.body, parseFilterPath(authentication.token ?? "") ?? [])
        : cookieFrom(response.headers["set-cookie"], authentication.cookie)
    if (typeof token !== "string" || token === "" || token.length > 4096) {
      return yield* refusedLogin("The login of the device gives no token")
    }
    state.token = token
    return token
  })

  const attempt = Effect.fnUntraced(function* (planned: PlannedRequest) {
    if (kind === "login") {
      const token = state.token ?? (yield* login)
      const { cookie } = authentication
      return yield* call(planned, cookie === undefined ? header(token) : { cookie: `${cookie}=${token}` }).response
    }
    if (kind === "basic") {
      const pair = Buffer.from(`${username}:${password}`).toString("base64")
      return yield* call(planned, { authorization: `Basic ${pair}` }).response
    }
    if (kind === "bearer") return yield* call(planned, { authorization: `Bearer ${password}` }).response
    if (kind === "header") return yield* call(planned, header(password!)).response
    const { uri } = call(planned)
    if (kind === "digest" && state.challenge !== undefined) {
      state.count = (state.count ?? 0) + 1
      const authorization = digestHeader(
        state.challenge,
        { username, password: password! },
        { method: planned.method, uri, count: state.count, clientNonce: randomBytes(8).toString("hex") }
      )
      return yield* call(planned, { authorization }).response
    }
    return yield* call(planned).response
  })

  const exchange = Effect.fnUntraced(function* (request: PlannedRequest) {
    const planned = fillRequest(request, known)
    const first = yield* attempt(planned)
    if (!asksForLogin(first)) return first
    if (kind === "digest") {
      const challenge = readChallenge(first.headers["www-authenticate"])
      if (challenge === undefined) return first
      state.challenge = challenge
      state.count = 0
      return yield* attempt(planned)
    }
    if (kind === "login") {
      delete state.token
      return yield* attempt(planned)
    }
    return first
  })

  const send = Effect.fnUntraced(function* (request: PlannedRequest) {
    const response = yield* exchange(request)
    if (!isSuccess(response)) return yield* failure(response, yield* Clock.currentTimeMillis)
    return response.body
  })

  return {
    send,
    readAll: Effect.fnUntraced(function* (names = Object.keys(template.requests)) {
      const bodies = new Map<string, unknown>()
      for (const name of names) {
        const request = template.requests[name]!
        const response = yield* exchange(plannedRead(request))
        if (request.optional === true && response.status === 404) continue
        if (!isSuccess(response)) return yield* failure(response, yield* Clock.currentTimeMillis)
        const { body } = response
        if (!isObject(body) && !Array.isArray(body) && asNumber(body) === undefined) {
          return yield* AdapterError.of("contract", `The device responds to ${name} with something other than JSON`)
        }
        bodies.set(name, body)
      }
      return (name: string) => bodies.get(name)
    })
  }
}
