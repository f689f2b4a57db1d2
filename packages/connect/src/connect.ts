/** A connect session, as `POST /v1/connections` returns it. */
export interface Session {
  readonly id: string
  /** Address of the hosted page; in headless mode, of the manufacturer's sign-in. */
  readonly url: string
}

/** State of a session, as `GET /v1/connections/:id` returns it. */
export interface SessionState {
  readonly status: string
  /** The reason of the newest failure, such as `{ code: "access_denied" }`; null if nothing has failed. */
  readonly lastError?: { readonly code: string } | null
}

export type ConnectResult =
  /** Devices are connected. `token` is the key for them; null where the visitor did not come back to the redirectUrl. */
  | { readonly status: "success"; readonly sessionId: string; readonly token: string | null }
  /** The visitor refused, here or at the manufacturer. */
  | { readonly status: "denied"; readonly sessionId: string }
  /** It failed. `code` is a value of the documented table, such as `no_devices`. */
  | { readonly status: "error"; readonly sessionId: string | null; readonly code: string }
  /** The visitor closed the window; the session can be continued until it expires. */
  | { readonly status: "closed"; readonly sessionId: string }
  /** The browser opened no window, and `fallback` is `none`. */
  | { readonly status: "blocked" }

export interface OpenOptions {
  /** Creates the session, at your back end or with a CONNECT key (`withConnectKey`). Called once, after the window is open. */
  readonly createSession: () => Promise<Session>
  /** Reads the session's state, which decides how it ended: messages between windows only bring the next poll forward. */
  readonly getSession: (sessionId: string) => Promise<SessionState>
  /** The act where no window opens: `redirect` (default) leaves this page for the link, `none` resolves with `blocked`. */
  readonly fallback?: "redirect" | "none"
  /** Milliseconds between polls of the session; default 2000. */
  readonly pollEvery?: number
  /** Milliseconds that `createSession` and each look at the session may take; default 15,000. A later response does not count. */
  readonly responseTimeout?: number
  /**
   * Milliseconds after which a closed window counts as closed by the visitor; default 5000. While the visitor is at the
   * manufacturer it is 60,000, because a manufacturer's page can cut the link between the windows, which looks the same.
   */
  readonly closedAfter?: number
  /** Ends the wait: the promise resolves with `closed`, and the window closes. */
  readonly signal?: AbortSignal
}

const MESSAGE = "edp-connect"
const channelName = (sessionId: string) => `${MESSAGE}:${sessionId}`
const ELSEWHERE_MS = 60_000
/** The page that brings the key back closes its window as soon as it has sent it: the key may arrive after the closing is seen. */
const LAST_MESSAGE_MS = 1000
const DENIALS = ["access_denied", "consent_refused"]

/** Parameters that the visitor brought back to the redirectUrl. */
interface Returned {
  readonly sessionId: string
  readonly token: string | null
  readonly error: string | null
}

const failed = (sessionId: string, code: string): ConnectResult =>
  DENIALS.includes(code) ? { status: "denied", sessionId } : { status: "error", sessionId, code }

/** The result that a state means; undefined while the session goes on. */
const settled = (sessionId: string, state: SessionState, returned: Returned | null): ConnectResult | undefined => {
  if (state.status === "SUCCESS") return { status: "success", sessionId, token: returned?.token ?? null }
  if (state.status === "EXPIRED") return { status: "error", sessionId, code: "expired" }
  if (state.status === "DUPLICATE_CONNECTION") return { status: "error", sessionId, code: "duplicate_connection" }
  // A failed session can be tried again in its window: it has ended once the visitor has come back with the error.
  const code = returned?.error ?? null
  return code === null ? undefined : failed(sessionId, state.lastError?.code ?? code)
}

const readReturned = (address: string): Returned | null => {
  const query = new URL(address).searchParams
  const sessionId = query.get("connect_session_id")
  return sessionId === null ? null : { sessionId, token: query.get("service_scoped_token"), error: query.get("error") }
}

const isReturned = (value: unknown): value is Returned & { readonly type: string } =>
  typeof value === "object" && value !== null && "type" in value && value.type === MESSAGE && "sessionId" in value

/** A window in the middle of this one. */
const features = () => {
  const [width, height] = [480, 720]
  const left = Math.max(0, Math.round(window.screenX + (window.outerWidth - width) / 2))
  const top = Math.max(0, Math.round(window.screenY + (window.outerHeight - height) / 2))
  return `popup=yes,width=${width},height=${height},left=${left},top=${top}`
}

/**
 * Opens a connect link in a window of its own and resolves with how it ended. Call it directly in the handler of a click:
 * the window is opened before anything is awaited, because browsers suppress windows that open later. Never rejects.
 */
export const openConnect = (options: OpenOptions): Promise<ConnectResult> => {
  const popup = window.open("about:blank", "_blank", features())
  if (popup === null) return withoutWindow(options)
  return inWindow(options, popup).catch((error: unknown) => {
    popup.close()
    return { status: "error" as const, sessionId: null, code: describe(error) }
  })
}

const describe = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "server_error"

const withoutWindow = async (options: OpenOptions): Promise<ConnectResult> => {
  const { responseTimeout = RESPONSE_WITHIN_MS, createSession, fallback } = options
  if (fallback === "none") return { status: "blocked" }
  try {
    window.location.assign((await within(responseTimeout, createSession())).url)
  } catch (error) {
    return { status: "error", sessionId: null, code: describe(error) }
  }
  // The page is being left.
  return new Promise(() => {})
}

