import type { CommandReason } from "@edp/domain/commands/CommandReason"

/** The reasons of commands after which a device counts as one that does not respond. */
export const unresponsiveReasons: ReadonlyArray<CommandReason> = ["timeout", "unreachable", "asleep"]

const messages: Readonly<Record<Exclude<CommandReason, "already_so"> | OwnReason, string>> = {
  cancelled: "The device's command was cancelled",
  overridden: "A user's command has taken the device over",
  timeout: "The device has not answered in time",
  unreachable: "The device or its manufacturer can't be reached",
  asleep: "The device is asleep",
  refused: "The device or its manufacturer has refused the command",
  precondition_not_plugged_in: "The vehicle is not plugged in",
  precondition_storm_mode: "The battery keeps its charge for an announced storm",
  precondition_unmet: "The device needs something to be done before it takes the command: see its interventions",
  pairing_required: "The platform's key must be paired with the device",
  scope_missing: "The owner has not permitted the platform to send the command",
  quota_exhausted: "The device has had too many mode changes by schedules and dispatches in an hour",
  contradicted_by_state: "The device has accepted the command, and its state shows something else",
  unsupported_value: "The device does not take the value",
  not_able: "The device is disconnected or does not take the command: see its availableCommands",
  power_not_supported: "The device does not take this power: it got a mode without it",
  settings_unknown: "The thermostat's present settings are not known, so they could not be restored",
  site_limit: "The command would exceed the power limit of the site",
  outranked: "Another dispatch, which goes before, holds the device",
  not_restored: "The thermostat did not take its settings from before back"
}

type OwnReason = "not_able" | "power_not_supported" | "settings_unknown" | "site_limit" | "outranked" | "not_restored"

/** A device's reason, as shown to users. */
export const reasonMessage = (code: string): string => (messages as Readonly<Record<string, string>>)[code] ?? code

/** Reasons of a site itself. */
export const siteReasons = {
  optedOut: (message: string | null | undefined) => ({
    code: "opted_out",
    message: message ?? "The site has opted out"
  }),
  notEnrolled: { code: "not_enrolled", message: "The enrollment of the site has ended" },
  heldOut: { code: "held_out", message: "The site was left out at random, for the baseline of the others" },
  noDevice: { code: "no_device", message: "The site has no connected device of a type with an action" },
  missed: { code: "missed", message: "The platform was not running while the dispatch could have begun at the site" }
} as const
