import { DashboardApi } from "@edp/domain/DashboardApi"
import { Forbidden, Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import { sessionCookie } from "../platform/http/sessionCookie.ts"
import { failedAuthentications } from "../platform/rate-limits/failedAuthentications.ts"
import { Sessions } from "./sessions/Sessions.ts"

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/** The name in a Host header, without the port. Undefined if the header is malformed. */
const hostName = (host: string | undefined) => {
  const address = `http://${host}`
  return host !== undefined && !/[/?#@\\]/u.test(host) && URL.canParse(address) ? new URL(address).hostname : undefined
}

/**
 * Whether a browser may sign in at a host: that of the public address, or this machine. Otherwise a foreign page could count as a page
 * of the service by pointing its own name at this machine (DNS rebinding). Ports differ behind proxies, so they are not compared.
 */
const signInHosts = (publicUrl: string) => {
  const publicName = new URL(publicUrl).hostname
  return (host: string | undefined): boolean => {
    const name = hostName(host)
    return name !== undefined && (name === publicName || loopback.has(name))
  }
}

const foreign = new Forbidden({ message: "A page of another site may not sign in" })

const wrongToken = new Unauthenticated({ message: "The link was used or has expired: create another one" })
const wrongKey = new Unauthenticated({ message: "This is not the key of an operator: a valid MANAGEMENT key" })

/**
 * Whether a page of another site sent the request. Browsers say so over https and on this machine; otherwise they send the page's
 * origin, which is the host of the request or, behind a proxy, the public address. Requests of other programs have neither.
 */
const isForeign = ({ headers }: HttpServerRequest.HttpServerRequest, publicUrl: string) => {
  const { host, origin, "sec-fetch-site": site } = headers
  if (site !== undefined) return site !== "same-origin"
  if (origin === undefined) return false
  return !URL.canParse(origin) || (new URL(origin).host !== host && origin !== new URL(publicUrl).origin)
}

export const SignInHandlers = groupHandlers(
  DashboardApi,
  "signIn",
  Effect.fn(function* (handlers) {
    const sessions = yield* Sessions
    const refuse = yield* failedAuthentications
    const { publicUrl } = yield* ServerConfig
    const cookie = sessionCookie(publicUrl)
    const isOwnHost = signInHosts(publicUrl)
    const wrongHost = new Forbidden({
      message: `Sign in at ${publicUrl}, or at localhost on the machine of the service. To sign in at another address, set EDP_PUBLIC_URL to it`
    })
    return handlers.handleAll({
      signIn: ({ endpoint, payload, request }) =>
        Effect.gen(function* () {
          const info = yield* CurrentRequest
          info.route = endpoint.path
          if (!isOwnHost(request.headers.host)) return yield* wrongHost
          if (isForeign(request, publicUrl)) return yield* foreign
          const browser = { token: cookie.read(request), userAgent: request.headers["user-agent"] }
          const { session, token } = yield* sessions
            .signIn(payload, browser)
            .pipe(Effect.catchTag("KeyRefused", () => refuse(payload.key === undefined ? wrongToken : wrongKey)))
          info.keyId = session.key.id
          yield* cookie.set(token)
          return session
        })
    })
  })
)
