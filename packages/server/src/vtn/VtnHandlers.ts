import type { RateClass } from "@edp/domain/auth/middleware"
import { RateLimited, ServiceUnavailable, Unauthenticated, ValidationError } from "@edp/domain/errors/ApiErrors"
import { ByteSize, Cause, Effect, Layer, Option, Redacted } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { bodyLimits, jsonBody } from "../platform/http/jsonBody.ts"
import { CurrentRequest, unexpectedError } from "../platform/http/RequestInfo.ts"
import { keyLimits } from "../platform/rate-limits/keyLimits.ts"
import { failedAuthentications } from "../platform/rate-limits/failedAuthentications.ts"
import { type OpenAdrClient, OpenAdrClients } from "./clients/OpenAdrClients.ts"
import { formFromJson, readTokenRequest, type TokenError, wrongCredentials } from "./clients/tokenRequest.ts"
import { makeTopicRoutes, notifiers } from "./notifierRoutes.ts"
import { kindNames, kinds, type KindName } from "./objects/kinds.ts"
import { readPage, readQuery } from "./objects/listQuery.ts"
import { VtnObjects } from "./objects/VtnObjects.ts"
import { type ProblemStatus, refusal, toProblem, VtnRefusal } from "./problem.ts"

export const BASE_PATH = "/openadr3/3.1.0"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Needs = HttpRouter.RouteContext | HttpServerRequest.HttpServerRequest

const problemResponse = (status: ProblemStatus, detail: string) =>
  HttpServerResponse.jsonUnsafe(toProblem(status, detail), { status })

const unauthorized = (detail: string) =>
  HttpServerResponse.setHeader(problemResponse(401, detail), "www-authenticate", "Bearer")

/** Every failure of a request as the problem that OpenADR describes. */
const toResponse = (cause: Cause.Cause<unknown>) =>
  Effect.gen(function* () {
    const error = Cause.squash(cause)
    if (error instanceof VtnRefusal) return problemResponse(error.status, error.detail)
    if (error instanceof Unauthenticated) return unauthorized(error.message)
    if (error instanceof RateLimited) return problemResponse(429, error.message)
    if (error instanceof ServiceUnavailable) return problemResponse(503, error.message)
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
    yield* Effect.logError("Unexpected error", cause)
    return problemResponse(500, unexpectedError(yield* CurrentRequest).message)
  })

const readBody = (request: Request, kind: KindName) => {
  const limit = kind === "events" || kind === "reports" ? bodyLimits.bulk : bodyLimits.ordinary
  if (Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(limit)) {
    return Effect.fail(refusal(413, `The body must be at most ${ByteSize.toNumberUnsafe(limit) / 1024 / 1024} MiB`))
  }
  const type = request.headers["content-type"]
  if (type !== undefined && !/^\s*application\/json\s*(?:;|$)/iu.test(type)) {
    return Effect.fail(refusal(415, "The body must be JSON, with Content-Type: application/json"))
  }
  return jsonBody(request, limit).pipe(
    Effect.mapError((error: ValidationError) => {
      const sentence = error.details.body ?? "Is not valid"
      return refusal(/^Must be at most \d+ MiB$/u.test(sentence) ? 413 : 400, `body: ${sentence}`)
    }),
    Effect.flatMap(({ isPresent, value }) =>
      isPresent ? Effect.succeed(value) : Effect.fail(refusal(400, "body: Is required"))
    )
  )
}

const bearerToken = ({ headers }: Request) =>
  Redacted.make(/^Bearer +(\S+) *$/iu.exec(headers.authorization ?? "")?.[1] ?? "")

const FORM_LIMIT = ByteSize.kibibytes(64)

const tokenError = ({ description, error, status }: TokenError, usesBasic: boolean) => {
  const body = { error, error_description: description, ...toProblem(status, description) }
  const response = HttpServerResponse.jsonUnsafe(body, { status })
  return status === 401 && usesBasic ? HttpServerResponse.setHeader(response, "www-authenticate", "Basic") : response
}

