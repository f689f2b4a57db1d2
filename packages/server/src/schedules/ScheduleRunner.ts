import { ServiceUnavailable } from "@edp/domain/errors/ApiErrors"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import { Cause, Clock, Context, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { CommandIssuer } from "../commands/CommandIssuer.ts"
import { SiteLimits } from "../commands/SiteLimits.ts"
import { CommandTargets } from "../commands/CommandTargets.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import type { ScheduleRow } from "./scheduleRow.ts"
import { type DueSchedule, ScheduleRunsRepository } from "./ScheduleRunsRepository.ts"
import { modeAt, transitionAfter } from "./transitions.ts"

/** Schedules that are looked up at a time, and those of single devices whose commands one transaction issues. */
const MOST = 2000
const MOST_OWN = 500

const total = Metric.counter("edp_schedule_commands_total", {
  description:
    "Commands of schedules, by result: issued, or skipped because the device or the limits of its site did not allow the command",
  incremental: true
})
const issuedTotal = Metric.withAttributes(total, { result: "issued" })
const skippedTotal = Metric.withAttributes(total, { result: "skipped" })

/** Schedules of single devices together; those of tags and collections one by one, because each may have many devices. */
const batches = (due: ReadonlyArray<DueSchedule>): ReadonlyArray<ReadonlyArray<string>> => {
  const own = due.filter(({ isOwn }) => isOwn).map(({ id }) => id)
  const starts = Array.from({ length: Math.ceil(own.length / MOST_OWN) }, (_, index) => index * MOST_OWN)
  return [
    ...starts.map((start) => own.slice(start, start + MOST_OWN)),
    ...due.filter(({ isOwn }) => !isOwn).map(({ id }) => [id])
  ]
}

const isUnavailable = (cause: Cause.Cause<unknown>) => Cause.squash(cause) instanceof ServiceUnavailable

/** Issues the commands of transitions that are due. */
export class ScheduleRunner extends Context.Service<
  ScheduleRunner,
  {
    /**
     * Issues what is due: to each device that follows the schedule, the mode that holds now, once. The commands and the move
     * to the next transition are one transaction. Returns the number of schedules that were moved.
     */
    readonly runDue: Effect.Effect<number>
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
        const { able, skipped } = yield* targets.checkEach(planned)
        const { fit, skipped: limited } = yield* limits.fit(able)
        const expiresAt = new Date(now + commandTimeoutSeconds * 1000)
        yield* issuer.issue(
          fit.map(({ scheduleId, ...command }) => ({
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

      /** A batch that fails is halved, so that a schedule that can't be run holds up no other. */
      const run = (ids: ReadonlyArray<string>): Effect.Effect<number> =>
        Effect.catchCause(runSome(ids), (cause) => {
          if (isUnavailable(cause) || Cause.hasInterrupts(cause)) return Effect.failCause(cause)
          const half = Math.ceil(ids.length / 2)
          return ids.length > 1
            ? Effect.zipWith(run(ids.slice(0, half)), run(ids.slice(half)), (one, other) => one + other)
            : Effect.as(Effect.logWarning(`The schedule ${ids[0]} could not be run; it is tried again`, cause), 0)
        })

      const next = Effect.gen(function* () {
        const due = yield* repository.due(new Date(yield* Clock.currentTimeMillis), MOST)
        let moved = 0
        for (const ids of batches(due)) moved += yield* run(ids)
        return { moved, isMore: due.length === MOST && moved > 0 }
      })

      return {
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
