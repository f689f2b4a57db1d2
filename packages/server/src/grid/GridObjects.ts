import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import {
  type GridEvent,
  type GridEventFilters,
  type GridTimeline,
  type GridTimelineQuery,
  SEGMENTS_LIMIT
} from "@edp/domain/grid/GridEvent"
import type { GridProgram, GridProgramFilters, UpdateGridProgram } from "@edp/domain/grid/GridProgram"
import type { GridReport, GridReportFilters } from "@edp/domain/grid/GridReport"
import type { PageOf } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { actionsProblems } from "../dispatches/dispatchInputs.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { changedNames } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { ProgramInstances } from "../programs/ProgramInstances.ts"
import { GridConnections } from "./GridConnections.ts"
import { GridObjectsRepository } from "./GridObjectsRepository.ts"
import { GridPlanner } from "./GridPlanner.ts"
import {
  type ProgramRow,
  eventIntervals,
  eventUnits,
  withUnits,
  toGridEvent,
  toGridProgram,
  toGridReport
} from "./gridRow.ts"
import { governing } from "./plan/governing.ts"

type Caller = CurrentKey["Service"]
type Filters<F extends Schema.Struct.Fields> = Schema.Struct.Type<F>
type Found<A> = Effect.Effect<A, NotFound | DatabaseUnavailable>

const DAY = 86_400_000
const LONGEST_TIMELINE = 31 * DAY

const iso = (at: number) => new Date(at).toISOString()

/** A message for each rule whose actions no device could take. */
const ruleProblems = (rules: UpdateGridProgram["rules"]) =>
  Object.assign(
    {},
    ...(rules ?? []).map(({ actions, maximum, minimum }, index) => ({
      ...(actions !== undefined && actionsProblems(actions, `rules.${index}.actions`)),
      ...(minimum !== undefined && maximum !== undefined && minimum > maximum
        ? { [`rules.${index}.minimum`]: "Must be at most maximum" }
        : {})
    }))
  ) as Record<string, string>

/** The programs and events of VTNs, and the reports that go back. */
export class GridObjects extends Context.Service<
  GridObjects,
  {
    readonly programs: (
      caller: Caller,
      connectionId: string,
      query: Filters<typeof GridProgramFilters>
    ) => Found<PageOf<GridProgram>>
    /** The programs that a program instance follows. */
    readonly instancePrograms: (
      caller: Caller,
      instanceId: string,
      query: Filters<typeof GridProgramFilters>
    ) => Found<PageOf<GridProgram>>
    readonly program: (caller: Caller, id: string) => Found<GridProgram>
    readonly updateProgram: (
      caller: Caller,
      id: string,
      input: UpdateGridProgram
    ) => Effect.Effect<GridProgram, ValidationError | NotFound | DatabaseUnavailable>
    readonly events: (
      caller: Caller,
      connectionId: string,
      query: Filters<typeof GridEventFilters>
    ) => Found<PageOf<GridEvent>>
    readonly timeline: (
      caller: Caller,
      connectionId: string,
      query: Filters<typeof GridTimelineQuery>
    ) => Effect.Effect<GridTimeline, ValidationError | NotFound | DatabaseUnavailable>
    readonly reports: (
      caller: Caller,
      connectionId: string,
      query: Filters<typeof GridReportFilters>
    ) => Found<PageOf<GridReport>>
  }
