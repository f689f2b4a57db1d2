import { Context, type Effect } from "effect"
import type { Freezing } from "./freezing.ts"

/** The readings that energy rollups still need among those about to be dropped; the slice `metrics` provides it. */
export class FrozenEnergy extends Context.Service<
  FrozenEnergy,
  {
    /** Plans which readings before an instant are kept for the rollups of these devices. */
    readonly plan: (keptFrom: number, deviceIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Freezing>>
  }
>()("@edp/server/FrozenEnergy") {}
