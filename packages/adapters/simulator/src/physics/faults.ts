import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { RefusalReason } from "./commandResult.ts"

/**
 * Scripted faults. The physics carries storm mode, refusals, missing keys and unreachable devices; the others are data
 * for what stands between the device and its owner.
 */
export type Fault =
  /** The device does not respond; the physics goes on. */
  | { readonly kind: "offline" }
  /** Responses take this much longer. */
  | { readonly kind: "slow"; readonly latencySeconds: number }
  /** The device refuses a command; null: every command. */
  | { readonly kind: "refuses_command"; readonly command: CommandSlug | null; readonly reason: RefusalReason }
  | { readonly kind: "token_revoked" }
  | { readonly kind: "rate_limited"; readonly retryAfterSeconds: number }
  /** The utility or the owner expects an outage: batteries fill up and keep their charge. */
  | { readonly kind: "storm_mode" }
  | { readonly kind: "key_not_paired" }
  /** The reading lacks these fields. */
  | { readonly kind: "partial_fields"; readonly fields: ReadonlyArray<string> }
  /** These fields have another unit, such as kW with a factor of 0.001. */
  | { readonly kind: "wrong_units"; readonly fields: ReadonlyArray<string>; readonly factor: number }

export type FaultKind = Fault["kind"]

export interface ScriptedFault {
  readonly fault: Fault
  /** Null: every device of the site. */
  readonly deviceId: string | null
  /** Milliseconds since 1970, the end exclusive; null: until it is ended. */
  readonly from: number
  readonly until: number | null
}

const concerns = (scripted: ScriptedFault, deviceId: string) =>
  scripted.deviceId === null || scripted.deviceId === deviceId

/** The faults of a device that are in force at a time, of those that have begun. */
export const faultsInForce = (
  faults: ReadonlyArray<ScriptedFault>,
  deviceId: string,
  time: number
): ReadonlyArray<Fault> =>
  faults.filter((one) => concerns(one, deviceId) && (one.until === null || one.until > time)).map(({ fault }) => fault)

export const findFault = <K extends FaultKind>(
  faults: ReadonlyArray<Fault>,
  kind: K
): Extract<Fault, { kind: K }> | undefined =>
  faults.find((fault): fault is Extract<Fault, { kind: K }> => fault.kind === kind)

/** Removes the faults that ended before a step, and copies nothing if there are none. */
export const pruneFaults = (faults: ReadonlyArray<ScriptedFault>, time: number): ReadonlyArray<ScriptedFault> =>
  faults.some(({ until }) => until !== null && until <= time)
    ? faults.filter(({ until }) => until === null || until > time)
    : faults

/** Ends the faults of one kind; a null device ends them at every device. */
export const endFaults = (
  faults: ReadonlyArray<ScriptedFault>,
  kind: FaultKind,
  deviceId: string | null
): ReadonlyArray<ScriptedFault> =>
  faults.filter((one) => one.fault.kind !== kind || (deviceId !== null && one.deviceId !== deviceId))

/** Whether storm mode concerns a battery in a step. Its faults of the past have been pruned. */
export const isStorm = (faults: ReadonlyArray<ScriptedFault>, batteryId: string): boolean =>
  faults.some((one) => one.fault.kind === "storm_mode" && concerns(one, batteryId))

/** A reading as partial fields and wrong units distort it on its way; the same object without such faults. */
export const distortReading = (
  reading: Readonly<Record<string, unknown>>,
  faults: ReadonlyArray<Fault>
): Readonly<Record<string, unknown>> => {
  let distorted = reading
  for (const fault of faults) {
    if (fault.kind === "partial_fields")
      distorted = Object.fromEntries(Object.entries(distorted).filter(([name]) => !fault.fields.includes(name)))
    if (fault.kind === "wrong_units")
      distorted = Object.fromEntries(
        Object.entries(distorted).map(([name, value]) => [
          name,
          typeof value === "number" && fault.fields.includes(name) ? value * fault.factor : value
        ])
      )
  }
  return distorted
}
