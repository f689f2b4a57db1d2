import { AllowedKeyTypes } from "@edp/domain/auth/AllowedKeyTypes"
import { Authentication, CurrentKey } from "@edp/domain/auth/Authentication"
import { RateLimited, Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { KeyAuthenticator } from "../../api-keys/KeyAuthenticator.ts"
import { RateLimitStore } from "../../rate-limits/RateLimitStore.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { CurrentRequest } from "../RequestInfo.ts"

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

    return {
      serviceApiKey: (httpEffect, { credential, endpoint, group }) =>
        Effect.gen(function* () {
          const request = yield* CurrentRequest
          request.route = endpoint.path
          const key = yield* Effect.catch(keys.authenticate(credential), refuse)
          request.keyId = key.id
          request.workspaceId = key.workspaceId
          const allowed = Context.get(Context.merge(group.annotations, endpoint.annotations), AllowedKeyTypes)
          if (!allowed.includes(key.type)) return yield* refuse(wrongType)
          return yield* Effect.provideService(httpEffect, CurrentKey, key)
        })
    }
  })
)
