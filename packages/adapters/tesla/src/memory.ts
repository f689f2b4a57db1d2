import { Option, Schema } from "effect"
import { SiteInfo, VehicleData } from "./responses.ts"

const Milliseconds = Schema.Finite

/** A site between two readings. */
const SiteMemory = Schema.Struct({
  /** Changes rarely, so it is read at a pace of its own. */
  info: SiteInfo,
  infoAt: Milliseconds,
  /** Energies up to here have been reported; null before the first history. */
  energyUntil: Schema.NullOr(Milliseconds),
  historyAt: Milliseconds,
  /** Whether the site had no grid when it was last read. */
  offGrid: Schema.Boolean
})
export type SiteMemory = typeof SiteMemory.Type

/** A vehicle between two readings. It may sleep for days. */
const VehicleMemory = Schema.Struct({
  checkedAt: Milliseconds,
  /** The newest response without the location; null before the first one. */
  data: Schema.NullOr(VehicleData),
  pairing: Schema.NullOr(Schema.Struct({ paired: Schema.Boolean, required: Schema.Boolean })),
  pairingAt: Milliseconds,
  online: Schema.Literals(["online", "asleep", "offline", "unknown"])
})
export type VehicleMemory = typeof VehicleMemory.Type

const Memory = Schema.Struct({
  sites: Schema.Record(Schema.String, SiteMemory),
  vehicles: Schema.Record(Schema.String, VehicleMemory)
})
export type Memory = typeof Memory.Type

const decode = Schema.decodeUnknownOption(Memory)

/** The memory of an account. One of another form, such as of an earlier version, is forgotten. */
export const readMemory = (memory: unknown): Memory =>
  Option.getOrElse(decode(memory), () => ({ sites: {}, vehicles: {} }))

export const forgetful: VehicleMemory = {
  checkedAt: 0,
  data: null,
  pairing: null,
  pairingAt: 0,
  online: "unknown"
}
