import { Option, Schema } from "effect"

/** Milliseconds since 1970, from and until. */
const Range = Schema.Tuple([Schema.Finite, Schema.Finite])
export type Range = typeof Range.Type

/** The data of a meter that has been read. */
const MeterMemory = Schema.Struct({
  /** Times whose energy has been reported, in their order: what a feed repeats or corrects later is left out. */
  covered: Schema.Array(Range),
  /** The last segment of the usage point's address. */
  link: Schema.NullOr(Schema.String)
})
export type MeterMemory = typeof MeterMemory.Type

/** How far a batch has been read. */
const BatchMemory = Schema.Struct({
  /** The meters for which it has been read so far: a new one has its history yet to come. */
  meters: Schema.Array(Schema.String),
  /** The begin of the next window, milliseconds since 1970. */
  cursor: Schema.Finite,
  /** When the history was begun, milliseconds since 1970. */
  begunAt: Schema.Finite,
  windowDays: Schema.Finite,
  /** For a conditional call of the same address. */
  validator: Schema.NullOr(
    Schema.Struct({ address: Schema.String, header: Schema.Literals(["etag", "last-modified"]), value: Schema.String })
  )
})
export type BatchMemory = typeof BatchMemory.Type
export type Validator = NonNullable<BatchMemory["validator"]>

const Memory = Schema.Struct({
  meters: Schema.Record(Schema.String, MeterMemory),
  batches: Schema.Record(Schema.String, BatchMemory)
})
export type Memory = typeof Memory.Type

const decode = Schema.decodeUnknownOption(Memory)

/** The memory of an account. One of another form, such as of an earlier version, is forgotten. */
export const readMemory = (memory: unknown): Memory =>
  Option.getOrElse(decode(memory), () => ({ meters: {}, batches: {} }))

export const newMeter: MeterMemory = { covered: [], link: null }
