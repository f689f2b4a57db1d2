import { Clock, Effect, Redacted } from "effect"
import { type DatabaseUnavailable, resultUnlessUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { AccountLinking, guarded } from "../linking/AccountLinking.ts"
import { Authorizations, type BegunAuthorization, type OAuthAuthorization } from "./Authorizations.ts"
import { AuthorizationsRepository } from "../AuthorizationsRepository.ts"
import { callbackError } from "../linking/connectFailures.ts"
import { type Change, ConnectSessions } from "../sessions/ConnectSessions.ts"
import type { SessionRow } from "../sessionRow.ts"

type Parameters = Readonly<Record<string, string>>

/** Whether a sign-in may still come back to its session. */
export const mayReturn = ({ accountId, manufacturer, status }: SessionRow, begun: BegunAuthorization) =>
  ["PENDING", "AUTHORIZING_MANUFACTURER", "ERROR"].includes(status) &&
  accountId === null &&
  manufacturer === begun.manufacturer

/** The return of a person from the manufacturer. */
export const SignInReturns = Effect.gen(function* () {
  const sessions = yield* ConnectSessions
  const authorizations = yield* Authorizations
  const rows = yield* AuthorizationsRepository
  const linking = yield* AccountLinking

  /** Takes the state, once: of concurrent callbacks one goes on. `isTaken`: this return took it, and no other one has an effect. */
  const acceptReturn = Effect.fnUntraced(function* (
    begun: BegunAuthorization,
    take: (now: Date) => Effect.Effect<boolean, DatabaseUnavailable>,
    change: (session: SessionRow) => Change
  ) {
    let isTaken = false
    const session = yield* sessions.change(
      begun.sessionId,
      Effect.fnUntraced(function* (now) {
        isTaken = mayReturn(now, begun) && (yield* take(new Date(yield* Clock.currentTimeMillis)))
        return isTaken ? change(now) : undefined
      })
    )
    return { isTaken, session }
  })

  const authorizing = ({ status }: SessionRow): Change["path"] & {} =>
    status === "AUTHORIZING_MANUFACTURER" ? [] : ["AUTHORIZING_MANUFACTURER"]

  const refused = (begun: BegunAuthorization, error: string) =>
    acceptReturn(
      begun,
      (now) => rows.refuse(begun.id, now),
      (session) => ({ path: [...authorizing(session), "ERROR"], error: callbackError(error) })
    )

  const exchanged = Effect.fnUntraced(function* (
    begun: BegunAuthorization,
    authorization: OAuthAuthorization,
    parameters: Parameters
  ) {
    const { isTaken, session } = yield* acceptReturn(
      begun,
      (now) => rows.redeem(begun.id, now),
      (now) => ({ path: authorizing(now) })
    )
    return isTaken ? { isTaken, session: yield* link(session, begun, authorization, parameters) } : { isTaken, session }
  })

  const link = Effect.fnUntraced(function* (
    session: SessionRow,
    begun: BegunAuthorization,
    authorization: OAuthAuthorization,
    parameters: Parameters
  ) {
    const linked = yield* resultUnlessUnavailable(
      guarded(
        authorization.exchange({
          parameters,
          redirectUri: authorizations.redirectUri,
          codeVerifier: Redacted.make(begun.codeVerifier)
        })
      )
    )
    if (linked._tag === "Failure") return yield* linking.failWith(session, linked.failure)
    const attached = yield* linking.attach(session, linked.success, { linkedBy: begun.browserHash })
    const isOurs = attached.accountId !== null && attached.status === "AUTHORIZING_MANUFACTURER"
    return isOurs ? yield* linking.discover(attached) : attached
  })

  return {
    /** Ends the attempt with the manufacturer's error. */
    refuse: Effect.fn("SignInReturns.refuse")(refused),
    /** Exchanges the code, links the account and asks for its devices. */
    exchange: Effect.fn("SignInReturns.exchange")(exchanged)
  }
})
