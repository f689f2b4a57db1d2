import { models } from "@edp/adapter-sunspec/models"
import { encodeNumber, pointLength } from "@edp/adapter-sunspec/points"
import type { ReadResponse, ReadRequest, Reads } from "@edp/adapter-sunspec/walk"
import { writeText } from "@edp/adapter-kit/decoding/registers"

type Points = Readonly<Record<string, number | string>>

export interface ModelFixture {
  readonly id: number
  /** Registers after the length. */
  readonly length: number
  /** Integers as they are in the registers, without scale factors. */
  readonly points: Points
  readonly blocks?: ReadonlyArray<Points>
}

/** Lengths of the models in the public definitions, without repeated blocks. */
export const lengths: Readonly<Record<number, number>> = {
  1: 66,
  101: 50,
  103: 50,
  113: 60,
  120: 26,
  121: 30,
  124: 24,
  160: 8,
  203: 105,
  213: 124,
  701: 153,
  702: 50,
  704: 65,
  713: 7,
  714: 18,
  802: 62
}

export const model = (id: number, points: Points, blocks?: ReadonlyArray<Points>): ModelFixture => ({
  id,
  length: lengths[id]! + (models.get(id)?.blocks?.length ?? 0) * (blocks?.length ?? 0),
  points,
  ...(blocks === undefined ? {} : { blocks })
})

const put = (
  registers: Array<number>,
  start: number,
  points: Points,
  table: (typeof models extends ReadonlyMap<number, infer M> ? M : never)["points"]
) => {
  for (const [name, value] of Object.entries(points)) {
    const point = table[name]!
    const words =
      point.type === "string" ? writeText(String(value), point.length!) : encodeNumber(Number(value), point.type)
    if (words === undefined) throw new Error(`${name} does not hold ${value}`)
    registers.splice(start + point.offset, words.length, ...words)
  }
}

/** The registers of a model from its id on. What it is not given is not implemented. */
export const modelRegisters = ({ blocks = [], id, length, points }: ModelFixture): ReadonlyArray<number> => {
  const definition = models.get(id)
  const registers = [id, length, ...Array.from({ length }, () => 0xffff)]
  const rows = [
    { start: 0, table: definition?.points ?? {} },
    ...blocks.map((_, n) => ({
      start: definition!.blocks!.offset + n * definition!.blocks!.length,
      table: definition!.blocks!.points
    }))
  ]
  for (const { start, table } of rows) {
    for (const { length: texts = 0, offset, type } of Object.values(table)) {
      const count = type === "string" ? texts : pointLength(type)
      const absent = /^(?:int|sunssf)/.test(type) ? 0x8000 : /^(?:acc|string)/.test(type) ? 0 : 0xffff
      for (let n = 0; n < count; n++) registers[start + offset + n] = n > 0 && absent === 0x8000 ? 0 : absent
    }
  }
  put(registers, 0, points, definition?.points ?? {})
  for (const [n, block] of blocks.entries())
    put(registers, definition!.blocks!.offset + n * definition!.blocks!.length, block, definition!.blocks!.points)
  return registers
}

/** A map from its mark to its end marker. */
export const mapRegisters = (fixtures: ReadonlyArray<ModelFixture>): ReadonlyArray<number> => [
  0x5375,
  0x6e53,
  ...fixtures.flatMap(modelRegisters),
  0xffff,
  0
]

/** A device that refuses addresses outside its registers, as Modbus does. */
export const deviceAt =
  (base: number, registers: ReadonlyArray<number>) =>
  ({ address, count }: ReadRequest): ReadResponse =>
    address < base || address + count > base + registers.length
      ? { refused: "Illegal data address" }
      : { registers: registers.slice(address - base, address - base + count) }

/** Runs a walk with a function that responds at once, such as one over recorded registers. */
export const runReads = <A>(reads: Reads<A>, read: (request: ReadRequest) => ReadResponse): A => {
  let step = reads.next()
  while (step.done !== true) step = reads.next(read(step.value))
  return step.value
}
