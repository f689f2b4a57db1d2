import { models } from "./models.ts"
import { pointRegisters, pointScale } from "./modelValues.ts"
import { decodeNumber, encodeNumber, pointLength, removeScale } from "./points.ts"
import type { FoundModel, ReadRequest } from "./walk.ts"

/** A write of registers in sequence. `value` is that of the point, in the unit of the table of models. */
export interface RegisterWrite {
  readonly address: number
  readonly words: ReadonlyArray<number>
  readonly model: number
  readonly point: string
  readonly value: number
}

/** Registers as they were before a command. */
export interface SavedRegisters {
  readonly address: number
  readonly words: ReadonlyArray<number>
}

export interface WritePlan {
  /** Registers to read and store before the first write: those that the plan writes, in the order of their first write. */
  readonly snapshot: ReadonlyArray<ReadRequest>
  readonly writes: ReadonlyArray<RegisterWrite>
  /** The device's own timer that ends the mode; undefined if it has none or none was asked for. */
  readonly deviceTimer?: {
    readonly seconds: number
    /** False if the timer is shorter than asked for: then the plan must be written again before it ends. */
    readonly coversAll: boolean
  }
}

export interface PlanRefusal {
  readonly refused: "unsupported_value" | "precondition_unmet"
  readonly message: string
}

export type PlanResult = WritePlan | PlanRefusal
export const isRefused = (result: PlanResult): result is PlanRefusal => "refused" in result

/** Whether the device implements a point: its registers hold a value and its scale factor is known. */
export const implementsPoint = (model: FoundModel, name: string): boolean => {
  const point = models.get(model.id)?.points[name]
  if (point === undefined || point.type === "string" || pointScale(model, point) === undefined) return false
  const words = pointRegisters(model.registers, point)
  return words !== undefined && decodeNumber(words, point.type) !== undefined
}

/** The write of a value in the point's unit; a refusal if the device lacks the point or its registers do not hold the value. */
export const writePoint = (model: FoundModel, name: string, value: number): RegisterWrite | PlanRefusal => {
  const point = models.get(model.id)?.points[name]
  const scale = point === undefined ? undefined : pointScale(model, point)
  if (point === undefined || point.type === "string" || point.writable !== true || scale === undefined) {
    return { refused: "unsupported_value", message: `The device does not implement ${name} of model ${model.id}` }
  }
  const isFloat = point.type === "float32" || point.type === "float64"
  const words = encodeNumber(isFloat ? value : removeScale(value, scale), point.type)
  if (words === undefined || point.offset + pointLength(point.type) > model.registers.length) {
    return { refused: "unsupported_value", message: `${name} of model ${model.id} does not hold ${value}` }
  }
  return { address: model.address + point.offset, words, model: model.id, point: name, value }
}

/** The plan of writes in their order; the first refusal refuses the plan. */
export const planWrites = (
  steps: ReadonlyArray<RegisterWrite | PlanRefusal>,
  deviceTimer?: WritePlan["deviceTimer"]
): PlanResult => {
  const writes: Array<RegisterWrite> = []
  for (const step of steps) {
    if ("refused" in step) return step
    writes.push(step)
  }
  const touched = new Map(writes.map(({ address, words }) => [address, words.length]))
  return {
    snapshot: Array.from(touched, ([address, count]) => ({ address, count })),
    writes,
    ...(deviceTimer === undefined ? {} : { deviceTimer })
  }
}

/** The writes that restore a snapshot, in the reverse order of the command's writes. */
export const planRestore = (snapshot: ReadonlyArray<SavedRegisters>): ReadonlyArray<SavedRegisters> =>
  snapshot.toReversed()

/** The snapshot for a mode over another one: what the first one saved stays, registers that only the second touches are added. */
export const mergeSnapshots = (
  earlier: ReadonlyArray<SavedRegisters>,
  later: ReadonlyArray<SavedRegisters>
): ReadonlyArray<SavedRegisters> => [
  ...earlier,
  ...later.filter(({ address }) => earlier.every((saved) => saved.address !== address))
]

/** Whether registers that were read after the plan hold what it wrote last; undefined if one was not read. */
export const hasTakenEffect = (plan: WritePlan, read: ReadonlyArray<SavedRegisters>): boolean | undefined => {
  const last = new Map(plan.writes.map(({ address, words }) => [address, words]))
  let equal = true
  for (const [address, words] of last) {
    const found = read.find((one) => one.address === address)
    if (found === undefined) return undefined
    equal &&= words.length === found.words.length && words.every((word, n) => word === found.words[n])
  }
  return equal
}
