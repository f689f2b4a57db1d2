import { modeCommand } from "@edp/domain/schedules/Schedule"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { CommandIssuer } from "../commands/issuing/CommandIssuer.ts"
import { SiteLimits } from "../commands/site-limits/SiteLimits.ts"
import { CommandTargets } from "../commands/issuing/CommandTargets.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { scheduleLimits } from "./scheduleLimits.ts"
import type { ScheduleRow } from "./scheduleRow.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { type DueSchedule, SCHEDULES, ScheduleRunsRepository } from "./ScheduleRunsRepository.ts"
import { modeAt, transitionAfter } from "./transitions.ts"

const total = Metric.counter("edp_schedule_commands_total", {
  description:
    "Commands of schedules, by result: issued, or skipped because the device or the limits of its site did not allow the command",
  incremental: true
})
const issuedTotal = Metric.withAttributes(total, { result: "issued" })
const skippedTotal = Metric.withAttributes(total, { result: "skipped" })

const chunks = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Schedules of single devices together; those of tags and collections one by one, because each may have many devices. */
const batches = (due: ReadonlyArray<DueSchedule>): ReadonlyArray<ReadonlyArray<string>> => {
  const own = due.filter(({ isOwn }) => isOwn).map(({ id }) => id)
  return [
    ...chunks(own, scheduleLimits.schedulesPerTransaction),
    ...due.filter(({ isOwn }) => !isOwn).map(({ id }) => [id])
  ]
}

/** Issues the commands of transitions that are due. */
export class ScheduleRunner extends Context.Service<
  ScheduleRunner,
  {
    /**
     * Issues what is due: to each device that follows the schedule, the mode that holds now, once. The commands and the move
     * to the next transition are one transaction. Returns the number of schedules that were moved.
     */
    readonly runDue: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until the next transition. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/ScheduleRunner") {
  static readonly layer = Layer.effect(
    ScheduleRunner,
    Effect.gen(function* () {
      const repository = yield* ScheduleRunsRepository
      const issuer = yield* CommandIssuer
      const targets = yield* CommandTargets
      const limits = yield* SiteLimits
      const { commandTimeoutSeconds } = yield* ServerConfig
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const isolation = yield* makeIsolation(SCHEDULES)

      const findFollowers = (schedule: ScheduleRow, now: Date) =>
        schedule.deviceId === null ? repository.followers(schedule, now) : Effect.succeed([schedule.deviceId])

      /** A device gets no command while no mode holds. */
      const plan = Effect.fnUntraced(function* (schedule: ScheduleRow, now: number) {
        const input = modeAt(schedule, now)
        const deviceIds = input === null ? [] : yield* findFollowers(schedule, new Date(now))
        const { deviceType, id, workspaceId } = schedule
        return deviceIds.map((deviceId) => ({
          workspaceId,
          deviceId,
          type: modeCommand(deviceType),
          input: { ...input },
          scheduleId: id
        }))
      })

      const runBatch = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const now = yield* Clock.currentTimeMillis
        const schedules = yield* repository.claim(ids, new Date(now))
        if (schedules.length === 0) return { moved: 0, issued: 0, skipped: 0, limited: 0 }
        const planned = (yield* Effect.forEach(schedules, (schedule) => plan(schedule, now))).flat()
        const checked = yield* Effect.forEach(chunks(planned, scheduleLimits.devicesTogether), (some) =>
          targets.checkEach(some)
        )
        const skipped = checked.flatMap((some) => some.skipped)
        const { fit, skipped: limited } = yield* limits.fit(checked.flatMap(({ able }) => able))
        const expiresAt = new Date(now + commandTimeoutSeconds * 1000)
        // One order of locks for all that issue commands.
        const ordered = fit.toSorted((one, other) => (one.deviceId < other.deviceId ? -1 : 1))
        for (const some of chunks(ordered, scheduleLimits.devicesTogether)) {
          yield* issuer.issue(
            some.map(({ scheduleId, ...command }) => ({
              ...command,
              source: "schedule",
              sourceId: scheduleId,
              batchId: null,
              scheduledFor: null,
              notBefore: null,
              expiresAt,
              revertAfter: null
            }))
          )
        }
        yield* repository.move(
          schedules.map((schedule) => {
            const next = transitionAfter(schedule, now)
            return { id: schedule.id, nextTransitionAt: next === undefined ? null : new Date(next) }
          })
        )
        return {
          moved: schedules.length,
          issued: fit.length,
          skipped: skipped.length + limited.length,
          limited: limited.length
        }
      }, transaction)

      const runSome = Effect.fn("ScheduleRunner.run")(function* (ids: ReadonlyArray<string>) {
        const { issued, limited, moved, skipped } = yield* runBatch(ids)
        yield* issuer.wake
        yield* Metric.update(issuedTotal, issued)
        yield* Metric.update(skippedTotal, skipped)
        if (skipped > 0) {
          const reasons = limited > 0 ? `, ${limited} of them because of the power limits of their sites` : ""
          yield* Effect.logInfo(
            `${skipped} devices could not take the commands of their schedules${reasons}; ${issued} could`
          )
        }
        return moved
      })

      const next = Effect.gen(function* () {
        const due = yield* repository.due(new Date(yield* Clock.currentTimeMillis), scheduleLimits.schedules)
        let moved = 0
        for (const ids of batches(due)) moved += yield* isolation.runIds(ids, runSome)
        return { moved, isMore: due.length === scheduleLimits.schedules && moved > 0 }
      })

      return {
        nextDue: repository.nextDue,
        runDue: Effect.gen(function* () {
          let all = 0
          for (let isMore = true; isMore;) {
            const result = yield* next
            all += result.moved
            isMore = result.isMore
          }
          return all
        })
      }
    })
  )
}
