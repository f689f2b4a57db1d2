import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { Subscriptions } from "./notifications/Subscriptions.ts"
import { Publications } from "./publications/Publications.ts"

export const OpenAdrHandlers = groupHandlers(
  Api,
  "openAdr",
  Effect.fn(function* (handlers) {
    const publications = yield* Publications
    const subscriptions = yield* Subscriptions
    return handlers.handleAll({
      publication: ({ params }) => Effect.flatMap(CurrentKey, (caller) => publications.get(caller, params.id)),
      publish: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => publications.publish(caller, params.id, payload)),
      unpublish: ({ params }) => Effect.flatMap(CurrentKey, (caller) => publications.unpublish(caller, params.id)),
      dispatchReports: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => publications.dispatchReports(caller, params.id, query)),
      vens: ({ query }) => Effect.flatMap(CurrentKey, (caller) => publications.vens(caller, query)),
      reports: ({ query }) => Effect.flatMap(CurrentKey, (caller) => publications.reports(caller, query)),
      subscriptions: ({ query }) => Effect.flatMap(CurrentKey, (caller) => subscriptions.list(caller, query))
    })
  })
)
