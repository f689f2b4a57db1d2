import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { AuditLogs } from "./AuditLogs.ts"

export const AuditLogsHandlers = groupHandlers(
  Api,
  "auditLogs",
  Effect.fn(function* (handlers) {
    const logs = yield* AuditLogs
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.flatMap(CurrentKey, (caller) => logs.list(caller, query)).pipe(
          Effect.map(({ body, next }) =>
            HttpApiSchema.withHeaders({ body, headers: next === undefined ? {} : { "x-next-cursor": next } })
          )
        )
    })
  })
)
