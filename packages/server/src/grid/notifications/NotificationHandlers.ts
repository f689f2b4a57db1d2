import { ByteSize, Cause, Effect, Layer, Redacted } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../../platform/http/RequestInfo.ts"
import { failureLimit } from "../../platform/rate-limits/failedAuthentications.ts"
import { RateLimitStore } from "../../platform/rate-limits/RateLimitStore.ts"
import { CALLBACK_PATH } from "./callbackSecrets.ts"
import { GridNotifications } from "./GridNotifications.ts"
import { gridNotificationLimits as limits } from "./notificationLimits.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Tokens that the platform could have made. Others need no look at the database. */
const tokenForm = /^[\w-]{43}$/u

const texts = {
  400: "The query parameter echo must be there once, with up to 1024 characters",
  401: "The bearer token is not that of the subscription",
  404: "There is no such callback",
  405: "A callback takes GET with ?echo, and POST",
  413: "A notification must be at most 1 MiB",
  429: "Too many requests",
  503: "The service is not available; try again"
} as const

const refuse = (status: keyof typeof texts) =>
  HttpServerResponse.setHeaders(HttpServerResponse.jsonUnsafe({ title: texts[status], status }, { status }), {
    "cache-control": "no-store",
    ...(status === 405 && { allow: "GET, POST" }),
    ...(status === 429 && { "retry-after": "60" })
  })

const bearerToken = ({ headers }: Request) =>
  Redacted.make(/^Bearer +(\S+) *$/iu.exec(headers.authorization ?? "")?.[1] ?? "")

const make = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const notifications = yield* GridNotifications
  const rates = yield* RateLimitStore
  const countFailure = yield* failureLimit

  /** Guesses count against their network. */
  const refuseGuess = (status: 401 | 404) =>
    Effect.gen(function* () {
      const { address } = yield* CurrentRequest
      return refuse((yield* countFailure(address)) === undefined ? status : 429)
    })

  const echo = (request: Request, token: string) =>
    Effect.gen(function* () {
      if (!(yield* notifications.hasCallback(token))) return yield* refuseGuess(404)
      const values = new URL(request.url, "http://localhost").searchParams.getAll("echo")
      const [value] = values
      if (value === undefined || values.length > 1 || value.length > limits.echoLength) return refuse(400)
      return HttpServerResponse.setHeaders(HttpServerResponse.text(value), {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'"
      })
    })

  /** The notification itself is not read: the poll that it causes finds out. */
  const notify = (request: Request, token: string) =>
    Effect.gen(function* () {
      if (Number(request.headers["content-length"]) > limits.bodyBytes) return refuse(413)
      const caller = yield* notifications.identify(token, bearerToken(request))
      if (caller === "unknown") return yield* refuseGuess(404)
      if (caller === "refused") return yield* refuseGuess(401)
      const { count } = yield* rates.take(`grid notifications:${caller.connectionId}`)
      if (count > limits.perMinute) return refuse(429)
      yield* notifications.hint(caller.connectionId)
      const read = Effect.provideService(
        request.arrayBuffer,
        HttpIncomingMessage.MaxBodySize,
        ByteSize.bytes(limits.bodyBytes)
      )
      return yield* Effect.match(read, {
        onFailure: () => refuse(413),
        onSuccess: () => HttpServerResponse.empty({ status: 200 })
      })
    })

  yield* router.add(
    "*",
    `${CALLBACK_PATH}/:token`,
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const info = yield* CurrentRequest
      info.route = `${CALLBACK_PATH}/:token`
      const { token = "" } = yield* HttpRouter.params
      if (!tokenForm.test(token)) return yield* refuseGuess(404)
      if (request.method === "GET") return yield* echo(request, token)
      return request.method === "POST" ? yield* notify(request, token) : refuse(405)
    }).pipe(
      Effect.catchTag("SERVICE_UNAVAILABLE", (error) =>
        Effect.as(Effect.logDebug("A notification of a VTN was not taken", Cause.fail(error)), refuse(503))
      )
    )
  )
})

/** The address at which VTNs notify. It tells nothing of the workspace, and a notification can do no more than cause a poll. */
export const NotificationHandlers = Layer.effectDiscard(make)
