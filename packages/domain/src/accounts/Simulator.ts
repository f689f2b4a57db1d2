import { Schema } from "effect"
import type { CommandReason } from "../commands/CommandReason.ts"
import { CommandSlug, DeviceType, OnlineStatus } from "../devices/DeviceType.ts"
import { Address } from "../shared/Address.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"
import { FreeForm, StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"

const optional = Schema.optionalKey

/** Faults of an account: of its sign-in, its tokens and the manufacturer's service. */
export const accountFaultKinds = {
  sign_in_denied: "The sign-in ends in access_denied, whatever is chosen",
  client_rejected: "The token endpoint does not know the platform's client",
  code_refused: "The token endpoint refuses the authorization code",
  garbled_tokens: "The token endpoint responds with something that is no token",
  sign_in_unavailable: "The token endpoint responds with 503",
  unavailable: "Every call is answered with 503",
  token_revoked: "The permission ends `seconds` after the sign-in, 0 by default",
  refresh_refused: "Access tokens end after `seconds`, 60 by default, and are not renewed",
  rate_limited: "Calls are answered with 429 and a Retry-After of `seconds`, 60 by default",
  slow: "Responses take `seconds`, 5 by default",
  scope_missing: "The owner did not allow commands",
  plan_required: "The manufacturer wants a paid plan for commands",
  terms_not_accepted: "The manufacturer wants its new terms accepted before readings and commands",
  no_devices: "The account has no devices",
  incompatible_devices: "The devices are of a kind that cannot be read"
} as const
export type AccountFaultKind = keyof typeof accountFaultKinds

/** Faults of a device, or of all devices of an account. */
export const deviceFaultKinds = {
  offline: "The device does not respond; what it does goes on",
  slow: "The device responds to commands `seconds` late, 5 by default",
  refuses_command: "The device refuses `command`, or every command, with `reason`, `refused` by default",
  storm_mode: "Batteries fill up and keep their charge",
  key_not_paired: "The vehicle has no key of the platform",
  partial_fields: "Readings lack `fields`",
  wrong_units: "`fields` are multiplied with `factor`, 0.001 by default",
  counter_reset: "The lifetime counters begin at 0 again"
} as const
export type DeviceFaultKind = keyof typeof deviceFaultKinds

export const simulatorFaultKinds = [
  ...(Object.keys(accountFaultKinds) as ReadonlyArray<AccountFaultKind>),
  ...(Object.keys(deviceFaultKinds).filter((kind) => kind !== "slow") as ReadonlyArray<
    Exclude<DeviceFaultKind, "slow">
  >)
] as const
export type SimulatorFaultKind = (typeof simulatorFaultKinds)[number]

/** Reasons with which a simulated device can refuse a command. */
export const refusableReasons = [
  "unreachable",
  "refused",
  "precondition_not_plugged_in",
  "precondition_storm_mode",
  "precondition_unmet",
  "pairing_required",
  "quota_exhausted",
  "scope_missing",
  "contradicted_by_state",
  "unsupported_value"
] as const satisfies ReadonlyArray<CommandReason>

const FaultKind = oneOf(simulatorFaultKinds, "The fault").annotate({ identifier: "SimulatorFaultKind" })

const MAX_SECONDS = 86_400
/** Maximum number of fields that a fault of readings names. */
const MAX_FIELDS = 20

const faultFields = {
  kind: FaultKind,
  seconds: optional(quantity("Seconds, as the kind says", { minimum: 0, maximum: MAX_SECONDS })),
  command: optional(CommandSlug),
  reason: optional(oneOf(refusableReasons, "Why the device refuses")),
  fields: optional(
    Schema.Array(Text(1, 100))
      .check(Schema.isMaxLength(MAX_FIELDS, { message: `Must be at most ${MAX_FIELDS} fields` }))
      .annotate({ description: "Fields of the reading" })
  ),
  factor: optional(quantity("Factor of the fields", { above: 0 }))
}

/** A fault to script. `deviceId` null or absent: the account, or all its devices. */
export const ScriptFault = Schema.Struct({
  ...faultFields,
  deviceId: optional(
    Schema.NullOr(Text(1, 255)).annotate({
      description: "The manufacturer's id of a device; null or absent: the account, or all its devices"
    })
  ),
  from: optional(TimestampInput.annotate({ description: "Begin, on the account's clock; by default now" })),
  until: optional(
    Schema.NullOr(TimestampInput).annotate({
      description: "End, on the account's clock; null or absent: until it is cleared"
    })
  )
}).annotate({ identifier: "ScriptFault", description: "A fault of a simulated account or device" })
export type ScriptFault = typeof ScriptFault.Type

export const SimulatorFault = Schema.Struct({
  ...faultFields,
  deviceId: Schema.NullOr(StoredText(255)),
  from: Timestamp,
  until: Schema.NullOr(Timestamp)
}).annotate({ identifier: "SimulatorFault", description: "A scripted fault, in force or to come" })
export type SimulatorFault = typeof SimulatorFault.Type

export const SimulatedDevice = Schema.Struct({
  id: StoredText(255).annotate({ description: "The manufacturer's id of the device" }),
  type: DeviceType,
  name: StoredText(255),
  onlineStatus: OnlineStatus,
  state: optional(FreeForm.annotate({ description: "The state in the simulated home; only of a single account" }))
}).annotate({ identifier: "SimulatedDevice", description: "A device of a simulated home" })

export const SimulatorAccount = Schema.Struct({
  id: StoredText(100).annotate({ description: "The name with which the sign-in page lists the account" }),
  name: StoredText(255),
  description: Schema.NullOr(StoredText(1000)).annotate({ description: "What happens with this account" }),
  isTestAccount: Schema.Boolean.annotate({ description: "Comes with the installation; false: added by operators" }),
  clock: Schema.Struct({
    time: Timestamp,
    speed: Schema.Number.annotate({ description: "Simulated seconds in a second; 0: the clock stands" }),
    behind: Schema.Number.annotate({ description: "Seconds behind the present; it never goes ahead of it" })
  }),
  faults: Schema.Array(SimulatorFault),
  sites: Schema.Array(
    Schema.Struct({
      id: StoredText(100),
      name: StoredText(255),
      address: Address,
      timezone: Timezone,
      devices: Schema.Array(SimulatedDevice)
    })
  )
}).annotate({ identifier: "SimulatorAccount", description: "An account of the simulated manufacturer" })
export type SimulatorAccount = typeof SimulatorAccount.Type

/** The types of the simulated devices. */
export const simulatedTypes = [
  "battery",
  "charger",
  "inverter",
  "meter",
  "thermostat",
  "vehicle",
  "water_heater"
] as const satisfies ReadonlyArray<DeviceType>
export type SimulatedType = (typeof simulatedTypes)[number]

/** The longest past that a home's first report has, in days. */
export const LONGEST_PAST_DAYS = 60

/** The homes that the town is to have at least. */
export const GrowTown = Schema.Struct({
  homes: quantity("Number of homes that the town has at least", { minimum: 1, maximum: 2000, integer: true }),
  seed: optional(
    quantity("Seed of the town: the same seed gives the same homes", { minimum: 0, maximum: 999_999, integer: true })
  ),
  withDevice: optional(
    oneOf(simulatedTypes, "Only homes with a device of this type count; the others of the town are left out")
  ),
  past: optional(
    quantity(
      "Seconds of the past that the first report of a new home has: by the quarter of an hour for the last day, by the hour before",
      { minimum: 0, maximum: LONGEST_PAST_DAYS * MAX_SECONDS }
    )
  )
}).annotate({ identifier: "GrowTown", description: "The homes of a simulated town, an account each" })
export type GrowTown = typeof GrowTown.Type

/** A change of an account's clock. The fields apply in the order `behind`, `advance`, `speed`. */
export const SetClock = Schema.Struct({
  behind: optional(
    quantity("Sets the clock this many seconds behind the present", { minimum: 0, maximum: 31_622_400 })
  ),
  advance: optional(
    quantity("Advances the clock by this many seconds, at most to the present", { minimum: 0, maximum: 31_622_400 })
  ),
  speed: optional(
    quantity("Simulated seconds in a second until the clock reaches the present; 0: it stands", {
      minimum: 0,
      maximum: 1440
    })
  )
}).annotate({ identifier: "SetClock", description: "A change of the clock of a simulated account" })
export type SetClock = typeof SetClock.Type

export const PairKey = Schema.Struct({
  deviceId: optional(Text(1, 255).annotate({ description: "The vehicle; by default every vehicle of the account" })),
  paired: optional(flag("false takes the key away; true by default"))
}).annotate({ identifier: "PairKey", description: "Pairs the platform's key with a simulated vehicle" })
export type PairKey = typeof PairKey.Type

export const AddHome = Schema.Struct({
  seed: optional(
    quantity("Seed of the home; by default another one for each home", { minimum: 0, maximum: 999_999, integer: true })
  )
}).annotate({ identifier: "AddHome", description: "A further home of a simulated account" })
export type AddHome = typeof AddHome.Type
