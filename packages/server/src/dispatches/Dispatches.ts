import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type {
  Baseline,
  CancelDispatch,
  CreateDispatch,
  Dispatch,
  DispatchFilters,
  Participant,
  ParticipantFilters,
  UpdateDispatch
} from "@edp/domain/dispatches/Dispatch"
import { InvalidState, NotFound, type ValidationError } from "@edp/domain/errors/ApiErrors"
import { mergePatch } from "@edp/domain/errors/mergePatch"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { ProgramInstances, DependentsOfInstance } from "../programs/ProgramInstances.ts"
import { checkedBaseline, checkedIntervals, intervalTimes, requireAhead } from "./dispatchInputs.ts"
import { DispatchLifecycle } from "./DispatchRunner.ts"
import { DispatchesRepository, DispatchSitesRepository } from "./DispatchesRepository.ts"
import { type DispatchRow, type DispatchSiteRow, isEnded, toDispatch, toParticipant } from "./dispatchRow.ts"
import { queryRows } from "../platform/sql/rows.ts"

/** Dispatches are scoped to the workspace alone. */
type Caller = Pick<CurrentKey["Service"], "workspaceId">

const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

/** A dispatch can be changed only before its start, and an announced one stays announced. */
const requireChangeable = ({ startsAt, status }: DispatchRow, wanted: UpdateDispatch["status"], at: Date) => {
  if (status !== "draft" && status !== "scheduled") {
    return Effect.fail(
      new InvalidState({ message: `The dispatch is ${status}: it can be changed only before its start` })
    )
  }
  if (status === "scheduled" && startsAt <= at) {
    return Effect.fail(new InvalidState({ message: "The dispatch has begun: it can be changed only before its start" }))
  }
  return status === "scheduled" && wanted === "draft"
    ? Effect.fail(new InvalidState({ message: "A scheduled dispatch does not become a draft again: cancel it" }))
    : Effect.void
}

/** Calls on the enrolled sites of program instances. */
export class Dispatches extends Context.Service<
  Dispatches,
  {
    readonly list: (
      caller: Caller,
      programInstanceId: string,
      query: Schema.Struct.Type<typeof DispatchFilters>
    ) => Effect.Effect<PageOf<Dispatch>, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      programInstanceId: string,
      input: CreateDispatch
    ) => Effect.Effect<Dispatch, ValidationError | NotFound | InvalidState | DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Dispatch, NotFound | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateDispatch
    ) => Effect.Effect<Dispatch, ValidationError | NotFound | InvalidState | DatabaseUnavailable>
    readonly cancel: (
      caller: Caller,
      id: string,
      input: CancelDispatch
    ) => Effect.Effect<Dispatch, NotFound | InvalidState | DatabaseUnavailable>
    readonly participants: (
      caller: Caller,
      id: string,
      query: Schema.Struct.Type<typeof ParticipantFilters>
    ) => Effect.Effect<PageOf<Participant>, NotFound | DatabaseUnavailable>
    /** A dispatch of the workspace as it is stored. */
    readonly find: (workspaceId: string, id: string) => Effect.Effect<DispatchRow, NotFound | DatabaseUnavailable>
    /** The participants of a dispatch by site id. */
    readonly sites: (dispatchId: string) => Effect.Effect<ReadonlyArray<DispatchSiteRow>, DatabaseUnavailable>
  }
