import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { AdapterRoute, CommandRequest, ManufacturerAdapter, Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { makeCommandLog } from "./CommandLog.ts"
import { makeCommandSite } from "./commandSite.ts"
import { makeCommandVehicle } from "./commandVehicle.ts"
import { findSite } from "./devices.ts"
import { makeDiscover } from "./discover.ts"
import { makeFleetApi, type TeslaAccount } from "./FleetApi.ts"
import { makeAccountReader } from "./AccountReader.ts"
import { keyText, TeslaSettings } from "./settings.ts"
import { makeSignIn, TeslaCredentials } from "./signIn.ts"
import type { Confirmation } from "@edp/domain/commands/confirmByState"
import type { BatteryReading, VehicleReading } from "@edp/domain/devices/DeviceState"
import type { DeviceObservation } from "@edp/adapter-kit/Account"

type Battery = typeof BatteryReading.Type
type Vehicle = typeof VehicleReading.Type
type Input = CommandRequest["input"]

/** Percent by which the charge moves while an idle battery settles: its reserve was set to the charge at that time. */
const SETTLING = 3

const isNearCharge = ({ backupReserve, chargePercentage, strategy }: Battery): boolean =>
  strategy === "self_consumption" &&
  backupReserve !== undefined &&
  Math.abs(backupReserve - chargePercentage) <= SETTLING

/** An idle battery keeps its charge: a reserve that was near it before proves nothing, unless a setting has changed. */
const keepsCharge = (state: Battery, before: Partial<Battery> | null): boolean => {
  const { backupReserve, chargePercentage, strategy } = state
  const hasMoved = before !== null && (before.backupReserve !== backupReserve || before.strategy !== strategy)
  return isNearCharge(state) && (hasMoved || backupReserve === Math.round(chargePercentage))
}

const numberOr = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise)

/** Tesla has no mode for charging and discharging: the reserve and the strategy are what a forced mode sets. */
const showsMode = (
  { enableGridInteraction, maximumBatteryReserve, minimumBatteryReserve, operatingMode }: Input,
  state: Battery,
  before: Partial<Battery> | null
): boolean => {
  const { backupReserve, strategy } = state
  if (backupReserve === undefined) return false
  switch (operatingMode) {
    case "charge":
      return backupReserve === Math.round(numberOr(maximumBatteryReserve, 100)) && strategy === "self_consumption"
    case "discharge":
      return (
        backupReserve === Math.round(numberOr(minimumBatteryReserve, 0)) &&
        strategy === (enableGridInteraction === true ? "time_of_use" : "self_consumption")
      )
    case "idle":
      return keepsCharge(state, before)
    default:
      // A reset is complete when it returns: the adapter has looked.
      return true
  }
}

const confirmsBattery = (type: string, input: Input, state: Battery, before: Partial<Battery> | null): Confirmation => {
  const isMet =
    type === "battery:set-reserve"
      ? state.backupReserve === Math.round(numberOr(input["chargePercentage"], Number.NaN))
      : showsMode(input, state, before)
  if (isMet) return "met"
  // Storm mode sets its own reserve.
  if (state.isStormModeActive === true) return "contradicted"
  const isKnown = type === "battery:set-reserve" || (state.strategy !== undefined && state.strategy !== "unknown")
  if (!isKnown || state.backupReserve === undefined) return "pending"
  return input["operatingMode"] === "idle" && isNearCharge(state) ? "pending" : "contrary"
}

const confirmsVehicle = (type: string, input: Input, state: Vehicle): Confirmation => {
  if (type === "vehicle:set-charge-limit")
    return state.chargeLimit === undefined
      ? "pending"
      : state.chargeLimit === Math.round(numberOr(input["chargeLimit"], Number.NaN))
        ? "met"
        : "contrary"
  const isCharging = state.chargingState === "charging"
  if (state.chargingState === "unknown") return "pending"
  if (input["operatingMode"] === "stop-charging") return isCharging ? "contrary" : "met"
  if (isCharging) return "met"
  return state.isPluggedIn === false ? "contradicted" : "contrary"
}

