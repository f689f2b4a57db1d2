import { Api } from "@edp/domain/Api"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { reportCsv } from "@edp/domain/dispatches/ProgramReport"
import { Effect } from "effect"
import { groupHandlers } from "../platform/http/groupHandlers.ts"
import { prefersCsv, varyingByAccept } from "../platform/http/prefersCsv.ts"
import { ProgramReports } from "./program-reports/ProgramReports.ts"

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
