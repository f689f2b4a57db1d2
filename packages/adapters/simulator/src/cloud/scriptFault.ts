import {
  accountFaultKinds,
  type AccountFaultKind,
  type DeviceFaultKind,
  type ScriptFault
} from "@edp/domain/accounts/Simulator"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Result } from "effect"
import { readDevices } from "../physics/devices.ts"
import type { Fault } from "../physics/faults.ts"
import type { SiteEvent } from "../physics/simulate.ts"
import type { AccountRecord } from "./AccountRecord.ts"
import { type LiveAccount, scripted } from "./Accounts.ts"

type Problem = Readonly<Record<string, string>>

const isOfAccount = (kind: string): kind is AccountFaultKind => kind in accountFaultKinds

const toFault = (
  kind: Exclude<DeviceFaultKind, "counter_reset">,
  input: ScriptFault
): Result.Result<Fault, Problem> => {
  const { command, factor = 0.001, fields = [], reason = "refused", seconds = 5 } = input
  switch (kind) {
    case "slow":
      return Result.succeed({ kind, latencySeconds: seconds })
    case "refuses_command":
      return Result.succeed({ kind, command: command ?? null, reason })
    case "partial_fields":
    case "wrong_units":
      if (fields.length === 0) return Result.fail({ fields: "Must name a field of the reading" })
      return Result.succeed(kind === "partial_fields" ? { kind, fields } : { kind, fields, factor })
    default:
      return Result.succeed({ kind })
  }
}

/** The sites of an account with a device; null: all of them. */
export const sitesWith = ({ record, states }: LiveAccount, deviceId: string | null): ReadonlyArray<number> =>
  record.sites.flatMap(({ profile }, index) =>
    deviceId === null || readDevices(profile, states[index]!, null).some(({ identity }) => identity.id === deviceId)
      ? [index]
      : []
  )

/** Adds an event at some sites of an account. */
export const withEvent = (
  { record, states }: LiveAccount,
  indexes: ReadonlyArray<number>,
  event: SiteEvent,
  time: number
): AccountRecord => ({
  ...record,
  sites: record.sites.map((site, index) =>
    indexes.includes(index) ? scripted(site, event, Math.max(time, states[index]!.asOf)) : site
  )
})

/** Scripts a fault of an account or of devices. */
export const withFault = (account: LiveAccount, input: ScriptFault): Result.Result<AccountRecord, Problem> => {
  const { record, time } = account
  const from = Math.max(time, (input.from === undefined ? undefined : parseTimestamp(input.from)) ?? time)
  const until = input.until == null ? null : parseTimestamp(input.until)!
  const deviceId = input.deviceId ?? null
  if (until !== null && until <= from)
    return Result.fail({ until: "Must be after `from` and after the account's time" })
  const { kind } = input
  if (isOfAccount(kind) && (kind !== "slow" || deviceId === null)) {
    if (deviceId !== null) return Result.fail({ deviceId: `Must be absent: ${kind} concerns the account` })
    const fault = { kind, ...(input.seconds !== undefined && { seconds: input.seconds }), from, until }
    return Result.succeed({ ...record, faults: [...record.faults, fault] })
  }
  const indexes = sitesWith(account, deviceId)
  if (indexes.length === 0) return Result.fail({ deviceId: "Must be a device of the account" })
  if (kind === "counter_reset") return Result.succeed(withEvent(account, indexes, { type: kind, deviceId }, from))
  return Result.map(toFault(kind as Exclude<DeviceFaultKind, "counter_reset">, input), (fault) =>
    withEvent(account, indexes, { type: "fault", deviceId, fault, until }, from)
  )
}

/** Ends faults that are in force, and takes those that come later off the script. */
export const withoutFaults = (
  account: LiveAccount,
  { deviceId, kind }: { readonly kind?: string; readonly deviceId?: string }
): AccountRecord => {
  const { record, states } = account
  const isNamed = (one: { readonly kind: string; readonly deviceId: string | null }) =>
    (kind === undefined || one.kind === kind) && (deviceId === undefined || one.deviceId === deviceId)
  return {
    ...record,
    faults: record.faults.filter((fault) => !isNamed({ kind: fault.kind, deviceId: null })),
    sites: record.sites.map((site, index) => {
      const state = states[index]!
      const past = site.timeline.slice(0, state.applied)
      const later = site.timeline.slice(state.applied).filter(({ event }) => {
        if (event.type === "fault") return !isNamed({ kind: event.fault.kind, deviceId: event.deviceId })
        return event.type !== "counter_reset" || !isNamed({ kind: event.type, deviceId: event.deviceId })
      })
      const named = state.faults.filter((one) => isNamed({ kind: one.fault.kind, deviceId: one.deviceId }))
      const ended = named.map(({ deviceId: id, fault }) => ({
        at: state.asOf,
        event: { type: "fault_ended", deviceId: id, kind: fault.kind } satisfies SiteEvent
      }))
      return { ...site, timeline: [...past, ...ended, ...later] }
    })
  }
}
