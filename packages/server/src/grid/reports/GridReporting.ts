import { Cause, Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../../platform/Ids.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { gridLimits } from "../gridLimits.ts"
import { GridObjectsRepository, type NewReport } from "../GridObjectsRepository.ts"
import { type ConnectionRow, type EventRow, type ReportRow, eventIntervals } from "../gridRow.ts"
import { type VtnAccess, VtnClient, type VtnFailure } from "../vtn-client/VtnClient.ts"
import { GridReportMaker } from "./GridReportMaker.ts"
import { dueReports } from "./reportSchedule.ts"
import { refusal } from "./reportValues.ts"

/** Statuses after which the same report is sent again. */
const isPassing = ({ status }: VtnFailure) =>
  status === null || status === 401 || status === 408 || status === 429 || status >= 500

/** Sends the reports that events ask for, each once. */
export class GridReporting extends Context.Service<
  GridReporting,
  {
    /** Makes the reports that are due and sends those that are not sent. Returns what went wrong, for the operator. */
    readonly report: (
      connection: ConnectionRow,
      access: VtnAccess
    ) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  }
>()("@edp/server/grid/GridReporting") {
  static readonly layer = Layer.effect(
    GridReporting,
    Effect.gen(function* () {
      const objects = yield* GridObjectsRepository
      const maker = yield* GridReportMaker
      const vtn = yield* VtnClient
      const ids = yield* Ids

      /** The reports of an event up to a time, with those that the platform can't make. */
      const demanded = (event: EventRow, until: number): ReadonlyArray<Omit<NewReport, "id">> => {
        const descriptors = event.body.reportDescriptors ?? []
        const intervals = eventIntervals(event)
        const refused = descriptors.flatMap((descriptor, position): ReadonlyArray<Omit<NewReport, "id">> => {
          const detail = refusal(descriptor)
          if (detail === undefined) return []
          const at = event.startsAt!
          const common = { eventId: event.id, descriptor, position, intervals: [] }
          return [{ ...common, startsAt: at, endsAt: event.endsAt ?? at, dueAt: at, status: "not_reportable", detail }]
        })
        const due = dueReports(descriptors, intervals, until)
          .filter(({ descriptor }) => refusal(descriptors[descriptor]!) === undefined)
          .map(({ descriptor, dueAt, intervals: reported }): Omit<NewReport, "id"> => ({
            eventId: event.id,
            descriptor: descriptors[descriptor]!,
            position: descriptor,
            intervals: reported,
            startsAt: new Date(reported[0]!.start),
            endsAt: new Date(reported.at(-1)!.end),
            dueAt: new Date(dueAt + gridLimits.settlingMs),
            status: "due",
            detail: null
          }))
        return [...refused, ...due]
      }

      const makeDue = Effect.fnUntraced(function* ({ id, workspaceId }: ConnectionRow, now: number) {
        const events = yield* objects.reportingEvents(id, new Date(now - gridLimits.reportableMs))
        const found = events.flatMap((event) => demanded(event, now - gridLimits.settlingMs))
        const rows = yield* Effect.forEach(found, (report) => Effect.map(ids.next, (next) => ({ ...report, id: next })))
        if (rows.length > 0) {
          yield* objects.storeReports({ workspaceId, connectionId: id }, rows, new Date(now))
        }
      })

      const record = (
        report: ReportRow,
        changes: Partial<Pick<ReportRow, "status" | "detail" | "vtnReportId" | "sentAt">>
      ) =>
        objects.recordReport({
          id: report.id,
          status: report.status,
          detail: null,
          vtnReportId: null,
          sentAt: null,
          ...changes
        })

      const sendOne = Effect.fnUntraced(function* (connection: ConnectionRow, access: VtnAccess, report: ReportRow) {
        const [event] = yield* objects.event(report.eventId)
        const instanceId = event === undefined ? null : yield* objects.findInstance(event.programId)
        if (event === undefined || instanceId === null) {
          yield* record(report, { status: "not_reportable", detail: "The program has no program instance" })
          return
        }
        const body = yield* maker.make(connection, event, instanceId, report)
        if (typeof body === "string") {
          yield* record(report, { status: "not_reportable", detail: body })
          return
        }
        // A report of which the platform does not know whether it arrived is looked for first.
        const known = report.attempts > 0 ? yield* vtn.findReport(access, body) : undefined
        if (known === undefined) yield* objects.markAttempt(report.id)
        const vtnReportId = known ?? (yield* vtn.report(access, body))
        const sentAt = new Date(yield* Clock.currentTimeMillis)
        yield* record(report, { status: "sent", vtnReportId, sentAt })
      })

      return {
        report: Effect.fn("GridReporting.report")(function* (connection, access) {
          yield* makeDue(connection, yield* Clock.currentTimeMillis)
          const due = yield* objects.dueReports(connection.id, gridLimits.reportsPerPoll)
          const problems: Array<string> = []
          for (const report of due) {
            const failure = yield* sendOne(connection, access, report).pipe(
              Effect.as(undefined),
              Effect.catchTag("VtnFailure", (error) => Effect.succeed(error)),
              // One report that can't be made does not stop the others.
              Effect.catchCause((cause) =>
                Cause.hasInterrupts(cause)
                  ? Effect.failCause(cause)
                  : Effect.as(logFailure("grid report", "A report to a VTN failed", cause), "failed" as const)
              )
            )
            if (failure === undefined) continue
            if (failure === "failed") {
              problems.push("A report could not be made: see the log of the service")
              continue
            }
            const detail = failure.message.slice(0, 1000)
            if (!isPassing(failure)) {
              yield* record(report, { status: "refused", detail })
              problems.push(`A report was refused: ${detail}`)
              continue
            }
            yield* record(report, { status: "due", detail })
            problems.push(`Reports wait: ${detail}`)
            break
          }
          return [...new Set(problems)]
        })
      }
    })
  )
}
