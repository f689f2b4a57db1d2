import { Effect, Option, Schema } from "effect"
import { AdapterError, isTransient } from "@edp/adapter-kit/AdapterError"
import type { LinkedDevice } from "@edp/adapter-kit/Account"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { readLiveStatus, readSiteInfo, type SiteInfo } from "./responses.ts"
import { findSite } from "./devices.ts"
import { type FleetApi, sitePath, type TeslaAccount } from "./FleetApi.ts"
import { type Plan, SiteSettings } from "./plans.ts"
import {
  type BatteryModeInput,
  planBatteryMode,
  planReserve,
  type ReserveInput,
  reservePercent,
  restoringCalls,
  showsSettings,
  siteSettings
} from "./siteCommands.ts"

const requireSettings = (snapshot: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(SiteSettings)(snapshot), () =>
    AdapterError.of("contract", "The stored settings are not those of a site", { commandReason: "refused" })
  )

/** The settings to restore: a reserve that was set since the snapshot stays. */
const withTaken = (settings: SiteSettings, taken: CommandRequest["takenSince"]): SiteSettings => {
  const reserve = taken.find(({ type }) => type === "battery:set-reserve")
  return reserve === undefined
    ? settings
    : { ...settings, backupReserve: reservePercent(reserve.input as unknown as ReserveInput) }
}

export const notSupported = (type: CommandRequest["type"]) =>
  AdapterError.of("refused", `Tesla does not support ${type} of this device`, { commandReason: "unsupported_value" })

/** Pauses between the checks of restored settings. */
const LOOKS = ["0 seconds", "2 seconds", "5 seconds"] as const

const alreadySo: CommandResult = { status: "completed", reason: "already_so", output: null, upstream: null }

/** The id of the device's site. Devices of sites have it, and only they get these commands. */
const requireSite = ({ manufacturerDeviceId }: LinkedDevice) =>
  Option.match(Option.fromNullishOr(findSite(manufacturerDeviceId)), {
    onNone: () => Effect.fail(AdapterError.of("refused", `${manufacturerDeviceId} is no device of an energy site`)),
    onSome: Effect.succeed
  })

export const makeCommandSite = (api: FleetApi) => {
  const readInfo = (account: TeslaAccount, id: string) => api.read(account, `${sitePath(id)}/site_info`, readSiteInfo)

  /** Writes what differs from settings, in the reverse order of a forced mode, and checks whether the site shows them. */
  const restoreSettings = Effect.fnUntraced(function* (
    account: TeslaAccount,
    id: string,
    info: SiteInfo,
    wanted: SiteSettings
  ) {
    const calls = restoringCalls(id, info, wanted)
    if (calls.length === 0) return alreadySo
    const results = yield* Effect.forEach(calls, (call) => api.command(account, call))
    for (const pause of LOOKS) {
      yield* Effect.sleep(pause)
      if (showsSettings(wanted, yield* readInfo(account, id)))
        return { status: "completed", reason: null, output: null, upstream: results.at(-1)!.upstream } as const
    }
    return yield* AdapterError.of("vendor_fault", "Tesla took the settings but does not show them", {
      upstream: results.at(-1)!.upstream,
      commandReason: "contradicted_by_state"
    })
  })

  /**
   * Makes the calls of a plan in order. When Tesla refuses one for good, those before it are taken back: a site must not stay
   * halfway between two modes. When it fails for a while, the platform repeats the command, which then writes what is missing.
   */
  const makeCalls = Effect.fnUntraced(function* (
    account: TeslaAccount,
    id: string,
    { calls }: Extract<Plan, { readonly _tag: "Calls" }>,
    before: SiteSettings | null
  ) {
    let made = 0
    const all = Effect.forEach(calls, (call) =>
      Effect.tap(api.command(account, call), () => Effect.sync(() => (made += 1)))
    )
    const results = yield* Effect.tapError(all, (error) =>
      made === 0 || before === null || isTransient(error)
        ? Effect.void
        : Effect.ignore(Effect.flatMap(readInfo(account, id), (info) => restoreSettings(account, id, info, before)))
    )
    return results.at(-1)!
  })

  const send = Effect.fn("Tesla.commandSite")(function* (
    account: TeslaAccount,
    request: CommandRequest,
    isSettling: boolean
  ) {
    const id = yield* requireSite(request.device)
    if (!request.device.manufacturerDeviceId.endsWith(":battery") || !request.type.startsWith("battery:"))
      return yield* notSupported(request.type)
    const live = yield* api.read(account, `${sitePath(id)}/live_status`, readLiveStatus)
    const info = yield* readInfo(account, id)
    const stored = request.snapshot === null ? null : yield* requireSettings(request.snapshot)
    const input = request.input as unknown
    const isReset = request.type === "battery:set-operating-mode" && request.input["operatingMode"] === "reset"
    if (isReset && stored !== null)
      return yield* restoreSettings(account, id, info, withTaken(stored, request.takenSince))
    const site = { energySiteId: id, info, live, isSettling }
    const plan =
      request.type === "battery:set-reserve"
        ? planReserve(site, input as ReserveInput)
        : planBatteryMode(site, input as BatteryModeInput, stored)
    switch (plan._tag) {
      case "Rejected":
        return yield* AdapterError.of("refused", plan.message, {
          commandReason: plan.reason,
          intervention: plan.reason === "precondition_storm_mode" ? "storm_mode" : null
        })
      case "AlreadySo":
        return alreadySo
      case "Calls": {
        if (plan.snapshot !== null && stored === null) yield* request.saveSnapshot(plan.snapshot)
        return yield* makeCalls(account, id, plan, siteSettings(info))
      }
    }
  })

  const restore = Effect.fn("Tesla.restoreSite")(function* (
    account: TeslaAccount,
    { device, snapshot, takenSince }: Pick<CommandRequest, "device" | "snapshot" | "takenSince">
  ) {
    const id = yield* requireSite(device)
    const wanted = withTaken(yield* requireSettings(snapshot), takenSince)
    return yield* restoreSettings(account, id, yield* readInfo(account, id), wanted)
  })

  return { send, restore }
}
