import type { DispatchedType } from "@edp/domain/dispatches/Dispatch"
import type { InvalidState, NotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { type GridOutcome, type GridPayloadOutcome, gridOutcomes } from "@edp/domain/grid/GridEvent"
import { durationMillis } from "@edp/domain/openadr/durations"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readCommandDevices } from "../commands/issuing/CommandTargets.ts"
import { Dispatches } from "../dispatches/Dispatches.ts"
import { EnrolledSites } from "../enrollments/enrolled-sites/EnrolledSites.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { gridLimits } from "./gridLimits.ts"
import { GridObjectsRepository } from "./GridObjectsRepository.ts"
import { type EventRow, type ProgramRow, eventIntervals, eventUnits } from "./gridRow.ts"
import { type Directive, type Judged, judge } from "./plan/directives.ts"
import { type PlannedDispatch, reconcile } from "./plan/dispatchPlan.ts"
import { type SharingDevice, sharedPower } from "./plan/sharing.ts"
import { type PlannableEvent, wantedDispatches } from "./plan/wantedDispatches.ts"

/** The longest random start of a dispatch, seconds. */
const LONGEST_RANDOM = 3600
const NAME_LENGTH = 255

/** The first of these is shown of several outcomes of a type of payload. */
const order: ReadonlyArray<GridOutcome> = [
  "refused",
  "no_device",
  ...gridOutcomes.filter((each) => each !== "refused" && each !== "no_device")
]

/** One outcome for each type of payload. */
const summarize = (judged: ReadonlyArray<Judged>): ReadonlyArray<GridPayloadOutcome> => {
  const byType = new Map<string, GridPayloadOutcome>()
  for (const { detail, outcome, payloadType } of judged) {
    const known = byType.get(payloadType)
    if (known === undefined || order.indexOf(outcome) < order.indexOf(known.outcome)) {
      byType.set(payloadType, { payloadType, outcome, detail })
    }
  }
  return [...byType.values()].slice(0, 100)
}

/** An event with what its payloads mean under the rules of its program. */
interface ReadEvent extends PlannableEvent {
  readonly row: EventRow
  readonly judged: ReadonlyArray<Judged>
}

const randomSeconds = ({ body }: EventRow) => {
  const text = body.intervalPeriod?.randomizeStart
  const length = text === undefined ? 0 : durationMillis(text)
  return length === null ? LONGEST_RANDOM : Math.min(LONGEST_RANDOM, Math.round(Math.abs(length) / 1000))
}

