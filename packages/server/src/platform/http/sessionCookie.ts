import { Duration, Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

/** The service ends sessions earlier, after 12 hours without use. */
const LONGEST = Duration.days(7)

/** The cookie of the dashboard's sessions. Over https its name keeps other hosts and paths from setting it. */
export const sessionCookie = (publicUrl: string) => {
  const isSecure = publicUrl.startsWith("https:")
  const name = isSecure ? "__Host-edp_session" : "edp_session"
  const options = { httpOnly: true, sameSite: "strict", secure: isSecure, path: "/" } as const
  const answering = (
    change: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
  ) => HttpEffect.appendPreResponseHandler((_, response) => Effect.sync(() => change(response)))
  return {
    read: (request: HttpServerRequest.HttpServerRequest): string | undefined => request.cookies[name],
    /** Sets the cookie with the response to the current request. */
    set: (token: string) =>
      answering((response) =>
        HttpServerResponse.setCookieUnsafe(response, name, token, { ...options, maxAge: LONGEST })
      ),
    clear: answering((response) => HttpServerResponse.expireCookieUnsafe(response, name, options))
  }
}
