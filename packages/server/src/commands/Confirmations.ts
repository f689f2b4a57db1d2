import type { Confirmation } from "@edp/domain/commands/confirmByState"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../accounts/Accounts.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"
import type { CommandOutcome } from "./CommandsRepository.ts"
import { compare, type ConfirmableCommand, lookPause } from "./confirmation.ts"
import { ConfirmationsRepository } from "./ConfirmationsRepository.ts"

/** Commands that one transaction looks at. */
const MOST = 500
/** A state gives a late result for this time after the time-out, in milliseconds. */
const LATE = 3_600_000

const toOutcome = ({ id }: ConfirmableCommand, status: "completed" | "failed"): CommandOutcome => ({
  id,
  status,
  reason: status === "failed" ? "contradicted_by_state" : null,
  output: null,
  upstream: null
})

/** Settles commands by the states of their devices. */
export class Confirmations extends Context.Service<
  Confirmations,
  {
    /** Looks at commands whose turn has come. Returns whether there may be more. */
    readonly confirm: Effect.Effect<boolean>
    /** Keeps late results of commands that timed out within the last hour. */
    readonly findLate: Effect.Effect<void>
  }
>()("@edp/server/Confirmations") {
  static readonly layer = Layer.effect(
    Confirmations,
    Effect.gen(function* () {
      const repository = yield* ConfirmationsRepository
      const outcomes = yield* CommandOutcomes
      const accounts = yield* Accounts
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      /** Compares commands with states. An adapter that fails leaves its commands to the next look, and stops no others. */
      const compareAll = Effect.fnUntraced(function* <Command extends ConfirmableCommand>(
        commands: ReadonlyArray<Command>
      ) {
        const adapters = new Map<string, Parameters<typeof compare>[1]>()
        const failed = new Map<string, unknown>()
        const confirmations = new Map<Command, Confirmation>()
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
          yield* Effect.logWarning(`The adapter of ${manufacturer} failed to compare a command with a state`, reason)
        }
        return (command: Command): Confirmation => confirmations.get(command) ?? "pending"
      })

      const confirmDelivered = Effect.fnUntraced(function* (now: number) {
        const commands = yield* repository.unconfirmed(new Date(now), MOST)
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        const settled = commands.filter((command) => shown(command) !== "pending")
        const waiting = commands.filter((command) => shown(command) === "pending")
        yield* outcomes.record(
          settled.map((command) => toOutcome(command, shown(command) === "met" ? "completed" : "failed"))
        )
        if (waiting.length > 0) {
          yield* repository.note(
            waiting.map(({ deliveredAt, id, readingId }) => ({
              id,
              readingId,
              dueAt: new Date(now + lookPause(now - (deliveredAt?.getTime() ?? now)))
            }))
          )
        }
        return commands.length
      })

      const noteReadings = (commands: ReadonlyArray<ConfirmableCommand>) =>
        commands.length === 0
          ? Effect.void
          : repository.note(commands.map(({ id, readingId }) => ({ id, readingId, dueAt: null })))

      const confirmInterrupted = Effect.gen(function* () {
        const commands = yield* repository.interrupted(MOST)
        if (commands.length === 0) return 0
        const shown = yield* compareAll(commands)
        const met = commands.filter((command) => shown(command) === "met")
        yield* outcomes.record(met.map((command) => toOutcome(command, "completed")))
        yield* noteReadings(commands.filter((command) => shown(command) !== "met"))
        return commands.length
      })

      const findLateAfter = Effect.fnUntraced(function* (since: Date, after: { executedAt: Date; id: string }) {
        const commands = yield* repository.timedOut(since, after, MOST)
        if (commands.length === 0) return undefined
        const shown = yield* compareAll(commands)
        for (const command of commands) {
          if (shown(command) === "met") yield* outcomes.recordLate(command.id, { status: "completed", reason: null })
        }
        yield* noteReadings(commands.filter((command) => shown(command) !== "met"))
        return commands.length < MOST ? undefined : commands.at(-1)
      })

      return {
        confirm: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const delivered = yield* transaction(confirmDelivered(now))
          const interrupted = yield* transaction(confirmInterrupted)
          return delivered === MOST || interrupted === MOST
        }).pipe(Effect.withSpan("Confirmations.confirm")),
        findLate: Effect.gen(function* () {
          const since = new Date((yield* Clock.currentTimeMillis) - LATE)
          let after: { executedAt: Date; id: string } | undefined = { executedAt: since, id: "" }
          while (after !== undefined) after = yield* transaction(findLateAfter(since, after))
        }).pipe(Effect.withSpan("Confirmations.findLate"))
      }
    })
  )
}
