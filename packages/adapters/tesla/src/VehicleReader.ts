import type { InterventionCode } from "@edp/domain/devices/Intervention"
import { Clock, Effect, Result, Struct } from "effect"
import type { DeviceObservation } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { orNull, readFleetStatus, readVehicleData, type VehicleData } from "./responses.ts"
import type { CommandLogEntry } from "./CommandLog.ts"
import { onlineStatus, vehicleStatic } from "./devices.ts"
import { type FleetApi, type TeslaAccount, vehiclePath } from "./FleetApi.ts"
import type { Permissions } from "./access.ts"
import { availableCommands, interventions } from "./interventions.ts"
import { forgetful, type VehicleMemory } from "./memory.ts"
import { type Pairing, pairingFromFleetStatus } from "./pairing.ts"
import { unknownValues, vehicleReading } from "./vehicle.ts"
import { fleetStatusCall } from "./vehicleCommands.ts"

const MINUTE = 60_000
/** Each read of a vehicle is billed. The platform's intervals of ten minutes are up to a tenth shorter. */
const VEHICLE_PACE = 9 * MINUTE - 5_000
/** After a command, its effect is looked for with each reading of the account. */
const CONFIRMING = 3 * MINUTE
/** An owner who pairs the key should not wait long; what is paired stays so. */
const UNPAIRED_PACE = 15 * MINUTE
const PAIRED_PACE = 24 * 60 * MINUTE

export interface VehicleReport {
  readonly observation: DeviceObservation
  readonly memory: VehicleMemory
}

export const isVehicleDue = (known: VehicleMemory, command: CommandLogEntry | undefined, now: number): boolean =>
  now - known.checkedAt >= VEHICLE_PACE || (command?.obstacle === null && now - command.at < CONFIRMING)

const isPairingDue = ({ pairing, pairingAt }: VehicleMemory, now: number) =>
  now - pairingAt >= (pairing !== null && (pairing.paired || !pairing.required) ? PAIRED_PACE : UNPAIRED_PACE)

/** The memory of the platform holds no places. */
const withoutLocation = (data: VehicleData): VehicleData => Struct.omit(data, ["drive_state"])

/** Failures of the account, which end its reading. The other ones concern one vehicle or site. */
export const concernsAccount = ({ failure }: AdapterError): boolean =>
  ["grant_lost", "token_refused", "throttled", "quota_exhausted", "plan_required", "misconfigured"].includes(failure)

/** An obstacle that a person removes: the device shows it instead of failing. */
export const isObstacle = (error: AdapterError): boolean => error.intervention !== null && !concernsAccount(error)

/** Obstacles that only commands meet. Any other has gone once the device could be read. */
const commandObstacles: ReadonlySet<InterventionCode> = new Set(["key_not_paired", "scope_missing"])

/** The obstacle that the newest command has met, as far as it still holds. */
export const notedObstacles = (
  command: CommandLogEntry | undefined,
  wasRead: boolean
): ReadonlyArray<InterventionCode> => {
  const obstacle = command?.obstacle ?? null
  return obstacle === null || (wasRead && !commandObstacles.has(obstacle)) ? [] : [obstacle]
}

