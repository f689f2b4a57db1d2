import { NotFound } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import type { Simulation } from "@edp/adapter-kit/Simulation"
import { Accounts } from "./Accounts.ts"

const missing = new NotFound({ message: "This installation has no simulator" })

/** The operators' access to the simulated manufacturer that runs in this process. */
export class Simulator extends Context.Service<
  Simulator,
  { readonly simulation: Effect.Effect<Simulation, NotFound> }
>()("@edp/server/accounts/Simulator") {
  static readonly layer = Layer.effect(
    Simulator,
    Effect.map(Accounts, (accounts) => ({
      simulation: accounts.instance("simulator").pipe(
        Effect.mapError(() => missing),
        Effect.filterOrFail(
          (instance) => instance.simulation !== undefined,
          () => missing
        ),
        Effect.map(({ simulation }) => simulation!)
      )
    }))
  )
}
