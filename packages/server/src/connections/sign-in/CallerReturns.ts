import { connectRedirectHint, isAllowedRedirect, withParameters } from "@edp/domain/connections/redirectUrl"
import { Effect, Redacted } from "effect"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { Visitor } from "../../platform/pages/visitors.ts"
import { isSameBrowser } from "./Authorizations.ts"
import { ConnectSessions } from "../sessions/ConnectSessions.ts"
import { type SessionRow, isHosted, scopedKeyPurpose } from "../sessionRow.ts"

type Target = Pick<SessionRow, "createdByType" | "connectRedirects"> & { readonly redirectUrl: string }

/** Why a session must not send end users to its redirectUrl; undefined if it may. */
export const redirectProblem = ({ connectRedirects, createdByType, redirectUrl }: Target): string | undefined => {
  if (isHosted({ createdByType })) return undefined
  const isListed = isAllowedRedirect(connectRedirects, redirectUrl)
  if (isListed) return undefined
  if (createdByType === "CONNECT") return `With a CONNECT key it ${connectRedirectHint}`
  if (connectRedirects.length > 0) return `Its origin or scheme ${connectRedirectHint}`
  return /^https?:/i.test(redirectUrl) ? undefined : `The scheme of an app ${connectRedirectHint}`
}

/** The caller's page with the outcome of a session, and without its key; null without a page to which the workspace lets end users go. */
export const callerUrl = (session: SessionRow): string | null => {
  const { id, lastError, redirectUrl, status } = session
  if (redirectUrl === null || redirectProblem({ ...session, redirectUrl }) !== undefined) return null
  if (status === "SUCCESS") return withParameters(redirectUrl, { connect_session_id: id })
  const error = status === "EXPIRED" ? "expired" : (lastError?.code ?? "server_error")
  return withParameters(redirectUrl, { error, connect_session_id: id })
}

/** The way back to the caller at the end of a session. */
export const CallerReturns = Effect.gen(function* () {
  const sessions = yield* ConnectSessions
  const box = yield* SecretBox

  const isDue = ({ linkedBy, mode }: SessionRow, recipient: Visitor | "accepted return") =>
    recipient === "accepted return" ? mode === "headless" : isSameBrowser(linkedBy, recipient.cookie)

  return {
    /**
     * The caller's page; with the session's key for whom it is due to, once. That is in standard mode the browser in which the
     * account was linked, and in headless mode the return whose code was accepted.
     */
    take: Effect.fn("CallerReturns.take")(function* (session: SessionRow, recipient: Visitor | "accepted return") {
      const url = callerUrl(session)
      if (url === null || session.sealedKey === null || !isDue(session, recipient)) return url
      const key = yield* box.open(scopedKeyPurpose(session.id), session.sealedKey)
      let isTaken = false
      yield* sessions.change(session.id, ({ sealedKey }) => {
        isTaken = sealedKey !== null
        return Effect.succeed(isTaken ? { sealedKey: null } : undefined)
      })
      if (!isTaken) return url
      return withParameters(session.redirectUrl!, {
        service_scoped_token: Redacted.value(key),
        connect_session_id: session.id
      })
    })
  }
})
