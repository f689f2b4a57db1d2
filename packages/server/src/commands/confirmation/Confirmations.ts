import { Cause, Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { Accounts } from "../../accounts/Accounts.ts"
import { issuedAt } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { commandEffect } from "../outcomes/commandEffect.ts"
import { CommandOutcomes } from "../outcomes/CommandOutcomes.ts"
import type { CommandOutcome } from "../CommandsRepository.ts"
import { compare, type ConfirmableCommand, effectPause, pollInterval, seenState } from "./stateComparison.ts"
import { commandLimits } from "../commandLimits.ts"
import { CONFIRMATION, LATE_RESULTS } from "../commandWork.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { ConfirmationsRepository, type TimedOut, type UnseenCommand } from "./ConfirmationsRepository.ts"

const { comparedTogether } = commandLimits

const toOutcome = ({ id, input, state, type }: ConfirmableCommand, status: "completed" | "failed"): CommandOutcome => {
  const effect = commandEffect(type, input, state)
  return {
    id,
    status,
    reason: status === "failed" ? "contradicted_by_state" : null,
    output: null,
    upstream: null,
    note: status === "completed" && effect._tag === "Explained" ? effect.note : null,
    isShown: effect._tag === "Shown"
  }
}

/** The note of a completed command by the newest state: null if it needs none; undefined if that is not known yet. */
const noteEffect = ({ at, executedAt, input, readingId, state, type }: UnseenCommand) => {
  if (at === null || readingId === null) return undefined
  const since = Math.min(at.getTime(), issuedAt(readingId)) - executedAt.getTime()
  if (since < 0) return undefined
  const effect = commandEffect(type, input, state)
  if (effect._tag === "Shown") return { note: null }
  if (effect._tag === "Explained") return { note: effect.note }
  return effect._tag === "Idle" && since >= commandLimits.beginsWithinSeconds * 1000 ? { note: effect.note } : undefined
}

/** Settles commands by the states of their devices. */
export class Confirmations extends Context.Service<
  Confirmations,
  {
    /** Checks the commands that are due. Returns whether there may be more. */
    readonly confirm: Effect.Effect<boolean, DatabaseUnavailable>
    /** Milliseconds until the turn of the next command comes. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Keeps late results of commands that timed out within the last hour. */
    readonly findLate: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Confirmations") {
  static readonly layer = Layer.effect(
    Confirmations,
    Effect.gen(function* () {
      const repository = yield* ConfirmationsRepository
      const outcomes = yield* CommandOutcomes
      const accounts = yield* Accounts
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const isolation = yield* makeIsolation(CONFIRMATION)
      const lateIsolation = yield* makeIsolation(LATE_RESULTS)

      /** Compares commands with states. An adapter that fails leaves its commands to the next look, and stops no others. */
      const compareAll = Effect.fnUntraced(function* <Command extends ConfirmableCommand>(
        commands: ReadonlyArray<Command>
      ) {
        const adapters = new Map<string, Parameters<typeof compare>[1]>()
        const failed = new Map<string, unknown>()
        const confirmations = new Map<Command, ReturnType<typeof compare>>()
        for (const command of commands) {
          const { direct, manufacturer } = command
          if (!direct && !adapters.has(manufacturer)) {
            const instance = yield* Effect.orElseSucceed(accounts.instance(manufacturer), () => undefined)
            adapters.set(manufacturer, instance?.confirms?.bind(instance))
          }
          try {
            confirmations.set(command, compare(command, direct ? undefined : adapters.get(manufacturer)))
          } catch (reason) {
            failed.set(manufacturer, reason)
          }
        }
        for (const [manufacturer, reason] of failed) {
          yield* logFailure(
            `confirms of ${manufacturer}`,
            `The adapter of ${manufacturer} failed to compare a command with a state`,
            Cause.die(reason)
          )
        }
        return (command: Command) => confirmations.get(command) ?? "pending"
      })

      const confirmDelivered = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, now: number) {
        const commands = yield* repository.unconfirmed(ids, new Date(now))
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        const settled = commands.filter((command) => shown(command) !== "pending")
        yield* outcomes.record(
          settled.map((command) => toOutcome(command, shown(command) === "met" ? "completed" : "failed"))
        )
        yield* repository.remember(
          commands.map((command) => ({
            id: command.id,
            readingId: command.readingId,
            seen: seenState(command),
            dueAt:
              shown(command) === "pending"
                ? new Date(now + pollInterval(now - (command.deliveredAt?.getTime() ?? now)))
                : null
          }))
        )
        return commands.length
      }, transaction)

      const rememberReadings = (commands: ReadonlyArray<ConfirmableCommand>) =>
        commands.length === 0
          ? Effect.void
          : repository.remember(
              commands.map((command) => ({
                id: command.id,
                readingId: command.readingId,
                seen: seenState(command),
                dueAt: null
              }))
            )

      const confirmInterrupted = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const commands = yield* repository.interrupted(ids)
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        const met = commands.filter((command) => shown(command) === "met")
        yield* outcomes.record(met.map((command) => toOutcome(command, "completed")))
        yield* rememberReadings(commands.filter((command) => shown(command) !== "met"))
        return commands.length
      }, transaction)

      /** Checks whether devices do something for commands that were completed without a state that shows it. */
      const noteEffects = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, now: number) {
        const commands = yield* repository.unseen(ids, new Date(now))
        if (commands.length === 0) return 0
        yield* repository.noteEffects(
          commands.map((command) => {
            const seen = noteEffect(command)
            const isOver = seen !== undefined || command.effectUntil.getTime() <= now
            const pause = effectPause(now - command.executedAt.getTime())
            return { id: command.id, note: seen?.note ?? null, isOver, dueAt: new Date(now + pause) }
          })
        )
        return commands.length
      }, transaction)

      const findLate = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const commands = yield* repository.timedOut(ids)
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        for (const command of commands) {
          if (shown(command) === "met") yield* outcomes.recordLate(command.id, { status: "completed", reason: null })
        }
        yield* rememberReadings(commands.filter((command) => shown(command) !== "met"))
        return commands.length
      }, transaction)

      return {
        confirm: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const delivered = yield* repository.due(new Date(now), comparedTogether)
          const confirmed = yield* isolation.run(
            delivered,
            (id) => id,
            (ids) => confirmDelivered(ids, now)
          )
          const interrupted = yield* repository.dueInterrupted(comparedTogether)
          const settled = yield* isolation.run(interrupted, (id) => id, confirmInterrupted)
          const unseen = yield* repository.dueUnseen(new Date(now), comparedTogether)
          const noted = yield* isolation.run(
            unseen,
            (id) => id,
            (ids) => noteEffects(ids, now)
          )
          return (
            (delivered.length === comparedTogether && confirmed > 0) ||
            (interrupted.length === comparedTogether && settled > 0) ||
            (unseen.length === comparedTogether && noted > 0)
          )
        }).pipe(Effect.withSpan("Confirmations.confirm")),
        nextDue: repository.nextDue,
        findLate: Effect.gen(function* () {
          const since = new Date((yield* Clock.currentTimeMillis) - commandLimits.lateResultSeconds * 1000)
          for (let after: TimedOut | undefined = { executedAt: since, id: "" }; after !== undefined;) {
            const due: ReadonlyArray<TimedOut> = yield* repository.dueTimedOut(since, after, comparedTogether)
            const ids = due.map(({ id }) => id)
            yield* lateIsolation.run(ids, (id) => id, findLate)
            after = due.length < comparedTogether ? undefined : due.at(-1)
          }
        }).pipe(Effect.withSpan("Confirmations.findLate"))
      }
    })
  )
}
