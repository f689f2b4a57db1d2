import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import { Confirmations } from "@edp/server/commands/confirmation/Confirmations"
import { Effect, Logger } from "effect"
import type { TestApp } from "../../support/TestApp.ts"

/** The sweeps over open commands, as background work runs them. */
export const commandSweeps = (app: TestApp) => {
  const run = <A, E>(sweep: Effect.Effect<A, E, Confirmations | CommandOutcomes>) =>
    app.run(sweep.pipe(Effect.provide(Logger.layer([]))) as Effect.Effect<A, E>)
  return {
    confirm: () =>
      run(Effect.flatMap(Confirmations, ({ confirm }) => Effect.repeat(confirm, { while: (more) => more }))),
    findLate: () => run(Effect.flatMap(Confirmations, ({ findLate }) => findLate)),
    timeOut: () => run(Effect.flatMap(CommandOutcomes, ({ timeOut }) => timeOut))
  }
}
