import { forbiddenCodes, type RefusalReason } from "@edp/domain/audit/AuditLog"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { AllowedKeyTypes } from "@edp/domain/auth/annotations"
import { Authentication, CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type RateLimited,
  type ServiceUnavailable,
  Unauthenticated,
  WorkspaceNotFound
} from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer, Redacted, type Types } from "effect"
import { HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { KeyAuthenticator, type KeyRefused } from "../../api-keys/KeyAuthenticator.ts"
import { RefusedUses } from "../../audit/RefusedUses.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { CurrentRequest, type RequestInfo } from "../../platform/http/RequestInfo.ts"
import { sessionCookie } from "../../platform/http/sessionCookie.ts"
import { failedAuthentications } from "../../platform/rate-limits/failedAuthentications.ts"
import { sessionKeyType, sessionRefusal, sessionRequests } from "./sessionRequests.ts"

type Reply = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled | Unauthenticated | RateLimited | ServiceUnavailable,
  HttpServerRequest.HttpServerRequest
>

type HttpEffect = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, CurrentKey>

interface Guarded {
  readonly credential: Redacted.Redacted
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

const routePath = ({ path }: HttpApiEndpoint.Top) => path.replace(/(.)\/$/, "$1")

const wrongType = new Unauthenticated({ message: "A key of this type may not call this endpoint" })

const unknown = new Unauthenticated({})

const missing = new Unauthenticated({ message: "The header Service-Api-Key is missing: it carries the API key" })

const sessionEnded = new Unauthenticated({ message: "The session has ended: sign in again" })

const unknownWorkspace = HttpServerRespondable.toResponse(new WorkspaceNotFound({}))

const forbidden = new Map<unknown, RefusalReason>(forbiddenCodes.map((code) => [code, code]))

/** Inside a security middleware the endpoint's own errors are wrapped, to distinguish them from the scheme's. */
const forbiddenBy = (failure: unknown) =>
  forbidden.get((failure as { readonly error?: { readonly code?: unknown } } | undefined)?.error?.code)

/** Authenticates the caller, by a key or by the cookie of a session, and checks the key's type. Failures are limited per address, against guessing. */
export const AuthenticationLive = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const keys = yield* KeyAuthenticator
    const refuse = yield* failedAuthentications
    const refused = yield* RefusedUses
    const sessions = yield* sessionRequests
    const { publicUrl } = yield* ServerConfig
    const cookie = sessionCookie(publicUrl)

    const allowedTypes = new WeakMap<HttpApiEndpoint.Top, ReadonlyArray<ApiKeyType>>()
    const allowedFor = (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top) => {
      const known = allowedTypes.get(endpoint)
      if (known !== undefined) return known
      const allowed = Context.get(Context.merge(group.annotations, endpoint.annotations), AllowedKeyTypes)
      allowedTypes.set(endpoint, allowed)
      return allowed
    }

    /** Records a refused use of a key, without delaying the response. */
    const note = (
      { address, id: requestId }: RequestInfo,
      endpoint: HttpApiEndpoint.Top,
      key: CurrentKey["Service"],
      reason: RefusalReason
    ) => refused.note({ key, reason, method: endpoint.method, route: routePath(endpoint), address, requestId })

    const refuseKey = (
      request: RequestInfo,
      endpoint: HttpApiEndpoint.Top,
      { ended }: KeyRefused,
      error: Unauthenticated
    ) => {
      if (ended === undefined) refused.noteUnknown()
      else note(request, endpoint, ended.key, ended.reason)
      return refuse(error)
    }

    /** Runs an effect with a key and records where it lacks permission. */
    const noteForbidden = <A, E, R>(
      request: RequestInfo,
      endpoint: HttpApiEndpoint.Top,
      key: CurrentKey["Service"],
      effect: Effect.Effect<A, E, R>
    ) =>
      Effect.tapError(effect, (failure) => {
        const reason = forbiddenBy(failure)
        if (reason !== undefined) note(request, endpoint, key, reason)
        return Effect.void
      })

    const withKey = (info: RequestInfo, { credential, endpoint, group }: Guarded, httpEffect: HttpEffect) =>
      Effect.flatMap(
        Effect.catchTag(keys.authenticate(credential), "KeyRefused", (error) =>
          refuseKey(info, endpoint, error, Redacted.value(credential) === "" ? missing : unknown)
        ),
        (key): Reply => {
          info.keyId = key.id
          info.workspaceId = key.workspaceId
          if (!allowedFor(endpoint, group).includes(key.type)) {
            note(info, endpoint, key, "WRONG_KEY_TYPE")
            return refuse(wrongType)
          }
          return noteForbidden(info, endpoint, key, Effect.provideService(httpEffect, CurrentKey, key))
        }
      )

    const withSession = Effect.fnUntraced(function* (
      info: RequestInfo,
      { endpoint, group }: Guarded,
      request: HttpServerRequest.HttpServerRequest,
      token: string,
      httpEffect: HttpEffect
    ) {
      const session = yield* Effect.catchTag(sessions.authenticate(token, request), "KeyRefused", (error) =>
        refuseKey(info, endpoint, error, sessionEnded)
      )
      const { key } = session
      info.keyId = key.id
      info.workspaceId = key.workspaceId
      const type = sessionKeyType(allowedFor(endpoint, group))
      if (type === undefined) {
        note(info, endpoint, key, "WRONG_KEY_TYPE")
        return yield* refuse(wrongType)
      }
      if (!session.hasWorkspace) return yield* unknownWorkspace
      const refusal = sessionRefusal(session, endpoint, request)
      if (refusal !== undefined) {
        note(info, endpoint, key, "FORBIDDEN")
        return HttpServerResponse.jsonUnsafe(refusal, { status: 403 })
      }
      return yield* noteForbidden(info, endpoint, key, sessions.run(session, type, endpoint, request, httpEffect))
    })

    // On the path of every request, plain combinators cost less than a generator.
    return {
      serviceApiKey: (httpEffect, guarded) =>
        Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>): Reply => {
          const info = Context.get(context, CurrentRequest)
          info.route = guarded.endpoint.path
          if (Redacted.value(guarded.credential) !== "") return withKey(info, guarded, httpEffect)
          const request = Context.get(context, HttpServerRequest.HttpServerRequest)
          const token = cookie.read(request)
          return token === undefined
            ? withKey(info, guarded, httpEffect)
            : withSession(info, guarded, request, token, httpEffect)
        })
    }
  })
)