>()("@edp/server/Dispatches") {
  static readonly layer = Layer.effect(
    Dispatches,
    Effect.gen(function* () {
      const repository = yield* DispatchesRepository
      const sites = yield* DispatchSitesRepository
      const lifecycle = yield* DispatchLifecycle
      const instances = yield* ProgramInstances
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const one = <E>(rows: Effect.Effect<ReadonlyArray<DispatchRow>, E>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)))

      const find = (workspaceId: string, id: string) => one(repository.get(workspaceId, id))

      const counted = (row: DispatchRow) =>
        Effect.map(repository.participants([row.id]), (counts) => toDispatch(row, counts))

      const create = Effect.fnUntraced(function* (caller: Caller, programInstanceId: string, input: CreateDispatch) {
        const at = yield* now
        const intervals = yield* checkedIntervals(input.intervals, at.getTime())
        const baseline = yield* checkedBaseline(input.baseline, intervals)
        const id = yield* ids.next
        const instance = yield* instances.hold(caller.workspaceId, programInstanceId)
        if (instance.status === "ARCHIVED") {
          return yield* new InvalidState({ message: "The program instance is archived" })
        }
        const status = input.status ?? "scheduled"
        const times = intervalTimes(intervals)
        const row: DispatchRow = {
          id,
          workspaceId: caller.workspaceId,
          programInstanceId,
          name: input.name,
          ...times,
          intervals,
          priority: input.priority ?? 1,
          randomizeStartSeconds: input.randomizeStartSeconds ?? 0,
          voluntary: input.voluntary ?? true,
          test: input.test ?? false,
          nominatedPowerW: input.nominatedPowerW ?? null,
          baseline,
          status,
          reason: null,
          dueAt: status === "scheduled" ? times.startsAt : null,
          createdAt: at,
          updatedAt: at
        }
        yield* repository.insert(row)
        if (status === "scheduled") yield* lifecycle.announce(row, at)
        return yield* counted(row)
      })

      const update = Effect.fnUntraced(function* (caller: Caller, id: string, input: UpdateDispatch) {
        const at = yield* now
        const { baseline, intervals, ...plain } = input
        const given = intervals && (yield* checkedIntervals(intervals, at.getTime()))
        const before = yield* one(repository.hold(caller.workspaceId, id))
        yield* requireChangeable(before, input.status, at)
        const merged = baseline && (mergePatch(before.baseline, baseline) as Baseline)
        const changes = realChanges(before, {
          ...plain,
          ...(given !== undefined && { intervals: given, ...intervalTimes(given) }),
          ...(merged !== undefined && { baseline: yield* checkedBaseline(merged, given ?? before.intervals) })
        })
        if (changes === undefined) return yield* counted(before)
        const after: DispatchRow = { ...before, ...changes, updatedAt: at }
        const isScheduled = after.status === "scheduled"
        if (isScheduled) yield* requireAhead(after.startsAt, at.getTime())
        const row = { ...after, dueAt: isScheduled ? after.startsAt : null }
        yield* repository.save(row)
        if (isScheduled) yield* lifecycle.announce(row, at)
        return yield* counted(row)
      })

      const cancel = Effect.fnUntraced(function* (caller: Caller, id: string, { reason }: CancelDispatch) {
        const row = yield* one(repository.hold(caller.workspaceId, id))
        if (isEnded(row.status)) return yield* new InvalidState({ message: `The dispatch is ${row.status}` })
        return yield* counted(yield* lifecycle.end(row, "cancelled", reason ?? null, yield* now))
      })

      return {
        list: Effect.fn("Dispatches.list")(function* (caller, programInstanceId, query) {
          yield* instances.require(caller.workspaceId, programInstanceId)
          const list = Effect.fnUntraced(function* (limit: number, offset: number) {
            const rows = yield* repository.list(programInstanceId, query, limit, offset)
            const counts = Map.groupBy(
              yield* repository.participants(rows.map(({ id }) => id)),
              ({ dispatchId }) => dispatchId
            )
            return rows.map((row) => toDispatch(row, counts.get(row.id) ?? []))
          })
          return yield* paginate(query, 10, list, repository.count(programInstanceId, query))
        }),
        create: Effect.fn("Dispatches.create")((caller, programInstanceId, input) =>
          transaction(create(caller, programInstanceId, input))
        ),
        get: Effect.fn("Dispatches.get")((caller, id) => Effect.flatMap(find(caller.workspaceId, id), counted)),
        update: Effect.fn("Dispatches.update")((caller, id, input) => transaction(update(caller, id, input))),
        cancel: Effect.fn("Dispatches.cancel")((caller, id, input) => transaction(cancel(caller, id, input))),
        participants: Effect.fn("Dispatches.participants")(function* (caller, id, query) {
          yield* find(caller.workspaceId, id)
          const list = Effect.fnUntraced(function* (limit: number, offset: number) {
            const rows = yield* sites.list(id, query, limit, offset)
            const reasons = Map.groupBy(
              yield* sites.reasons(
                id,
                rows.map(({ siteId }) => siteId)
              ),
              ({ siteId }) => siteId
            )
            return rows.map((row) => toParticipant(row, reasons.get(row.siteId) ?? []))
          })
          return yield* paginate(query, 10, list, sites.count(id, query))
        }),
        find: Effect.fn("Dispatches.find")(find),
        sites: Effect.fn("Dispatches.sites")(sites.all)
      }
    })
  )
}

const EnrollmentsDispatchesRow = Schema.Struct({ enrollments: Schema.Boolean, dispatches: Schema.Boolean })

/** Implements the port of programs. */
export const InstanceDependentsLive = Layer.effect(
  DependentsOfInstance,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (id: string) =>
      queryRows(EnrollmentsDispatchesRow)(sql`SELECT
          EXISTS (SELECT FROM enrollments WHERE program_instance_id = ${id}) AS enrollments,
          EXISTS (SELECT FROM dispatches WHERE program_instance_id = ${id}) AS dispatches`).pipe(
        Effect.map(([row]) => row!)
      )
  }))
)
