import { createHash } from "node:crypto"
import {
  AuthServerInfo,
  OpenAdrEvent,
  OpenAdrProgram,
  OpenAdrReport,
  OpenAdrVen,
  Problem,
  type ReportRequest,
  TokenResponse,
  scopes
} from "@edp/domain/openadr/OpenAdrObjects"
import { validator } from "@edp/domain/errors/validator"
import { Clock, Context, Data, Duration, Effect, Layer, Redacted, Result, Schema } from "effect"
import { OutboundHttp, type OutboundRequest, type OutboundResponse } from "../../platform/outbound/OutboundHttp.ts"
import { gridLimits } from "../gridLimits.ts"

/** A VTN as a connection names it. */
export interface VtnAccess {
  readonly id: string
  readonly vtnUrl: string
  readonly tokenUrl: string | null
  readonly clientId: string | null
  readonly clientSecret: Redacted.Redacted | null
  readonly targets: ReadonlyArray<string>
}

/** Why a VTN did not do what it was asked for. */
export class VtnFailure extends Data.TaggedError("VtnFailure")<{
  readonly message: string
  /** The status of its response; null without one. */
  readonly status: number | null
}> {}

export interface VtnResponse {
  readonly status: number
  /** Undefined if it is no JSON. */
  readonly body: unknown
  /** The words of the VTN on an error, for the end of a sentence. */
  readonly said: string
}

/** Objects of a list, and what is wrong with those that can't be read. */
export interface ReadObjects<A> {
  readonly objects: ReadonlyArray<A>
  readonly problems: ReadonlyArray<string>
  /** Whether the VTN has more than the platform takes. */
  readonly isCut: boolean
}

interface Token {
  readonly value: Redacted.Redacted
  /** Milliseconds since 1970. */
  readonly until: number
  readonly access: string
}

/** A token is renewed this long before its end. Without a lifetime it is used for the second time. */
const EARLY = 60_000
const LIFETIME = 10 * 60_000
/** Characters of a message of the VTN that are kept. */
const MESSAGE = 300

const decodeProblem = Schema.decodeUnknownResult(Problem)

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

/** The words of a VTN on an error: the title and detail of its problem, in one line. */
const saidBy = (response: OutboundResponse) => {
  const problem = decodeProblem(parseJson(response.body))
  if (Result.isFailure(problem)) return ""
  const { detail, title } = problem.success
  const text = [title, detail].filter((part) => typeof part === "string" && part !== "").join(": ")
  return text === "" ? "" : `: ${text.replaceAll(/[\p{C}\s]+/gu, " ").slice(0, MESSAGE)}`
}

const withPath = (base: string, path: string) => new URL(`${base.replace(/\/+$/u, "")}${path}`)

/** A mark of the settings that a token is for; it reveals nothing of the secret. */
const accessMark = ({ clientId, clientSecret, tokenUrl, vtnUrl }: VtnAccess) =>
  createHash("sha256")
    .update(JSON.stringify([vtnUrl, tokenUrl, clientId, clientSecret === null ? null : Redacted.value(clientSecret)]))
    .digest("hex")

const checked = <S extends Schema.Codec<unknown, unknown>>(schema: S, name: string) => {
  const decode = validator(schema, name)
  return (value: unknown): Result.Result<S["Type"], string> => {
    const result = decode(value)
    if (Result.isSuccess(result)) return Result.succeed(result.success as S["Type"])
    const [field = name, message = "Is not valid"] = Object.entries(result.failure)[0] ?? []
    return Result.fail(`${name} ${field}: ${message}`)
  }
}

const readProgram = checked(OpenAdrProgram as never, "program") as (
  value: unknown
) => Result.Result<OpenAdrProgram, string>
const readEvent = checked(OpenAdrEvent as never, "event") as (value: unknown) => Result.Result<OpenAdrEvent, string>
const readVen = checked(OpenAdrVen as never, "ven") as (value: unknown) => Result.Result<OpenAdrVen, string>
const readReport = checked(OpenAdrReport as never, "report") as (value: unknown) => Result.Result<OpenAdrReport, string>
const readToken = Schema.decodeUnknownResult(TokenResponse)
const readServer = Schema.decodeUnknownResult(AuthServerInfo)

