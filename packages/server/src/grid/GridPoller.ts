import { eventSpan } from "@edp/domain/openadr/intervalTimes"
import type { OpenAdrEvent } from "@edp/domain/openadr/OpenAdrObjects"
import { Cause, Clock, Context, Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import type { RowClaim } from "../platform/jobs/leasedRows.ts"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { GridConnectionsRepository, type PollResult } from "./GridConnectionsRepository.ts"
import { gridLimits } from "./gridLimits.ts"
import { GridObjectsRepository, type ReceivedEvent } from "./GridObjectsRepository.ts"
import { GridPlanner } from "./GridPlanner.ts"
import { type ConnectionRow, gridSecretPurpose } from "./gridRow.ts"
import { GridNotifications } from "./notifications/GridNotifications.ts"
import { GridReporting } from "./reports/GridReporting.ts"
import { type ReadObjects, VtnClient, type VtnAccess } from "./vtn-client/VtnClient.ts"

const ERROR_LENGTH = 1000

/** A VTN may state times that are none; then the event is as old as its receipt. */
const timeOr = (text: string, fallback: number) => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? fallback : time
}

const iso = (at: number) => new Date(at)

const isStorable = (time: number | null) => time !== null && Math.abs(time) < Date.parse("9999-01-01T00:00:00Z")

const received = (id: string, programId: string, event: OpenAdrEvent, now: number): ReceivedEvent => {
  const modified = timeOr(event.modificationDateTime, now)
  const span = eventSpan(event, modified)
  return {
    id,
    programId,
    vtnEventId: event.id,
    priority: event.priority ?? null,
    body: event,
    startsAt: span === undefined || !isStorable(span.start) ? null : iso(span.start),
    endsAt: span === undefined || span.end === null || !isStorable(span.end) ? null : iso(span.end),
    vtnCreatedAt: iso(timeOr(event.createdDateTime, now)),
    vtnModifiedAt: iso(modified)
  }
}

/** Notes for the operator on objects that a poll left out. */
const leftOut = (kind: string, { isCut, problems }: ReadObjects<unknown>, limit: number): ReadonlyArray<string> => [
  ...(isCut ? [`The VTN has more than ${limit} ${kind}: the others are left out`] : []),
  ...(problems.length > 0 ? [`${problems.length} of the ${kind} can't be read, such as ${problems[0]}`] : [])
]

