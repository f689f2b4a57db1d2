import type { CommandSlug } from "@edp/domain/devices/DeviceType"

/** The reasons for which a command of Tesla ends without success, or with nothing sent. */
export type TeslaReason =
  | "unreachable"
  | "asleep"
  | "refused"
  | "precondition_not_plugged_in"
  | "precondition_storm_mode"
  | "precondition_unmet"
  | "pairing_required"
  | "scope_missing"
  | "quota_exhausted"
  | "unsupported_value"
  | "already_so"

/**
 * A call of a plan. `command` goes to the base address of the signing proxy, where vehicle commands are signed; `read` to
 * the regional address of the Fleet API.
 */
export interface PlannedCall {
  readonly base: "read" | "command"
  readonly method: "POST"
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Settings of a site that a forced mode touches, as they were before. */
export interface SiteSettings {
  /** Percent. */
  readonly backupReserve: number
  readonly mode: string
  readonly exportRule: string | null
  readonly chargeFromGridDisallowed: boolean | null
}

/** The state that the next observation has to show before a command is complete. */
export type Expectation =
  | { readonly _tag: "SiteSettings"; readonly settings: Partial<SiteSettings> }
  | { readonly _tag: "Charging"; readonly charging: boolean }
  | { readonly _tag: "ChargeLimit"; readonly chargeLimit: number }
  /** The answer itself is the result. */
  | { readonly _tag: "Answer" }

export type Plan =
  | {
      readonly _tag: "Calls"
      readonly calls: ReadonlyArray<PlannedCall>
      readonly expected: Expectation
      /** To be stored before the first call, unless an earlier snapshot holds. */
      readonly snapshot: SiteSettings | null
    }
  | { readonly _tag: "AlreadySo" }
  | { readonly _tag: "Rejected"; readonly slug: CommandSlug; readonly reason: TeslaReason; readonly message: string }

export const rejected = (slug: CommandSlug, reason: TeslaReason, message: string): Plan => ({
  _tag: "Rejected",
  slug,
  reason,
  message
})

export const post = (base: PlannedCall["base"], path: string, body: PlannedCall["body"]): PlannedCall => ({
  base,
  method: "POST",
  path,
  body
})