/** Sends the requests of a VEN of OpenADR 3.1. Addresses follow the rules of destinations, and redirects are not followed. */
export class VtnClient extends Context.Service<
  VtnClient,
  {
    readonly programs: (access: VtnAccess) => Effect.Effect<ReadObjects<OpenAdrProgram>, VtnFailure>
    /** The events that have not transpired. */
    readonly events: (access: VtnAccess) => Effect.Effect<ReadObjects<OpenAdrEvent>, VtnFailure>
    /** The id of the ven object of a name; it is created if there is none. Null where the VTN lets the VEN create none. */
    readonly ven: (access: VtnAccess, venName: string) => Effect.Effect<string | null, VtnFailure>
    /** Any other request. Statuses are the caller's to judge. */
    readonly request: (
      access: VtnAccess,
      method: "GET" | "POST" | "PUT" | "DELETE",
      path: string,
      options?: { readonly query?: Readonly<Record<string, string>>; readonly body?: unknown }
    ) => Effect.Effect<VtnResponse, VtnFailure>
    /** A token for another server that trusts those of the VTN; null for a VTN that asks for none. */
    readonly token: (access: VtnAccess) => Effect.Effect<Redacted.Redacted | null, VtnFailure>
    /** Sends a report and returns its id at the VTN. */
    readonly report: (access: VtnAccess, report: ReportRequest) => Effect.Effect<string, VtnFailure>
    /** The id of a report that was sent before, known by its name; undefined if it did not arrive. */
    readonly findReport: (access: VtnAccess, report: ReportRequest) => Effect.Effect<string | undefined, VtnFailure>
  }
