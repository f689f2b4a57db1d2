import type { OpenAdrKeyType } from "@edp/domain/auth/ApiKeyType"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { scopes } from "@edp/domain/openadr/OpenAdrObjects"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { Unauthenticated } from "@edp/domain/errors/ApiErrors"
import { KeyAuthenticator, KeyRefused } from "../../api-keys/KeyAuthenticator.ts"
import { RefusedUses } from "../../audit/RefusedUses.ts"
import type { RequestInfo } from "../../platform/http/RequestInfo.ts"
import { EncryptionKeys } from "../../platform/secrets/EncryptionKeys.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { signToken, verifyToken } from "./accessToken.ts"

const roles = { OPENADR_BL: "BL", OPENADR_VEN: "VEN" } as const satisfies Record<OpenAdrKeyType, string>

/** Seconds for which a token works. */
const LIFETIME = 3600

/** The caller of the OpenADR server. Its role comes from the type of its key: the scope `write_vens` is that of both. */
export interface OpenAdrClient {
  readonly clientId: string
  readonly role: "BL" | "VEN"
  readonly workspaceId: string
  readonly key: CurrentKey["Service"]
}

export interface IssuedToken {
  readonly token: Redacted.Redacted
  readonly expiresIn: number
  readonly scope: string
  readonly client: OpenAdrClient
}

const grantedScopes = (role: OpenAdrClient["role"]): ReadonlyArray<string> =>
  role === "BL" ? scopes.businessLogic : scopes.ven

/** Whether the clients of a role have the scope. */
export const hasScope = (role: OpenAdrClient["role"], scope: string) => grantedScopes(role).includes(scope)

const unknownClient = new Unauthenticated({ message: "The client is not known" })
const badToken = new Unauthenticated({
  message: "The access token is missing, invalid or expired: get one from the tokenURL of GET /auth/server"
})

/** Clients of OpenADR: their credentials are API keys, and their tokens end with the key. */
export class OpenAdrClients extends Context.Service<
  OpenAdrClients,
  {
    /** Exchanges a client's id and secret for a token. */
    readonly issue: (
      info: RequestInfo,
      clientId: string,
      secret: Redacted.Redacted
    ) => Effect.Effect<IssuedToken, Unauthenticated | DatabaseUnavailable>
    /** The client of a token. Every request reads the key, so that its revocation applies at once. */
    readonly authenticate: (
      info: RequestInfo,
      method: string,
      token: Redacted.Redacted
    ) => Effect.Effect<OpenAdrClient, Unauthenticated | DatabaseUnavailable>
  }
>()("@edp/server/OpenAdrClients") {
  static readonly layer = Layer.effect(
    OpenAdrClients,
    Effect.gen(function* () {
      const authenticator = yield* KeyAuthenticator
      const refused = yield* RefusedUses
      const { current, previous } = yield* EncryptionKeys
      const signingKeys = [current, ...Option.toArray(previous)].map(Redacted.value)

      const toClient = Effect.fnUntraced(function* (key: CurrentKey["Service"]) {
        if (key.type !== "OPENADR_BL" && key.type !== "OPENADR_VEN") {
          return yield* new KeyRefused({ ended: { key, reason: "WRONG_KEY_TYPE" } })
        }
        return { clientId: key.id, role: roles[key.type], workspaceId: key.workspaceId, key }
      })

      /** Records the refused use of a known key, as on every other route. */
      const noted =
        (info: RequestInfo, method: string, error: Unauthenticated) =>
        <A>(effect: Effect.Effect<A, KeyRefused | DatabaseUnavailable>) =>
          Effect.catchTag(effect, "KeyRefused", ({ ended }) => {
            if (ended === undefined) refused.noteUnknown()
            else {
              const { address, id: requestId, route = "" } = info
              refused.note({ key: ended.key, reason: ended.reason, method, route, address, requestId })
            }
            return Effect.fail(error)
          })

      const issue = Effect.fnUntraced(function* (clientId: string, secret: Redacted.Redacted) {
        const client = yield* Effect.flatMap(authenticator.authenticate(secret), toClient)
        if (client.clientId !== clientId) return yield* new KeyRefused({})
        const now = yield* Clock.currentTimeMillis
        const expiresAt = Math.floor(now / 1000) + LIFETIME
        const token = Redacted.make(signToken(signingKeys[0]!, { keyId: client.clientId, expiresAt }))
        return { token, expiresIn: LIFETIME, scope: grantedScopes(client.role).join(" "), client }
      })

      const authenticate = Effect.fnUntraced(function* (token: Redacted.Redacted) {
        const claims = verifyToken(signingKeys, Redacted.value(token), yield* Clock.currentTimeMillis)
        if (claims === undefined) return yield* new KeyRefused({})
        return yield* Effect.flatMap(authenticator.authenticateId(claims.keyId), toClient)
      })

      return {
        issue: Effect.fn("OpenAdrClients.issue")((info, clientId, secret) =>
          noted(info, "POST", unknownClient)(issue(clientId, secret))
        ),
        authenticate: Effect.fn("OpenAdrClients.authenticate")((info, method, token) =>
          noted(info, method, badToken)(authenticate(token))
        )
      }
    })
  )
}
