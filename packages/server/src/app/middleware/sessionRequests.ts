import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { WritesNothing } from "@edp/domain/auth/annotations"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { ReturnsSecret, IDEMPOTENCY_REPLAYED, NeedsFreshSignIn } from "@edp/domain/auth/middleware"
import { CSRF_HEADER, type SessionRefusal, WORKSPACE_HEADER } from "@edp/domain/dashboard/Session"
import { Context, Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { endpointId } from "../../audit/auditRow.ts"
import { AuditTrail } from "../../audit/AuditTrail.ts"
import { type AuthenticatedSession, SessionAuthenticator } from "../../dashboard/sessions/SessionAuthenticator.ts"
import { isSameText } from "../../dashboard/sessions/sessionToken.ts"
import { CurrentSession } from "../../platform/http/CurrentSession.ts"
import { FirstInTransaction } from "../../platform/sql/transaction.ts"

const csrfHeader = CSRF_HEADER.toLowerCase()
const workspaceHeader = WORKSPACE_HEADER.toLowerCase()
const replayedHeader = IDEMPOTENCY_REPLAYED.toLowerCase()

/** The type of key as which a session calls an endpoint; undefined if it may not. */
export const sessionKeyType = (allowed: ReadonlyArray<ApiKeyType>) =>
  (["MANAGEMENT", "SERVER"] as const).find((type) => allowed.includes(type))

const refusal = (details: SessionRefusal["details"]): SessionRefusal => ({
  code: "FORBIDDEN",
  message: "The session may not make this request",
  details
})

const wrongToken = refusal({ csrfToken: `Must be in the header ${CSRF_HEADER}, as the session shows it` })
const oldSignIn = refusal({ signIn: "Must be at most 10 minutes ago" })

/** Why a session may not make the request; undefined if it may. */
export const sessionRefusal = (
  session: AuthenticatedSession,
  endpoint: HttpApiEndpoint.Top,
  { headers }: HttpServerRequest.HttpServerRequest
): SessionRefusal | undefined => {
  if (endpoint.method !== "GET" && !isSameText(headers[csrfHeader] ?? "", session.csrfToken)) return wrongToken
  const isGuarded =
    Context.get(endpoint.annotations, ReturnsSecret) || Context.get(endpoint.annotations, NeedsFreshSignIn)
  return isGuarded && !session.isFresh ? oldSignIn : undefined
}

/** Runs requests of the dashboard's sessions as requests of a key, and records what they change in the audit log. */
export const sessionRequests = Effect.gen(function* () {
  const sessions = yield* SessionAuthenticator
  const audit = yield* AuditTrail

  /**
   * Records a write as that of a SERVER key, which the audit log knows nothing of otherwise: in each transaction of the request,
   * so that there is no change without a record, and afterwards for requests that changed nothing. Every change that a SERVER key may
   * make is in a transaction, even one of a single statement.
   */
  const recorded = <E, R>(
    session: AuthenticatedSession,
    endpoint: HttpApiEndpoint.Top,
    request: HttpServerRequest.HttpServerRequest,
    httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    Effect.gen(function* () {
      const after = {
        endpoint: endpointId(endpoint.method, endpoint.path),
        path: request.url.split("?", 1)[0] ?? ""
      }
      const { workspaceId } = session.key
      const record = yield* audit.prepare(session.key, {
        action: "session.write",
        resourceId: session.id,
        workspaceId,
        after
      })
      const response = yield* Effect.provideService(httpEffect, FirstInTransaction, record)
      if (response.status < 400 && !(replayedHeader in response.headers)) yield* record
      return response
    })

  return {
    authenticate: (token: string, { headers }: HttpServerRequest.HttpServerRequest) =>
      sessions.authenticate(token, headers[workspaceHeader]),
    run: <E, R>(
      session: AuthenticatedSession,
      type: "MANAGEMENT" | "SERVER",
      endpoint: HttpApiEndpoint.Top,
      request: HttpServerRequest.HttpServerRequest,
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) => {
      const isRecorded =
        type === "SERVER" && endpoint.method !== "GET" && !Context.get(endpoint.annotations, WritesNothing)
      return (isRecorded ? recorded(session, endpoint, request, httpEffect) : httpEffect).pipe(
        Effect.provideService(CurrentKey, { ...session.key, type }),
        Effect.provideService(CurrentSession, session)
      )
    }
  }
})
