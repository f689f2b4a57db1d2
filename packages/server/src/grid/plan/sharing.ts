import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { ratedPower } from "@edp/domain/commands/targetPower"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import type { Directive } from "./directives.ts"

type Share = Extract<Directive, { kind: "share" }>

/** A device as far as its share needs it. */
export interface SharingDevice {
  readonly type: DeviceType
  readonly commands: ReadonlyArray<string>
  readonly staticState: object | null
}

/**
 * The one power that devices are asked for, so that they deliver a total together: those that can do less do what they can, and the
 * others share the rest equally. The limit of a device is undefined where it is not known. Limits that add up to less are all reached.
 */
export const sharedLevel = (total: number, limits: ReadonlyArray<number | undefined>): number => {
  const rising = limits.map((limit) => limit ?? Number.POSITIVE_INFINITY).toSorted((one, other) => one - other)
  let rest = total
  for (const [index, limit] of rising.entries()) {
    const each = rest / (rising.length - index)
    if (each <= limit) return each
    rest -= limit
  }
  return rising.at(-1) ?? 0
}

/** The power of each device, W, in the sign of a dispatch: a battery discharges with a positive one. Undefined if no device takes one. */
export const sharedPower = ({ type, watts }: Share, devices: ReadonlyArray<SharingDevice>): number | undefined => {
  const command = modeCommand(type)
  const able = devices.filter((device) => device.type === type && device.commands.includes(command))
  if (able.length === 0) return undefined
  const mode = type !== "battery" ? "start-charging" : watts < 0 ? "discharge" : "charge"
  const limits = able.map(({ staticState }) => ratedPower(command, mode, staticState).maximum)
  const each = Math.round(sharedLevel(Math.abs(watts), limits))
  // Not -0, which is another JSON.
  return type === "battery" && watts > 0 && each > 0 ? -each : each
}