/** Whether a reading shows what a command asked for. */
export const confirms = (
  { input, type }: Pick<CommandRequest, "type" | "input">,
  { state }: DeviceObservation,
  before: object | null
): Confirmation => {
  if (state === null) return "pending"
  return type.startsWith("battery:")
    ? confirmsBattery(type, input, state as Battery, before)
    : confirmsVehicle(type, input, state as Vehicle)
}

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

const manifest: Manifest = {
  slug: "tesla",
  name: "Tesla",
  deviceTypes: ["battery", "inverter", "charger", "vehicle"],
  commands: [
    "battery:set-reserve",
    "battery:set-operating-mode",
    "vehicle:set-operating-mode",
    "vehicle:set-charge-limit",
    "vehicle:check-pairing-status"
  ],
  authorization: "oauth2",
  // Accounts with an energy site are read each minute. Vehicles are asked every ten minutes, and never woken by it.
  polling: { busy: MINUTE, normal: MINUTE, idle: 10 * MINUTE, asleep: 10 * MINUTE, discovery: DAY },
  // Tesla limits each device to 60 reads and 30 commands a minute. An account with a site and cars needs ten a minute.
  quotas: [{ scope: "account", calls: 60, window: MINUTE, headroom: 0.5 }],
  confirmWithin: 5 * MINUTE,
  provenAgainst: "A stand-in after Tesla's documents, and a certified OpenID provider, not the products"
}

/** The key with which owners pair their vehicles, at the path that Tesla prescribes. */
const keyRoute = (publicKey: string): AdapterRoute => ({
  method: "GET",
  path: "/.well-known/appspecific/com.tesla.3p.public-key.pem",
  handle: Effect.succeed(HttpServerResponse.text(keyText(publicKey), { contentType: "application/x-pem-file" }))
})

/** Tesla's vehicles, Powerwalls, solar systems and wall connectors over the Fleet API. */
export const teslaAdapter: ManufacturerAdapter<TeslaSettings, TeslaCredentials> = {
  manifest,
  settings: TeslaSettings,
  credentials: TeslaCredentials,
  create: (settings: TeslaSettings, host: AdapterHost) =>
    Effect.sync(() => {
      const api = makeFleetApi(settings)
      const log = makeCommandLog(host)
      const signsCommands = settings.commandBaseUrl !== undefined
      const keyDomain = settings.keyDomain ?? new URL(host.publicUrl).hostname
      const site = makeCommandSite(api)
      const vehicle = makeCommandVehicle(api, { signsCommands })
      const { authorization, refresh, revoke } = makeSignIn(settings, host.http)

      const commandSite = (account: TeslaAccount, request: CommandRequest, id: string) =>
        Effect.flatMap(log.isSettling(account.id, id), (isSettling) => site.send(account, request, isSettling))

      const sendCommand = (account: TeslaAccount, request: CommandRequest) => {
        const id = findSite(request.device.manufacturerDeviceId)
        const subject = id ?? request.device.manufacturerDeviceId
        return (id === null ? vehicle.send(account, request) : commandSite(account, request, id)).pipe(
          Effect.tap(() => log.note(account.id, subject, null)),
          Effect.tapError((error) =>
            error.intervention === null || error.intervention === "storm_mode"
              ? Effect.void
              : log.note(account.id, subject, error.intervention)
          )
        )
      }

      return {
        authorization,
        refresh,
        revoke,
        discoverDevices: makeDiscover(api, { keyDomain, signsCommands }),
        readDevices: makeAccountReader(api, log, { keyDomain, signsCommands }),
        sendCommand,
        restore: (account, request) =>
          findSite(request.device.manufacturerDeviceId) === null
            ? vehicle.restore(account, request)
            : site.restore(account, request),
        confirms,
        routes: settings.publicKey === undefined ? [] : [keyRoute(settings.publicKey)]
      }
    })
}