const RESPONSE_WITHIN_MS = 15_000

/** The result of a call, which fails when it takes too long. */
const within = async <A>(milliseconds: number, call: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The platform did not respond in time")), milliseconds)
  })
  return Promise.race([call, late]).finally(() => clearTimeout(timer))
}

const inWindow = async (options: OpenOptions, popup: Window): Promise<ConnectResult> => {
  const {
    responseTimeout = RESPONSE_WITHIN_MS,
    closedAfter = 5000,
    createSession,
    getSession,
    pollEvery = 2000
  } = options
  const { signal } = options
  const { id: sessionId, url } = await within(responseTimeout, createSession())
  if (popup.closed) return { status: "closed", sessionId }
  popup.location.href = url

  let returned: Returned | null = null
  let lookNow = () => {}
  const receive = (value: unknown) => {
    if (!isReturned(value) || value.sessionId !== sessionId) return
    returned = value
    lookNow()
  }
  // The redirectUrl's page is of this origin. It sends by the window that opened it and, where a manufacturer's page has cut
  // that link, by the channel, which pages of other origins cannot join.
  const onMessage = ({ data, origin, source }: MessageEvent) => {
    if (origin === window.location.origin && source === popup) receive(data)
  }
  const channel = new BroadcastChannel(channelName(sessionId))
  channel.addEventListener("message", ({ data }) => receive(data))
  window.addEventListener("message", onMessage)
  /** An abort does not wait for a look that hangs. */
  let abort = () => {}
  const aborted = new Promise<SessionState>((resolve) => {
    abort = () => resolve({ status: "UNKNOWN" })
  })
  const onAbort = () => {
    abort()
    lookNow()
  }
  signal?.addEventListener("abort", onAbort)
  if (signal?.aborted === true) abort()

  try {
    let closedSince: number | null = null
    let succeededSince: number | null = null
    for (;;) {
      // A failed look, or one that takes too long, is no response: the next one decides.
      const look = within(responseTimeout, getSession(sessionId)).catch((): SessionState => ({ status: "UNKNOWN" }))
      const state = await Promise.race([look, aborted])
      const now = performance.now()
      const result = settled(sessionId, state, returned)
      succeededSince = result?.status === "success" ? (succeededSince ?? now) : null
      // After a success the visitor is on the way back with the key, or reads the last page.
      const isArriving = succeededSince !== null && returned === null && now - succeededSince < closedAfter
      closedSince = popup.closed ? (closedSince ?? now) : null
      const hasLeft = closedSince !== null && now - closedSince >= LAST_MESSAGE_MS
      if (result !== undefined && !(isArriving && !hasLeft)) return result
      if (signal?.aborted === true) return { status: "closed", sessionId }
      const patience = state.status === "AUTHORIZING_MANUFACTURER" ? Math.max(closedAfter, ELSEWHERE_MS) : closedAfter
      if (closedSince !== null && now - closedSince >= patience) {
        const code = state.status === "ERROR" ? state.lastError?.code : undefined
        return code === undefined ? { status: "closed", sessionId } : failed(sessionId, code)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, popup.closed ? Math.min(pollEvery, 500) : pollEvery)
        lookNow = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    window.removeEventListener("message", onMessage)
    signal?.removeEventListener("abort", onAbort)
    channel.close()
    popup.close()
  }
}

/**
 * For the page at the redirectUrl. In a window that `openConnect` opened it passes the result on, to pages of its own origin
 * alone, and closes the window. Otherwise it returns what the visitor brought back, for a page that was left by a redirect;
 * null if the visitor does not come from a connect link. The address loses the key, so that it stays in no history.
 */
export const finishConnect = (): {
  readonly sessionId: string
  readonly token: string | null
  readonly error: string | null
} | null => {
  const returned = readReturned(window.location.href)
  if (returned === null) return null
  const clean = new URL(window.location.href)
  for (const name of ["service_scoped_token", "connect_session_id", "error"]) clean.searchParams.delete(name)
  window.history.replaceState(window.history.state, "", clean)
  const message = { type: MESSAGE, ...returned }
  const channel = new BroadcastChannel(channelName(returned.sessionId))
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
  channel.postMessage(message)
  channel.close()
  const opener: Window | null = window.opener
  opener?.postMessage(message, window.location.origin)
  // Only a window that a script opened can be closed by one; elsewhere this does nothing.
  if (opener !== null) window.close()
  return returned
}

/** Creates and reads sessions directly from a page, with a CONNECT key, which is made to be public. */
export const withConnectKey = (
  baseUrl: string,
  connectKey: string,
  /** The body of `POST /v1/connections`. */
  session: Readonly<Record<string, unknown>>
): Pick<OpenOptions, "createSession" | "getSession"> => {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      credentials: "omit",
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
      headers: { "Service-Api-Key": connectKey, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) })
    })
    const reply = await response.json()
    if (!response.ok) throw Object.assign(new Error(reply.message), { code: reply.code })
    return reply
  }
  return {
    createSession: () => call("POST", "/v1/connections", session),
    getSession: (id) => call("GET", `/v1/connections/${encodeURIComponent(id)}`)
  }
}
