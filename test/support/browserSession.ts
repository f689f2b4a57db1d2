import type { Session } from "@edp/domain/dashboard/Session"
import type { CallOptions } from "./callAt.ts"
import type { TestResponse, TestApp } from "./TestApp.ts"

/** The cookie of a response, as a browser sends it back; undefined if the response sets none. */
export const answeredCookie = (response: TestResponse) => response.headers.getSetCookie()[0]?.split(";")[0]

/** A signed-in browser. */
export interface BrowserSession {
  readonly session: Session
  readonly cookie: string
  /** The value of the cookie. */
  readonly token: string
  /** The headers of the page's requests. */
  readonly headers: Readonly<Record<string, string>>
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<TestResponse>
}

export const toBrowserSession = (app: TestApp, response: TestResponse): BrowserSession => {
  const cookie = answeredCookie(response)
  if (response.status !== 200 || cookie === undefined)
    throw new Error(`Signing in failed: ${response.status} ${response.text}`)
  const session: Session = response.body
  const headers = { cookie, "X-CSRF-Token": session.csrfToken }
  return {
    session,
    cookie,
    token: cookie.slice(cookie.indexOf("=") + 1),
    headers,
    call: (method, path, options = {}) =>
      app.call(method, path, { ...options, headers: { ...headers, ...options.headers } })
  }
}

/** Signs in with a MANAGEMENT key. */
export const signIn = async (app: TestApp, key: string, headers: Readonly<Record<string, string>> = {}) =>
  toBrowserSession(app, await app.call("POST", "/dashboard/api/sign-in", { body: { key }, headers }))
