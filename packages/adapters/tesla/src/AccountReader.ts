import type { InterventionCode } from "@edp/domain/devices/Intervention"
import { Clock, Effect, Result } from "effect"
import type { AccountReport, DeviceObservation, LinkedDevice } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { grantedScopes, mayRead, type Permissions } from "./access.ts"
import type { CommandLog } from "./CommandLog.ts"
import { findSite } from "./devices.ts"
import { type FleetApi, type TeslaAccount, accessToken } from "./FleetApi.ts"
import { availableCommands, interventions } from "./interventions.ts"
import { readMemory, type SiteMemory, type VehicleMemory } from "./memory.ts"
import { makeSiteReader, type SiteReport } from "./SiteReader.ts"
import { unknownValues } from "./vehicle.ts"
import { concernsAccount, isObstacle, makeVehicleReader, type VehicleReport } from "./VehicleReader.ts"

type ReadableType = "battery" | "inverter" | "charger" | "vehicle"

const readableType = ({ type }: LinkedDevice): ReadableType =>
  type === "inverter" || type === "charger" || type === "vehicle" ? type : "battery"

/** A device that cannot be read until a person removes an obstacle. */
const blocked = (
  device: LinkedDevice,
  { keyDomain, scopes }: Permissions,
  obstacles: ReadonlyArray<InterventionCode>,
  now: number
): DeviceObservation => {
  const type = readableType(device)
  return {
    manufacturerDeviceId: device.manufacturerDeviceId,
    observedAt: now,
    state: null,
    asleep: false,
    coordinates: null,
    staticState: null,
    commands: availableCommands(type, scopes),
    interventions: interventions({ type, scopes, pairing: null, stormModeActive: null, obstacles, keyDomain }),
    problems: []
  }
}

/** The platform takes a problem that a report leaves out for solved, so those of vehicles that are not read now are repeated. */
const repeatProblems = (
  [first, ...others]: ReadonlyArray<DeviceObservation>,
  problems: ReadonlyArray<string>
): ReadonlyArray<DeviceObservation> =>
  first === undefined ? [] : [{ ...first, problems: [...first.problems, ...problems] }, ...others]

const succeeded = <A>(results: ReadonlyArray<Result.Result<A, AdapterError>>): ReadonlyArray<A> =>
  results.flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))

const failures = (results: ReadonlyArray<Result.Result<unknown, AdapterError>>): ReadonlyArray<AdapterError> =>
  results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))

/** An energy site reports all the time; vehicles alone are read every ten minutes, unless a command awaits its effect. */
const findActivity = (
  hasSites: boolean,
  vehicles: ReadonlyArray<VehicleMemory>,
  hasNewCommand: boolean
): AccountReport["activity"] => {
  if (hasSites) return "normal"
  if (hasNewCommand) return "busy"
  return vehicles.every(({ online }) => online === "asleep") ? "asleep" : "idle"
}

const CONFIRMING = 180_000

export const makeAccountReader = (
  api: FleetApi,
  log: CommandLog,
  options: { readonly keyDomain: string; readonly signsCommands: boolean }
) => {
  const readSite = makeSiteReader(api)
  const readVehicles = makeVehicleReader(api, options)

  /**
   * Reads all sites and the vehicles that are due. A site or vehicle that fails leaves the others as they are; the whole fails
   * with what concerns the account, or when nothing could be read.
   */
  return Effect.fn("Tesla.readAccount")(function* (account: TeslaAccount, devices: ReadonlyArray<LinkedDevice>) {
    const now = yield* Clock.currentTimeMillis
    const memory = readMemory(account.memory)
    const permissions: Permissions = { scopes: grantedScopes(accessToken(account)), keyDomain: options.keyDomain }
    const commands = yield* log.read(account.id)
    const inSites = devices.filter(({ manufacturerDeviceId }) => findSite(manufacturerDeviceId) !== null)
    const vehicles = devices.filter(({ type }) => type === "vehicle")
    const maySites = mayRead(permissions.scopes, "battery")
    const mayVehicles = mayRead(permissions.scopes, "vehicle")

    const bySite = Map.groupBy(inSites, ({ manufacturerDeviceId }) => findSite(manufacturerDeviceId)!)
    const [sites, vehicleResults] = yield* Effect.all(
      [
        Effect.forEach(
          maySites ? [...bySite] : [],
          ([id, its]) =>
            readSite(account, id, its, memory.sites[id], commands.get(id), permissions).pipe(
              Effect.catch((error) =>
                isObstacle(error)
                  ? Effect.succeed<SiteReport>({
                      observations: its.map((device) => blocked(device, permissions, [error.intervention!], now)),
                      alerts: [],
                      memory: null
                    })
                  : Effect.fail(error)
              ),
              Effect.map((report) => [id, report] as const),
              Effect.result
            ),
          { concurrency: 4 }
        ),
        mayVehicles
          ? readVehicles(
              account,
              vehicles.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
              memory.vehicles,
              commands,
              permissions
            )
          : Effect.succeed([])
      ],
      { concurrency: 2 }
    )

    const results: ReadonlyArray<Result.Result<unknown, AdapterError>> = [...sites, ...vehicleResults]
    const failed = failures(results)
    const decisive = failed.find(concernsAccount) ?? (failed.length === results.length ? failed[0] : undefined)
    if (decisive !== undefined) return yield* decisive

    const siteReports: ReadonlyArray<readonly [string, SiteReport]> = succeeded(sites)
    const vehicleReports: ReadonlyArray<VehicleReport> = succeeded(vehicleResults)
    const newSites: ReadonlyArray<readonly [string, SiteMemory]> = siteReports.flatMap(([id, { memory: its }]) =>
      its === null ? [] : [[id, its] as const]
    )
    const newVehicles = vehicleReports.map(
      ({ memory: its, observation }) => [observation.manufacturerDeviceId, its] as const
    )
    const vehicleMemories = { ...memory.vehicles, ...Object.fromEntries(newVehicles) }
    const isChanged = newSites.length > 0 || newVehicles.length > 0
    const hasNewCommand = [...commands.values()].some(({ at, obstacle }) => obstacle === null && now - at < CONFIRMING)
    // Refused calls are billed, too, so what the owner has not allowed is not asked for.
    const withheld = devices.filter((device) => !mayRead(permissions.scopes, readableType(device)))
    const isRead = new Set(newVehicles.map(([vin]) => vin))
    const resting = vehicles.filter(({ manufacturerDeviceId }) => !isRead.has(manufacturerDeviceId))
    const observations = [
      ...siteReports.flatMap(([, { observations: its }]) => its),
      ...vehicleReports.map(({ observation }) => observation),
      ...withheld.map((device) => blocked(device, permissions, [], now))
    ]
    const report: AccountReport = {
      observations: repeatProblems(
        observations,
        resting.flatMap(({ manufacturerDeviceId }) => unknownValues(memory.vehicles[manufacturerDeviceId]?.data ?? {}))
      ),
      alerts: siteReports.flatMap(([, { alerts }]) => alerts),
      devices: null,
      activity: findActivity(bySite.size > 0, Object.values(vehicleMemories), hasNewCommand),
      ...(isChanged && {
        memory: { sites: { ...memory.sites, ...Object.fromEntries(newSites) }, vehicles: vehicleMemories }
      })
    }
    return report
  })
}
