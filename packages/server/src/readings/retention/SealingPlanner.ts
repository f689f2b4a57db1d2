import { Context, type Effect } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { SealingPlan } from "./sealingPlan.ts"

/** The readings that energy rollups still need among those about to be dropped; the slice `metrics` provides it. */
export class SealingPlanner extends Context.Service<
  SealingPlanner,
  {
    /** Plans which readings before an instant are kept for the rollups of these devices. */
    readonly plan: (
      keptFrom: number,
      deviceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SealingPlan>, DatabaseUnavailable>
  }
>()("@edp/server/SealingPlanner") {}
