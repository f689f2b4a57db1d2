import { Context, type Effect } from "effect"
import type { Freezing } from "./freezing.ts"

/** What the energy rollups still need of readings that are about to be dropped; metrics provide it. */
export class FrozenEnergy extends Context.Service<
  FrozenEnergy,
  {
    /** Plans which readings before an instant stay for the rollups of these devices. */
    readonly plan: (keptFrom: number, deviceIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Freezing>>
  }
>()("@edp/server/FrozenEnergy") {}
