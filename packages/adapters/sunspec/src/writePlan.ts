import { models } from "./models.ts"
import { pointRegisters, pointScale } from "./modelValues.ts"
import { decodeNumber, encodeNumber, pointLength, removeScale } from "./points.ts"
import type { SettingRegisters } from "@edp/adapter-kit/modbus/forcedMode"
import type { PlannedWrite } from "@edp/adapter-kit/modbus/registerWrites"
import type { FoundModel } from "./walk.ts"

/** A write of registers in sequence. `value` is that of the point, in the unit of the table of models. */
export interface RegisterWrite extends PlannedWrite {
  readonly model: number
  readonly point: string
  readonly value: number
}

export interface WritePlan {
  readonly writes: ReadonlyArray<RegisterWrite>
  /** Seconds of the device's own timer that ends the mode; undefined if it has none or none was asked for. */
  readonly deviceTimer?: number
}

export interface PlanRefusal {
  readonly refused: "unsupported_value" | "precondition_unmet"
  readonly message: string
}

export type PlanResult = WritePlan | PlanRefusal
export const isRefused = (result: PlanResult): result is PlanRefusal => "refused" in result

/** Points that some devices count down after the write. */
const TIMERS = new Set(["InOutWRte_RvrtTms", "WSetRvrtTms"])

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
  const countsDown = TIMERS.has(name)
  return {
    address: model.address + point.offset,
    words,
    model: model.id,
    point: name,
    value,
    ...(countsDown ? { countsDown } : {})
  }
}

/** The registers of a point that the device implements. */
export const pointSetting = (model: FoundModel, name: string): SettingRegisters => {
  const { offset, type } = models.get(model.id)!.points[name]!
  return {
    address: model.address + offset,
    count: type === "string" ? 0 : pointLength(type),
    ...(TIMERS.has(name) ? { countsDown: true } : {})
  }
}

/** The plan of writes in their order; the first refusal refuses the plan. */
export const planWrites = (steps: ReadonlyArray<RegisterWrite | PlanRefusal>, deviceTimer?: number): PlanResult => {
  const writes: Array<RegisterWrite> = []
  for (const step of steps) {
    if ("refused" in step) return step
    writes.push(step)
  }
  return { writes, ...(deviceTimer === undefined ? {} : { deviceTimer }) }
}
