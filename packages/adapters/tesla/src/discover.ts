import { Effect, Redacted } from "effect"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { grantedScopes, mayRead } from "./access.ts"
import { readFleetStatus, readProducts, readSiteInfo } from "./responses.ts"
import { batteryStatic, devicesFromProducts, devicesFromSiteInfo, type TeslaDevice, vehicleStatic } from "./devices.ts"
import { type FleetApi, sitePath, type TeslaAccount } from "./FleetApi.ts"
import { availableCommands, interventions } from "./interventions.ts"
import { type Pairing, pairingFromFleetStatus } from "./pairing.ts"
import { fleetStatusCall } from "./vehicleCommands.ts"

const models: Readonly<Record<string, string>> = {
  S: "Model S",
  "3": "Model 3",
  X: "Model X",
  Y: "Model Y",
  C: "Cybertruck",
  R: "Roadster",
  T: "Semi"
}

/** Model years in the tenth character of a VIN: letters to 2030, without I, O, Q, U and Z. */
const YEARS = "ABCDEFGHJKLMNPRSTVWXY"
const FIRST_YEAR = 2010

/** The model and its year, which a VIN contains, without waking the vehicle. */
export const vehicleFromVin = (vin: string): { readonly model: string; readonly modelYear: number | null } => {
  const year = vin.length === 17 ? YEARS.indexOf(vin[9]!) : -1
  return {
    model: (vin.length === 17 ? models[vin[3]!] : undefined) ?? "Tesla vehicle",
    modelYear: year < 0 ? null : FIRST_YEAR + year
  }
}

const siteModels = { battery: "Powerwall", inverter: "Tesla solar system", charger: "Wall Connector" } as const

const missing = "Tesla was not given the permission to read it"

/** The devices of an account: one call for all products, one for each energy site, one for the keys of all vehicles. */
export const makeDiscover = (api: FleetApi, options: { readonly keyDomain: string; readonly signsCommands: boolean }) =>
  Effect.fn("Tesla.discover")(function* (account: TeslaAccount) {
    const scopes = grantedScopes(Redacted.value(account.credentials.accessToken))
    if (!mayRead(scopes, "battery") && !mayRead(scopes, "vehicle"))
      return yield* AdapterError.of("scope_missing", "The owner has allowed neither energy sites nor vehicles", {
        intervention: "scope_missing"
      })
    const products = devicesFromProducts(yield* api.read(account, "/api/1/products", readProducts))
    const sites = new Set(products.flatMap(({ source }) => ("energySiteId" in source ? [source.energySiteId] : [])))
    const vins = products.flatMap(({ source }) => ("vin" in source ? [source.vin] : []))

    const infos = new Map(
      mayRead(scopes, "battery")
        ? yield* Effect.forEach(
            [...sites],
            (id) =>
              Effect.map(api.read(account, `${sitePath(id)}/site_info`, readSiteInfo), (info) => [id, info] as const),
            { concurrency: 4 }
          )
        : []
    )
    const fleet =
      vins.length > 0 && mayRead(scopes, "vehicle")
        ? yield* api.ask(account, fleetStatusCall(vins), readFleetStatus)
        : null

    const obstacles = (type: TeslaDevice["type"], pairing: Pairing | null) =>
      interventions({
        type,
        scopes,
        pairing,
        stormModeActive: null,
        obstacles: [],
        keyDomain: options.keyDomain
      })

    const describe = (device: TeslaDevice): DiscoveredDevice => {
      const { rawModel, rawType, serialNumber, source, type } = device
      const shared = {
        manufacturerDeviceId: device.manufacturerDeviceId,
        type,
        name: device.name,
        serialNumber,
        rawType,
        incompatible: mayRead(scopes, type) ? null : missing
      }
      if ("vin" in source || type === "vehicle") {
        const vin = device.manufacturerDeviceId
        const pairing = fleet === null ? null : pairingFromFleetStatus(fleet, vin, null)
        const takesCommands = options.signsCommands || pairing?.required !== true
        return {
          ...shared,
          ...vehicleFromVin(vin),
          rawModel,
          staticState: vehicleStatic({ vin }, pairing),
          commands: availableCommands("vehicle", scopes).filter(
            (slug) => takesCommands || slug === "vehicle:check-pairing-status"
          ),
          interventions: obstacles("vehicle", pairing)
        }
      }
      const info = infos.get(source.energySiteId)
      const parts =
        info?.components?.batteries?.flatMap(({ part_name }) => (part_name == null ? [] : [part_name])) ?? []
      const model = type === "battery" ? parts[0] : rawModel
      return {
        ...shared,
        model: model ?? siteModels[type],
        rawModel: model ?? null,
        modelYear: null,
        staticState: type === "battery" && info !== undefined ? batteryStatic(info) : null,
        commands: availableCommands(type, scopes),
        interventions: obstacles(type, null)
      }
    }

    // Site information lists wall connectors that the products may leave out, and says more of them.
    const detailed = [...infos].flatMap(([id, info]) => devicesFromSiteInfo(id, info))
    const all = new Map([...products, ...detailed].map((device) => [device.manufacturerDeviceId, device]))
    return [...all.values()].map(describe)
  })
