import { CurrentKey } from "@edp/domain/auth/Authentication"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import { Effect } from "effect"
import { CurrentSession } from "../platform/http/CurrentSession.ts"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { sessionCookie } from "../platform/http/sessionCookie.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { Sessions } from "./sessions/Sessions.ts"

const noSession = new NotFound({ message: "The request has no session: it has a key" })

const currentSession = Effect.flatMap(CurrentSession, (session) =>
  session === undefined ? Effect.fail(noSession) : Effect.succeed(session)
)

export const SessionsHandlers = groupHandlers(
  DashboardApi,
  "sessions",
  Effect.fn(function* (handlers) {
    const sessions = yield* Sessions
    const { publicUrl } = yield* ServerConfig
    const cookie = sessionCookie(publicUrl)
    return handlers.handleAll({
      current: () =>
        Effect.gen(function* () {
          const { csrfToken, id } = yield* currentSession
          return yield* sessions.get(yield* CurrentKey, id, csrfToken)
        }),
      signOut: () =>
        Effect.gen(function* () {
          const { id } = yield* currentSession
          yield* sessions.signOut(yield* CurrentKey, id)
          yield* cookie.clear
        }),
      list: ({ query }) =>
        Effect.gen(function* () {
          return yield* sessions.list(yield* CurrentKey, query, (yield* CurrentSession)?.id)
        }),
      revoke: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => sessions.revoke(caller, params.id, query.withMade === "true")),
      madeKeys: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => sessions.madeKeys(caller, params.id, query)),
      createLink: () => Effect.flatMap(CurrentKey, sessions.createLink)
    })
  })
)
