import { forbiddenCodes, type RefusalReason } from "@edp/domain/audit/AuditLog"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { AllowedKeyTypes } from "@edp/domain/auth/annotations"
import { Authentication, CurrentKey } from "@edp/domain/auth/Authentication"
import { type RateLimited, Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer, Redacted, type Types } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { KeyAuthenticator, type KeyRefused } from "../../api-keys/KeyAuthenticator.ts"
import { RefusedUses } from "../../audit/RefusedUses.ts"
import { CurrentRequest, type RequestInfo } from "../../platform/http/RequestInfo.ts"
import { failedAuthentications } from "./failedAuthentications.ts"

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled | Unauthenticated | RateLimited,
  HttpServerRequest.HttpServerRequest
>

const routePath = ({ path }: HttpApiEndpoint.Top) => path.replace(/(.)\/$/, "$1")

const wrongType = new Unauthenticated({ message: "A key of this type may not call this endpoint" })

const unknown = new Unauthenticated({})

const missing = new Unauthenticated({ message: "The header Service-Api-Key is missing: it carries the API key" })

const forbidden = new Map<unknown, RefusalReason>(forbiddenCodes.map((code) => [code, code]))

/** Inside a security middleware the endpoint's own errors are wrapped, to distinguish them from the scheme's. */
const forbiddenBy = (failure: unknown) =>
  forbidden.get((failure as { readonly error?: { readonly code?: unknown } } | undefined)?.error?.code)

/** Authenticates the caller and checks the key's type. Failures are limited per address, against guessing. */
export const AuthenticationLive = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const keys = yield* KeyAuthenticator
    const refuse = yield* failedAuthentications
    const refused = yield* RefusedUses

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
      credential: Redacted.Redacted,
      { ended }: KeyRefused
    ) => {
      if (ended === undefined) refused.noteUnknown()
      else note(request, endpoint, ended.key, ended.reason)
      return refuse(Redacted.value(credential) === "" ? missing : unknown)
    }

    // On the path of every request, plain combinators cost less than a generator.
    return {
      serviceApiKey: (httpEffect, { credential, endpoint, group }) =>
        Effect.flatMap(CurrentRequest, (request) => {
          request.route = endpoint.path
          const authenticated = Effect.catch(keys.authenticate(credential), (error) =>
            refuseKey(request, endpoint, credential, error)
          )
          return Effect.flatMap(authenticated, (key): Answer => {
            request.keyId = key.id
            request.workspaceId = key.workspaceId
            if (!allowedFor(endpoint, group).includes(key.type)) {
              note(request, endpoint, key, "WRONG_KEY_TYPE")
              return refuse(wrongType)
            }
            return Effect.tapError(Effect.provideService(httpEffect, CurrentKey, key), (failure) => {
              const reason = forbiddenBy(failure)
              if (reason !== undefined) note(request, endpoint, key, reason)
              return Effect.void
            })
          })
        })
    }
  })
)
