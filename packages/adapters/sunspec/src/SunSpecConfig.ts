import { Option, Schema } from "effect"

const optional = Schema.optionalKey

/** One SunSpec map of an installation. */
export const SunSpecUnit = Schema.Struct({
  /** Unique in the installation; empty where there is a single map. */
  key: Schema.String,
  unitId: Schema.Int,
  settings: Schema.Struct({
    meterPositive: Schema.Literals(["import", "export"]),
    swapMeterCounters: Schema.Boolean,
    batteryPositive: Schema.Literals(["discharge", "charge"]),
    batteryCapacity: optional(Schema.Finite),
    batteryInputs: optional(Schema.Struct({ charge: Schema.Int, discharge: Schema.Int }))
  })
})
export type SunSpecUnit = typeof SunSpecUnit.Type

/** Data that is stored with a linked installation. */
export const SunSpecConfig = Schema.Struct({
  /** Manufacturer and serial number of the first map; null if it names none. */
  serial: Schema.NullOr(Schema.String),
  units: Schema.Array(SunSpecUnit)
})
export type SunSpecConfig = typeof SunSpecConfig.Type

const ModelAddress = Schema.Struct({ id: Schema.Int, address: Schema.Int, length: Schema.Int })
export type ModelAddress = typeof ModelAddress.Type

/** The adapter's memory between readings. */
export const SunSpecMemory = Schema.Struct({
  /** The addresses of each unit's models, by unit id. */
  models: Schema.Record(Schema.String, Schema.Array(ModelAddress)),
  /** Models that are not known and were reported. */
  reported: Schema.Array(Schema.String),
  /** Events that were active, by unit id. */
  events: Schema.Record(Schema.String, Schema.Array(Schema.String))
})
export type SunSpecMemory = typeof SunSpecMemory.Type

const noMemory: SunSpecMemory = { models: {}, reported: [], events: {} }

export const readMemory = (memory: unknown): SunSpecMemory =>
  Option.getOrElse(Schema.decodeUnknownOption(SunSpecMemory)(memory), () => noMemory)
