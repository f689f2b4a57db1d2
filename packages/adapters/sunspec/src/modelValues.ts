import { models, type PointDefinition } from "./models.ts"
import { applyScale, decodeNumber, decodeText, pointLength } from "./points.ts"
import type { FoundModel } from "./walk.ts"

export interface ModelValues {
  readonly number: (point: string) => number | undefined
  readonly text: (point: string) => string | undefined
  readonly blocks: ReadonlyArray<Omit<ModelValues, "blocks">>
}

/** The registers of a point. A model that is shorter than the table says ends before its last points. */
export const pointRegisters = (
  registers: ReadonlyArray<number>,
  { length, offset, type }: PointDefinition,
  start = 0
): ReadonlyArray<number> | undefined => {
  const count = type === "string" ? (length ?? 0) : pointLength(type)
  return start + offset + count > registers.length ? undefined : registers.slice(start + offset, start + offset + count)
}

/** The scale factor of a point: 0 for a point without one, undefined if the device does not implement it. */
export const pointScale = (model: FoundModel, point: PointDefinition): number | undefined => {
  if (point.scale === undefined) return 0
  const scale = models.get(model.id)?.points[point.scale]
  const words = scale === undefined ? undefined : pointRegisters(model.registers, scale)
  return words === undefined ? undefined : decodeNumber(words, "sunssf")
}

const reader = (
  model: FoundModel,
  points: Readonly<Record<string, PointDefinition>>,
  start: number
): Omit<ModelValues, "blocks"> => ({
  number: (name) => {
    const point = points[name]
    if (point === undefined || point.type === "string") return undefined
    const words = pointRegisters(model.registers, point, start)
    const value = words === undefined ? undefined : decodeNumber(words, point.type)
    const scale = value === undefined ? undefined : pointScale(model, point)
    return value === undefined || scale === undefined ? undefined : applyScale(value, scale)
  },
  text: (name) => {
    const point = points[name]
    if (point?.type !== "string") return undefined
    const words = pointRegisters(model.registers, point, start)
    return words === undefined ? undefined : decodeText(words)
  }
})

/** The values of a model by the names of its points, scaled, in the units of the table. */
export const modelValues = (model: FoundModel): ModelValues => {
  const definition = models.get(model.id)
  const own = reader(model, definition?.points ?? {}, 0)
  const blocks = definition?.blocks
  if (blocks === undefined) return { ...own, blocks: [] }
  // A device can claim more blocks than its model has room for.
  const room = Math.floor((model.registers.length - blocks.offset) / blocks.length)
  const count = Math.max(0, Math.min(own.number(blocks.count) ?? 0, room))
  return {
    ...own,
    blocks: Array.from({ length: count }, (_, n) => reader(model, blocks.points, blocks.offset + n * blocks.length))
  }
}
