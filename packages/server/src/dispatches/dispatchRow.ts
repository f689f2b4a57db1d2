import {
  type Baseline,
  type Dispatch,
  type DispatchInterval,
  DispatchStatus,
  type Participant,
  ParticipantState,
  participantStates
} from "@edp/domain/dispatches/Dispatch"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"
import { selectList } from "../platform/sql/selectList.ts"
import type { CommandReason } from "@edp/domain/commands/CommandReason"

/** A dispatch as it is stored. */
export const DispatchRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  programInstanceId: Schema.String,
  name: Schema.String,
  startsAt: Schema.Date,
  endsAt: Schema.Date,
  intervals: Schema.Array(JsonColumn<DispatchInterval>()),
  priority: Schema.Finite,
  randomizeStartSeconds: Schema.Finite,
  voluntary: Schema.Boolean,
  test: Schema.Boolean,
  nominatedPowerW: Schema.NullOr(Schema.Finite),
  baseline: JsonColumn<Baseline>(),
  status: DispatchStatus,
  reason: Schema.NullOr(Schema.String),
  /** The next time at which the runner checks it. */
  dueAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type DispatchRow = typeof DispatchRow.Type

/** A dispatch's columns in statements that read the table `dispatches`. */
export const dispatchColumns = selectList(DispatchRow)

export const StateCount = Schema.Struct({ state: ParticipantState, n: Schema.Finite })
export type StateCount = typeof StateCount.Type

const toCounts = (counted: ReadonlyArray<StateCount>): Dispatch["participants"] => {
  const counts = new Map(counted.map(({ n, state }) => [state, n]))
  return Object.fromEntries(
    participantStates.map((state) => [state, counts.get(state) ?? 0])
  ) as Dispatch["participants"]
}

export const isEnded = (status: DispatchRow["status"]) => status === "completed" || status === "cancelled"

export const toDispatch = (row: DispatchRow, counted: ReadonlyArray<StateCount>): Dispatch => ({
  id: row.id,
  programInstanceId: row.programInstanceId,
  name: row.name,
  startsAt: iso(row.startsAt),
  endsAt: iso(row.endsAt),
  intervals: row.intervals,
  priority: row.priority,
  randomizeStartSeconds: row.randomizeStartSeconds,
  voluntary: row.voluntary,
  test: row.test,
  nominatedPowerW: row.nominatedPowerW,
  baseline: row.baseline,
  status: row.status,
  reason: row.reason,
  participants: toCounts(counted),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

/** Why a site takes no part, or no longer. */
export const SiteReason = Schema.Struct({ code: Schema.String, message: Schema.String })
export type SiteReason = typeof SiteReason.Type

/** A participant as it is stored. */
export const DispatchSiteRow = Schema.Struct({
  dispatchId: Schema.String,
  siteId: Schema.String,
  customerId: Schema.String,
  enrollmentId: Schema.String,
  state: ParticipantState,
  heldOut: Schema.Boolean,
  /** With the random delay; null before the dispatch has begun. */
  startsAt: Schema.NullOr(Schema.Date),
  optedOutAt: Schema.NullOr(Schema.Date),
  reasons: Schema.Array(SiteReason),
  updatedAt: Schema.Date
})
export type DispatchSiteRow = typeof DispatchSiteRow.Type

/** A participant's columns in statements that read the table `dispatch_sites s`. */
export const siteColumns = selectList(DispatchSiteRow, {}, "s")

/** A reason why a device takes no part. */
export const DeviceReason = Schema.Struct({ siteId: Schema.String, deviceId: Schema.String, code: Schema.String })
export type DeviceReason = typeof DeviceReason.Type

/** Reasons that a participant shows. */
export const REASONS_SHOWN = 100

export const toParticipant = (
  row: DispatchSiteRow & { readonly deviceCount: number },
  reasons: ReadonlyArray<DeviceReason>
): Participant => ({
  siteId: row.siteId,
  customerId: row.customerId,
  enrollmentId: row.enrollmentId,
  state: row.state,
  heldOut: row.heldOut,
  startsAt: isoOrNull(row.startsAt),
  deviceCount: row.deviceCount,
  reasons: [
    ...row.reasons.map((reason) => ({ deviceId: null, ...reason })),
    ...reasons.map(({ code, deviceId }) => ({ deviceId, code, message: reasonMessage(code) }))
  ].slice(0, REASONS_SHOWN),
  updatedAt: iso(row.updatedAt)
})

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
const reasonMessage = (code: string): string => (messages as Readonly<Record<string, string>>)[code] ?? code

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
