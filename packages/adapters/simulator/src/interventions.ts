import type { SimulatedType } from "@edp/domain/accounts/Simulator"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { type AccountRecord, findAccountFault } from "./cloud/AccountRecord.ts"
import type { SimulatedDevice } from "./physics/devices.ts"
import type { SiteProfile } from "./physics/SiteProfile.ts"

/** The commands that devices of a type take. */
export const supportedCommands = (type: SimulatedType): ReadonlyArray<CommandSlug> =>
  commandSlugs.filter((slug) => slug.startsWith(`${type}:`))

/** The commands that a device of a site takes: a thermostat without a schedule has none to pause. */
export const siteCommands = (type: SimulatedType, { thermostat }: SiteProfile): ReadonlyArray<CommandSlug> =>
  supportedCommands(type).filter((slug) => !slug.endsWith("-schedule") || thermostat?.schedule.length !== 0)

const keyNotPaired: Intervention = {
  code: "key_not_paired",
  blocks: ["vehicle:set-charge-limit", "vehicle:set-operating-mode"],
  title: "The vehicle does not accept commands of this platform yet",
  steps: ["Pair the key with edp simulator pair, as its owner would in the vehicle"],
  actor: "owner"
}

const stormMode: Intervention = {
  code: "storm_mode",
  blocks: supportedCommands("battery"),
  title: "Storm mode controls the battery",
  steps: ["Wait until the storm has passed, or end it with edp simulator faults clear"],
  actor: "owner"
}

const scopeMissing = (blocks: ReadonlyArray<CommandSlug>): Intervention => ({
  code: "scope_missing",
  blocks,
  title: "The owner did not allow commands",
  steps: ["Open the connect link again, and allow commands at the manufacturer"],
  actor: "owner"
})

const planRequired = (blocks: ReadonlyArray<CommandSlug>): Intervention => ({
  code: "plan_required",
  blocks,
  title: "Commands need a paid plan at the manufacturer",
  steps: ["Book the plan at the manufacturer"],
  actor: "owner"
})

const termsNotAccepted = (blocks: Intervention["blocks"]): Intervention => ({
  code: "terms_not_accepted",
  blocks,
  title: "The manufacturer's new terms are not accepted",
  steps: ["Accept the terms at the manufacturer: edp simulator faults clear does so"],
  actor: "owner"
})

/** The obstacles between a device and its commands at a time of the account's clock. */
export const listInterventions = (
  device: SimulatedDevice,
  record: Pick<AccountRecord, "faults">,
  time: number
): ReadonlyArray<Intervention> => {
  const commands = supportedCommands(device.type)
  const has = (kind: "scope_missing" | "plan_required" | "terms_not_accepted") =>
    findAccountFault(record, kind, time) !== undefined
  return [
    ...(device.type === "vehicle" && device.staticState.keyPaired === false ? [keyNotPaired] : []),
    ...(device.type === "battery" && device.state.isStormModeActive === true ? [stormMode] : []),
    ...(has("terms_not_accepted") ? [termsNotAccepted(["telemetry", ...commands])] : []),
    ...(commands.length > 0 && has("scope_missing") ? [scopeMissing(commands)] : []),
    ...(commands.length > 0 && has("plan_required") ? [planRequired(commands)] : [])
  ]
}