/** Makes the dispatches of a program those that its events and rules ask for. */
export class GridPlanner extends Context.Service<
  GridPlanner,
  {
    /** Cancels and creates dispatches in one transaction. What has not changed stays untouched. */
    readonly plan: (workspaceId: string, programId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Cancels the dispatches of a connection that have not ended. */
    readonly cancelAll: (workspaceId: string, connectionId: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/grid/GridPlanner") {
  static readonly layer = Layer.effect(
    GridPlanner,
    Effect.gen(function* () {
      const objects = yield* GridObjectsRepository
      const dispatches = yield* Dispatches
      const enrolled = yield* EnrolledSites
      const readDevices = yield* readCommandDevices
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const cancel = Effect.fnUntraced(function* (workspaceId: string, dispatchId: string, reason: string, now: Date) {
        // One that has ended by now needs no cancellation.
        yield* Effect.catchTags(dispatches.cancel({ workspaceId }, dispatchId, { reason }), {
          NOT_FOUND: () => Effect.void,
          INVALID_STATE: () => Effect.void
        })
        yield* objects.markCancelled(dispatchId, now)
      })

      /** The enrolled devices of a type at a time. */
      const readSharing = Effect.fnUntraced(function* (program: ProgramRow, type: DispatchedType, at: Date) {
        const sites = yield* enrolled.at(program.workspaceId, program.programInstanceId!, at)
        const devices = (yield* enrolled.devices(program.workspaceId, sites)).filter((device) => device.type === type)
        return yield* readDevices(devices.map(({ deviceId }) => deviceId))
      })

      const create = Effect.fnUntraced(function* (
        program: ProgramRow,
        { row }: ReadEvent,
        { intervals }: PlannedDispatch,
        now: Date
      ): Effect.fn.Return<"created" | "no_device", ValidationError | NotFound | InvalidState | DatabaseUnavailable> {
        const known = new Map<DispatchedType, ReadonlyArray<SharingDevice>>()
        const actionsFor = Effect.fnUntraced(function* (directive: Directive) {
          if (directive.kind === "actions") return directive.actions
          const { type } = directive
          const devices = known.get(type) ?? (yield* readSharing(program, type, new Date(intervals[0]!.start)))
          known.set(type, devices)
          const targetPowerW = sharedPower(directive, devices)
          return targetPowerW === undefined ? undefined : { [type]: { targetPowerW } }
        })
        const given = yield* Effect.forEach(intervals, ({ directive, end, start }) => {
          const durationSeconds = Math.floor((end - start) / 1000)
          // Whole seconds that end with the interval: the next one follows at once.
          const startsAt = new Date(end - durationSeconds * 1000).toISOString()
          return Effect.map(actionsFor(directive), (actions) => ({ startsAt, durationSeconds, actions }))
        })
        const able = given.filter(
          (each): each is typeof each & { readonly actions: object } => each.actions !== undefined
        )
        if (able.length === 0) return "no_device"
        const { id } = yield* dispatches.create({ workspaceId: program.workspaceId }, program.programInstanceId!, {
          name: (row.body.eventName || `${program.body.programName} ${row.vtnEventId}`).slice(0, NAME_LENGTH),
          intervals: able,
          randomizeStartSeconds: randomSeconds(row)
        })
        yield* objects.linkDispatch({
          dispatchId: id,
          workspaceId: program.workspaceId,
          programId: program.id,
          eventId: row.id,
          intervals,
          now
        })
        return "created"
      })

      const read = (program: ProgramRow, row: EventRow): ReadEvent => {
        const units = eventUnits(row, program.body.payloadDescriptors)
        const intervals = eventIntervals(row)
        const judged = intervals.flatMap(({ end, payloads, start }): ReadonlyArray<Judged> => {
          const each = judge(payloads, program.rules, units).judged
          if (end !== null && end <= start) {
            return each.map((one) => (one.directive === undefined ? one : { ...one, outcome: "no_duration" }))
          }
          return program.programInstanceId === null
            ? each.map((one) => (one.directive === undefined ? one : { ...one, outcome: "no_program_instance" }))
            : each
        })
        return {
          id: row.id,
          priority: row.priority,
          createdAt: row.vtnCreatedAt.getTime(),
          startsAt: row.startsAt!.getTime(),
          intervals,
          row,
          judged,
          directiveFor: (payloads) => judge(payloads, program.rules, units).directive
        }
      }

      /** Says why an event that means something for devices has no dispatch yet. */
      const waiting = ({ row }: ReadEvent, isGoverning: boolean, now: number): string | null => {
        if (row.startsAt!.getTime() > now + gridLimits.horizonMs) {
          return `The dispatch is created ${gridLimits.horizonMs / 3_600_000} hours before its start`
        }
        return isGoverning ? null : "Events with a higher priority govern in its time"
      }

      const plan = Effect.fnUntraced(function* (workspaceId: string, programId: string) {
        const [program] = yield* objects.lockProgram(workspaceId, programId)
        if (program === undefined) return
        const at = yield* Clock.currentTimeMillis
        const now = new Date(at)
        const events = (yield* objects.eventsFrom(programId, now)).map((row) => read(program, row))
        const byId = new Map(events.map((event) => [event.row.id, event]))
        const { isGoverning, planned } =
          program.programInstanceId === null
            ? { planned: [], isGoverning: () => true }
            : wantedDispatches(events, at, gridLimits.horizonMs)
        const existing = (yield* objects.liveDispatches(programId, now)).map(({ dispatchId, eventId, intervals }) => ({
          id: dispatchId,
          eventId,
          intervals
        }))
        const changes = reconcile(existing, planned, at)
        for (const { id, eventId } of changes.cancel) {
          const reason = byId.has(eventId) ? "The event of the VTN has changed" : "The VTN has ended its event"
          yield* cancel(workspaceId, id, reason, now)
        }
        const refusals = new Map<string, Pick<Judged, "outcome" | "detail">>()
        for (const one of changes.create) {
          const event = byId.get(one.eventId)!
          const made = yield* create(program, event, one, now).pipe(
            Effect.map((result) =>
              result === "created"
                ? undefined
                : { outcome: "no_device" as const, detail: "No enrolled device of the type shares the power" }
            ),
            Effect.catchTags({
              VALIDATION_ERROR: ({ details, message }) =>
                Effect.succeed({
                  outcome: "refused" as const,
                  detail: Object.entries(details ?? { dispatch: message })
                    .map(([name, text]) => `${name}: ${text}`)
                    .join("; ")
                }),
              INVALID_STATE: ({ message }) => Effect.succeed({ outcome: "refused" as const, detail: message }),
              NOT_FOUND: () =>
                Effect.succeed({ outcome: "refused" as const, detail: "The program instance does not exist" })
            })
          )
          if (made !== undefined) refusals.set(one.eventId, made)
        }
        yield* objects.storeOutcomes(
          events.map((event) => {
            const refusal = refusals.get(event.row.id)
            const note = waiting(event, isGoverning(event.row.id), at)
            const judged = event.judged.map((one) =>
              one.outcome !== "dispatched" ? one : { ...one, detail: note, ...refusal }
            )
            return { id: event.row.id, outcomes: summarize(judged) }
          })
        )
      })

      return {
        plan: Effect.fn("GridPlanner.plan")((workspaceId, programId) => transaction(plan(workspaceId, programId))),
        cancelAll: Effect.fn("GridPlanner.cancelAll")(function* (workspaceId, connectionId) {
          const now = new Date(yield* Clock.currentTimeMillis)
          for (const id of yield* objects.openDispatches(connectionId, now)) {
            yield* cancel(workspaceId, id, "The connection to the VTN was removed", now)
          }
        })
      }
    })
  )
}
