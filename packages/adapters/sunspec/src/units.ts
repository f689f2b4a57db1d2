import { Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { ModbusUnit } from "@edp/adapter-kit/modbus/ModbusClient"
import type { OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import { mapDevices, type SunSpecDevice } from "./devices.ts"
import { models as knownModels } from "./models.ts"
import type { ModelAddress, SunSpecConfig, SunSpecUnit } from "./SunSpecConfig.ts"
import { BASE_ADDRESSES, type DeviceMap, readModels, type Reads, walkDevice } from "./walk.ts"

/** The map of a unit with its devices. */
export interface UnitMap {
  readonly map: DeviceMap
  readonly devices: ReadonlyArray<SunSpecDevice>
}

/** Runs the reads of a walk on a unit. */
const runReads = <A>(unit: ModbusUnit, reads: Reads<A>): Effect.Effect<A, AdapterError> =>
  Effect.gen(function* () {
    let step = reads.next()
    while (step.done !== true) step = reads.next(yield* unit.read(step.value))
    return step.value
  })

/** Manufacturer and serial number, which stay when the device's address changes; null if the map names none. */
export const findSerial = (devices: ReadonlyArray<SunSpecDevice>): string | null => {
  const named = devices.find(({ serialNumber }) => serialNumber !== undefined)
  return named === undefined ? null : `${named.manufacturerName ?? ""}/${named.serialNumber}`
}

/** A sentence on the models of a map, such as "It has the models 1 (common), 103 (inverter), and 64110, which is not known". */
export const describeModels = ({ models, unknownModels }: DeviceMap): string => {
  const known = models.map(({ id }) => `${id} (${knownModels.get(id)?.name})`)
  const unknown = unknownModels.map(({ id }) => id)
  return (
    (known.length === 0 ? "It has no models that are known" : `It has the models ${known.join(", ")}`) +
    (unknown.length === 0 ? "" : `, and others that are not known: ${unknown.join(", ")}`)
  )
}

/** Walks the map of a unit. One without a device is refused with a sentence for the person. */
export const walkUnit = Effect.fnUntraced(function* (open: OpenUnit, { settings, unitId }: SunSpecUnit) {
  const map = yield* runReads(open(unitId), walkDevice())
  if (map.base === undefined) {
    return yield* AdapterError.of(
      "misconfigured",
      `The device responds by Modbus, but unit ${unitId} has no SunSpec map at ${BASE_ADDRESSES.join(", ")}. ` +
        "Turn on SunSpec in its Modbus settings, or correct the unit id."
    )
  }
  const devices = mapDevices(map, settings)
  if (devices.length === 0) {
    return yield* AdapterError.of(
      "misconfigured",
      `Unit ${unitId} has a SunSpec map without an inverter, battery or meter. ${describeModels(map)}.`
    )
  }
  return { map, devices } satisfies UnitMap
})

/** The serial number that a unit must have: the installation has that of its first unit. */
const serialFor = ({ serial, units }: SunSpecConfig, { unitId }: SunSpecUnit) =>
  unitId === units[0]?.unitId ? serial : null

/**
 * The models of a unit: at the places that are remembered, or by a walk if they are not or have moved. Another device at the
 * address, such as after the router gave its address away, is not taken for the linked one.
 */
export const readUnit = Effect.fnUntraced(function* (
  open: OpenUnit,
  config: SunSpecConfig,
  unit: SunSpecUnit,
  places: ReadonlyArray<ModelAddress> = []
) {
  const known = places.filter(({ id }) => knownModels.has(id)).map((place) => ({ ...place, registers: [] }))
  const read = known.length === 0 ? "moved" : yield* runReads(open(unit.unitId), readModels(known))
  const result =
    read === "moved" || read.length === 0
      ? yield* walkUnit(open, unit)
      : {
          map: { base: undefined, models: read, unknownModels: [], problems: [] } satisfies DeviceMap,
          devices: mapDevices({ models: read }, unit.settings)
        }
  const expected = serialFor(config, unit)
  const found = findSerial(result.devices)
  if (expected !== null && found !== null && found !== expected) {
    return yield* AdapterError.of(
      "misconfigured",
      `Another device responds at the address: ${found.replace("/", " ")} in place of ${expected.replace("/", " ")}`
    )
  }
  return result
})

/**
 * All units that respond: a meter behind an inverter can be away by itself. Fails with the first error if none responds, and
 * with any error that may not be missed.
 */
export const eachUnit = Effect.fnUntraced(function* (
  units: ReadonlyArray<SunSpecUnit>,
  read: (unit: SunSpecUnit) => Effect.Effect<UnitMap, AdapterError>,
  mayMiss: (error: AdapterError) => boolean = ({ failure }) => failure === "unreachable"
) {
  const results: Array<UnitMap & { readonly unit: SunSpecUnit }> = []
  let missed: AdapterError | undefined
  for (const unit of units) {
    const result = yield* Effect.result(read(unit))
    if (result._tag === "Success") results.push({ unit, ...result.success })
    else if (mayMiss(result.failure)) missed ??= result.failure
    else return yield* result.failure
  }
  return results.length === 0 && missed !== undefined ? yield* missed : results
})

/** The manufacturer's id of a device, by its key in `mapDevices`. */
export const deviceId = (externalId: string, unit: SunSpecUnit, key: string): string =>
  [externalId, unit.key, key].filter((part) => part !== "").join("/")
