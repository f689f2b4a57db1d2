import type { CommandReason } from "@edp/domain/commands/CommandReason"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { CommandDevice } from "./commandDevice.ts"
import type { CommandInput } from "./commandRow.ts"

const reasons: Readonly<Record<InterventionCode, CommandReason>> = {
  key_not_paired: "pairing_required",
  scope_missing: "scope_missing",
  plan_required: "scope_missing",
  sign_in_again: "scope_missing",
  terms_not_accepted: "precondition_unmet",
  local_access_disabled: "precondition_unmet",
  storm_mode: "precondition_storm_mode"
}

/** A reading tells of the plug for this time, in milliseconds: a cable is soon plugged in. */
const PLUG_KNOWN = 120_000

/** The precondition of a command that is known to be unmet, so that calling the manufacturer would be in vain. */
export const unmetPrecondition = (
  { at, interventions, state }: Pick<CommandDevice, "at" | "interventions" | "state">,
  type: CommandSlug,
  input: CommandInput,
  now: number
): CommandReason | undefined => {
  const blocking = interventions?.find(({ blocks }) => blocks.includes(type))
  if (blocking !== undefined) return reasons[blocking.code]
  const isKnown = at !== null && at.getTime() > now - PLUG_KNOWN
  const isUnplugged = (state as { readonly isPluggedIn?: boolean } | null)?.isPluggedIn === false
  return input["operatingMode"] === "start-charging" && isKnown && isUnplugged
    ? "precondition_not_plugged_in"
    : undefined
}
