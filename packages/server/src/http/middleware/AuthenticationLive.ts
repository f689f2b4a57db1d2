import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { AllowedKeyTypes } from "@edp/domain/auth/AllowedKeyTypes"
import { Authentication, CurrentKey } from "@edp/domain/auth/Authentication"
import { RateLimited, Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer, type Types } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { KeyAuthenticator } from "../../api-keys/KeyAuthenticator.ts"
import { RateLimitStore } from "../../rate-limits/RateLimitStore.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { CurrentRequest } from "../RequestInfo.ts"

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled | Unauthenticated | RateLimited,
  HttpServerRequest.HttpServerRequest
>

const wrongType = new Unauthenticated({ message: "A key of this type may not call this endpoint" })

/** Finds out who calls, and whether a key of that type may. Nobody can try keys endlessly from one address. */
export const AuthenticationLive = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const keys = yield* KeyAuthenticator
    const limits = yield* RateLimitStore
    const { authFailuresPerMinute } = yield* ServerConfig

    const refuse = (error: Unauthenticated) =>
      Effect.gen(function* () {
        const { address } = yield* CurrentRequest
        const taken = yield* limits.take(`failures:${address}`)
        if (taken.count <= authFailuresPerMinute) return yield* error
        yield* HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(taken.retryAfter)))
        )
        return yield* new RateLimited({ retryAfter: taken.retryAfter, message: "Too many failed authentications" })
      })

    const allowedTypes = new WeakMap<HttpApiEndpoint.Top, ReadonlyArray<ApiKeyType>>()
    const allowedFor = (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top) => {
      const known = allowedTypes.get(endpoint)
      if (known !== undefined) return known
      const allowed = Context.get(Context.merge(group.annotations, endpoint.annotations), AllowedKeyTypes)
      allowedTypes.set(endpoint, allowed)
      return allowed
    }

    // Every request passes here: plain combinators cost less than a generator.
    return {
      serviceApiKey: (httpEffect, { credential, endpoint, group }) =>
        Effect.flatMap(CurrentRequest, (request) => {
          request.route = endpoint.path
          return Effect.flatMap(Effect.catch(keys.authenticate(credential), refuse), (key): Answer => {
            request.keyId = key.id
            request.workspaceId = key.workspaceId
            return allowedFor(endpoint, group).includes(key.type)
              ? Effect.provideService(httpEffect, CurrentKey, key)
              : refuse(wrongType)
          })
        })
    }
  })
)
