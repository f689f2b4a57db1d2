import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { prefersCsv, varyingByAccept } from "../platform/http/prefersCsv.ts"
import { DispatchReports } from "./reports/DispatchReports.ts"

const csv = (text: Stream.Stream<string>) =>
  HttpServerResponse.stream(Stream.encodeText(text), { contentType: "text/csv" })

export const DispatchReportsHandlers = groupHandlers(
  Api,
  "dispatchReports",
  Effect.fn(function* (handlers) {
    const reports = yield* DispatchReports
    return handlers.handleAll({
      get: ({ headers, params, query }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentKey
          if (!prefersCsv(headers.accept)) return yield* reports.read(caller, params.id, query)
          return csv(yield* reports.readCsv(caller, params.id))
        }).pipe(Effect.ensuring(varyingByAccept))
    })
  })
)
