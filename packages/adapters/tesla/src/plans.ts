import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { Schema } from "effect"

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
export const SiteSettings = Schema.Struct({
  /** Percent. */
  backupReserve: Schema.Finite,
  mode: Schema.String,
  exportRule: Schema.NullOr(Schema.String),
  chargeFromGridDisallowed: Schema.NullOr(Schema.Boolean)
})
export type SiteSettings = typeof SiteSettings.Type

export type Plan =
  | {
      readonly _tag: "Calls"
      readonly calls: ReadonlyArray<PlannedCall>
      /** To be stored before the first call, unless an earlier snapshot holds. */
      readonly snapshot: SiteSettings | null
    }
  | { readonly _tag: "AlreadySo" }
  /** Tesla would refuse it: nothing is sent. */
  | { readonly _tag: "Rejected"; readonly reason: CommandReason; readonly message: string }

export const rejected = (reason: CommandReason, message: string): Plan => ({ _tag: "Rejected", reason, message })

export const post = (base: PlannedCall["base"], path: string, body: PlannedCall["body"]): PlannedCall => ({
  base,
  method: "POST",
  path,
  body
})
