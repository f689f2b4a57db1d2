import { Cause } from "effect"

/** Another run of the same request took over, because this one stood still for longer than its claim held. */
export class ClaimLost extends Error {
  override readonly message = "The claim of an Idempotency-Key was taken over"
}

export const isClaimLost = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof ClaimLost)
