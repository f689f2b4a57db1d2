import { Context, type Effect } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"

/** The energy rollups of devices, which the slice `metrics` stores. */
export class RollupsOfDevice extends Context.Service<
  RollupsOfDevice,
  {
    /** Deletes rollups of the device, as many as one statement may. Returns whether there may be more. Joins the caller's transaction. */
    readonly delete: (deviceId: string) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@edp/server/readings/RollupsOfDevice") {}
