import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Clock, Context, Effect, Layer } from "effect"
import { KeyRefused } from "../../api-keys/KeyAuthenticator.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { endedBecause, freshUntil, sessionEnd, toManagementKey } from "./sessionRow.ts"
import { SessionsRepository } from "./SessionsRepository.ts"
import { csrfToken, isToken, tokenHash } from "./sessionToken.ts"

/** Requests a minute of one session. The dashboard reads more than an integration does; bulk requests have the deployment's limit. */
const RATE_LIMITS = { read: 1200, write: 120 }
/** How often the use of a session is written, in milliseconds. */
const WRITTEN_EVERY = 60_000

const unknown = new KeyRefused({})

export interface AuthenticatedSession {
  readonly id: string
  readonly makerId: string
  readonly rateLimits: typeof RATE_LIMITS
  readonly csrfToken: string
  /** The MANAGEMENT key of the session, in the chosen workspace. */
  readonly key: CurrentKey["Service"]
  /** Whether the chosen workspace is one of the organization. */
  readonly hasWorkspace: boolean
  /** Whether the sign-in was recent enough to make, change and end credentials and to see secrets. */
  readonly isFresh: boolean
}

/** Authenticates requests by the session cookie. Each reads the database, so that a session's end applies at once on every instance. */
export class SessionAuthenticator extends Context.Service<
  SessionAuthenticator,
  {
    readonly authenticate: (
      token: string,
      workspaceId: string | undefined
    ) => Effect.Effect<AuthenticatedSession, KeyRefused | DatabaseUnavailable>
  }
>()("@edp/server/SessionAuthenticator") {
  static readonly layer = Layer.effect(
    SessionAuthenticator,
    Effect.gen(function* () {
      const repository = yield* SessionsRepository
      return {
        authenticate: Effect.fn("SessionAuthenticator.authenticate")(function* (token, workspaceId) {
          if (!isToken(token)) return yield* unknown
          const session = yield* repository.byToken(tokenHash(token), workspaceId ?? null)
          const now = yield* Clock.currentTimeMillis
          if (session === undefined || session.expiresAt.getTime() <= now) return yield* unknown
          const key = toManagementKey(session, session.chosenId ?? undefined)
          const reason = endedBecause(session, now)
          if (reason !== undefined) return yield* new KeyRefused({ ended: { key, reason } })
          if (now - session.lastUsedAt.getTime() >= WRITTEN_EVERY) {
            yield* repository.extend(session.id, new Date(now), sessionEnd(session.signedInAt, now))
          }
          return {
            id: session.id,
            makerId: session.makerId,
            rateLimits: RATE_LIMITS,
            csrfToken: csrfToken(token),
            key,
            hasWorkspace: workspaceId === undefined || session.chosenId !== null,
            isFresh: now < freshUntil(session.signedInAt).getTime()
          }
        })
      }
    })
  )
}