export const makeVehicleReader = (api: FleetApi, { signsCommands }: { readonly signsCommands: boolean }) => {
  /** The pairings of vehicles, of which one call returns many. Unknown ones stay as they were. */
  const readPairings = Effect.fn("Tesla.readPairings")(function* (
    account: TeslaAccount,
    vehicles: ReadonlyMap<string, VehicleMemory>
  ) {
    const now = yield* Clock.currentTimeMillis
    const due = [...vehicles].filter(([, known]) => isPairingDue(known, now)).map(([vin]) => vin)
    if (due.length === 0) return new Map<string, Pairing | null>()
    const status = yield* api.ask(account, fleetStatusCall(due), readFleetStatus)
    const carType = (vin: string) => orNull(vehicles.get(vin)?.data?.vehicle_config?.car_type)
    return new Map(due.map((vin) => [vin, pairingFromFleetStatus(status, vin, carType(vin))]))
  })

  /** The state of the vehicle first, which wakes nothing; its data only while it is online. */
  const readData = (account: TeslaAccount, vin: string, withLocation: boolean) =>
    Effect.gen(function* () {
      const { state } = yield* api.read(account, vehiclePath(vin), readVehicleData)
      const online = onlineStatus(state)
      if (online !== "online") return { online, data: null }
      const endpoints = ["charge_state", "vehicle_config", "vehicle_state", ...(withLocation ? ["location_data"] : [])]
      const data = yield* api
        .read(account, `${vehiclePath(vin)}/vehicle_data`, readVehicleData, { endpoints: endpoints.join(";") })
        .pipe(
          // It fell asleep in between.
          Effect.catch((error) => (error.failure === "asleep" ? Effect.succeed(null) : Effect.fail(error)))
        )
      return { online: data === null ? ("asleep" as const) : online, data }
    })

  const readVehicle = Effect.fn("Tesla.readVehicle")(function* (
    account: TeslaAccount,
    vin: string,
    before: VehicleMemory,
    command: CommandLogEntry | undefined,
    permissions: Permissions
  ) {
    const now = yield* Clock.currentTimeMillis
    const withLocation = permissions.scopes?.has("vehicle_location") ?? true
    const found = yield* Effect.result(readData(account, vin, withLocation))
    if (Result.isFailure(found) && !isObstacle(found.failure)) return yield* found.failure
    const { data, online } = Result.isSuccess(found) ? found.success : { data: null, online: "unknown" as const }
    const obstacles = Result.isSuccess(found) || found.failure.intervention === null ? [] : [found.failure.intervention]
    const reading = data === null ? null : vehicleReading({ ...data, vin }, now)
    const known = data ?? before.data
    const noted = notedObstacles(command, data !== null)
    const takesCommands = signsCommands || before.pairing?.required !== true
    const observation: DeviceObservation = {
      manufacturerDeviceId: vin,
      observedAt: reading?.observedAt ?? now,
      state: reading?.state ?? null,
      asleep: online === "asleep",
      isUnreachable: online === "offline",
      coordinates: reading?.location ?? null,
      staticState: vehicleStatic({ ...known, vin }, before.pairing),
      commands: availableCommands("vehicle", permissions.scopes).filter(
        (slug) => takesCommands || slug === "vehicle:check-pairing-status"
      ),
      interventions: interventions({
        type: "vehicle",
        scopes: permissions.scopes,
        pairing: before.pairing,
        stormModeActive: null,
        obstacles: [...obstacles, ...noted],
        keyDomain: permissions.keyDomain
      }),
      ...(noted.length > 0 && { interventionsAt: command!.at }),
      problems: known === null ? [] : unknownValues(known)
    }
    const memory: VehicleMemory = {
      ...before,
      checkedAt: now,
      data: known === null ? null : withoutLocation(known),
      online
    }
    return { observation, memory } satisfies VehicleReport
  })

  /** Reads the vehicles that are due. The others keep what was read of them. */
  return Effect.fn("Tesla.readVehicles")(function* (
    account: TeslaAccount,
    vins: ReadonlyArray<string>,
    memory: Readonly<Record<string, VehicleMemory>>,
    commands: ReadonlyMap<string, CommandLogEntry>,
    permissions: Permissions
  ) {
    const now = yield* Clock.currentTimeMillis
    const known = new Map(vins.map((vin) => [vin, memory[vin] ?? forgetful]))
    const due = new Map([...known].filter(([vin, before]) => isVehicleDue(before, commands.get(vin), now)))
    // Without the pairing, a vehicle is read all the same.
    const pairings = yield* readPairings(account, due).pipe(
      Effect.catch((error) =>
        concernsAccount(error) ? Effect.fail(error) : Effect.succeed(new Map<string, Pairing | null>())
      )
    )
    return yield* Effect.forEach(
      [...due],
      ([vin, before]) => {
        const pairing = pairings.has(vin) ? { pairing: pairings.get(vin) ?? before.pairing, pairingAt: now } : {}
        return Effect.result(readVehicle(account, vin, { ...before, ...pairing }, commands.get(vin), permissions))
      },
      { concurrency: 4 }
    )
  })
}