>()("@edp/server/grid/VtnClient") {
  static readonly layer = Layer.effect(
    VtnClient,
    Effect.gen(function* () {
      const { send } = yield* OutboundHttp
      const tokens = new Map<string, Token>()

      const exchange = (request: Pick<OutboundRequest, "url" | "headers" | "body"> & { readonly method: string }) =>
        send({
          ...request,
          timeLimit: Duration.millis(gridLimits.requestMs),
          responseLimit: gridLimits.responseBytes
        }).pipe(
          Effect.catch(({ message }) => Effect.fail(new VtnFailure({ message, status: null }))),
          Effect.withSpan("vtn.request", { kind: "client", attributes: { method: request.method } })
        )

      const refusedBy = (what: string, response: OutboundResponse) =>
        new VtnFailure({ message: `${what} answered ${response.status}${saidBy(response)}`, status: response.status })

      const findTokenUrl = Effect.fnUntraced(function* (access: VtnAccess) {
        if (access.tokenUrl !== null) return new URL(access.tokenUrl)
        const url = withPath(access.vtnUrl, "/auth/server")
        const response = yield* exchange({ method: "GET", url, headers: { accept: "application/json" }, body: null })
        if (response.status !== 200) return yield* refusedBy("/auth/server", response)
        const info = readServer(parseJson(response.body))
        if (Result.isFailure(info)) {
          return yield* new VtnFailure({ message: "/auth/server names no tokenURL", status: null })
        }
        const found = new URL(info.success.tokenURL)
        if (found.protocol === "https:" || found.protocol === "http:") return found
        return yield* new VtnFailure({
          message: "The tokenURL of /auth/server is no http or https address",
          status: null
        })
      })

      const fetchToken = Effect.fnUntraced(function* (access: VtnAccess) {
        const url = yield* findTokenUrl(access)
        const form = new URLSearchParams({
          grant_type: "client_credentials",
          client_id: access.clientId ?? "",
          client_secret: access.clientSecret === null ? "" : Redacted.value(access.clientSecret),
          scope: scopes.ven.join(" ")
        })
        const response = yield* exchange({
          method: "POST",
          url,
          headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
          body: Buffer.from(form.toString())
        })
        if (response.status !== 200) return yield* refusedBy("The token endpoint", response)
        const token = readToken(parseJson(response.body))
        if (Result.isFailure(token)) {
          return yield* new VtnFailure({ message: "The token endpoint returned no access_token", status: null })
        }
        const seconds = token.success.expires_in ?? LIFETIME / 1000
        const now = yield* Clock.currentTimeMillis
        const made: Token = {
          value: Redacted.make(token.success.access_token),
          until: now + Math.max(seconds * 1000 - EARLY, 1000),
          access: accessMark(access)
        }
        for (const [id, { until }] of tokens) if (until <= now) tokens.delete(id)
        tokens.set(access.id, made)
        return made.value
      })

      const currentToken = Effect.fnUntraced(function* (access: VtnAccess) {
        const known = tokens.get(access.id)
        const now = yield* Clock.currentTimeMillis
        const isUsable = known !== undefined && known.until > now && known.access === accessMark(access)
        return isUsable ? known.value : yield* fetchToken(access)
      })

      const authorization = Effect.fnUntraced(function* (access: VtnAccess) {
        if (access.clientId === null) return {}
        return { authorization: `Bearer ${Redacted.value(yield* currentToken(access))}` }
      })

      const call = Effect.fnUntraced(function* (access: VtnAccess, method: string, url: URL, body?: unknown) {
        const ask = Effect.fnUntraced(function* () {
          return yield* exchange({
            method,
            url,
            headers: {
              accept: "application/json",
              ...(body !== undefined && { "content-type": "application/json" }),
              ...(yield* authorization(access))
            },
            body: body === undefined ? null : Buffer.from(JSON.stringify(body))
          })
        })
        const first = yield* ask()
        if (first.status !== 401 || access.clientId === null) return first
        // The VTN may have ended the token before its time.
        tokens.delete(access.id)
        return yield* ask()
      })

      const list = Effect.fnUntraced(function* <A>(
        access: VtnAccess,
        path: string,
        query: Readonly<Record<string, string>>,
        most: number,
        read: (value: unknown) => Result.Result<A, string>
      ) {
        const objects: Array<A> = []
        const problems: Array<string> = []
        const seen = new Set<string>()
        for (let skip = 0; skip < most; skip += gridLimits.perPage) {
          const url = withPath(access.vtnUrl, path)
          for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
          if (path !== "/reports") for (const target of access.targets) url.searchParams.append("targets", target)
          url.searchParams.set("skip", String(skip))
          url.searchParams.set("limit", String(gridLimits.perPage))
          const response = yield* call(access, "GET", url)
          if (response.status !== 200) return yield* refusedBy(path, response)
          const page = parseJson(response.body)
          if (!Array.isArray(page)) {
            return yield* new VtnFailure({ message: `${path} returned no list`, status: response.status })
          }
          let isNew = false
          for (const item of page) {
            const object = read(item)
            if (Result.isFailure(object)) problems.push(object.failure)
            else {
              const { id } = object.success as { readonly id: string }
              if (!seen.has(id)) objects.push(object.success)
              isNew ||= !seen.has(id)
              seen.add(id)
            }
          }
          // A VTN that repeats a page has no more, whatever it says.
          if (page.length < gridLimits.perPage || !isNew) {
            return { objects: objects.slice(0, most), problems, isCut: objects.length > most }
          }
        }
        return { objects: objects.slice(0, most), problems, isCut: true }
      })

      return {
        programs: Effect.fn("VtnClient.programs")((access) =>
          list(access, "/programs", {}, gridLimits.programs, readProgram)
        ),
        events: Effect.fn("VtnClient.events")((access) =>
          list(access, "/events", { active: "true" }, gridLimits.events, readEvent)
        ),
        ven: Effect.fn("VtnClient.ven")(function* (access, venName) {
          if (access.clientId === null) return null
          const url = withPath(access.vtnUrl, "/vens")
          url.searchParams.set("venName", venName)
          const found = yield* call(access, "GET", url)
          if (found.status !== 200) return yield* refusedBy("/vens", found)
          const listed = parseJson(found.body)
          const known = (Array.isArray(listed) ? listed : [])
            .map(readVen)
            .flatMap((ven) => (Result.isSuccess(ven) ? [ven.success] : []))
            .find((ven) => ven.venName === venName)
          if (known !== undefined) return known.id
          const created = yield* call(access, "POST", withPath(access.vtnUrl, "/vens"), {
            objectType: "VEN_VEN_REQUEST",
            venName
          })
          if (created.status === 403) return null
          if (created.status !== 201) return yield* refusedBy("/vens", created)
          const ven = readVen(parseJson(created.body))
          return Result.isSuccess(ven) ? ven.success.id : null
        }),
        request: Effect.fn("VtnClient.request")(function* (access, method, path, { body, query } = {}) {
          const url = withPath(access.vtnUrl, path)
          for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
          const response = yield* call(access, method, url, body)
          return { status: response.status, body: parseJson(response.body), said: saidBy(response) }
        }),
        token: Effect.fn("VtnClient.token")(function* (access) {
          return access.clientId === null ? null : yield* currentToken(access)
        }),
        report: Effect.fn("VtnClient.report")(function* (access, report) {
          const response = yield* call(access, "POST", withPath(access.vtnUrl, "/reports"), report)
          if (response.status !== 201) return yield* refusedBy("/reports", response)
          const stored = readReport(parseJson(response.body))
          if (Result.isFailure(stored)) {
            return yield* new VtnFailure({ message: `/reports returned no report: ${stored.failure}`, status: 201 })
          }
          return stored.success.id
        }),
        findReport: Effect.fn("VtnClient.findReport")(function* (access, { clientName, eventID, reportName }) {
          const { objects } = yield* list(
            access,
            "/reports",
            { eventID, clientName },
            gridLimits.foundReports,
            readReport
          )
          return objects.find((report) => report.reportName === reportName)?.id
        })
      }
    })
  )
}