const mediaType = ({ headers }: Request) => (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()

/** The form of a request for a token. Some clients send its fields as JSON. */
const readForm = (request: Request): Effect.Effect<string, TokenError> => {
  const type = mediaType(request)
  if (type !== "application/x-www-form-urlencoded" && type !== "application/json") {
    const description = "The body must be a form, with Content-Type: application/x-www-form-urlencoded"
    return Effect.fail({ status: 415, error: "invalid_request", description })
  }
  const text = Effect.provideService(request.text, HttpIncomingMessage.MaxBodySize, FORM_LIMIT).pipe(
    Effect.mapError((): TokenError => ({
      status: 413,
      error: "invalid_request",
      description: "The form could not be read, or is longer than 64 KiB"
    }))
  )
  return type === "application/json" ? Effect.flatMap(text, (json) => Effect.fromResult(formFromJson(json))) : text
}

type Handlers = Readonly<Record<string, (request: Request) => Effect.Effect<Response, unknown, Needs>>>

const allow = (methods: Handlers) => {
  const names = Object.keys(methods)
  return [...names, ...(names.includes("GET") ? ["HEAD"] : [])].sort().join(", ")
}

const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const objects = yield* VtnObjects
  const clients = yield* OpenAdrClients
  const refuse = yield* failedAuthentications
  const limited = yield* keyLimits
  const config = yield* ServerConfig
  const tokenUrl = `${config.publicUrl.replace(/\/+$/u, "")}${BASE_PATH}/auth/token`

  /** One route for all methods of a path, so that the others are 405 with a problem. */
  const route = (path: `/${string}`, methods: Handlers) =>
    router.add(
      "*",
      `${BASE_PATH}${path}`,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const info = yield* CurrentRequest
        info.route = `${BASE_PATH}${path}`
        const handle = methods[request.method === "HEAD" ? "GET" : request.method]
        if (handle !== undefined) return yield* handle(request)
        const detail = `${request.method} is not allowed here`
        return HttpServerResponse.setHeader(problemResponse(405, detail), "allow", allow(methods))
      }).pipe(Effect.catchCause(toResponse))
    )

  /** Authenticates the client and counts the request against the limits of its key. */
  const guarded =
    (
      rateClass: RateClass,
      handle: (client: OpenAdrClient, request: Request) => Effect.Effect<Response, unknown, Needs>
    ) =>
    (request: Request) =>
      Effect.gen(function* () {
        const info = yield* CurrentRequest
        const client = yield* Effect.catchTag(
          clients.authenticate(info, request.method, bearerToken(request)),
          "UNAUTHENTICATED",
          refuse
        )
        info.keyId = client.clientId
        info.workspaceId = client.workspaceId
        return yield* limited(rateClass, client.key, info, handle(client, request))
      })

  const json = (status: number) => Effect.map((body: unknown) => HttpServerResponse.jsonUnsafe(body, { status }))
  const objectId = Effect.map(HttpRouter.params, ({ id = "" }) => id)

  for (const kind of kindNames) {
    yield* route(`/${kind}`, {
      GET: guarded("read", (client, request) =>
        Effect.gen(function* () {
          const query = new URL(request.url, "http://localhost").searchParams
          const filters = yield* Effect.fromResult(readQuery(query, kinds[kind].filters))
          const page = yield* Effect.fromResult(readPage(query))
          return yield* json(200)(objects.list(client, kind, filters, page))
        })
      ),
      POST: guarded("write", (client, request) =>
        Effect.flatMap(readBody(request, kind), (body) => json(201)(objects.create(client, kind, body)))
      )
    })
    yield* route(`/${kind}/:id`, {
      GET: guarded("read", (client, request) =>
        Effect.gen(function* () {
          const query = new URL(request.url, "http://localhost").searchParams
          const { targets } = yield* Effect.fromResult(readQuery(query, ["targets"]))
          return yield* json(200)(objects.get(client, kind, yield* objectId, targets))
        })
      ),
      PUT: guarded("write", (client, request) =>
        Effect.gen(function* () {
          const body = yield* readBody(request, kind)
          return yield* json(200)(objects.update(client, kind, yield* objectId, body))
        })
      ),
      DELETE: guarded("write", (client) =>
        Effect.flatMap(objectId, (id) => json(200)(objects.remove(client, kind, id)))
      )
    })
  }

  yield* route("/auth/server", {
    GET: () => Effect.succeed(HttpServerResponse.jsonUnsafe({ tokenURL: tokenUrl }))
  })
  const issueToken = (request: Request) =>
    Effect.gen(function* () {
      const { authorization } = request.headers
      const info = yield* CurrentRequest
      const form = yield* readForm(request)
      const { clientId, secret } = yield* Effect.fromResult(readTokenRequest(form, authorization))
      const { client, expiresIn, scope, token } = yield* clients.issue(info, clientId, secret).pipe(
        Effect.catchTag("UNAUTHENTICATED", refuse),
        Effect.catchTag("UNAUTHENTICATED", () => Effect.fail(wrongCredentials))
      )
      info.keyId = client.clientId
      info.workspaceId = client.workspaceId
      const body = { access_token: Redacted.value(token), token_type: "Bearer", expires_in: expiresIn, scope }
      return yield* limited(
        "write",
        client.key,
        info,
        Effect.sync(() => HttpServerResponse.jsonUnsafe(body))
      )
    }).pipe(
      Effect.catchIf(
        (failure): failure is TokenError =>
          typeof failure === "object" && "error" in failure && "description" in failure,
        (failure) => Effect.succeed(tokenError(failure, request.headers.authorization !== undefined))
      )
    )
  yield* route("/auth/token", { POST: issueToken })
  yield* route("/notifiers", {
    GET: guarded("read", () => Effect.succeed(HttpServerResponse.jsonUnsafe(notifiers(config))))
  })
  if (Option.isSome(config.openAdrBroker)) {
    for (const [path, find] of Object.entries(makeTopicRoutes(objects))) {
      yield* route(`/notifiers/mqtt/topics/${path}`, {
        GET: guarded("read", (client) =>
          Effect.gen(function* () {
            const topics = yield* find(client, yield* objectId)
            return HttpServerResponse.jsonUnsafe({ topics })
          })
        )
      })
    }
  }
  yield* route("/notifiers/mqtt/*", {
    GET: guarded("read", () =>
      Effect.fail(
        Option.isSome(config.openAdrBroker)
          ? refusal(404, "There are no such topics")
          : refusal(404, "No MQTT broker is configured: subscribe to webhooks")
      )
    )
  })
  yield* router.add("*", `${BASE_PATH}/*`, Effect.succeed(problemResponse(404, "There is no such path")))
})

/** The OpenADR 3.1 server. Its routes are those of the standard's own document, and not of this API's. */
export const VtnHandlers = Layer.effectDiscard(make)
