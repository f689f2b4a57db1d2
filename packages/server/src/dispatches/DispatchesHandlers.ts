import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { reportCsv } from "@edp/domain/dispatches/ProgramReport"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { prefersCsv, varyingByAccept } from "../platform/http/prefersCsv.ts"
import { Dispatches } from "./Dispatches.ts"
import { OptOuts } from "./OptOuts.ts"
import { DispatchPreviews } from "./preview/DispatchPreviews.ts"
import { ProgramReports } from "./program-reports/ProgramReports.ts"
import { DispatchReports } from "./reports/DispatchReports.ts"

export const DispatchesHandlers = groupHandlers(
  Api,
  "dispatches",
  Effect.fn(function* (handlers) {
    const dispatches = yield* Dispatches
    const previews = yield* DispatchPreviews
    const optOuts = yield* OptOuts
    return handlers.handleAll({
      list: ({ params, query }) => Effect.flatMap(CurrentKey, (caller) => dispatches.list(caller, params.id, query)),
      create: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.create(caller, params.id, payload)),
      preview: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => previews.preview(caller, params.id, payload)),
      get: ({ params }) => Effect.flatMap(CurrentKey, (caller) => dispatches.get(caller, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.update(caller, params.id, payload)),
      cancel: ({ params, payload }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.cancel(caller, params.id, payload)),
      participants: ({ params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => dispatches.participants(caller, params.id, query)),
      optOut: ({ params: { id: dispatchId, siteId }, payload: { reason } }) =>
        Effect.flatMap(CurrentKey, ({ workspaceId }) => optOuts.optOut({ workspaceId, dispatchId, siteId, reason }))
    })
  })
)

const csv = <E>(text: Stream.Stream<string, E>) =>
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

export const ProgramReportsHandlers = groupHandlers(
  Api,
  "programReports",
  Effect.fn(function* (handlers) {
    const reports = yield* ProgramReports
    return handlers.handleAll({
      get: ({ headers, params, query }) =>
        Effect.flatMap(CurrentKey, (caller) => reports.get(caller, params.id, query)).pipe(
          Effect.map((report) => (prefersCsv(headers.accept) ? reportCsv(report.days) : report)),
          Effect.ensuring(varyingByAccept)
        )
    })
  })
)
