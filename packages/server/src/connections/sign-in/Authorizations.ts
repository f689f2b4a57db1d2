import type { Language } from "@edp/domain/shared/Language"
import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { Authorization } from "@edp/adapter-kit/ManufacturerAdapter"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { Ids } from "../../platform/Ids.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { type AuthorizationRow, AuthorizationsRepository } from "../AuthorizationsRepository.ts"
import { sha256 } from "../sessions/ConnectSessions.ts"
import { authorizationPurpose } from "../sessionRow.ts"

export type OAuthAuthorization = Extract<Authorization<unknown>, { readonly kind: "oauth2" }>

interface Sealed {
  readonly codeVerifier: string
  readonly authorizationUrl: string
  /** The token of the session's link; null in headless mode. */
  readonly token: string | null
}

/** A sign-in that a session has begun. */
export interface BegunAuthorization extends Omit<AuthorizationRow, "sealed" | "stateHash">, Sealed {}

/** 256 bits, which PKCE requires of a verifier, too (RFC 7636, 4.1). */
const secret = () => randomBytes(32).toString("base64url")

/** Whether a digest is that of a browser's id. Without either of them nothing is known. */
export const isSameBrowser = (digest: Uint8Array | null, browser: string | null) =>
  digest !== null && browser !== null && Buffer.compare(digest, sha256(browser)) === 0

/** Sign-ins at manufacturers by OAuth 2.0: authorization code with PKCE, and a state that is stored as a digest. */
export class Authorizations extends Context.Service<
  Authorizations,
  {
    readonly redirectUri: string
    /** Asks the adapter for the manufacturer's page. The returned row is then to be stored. */
    readonly prepare: (request: {
      readonly sessionId: string
      readonly manufacturer: string
      readonly authorization: OAuthAuthorization
      readonly language: Language
      readonly token: string | null
      /** The id of the browser, if it has one. */
      readonly browser: string | null
    }) => Effect.Effect<{ readonly row: AuthorizationRow; readonly url: string }, AdapterError>
    readonly store: (row: AuthorizationRow) => Effect.Effect<void, DatabaseUnavailable>
    /** The sign-in of a state that came back; none for an unknown state. */
    readonly find: (state: string) => Effect.Effect<BegunAuthorization | undefined, DatabaseUnavailable>
    readonly newest: (sessionId: string) => Effect.Effect<BegunAuthorization | undefined, DatabaseUnavailable>
  }
>()("@edp/server/Authorizations") {
  static readonly layer = Layer.effect(
    Authorizations,
    Effect.gen(function* () {
      const repository = yield* AuthorizationsRepository
      const box = yield* SecretBox
      const ids = yield* Ids
      const { publicUrl } = yield* ServerConfig
      const redirectUri = `${publicUrl.replace(/\/+$/, "")}/oauth/callback`

      const opened = Effect.fnUntraced(function* (row: AuthorizationRow | undefined) {
        if (row === undefined) return undefined
        const { sealed, stateHash: _, ...plain } = row
        const text = Redacted.value(yield* box.open(authorizationPurpose(row.id), sealed))
        return { ...plain, ...(JSON.parse(text) as Sealed) } satisfies BegunAuthorization
      })

      return {
        redirectUri,
        prepare: Effect.fn("Authorizations.prepare")(function* (request) {
          const { sessionId, manufacturer, token, browser, language } = request
          const [state, codeVerifier, id] = [secret(), secret(), yield* ids.next]
          const url = yield* request.authorization.authorizationUrl({
            state,
            redirectUri,
            codeVerifier: Redacted.make(codeVerifier),
            language
          })
          const content: Sealed = { codeVerifier, authorizationUrl: url, token }
          const row: AuthorizationRow = {
            id,
            sessionId,
            manufacturer,
            stateHash: sha256(state),
            sealed: yield* box.seal(authorizationPurpose(id), Redacted.make(JSON.stringify(content))),
            browserHash: browser === null ? null : sha256(browser),
            refusedAt: null,
            redeemedAt: null,
            createdAt: new Date(yield* Clock.currentTimeMillis)
          }
          return { row, url }
        }),
        store: Effect.fn("Authorizations.store")((row) => Effect.asVoid(repository.insert(row))),
        find: Effect.fn("Authorizations.find")((state) => Effect.flatMap(repository.byState(sha256(state)), opened)),
        newest: Effect.fn("Authorizations.newest")((sessionId) => Effect.flatMap(repository.newest(sessionId), opened))
      }
    })
  )
}
