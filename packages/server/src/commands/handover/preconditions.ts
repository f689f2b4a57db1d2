import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandDevice } from "../issuing/commandDevice.ts"
import type { CommandInput } from "../commandRow.ts"

/** Null: only a call finds out whether the device can be reached. */
const reasons: Readonly<Record<InterventionCode, CommandReason | null>> = {
  key_not_paired: "pairing_required",
  scope_missing: "scope_missing",
  plan_required: "scope_missing",
  sign_in_again: "scope_missing",
  terms_not_accepted: "precondition_unmet",
  local_access_disabled: null,
  storm_mode: "precondition_storm_mode"
}

/** Milliseconds: a state that was seen longer ago may have changed. */
const KNOWN = 5 * 60_000

/** The precondition of a command that is known to be unmet, so that calling the manufacturer would be in vain. */
export const unmetPrecondition = (
  {
    at,
    interventions,
    interventionsAt,
    state
  }: Pick<CommandDevice, "at" | "interventions" | "interventionsAt" | "state">,
  type: CommandSlug,
  input: CommandInput,
  now: number
): CommandReason | undefined => {
  const isKnown = (seen: Date | null) => seen !== null && seen.getTime() > now - KNOWN
  const blocking = isKnown(interventionsAt) ? (interventions ?? []) : []
  for (const { blocks, code } of blocking) {
    const reason = reasons[code]
    if (reason !== null && blocks.includes(type)) return reason
  }
  const isUnplugged = (state as { readonly isPluggedIn?: boolean } | null)?.isPluggedIn === false
  return input["operatingMode"] === "start-charging" && isKnown(at) && isUnplugged
    ? "precondition_not_plugged_in"
    : undefined
}
