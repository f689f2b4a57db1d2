import { randomUUID } from "node:crypto"
import { Context } from "effect"

/**
 * This process as the holder of leases. Its id is stored with each claim, so that the others can end the leases of a process that is gone.
 * It gets a new one when the others took it for gone.
 */
export interface LeaseHolding {
  id: string
  /** Called when the leases may have been ended by others. */
  readonly doubted: Set<() => void>
}

export const LeaseHolder = Context.Reference<LeaseHolding>("@edp/server/platform/jobs/LeaseHolder", {
  defaultValue: () => ({ id: randomUUID(), doubted: new Set() })
})