>()("@edp/server/grid/GridObjects") {
  static readonly layer = Layer.effect(
    GridObjects,
    Effect.gen(function* () {
      const connections = yield* GridConnections
      const repository = yield* GridObjectsRepository
      const planner = yield* GridPlanner
      const instances = yield* ProgramInstances
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const inConnection = <A, E, R>(caller: Caller, id: string, effect: Effect.Effect<A, E, R>) =>
        Effect.andThen(connections.require(caller.workspaceId, id), effect)

      const findSegments = Effect.fnUntraced(function* (program: ProgramRow, from: number, to: number) {
        const events = yield* repository.eventsFrom(program.id, new Date(from))
        const ranked = events.map((row) => ({
          id: row.id,
          priority: row.priority,
          createdAt: row.vtnCreatedAt.getTime(),
          intervals: eventIntervals(row)
        }))
        const units = new Map(events.map((row) => [row.id, eventUnits(row, program.body.payloadDescriptors)]))
        return governing(ranked, from, to).map(({ end, eventId, payloads, start }) => ({
          programId: program.id,
          eventId,
          startsAt: iso(start),
          endsAt: iso(end),
          payloads: withUnits(payloads, units.get(eventId)!)
        }))
      })

      return {
        programs: Effect.fn("GridObjects.programs")((caller, connectionId, query) =>
          inConnection(
            caller,
            connectionId,
            paginate(
              query,
              10,
              (limit, offset) =>
                Effect.map(repository.listPrograms(connectionId, limit, offset), (rows) => rows.map(toGridProgram)),
              repository.countPrograms(connectionId)
            )
          )
        ),
        instancePrograms: Effect.fn("GridObjects.instancePrograms")(function* (caller, instanceId, query) {
          yield* instances.require(caller.workspaceId, instanceId)
          return yield* paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.instancePrograms(instanceId, limit, offset), (rows) => rows.map(toGridProgram)),
            repository.countInstancePrograms(instanceId)
          )
        }),
        program: Effect.fn("GridObjects.program")(function* (caller, id) {
          const [row] = yield* repository.program(caller.workspaceId, id)
          return row === undefined ? yield* new NotFound({}) : toGridProgram(row)
        }),
        updateProgram: Effect.fn("GridObjects.updateProgram")((caller, id, input) =>
          Effect.gen(function* () {
            const problems = ruleProblems(input.rules)
            if (Object.keys(problems).length > 0) return yield* Effect.fail(invalid(problems))
            const [before] = yield* repository.lockProgram(caller.workspaceId, id)
            if (before === undefined) return yield* new NotFound({})
            const { programInstanceId } = input
            if (programInstanceId !== undefined && programInstanceId !== null) {
              yield* Effect.catchTag(instances.require(caller.workspaceId, programInstanceId), "NOT_FOUND", () =>
                Effect.fail(invalid({ programInstanceId: "Must be a program instance of the workspace" }))
              )
            }
            const after: ProgramRow = {
              ...before,
              ...(programInstanceId !== undefined && { programInstanceId }),
              ...(input.rules !== undefined && { rules: input.rules }),
              updatedAt: new Date(yield* Clock.currentTimeMillis)
            }
            if (changedNames(before, after).length === 0) return toGridProgram(before)
            yield* repository.updateProgram(after)
            yield* planner.plan(caller.workspaceId, id)
            return toGridProgram(after)
          }).pipe(transaction)
        ),
        events: Effect.fn("GridObjects.events")(function* (caller, connectionId, query) {
          const now = new Date(yield* Clock.currentTimeMillis)
          return yield* inConnection(
            caller,
            connectionId,
            paginate(
              query,
              10,
              (limit, offset) =>
                Effect.map(repository.listEvents(connectionId, query.status, now, limit, offset), (rows) =>
                  rows.map((row) => toGridEvent(row, now))
                ),
              repository.countEvents(connectionId, query.status, now)
            )
          )
        }),
        timeline: Effect.fn("GridObjects.timeline")(function* (caller, connectionId, query) {
          const from = query.from === undefined ? yield* Clock.currentTimeMillis : parseTimestamp(query.from)!
          const to = query.to === undefined ? from + DAY : parseTimestamp(query.to)!
          if (to <= from) return yield* Effect.fail(invalid({ to: "Must be after from" }))
          if (to - from > LONGEST_TIMELINE) {
            return yield* Effect.fail(invalid({ to: "Must be at most 31 days after from" }))
          }
          yield* connections.require(caller.workspaceId, connectionId)
          const programs = yield* repository.programs(connectionId)
          const segments = (yield* Effect.forEach(programs, (program) => findSegments(program, from, to))).flat()
          return {
            from: iso(from),
            to: iso(to),
            segments: segments
              .toSorted((one, other) => (one.startsAt < other.startsAt ? -1 : one.startsAt > other.startsAt ? 1 : 0))
              .slice(0, SEGMENTS_LIMIT)
          }
        }),
        reports: Effect.fn("GridObjects.reports")((caller, connectionId, query) =>
          inConnection(
            caller,
            connectionId,
            paginate(
              query,
              10,
              (limit, offset) =>
                Effect.map(repository.listReports(connectionId, query.status, limit, offset), (rows) =>
                  rows.map(toGridReport)
                ),
              repository.countReports(connectionId, query.status)
            )
          )
        )
      }
    })
  )
}