/** Reads what VTNs have for the workspaces that follow them, and sends them the reports that they asked for. */
export class GridPoller extends Context.Service<
  GridPoller,
  {
    /** Polls the VTN of a connection and records how that ended. */
    readonly poll: (claim: RowClaim, connection: ConnectionRow) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/grid/GridPoller") {
  static readonly layer = Layer.effect(
    GridPoller,
    Effect.gen(function* () {
      const connections = yield* GridConnectionsRepository
      const objects = yield* GridObjectsRepository
      const planner = yield* GridPlanner
      const reporting = yield* GridReporting
      const vtn = yield* VtnClient
      const notifications = yield* GridNotifications
      const box = yield* SecretBox
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const open = Effect.fnUntraced(function* (row: ConnectionRow) {
        const clientSecret =
          row.sealedSecret === null ? null : yield* box.open(gridSecretPurpose(row.id), row.sealedSecret)
        return { ...row, clientSecret } satisfies VtnAccess
      })

      /** Stores programs and events together, so that no plan is made of half a list. */
      const store = Effect.fnUntraced(function* (
        connection: ConnectionRow,
        programs: Effect.Success<ReturnType<typeof vtn.programs>>,
        events: Effect.Success<ReturnType<typeof vtn.events>>
      ) {
        const at = yield* Clock.currentTimeMillis
        const owner = { workspaceId: connection.workspaceId, connectionId: connection.id }
        const isWhole = !programs.isCut && programs.problems.length === 0
        const given = yield* Effect.forEach(programs.objects, (body) => Effect.map(ids.next, (id) => ({ id, body })))
        yield* objects.storePrograms(owner, given, isWhole, iso(at))
        const stored = yield* objects.programs(connection.id)
        const known = new Map(stored.map(({ id, vtnProgramId }) => [vtnProgramId, id]))
        const ofPrograms = events.objects.filter(({ programID }) => known.has(programID))
        const rows = yield* Effect.forEach(ofPrograms, (event) =>
          Effect.map(ids.next, (id) => received(id, known.get(event.programID)!, event, at))
        )
        yield* objects.storeEvents(owner, rows, iso(at))
        if (!events.isCut && events.problems.length === 0) {
          yield* objects.markDeleted(
            connection.id,
            events.objects.map(({ id }) => id),
            iso(at),
            iso(at + gridLimits.clockDifferenceMs)
          )
        }
        yield* objects.forgetEvents(connection.id, iso(at - gridLimits.keptDays * 86_400_000))
        return { programIds: stored.map(({ id }) => id), strange: events.objects.length - ofPrograms.length }
      }, transaction)

      /** One program that can't be planned does not stop the others. */
      const planAll = (workspaceId: string, programIds: ReadonlyArray<string>) =>
        Effect.forEach(programIds, (id) =>
          planner.plan(workspaceId, id).pipe(
            Effect.as([]),
            Effect.catchCause((cause) =>
              Cause.hasInterrupts(cause)
                ? Effect.failCause(cause)
                : Effect.as(logFailure("grid plan", "The plan of a program of a VTN failed", cause), [
                    "The dispatches of a program could not be planned: see the log of the service"
                  ])
            )
          )
        ).pipe(Effect.map((all) => [...new Set(all.flat())]))

      const read = Effect.fnUntraced(function* (connection: ConnectionRow) {
        const access = yield* open(connection)
        const venId = connection.venId ?? (yield* vtn.ven(access, connection.venName))
        // Before the lists are read, so that no change is missed between the two.
        yield* notifications.ensure(connection, access, venId)
        const programs = yield* vtn.programs(access)
        const events = yield* vtn.events(access)
        const { programIds, strange } = yield* store(connection, programs, events)
        const unplanned = yield* planAll(connection.workspaceId, programIds)
        const unsent = yield* reporting.report(connection, access)
        const notes = [
          ...leftOut("programs", programs, gridLimits.programs),
          ...leftOut("events", events, gridLimits.events),
          ...(strange > 0 ? [`${strange} of the events belong to programs that the VTN does not list`] : []),
          ...unplanned,
          ...unsent
        ]
        return { venId, error: notes.length === 0 ? null : notes.join("; ") }
      })

      /** A VTN that fails is asked less and less often. */
      const pauseAfter = ({ failures, pollSeconds }: ConnectionRow) =>
        Math.min(gridLimits.longestPauseMs, pollSeconds * 1000 * 2 ** Math.min(failures, 10))

      const poll = Effect.fn("GridPoller.poll")(function* (claim: RowClaim, connection: ConnectionRow) {
        const pauseMs = connection.pollSeconds * 1000 * (0.95 + 0.1 * (yield* Random.next))
        const failed = (message: string): PollResult => ({
          venId: null,
          error: message.slice(0, ERROR_LENGTH),
          isRead: false,
          pauseMs: Math.max(pauseMs, pauseAfter(connection))
        })
        const result = yield* read(connection).pipe(
          Effect.map(({ error, venId }): PollResult => ({
            venId,
            error: error?.slice(0, ERROR_LENGTH) ?? null,
            isRead: true,
            pauseMs
          })),
          Effect.timeoutOrElse({
            duration: gridLimits.pollMs,
            orElse: () => Effect.succeed(failed("The VTN did not respond in time"))
          }),
          Effect.catchTag("VtnFailure", ({ message }) =>
            Effect.as(logFailure("grid poll", `A VTN could not be read: ${message}`), failed(message))
          ),
          Effect.catchCause((cause) =>
            Cause.hasInterrupts(cause)
              ? Effect.failCause(cause)
              : Effect.as(
                  logFailure("grid poll", "A poll of a VTN failed", cause),
                  failed("The poll failed: see the log of the service")
                )
          )
        )
        yield* connections.record(claim, result, iso(yield* Clock.currentTimeMillis))
      })

      return { poll }
    })
  )
}
