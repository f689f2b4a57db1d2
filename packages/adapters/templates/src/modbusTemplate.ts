import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { type Observation, observe, type ReportedStatic } from "@edp/adapter-kit/decoding/observation"
import {
  readNumber,
  readText,
  registerPattern,
  registersPerValue,
  type RegisterType,
  type WordOrder,
  writeNumber
} from "@edp/adapter-kit/decoding/registers"
import type { SettingRegisters } from "@edp/adapter-kit/modbus/forcedMode"
import { withoutNoise } from "@edp/adapter-kit/decoding/units"
import { convertValue, giveValue } from "./convertValue.ts"
import type { ModbusDevice, ModbusTemplate, RegisterField } from "./DeviceTemplate.ts"
import { commandInputs } from "./checkParts.ts"

export interface RegisterRead {
  readonly unitId: number
  readonly table: "holding" | "input"
  readonly address: number
  readonly count: number
}

/** The register at a place; undefined if it was not read or the device refused it. */
export type ReadRegister = (unitId: number, table: "holding" | "input", address: number) => number | undefined

export interface RegisterCommand {
  readonly unitId: number
  readonly address: number
  readonly words: ReadonlyArray<number>
  readonly single?: boolean
  /** Seconds after which it is repeated while a forced mode lasts. */
  readonly renew?: number
  readonly writeOnly?: boolean
}

interface OneRegister {
  readonly address: number
  readonly type: RegisterType
  readonly table?: "holding" | "input"
  readonly order?: WordOrder
  readonly absentPattern?: string
  readonly scale?: number
}

/** A read has at most 125 registers. Some devices refuse a read over registers that they lack, so gaps are not read. */
const MAX_READ = 125

const parts = (field: RegisterField): ReadonlyArray<OneRegister> =>
  field.sum ?? field.product ?? field.quotient ?? [wholeField(field)]

/** The field's own scale is a part of its conversion. */
const wholeField = ({ absentPattern, address, order, table, type }: RegisterField): OneRegister => ({
  address: address!,
  type: type!,
  ...(table !== undefined && { table }),
  ...(order !== undefined && { order }),
  ...(absentPattern !== undefined && { absentPattern })
})

const allFields = (device: ModbusDevice) => [...Object.values(device.fields), ...Object.values(device.static ?? {})]

/** The reads that the template needs: adjacent registers of a unit and table are one read. */
export const templateReads = (template: ModbusTemplate): ReadonlyArray<RegisterRead> => {
  const wanted = template.devices
    .flatMap((device) =>
      allFields(device).flatMap((field) =>
        parts(field).map(({ address, table = "holding", type }) => ({
          unitId: device.unitId,
          table,
          address,
          count: registersPerValue(type)
        }))
      )
    )
    .sort(
      (one, other) => one.unitId - other.unitId || one.table.localeCompare(other.table) || one.address - other.address
    )
  const reads: Array<RegisterRead> = []
  for (const next of wanted) {
    const last = reads.at(-1)
    const end = last === undefined ? -1 : last.address + last.count
    const total = Math.max(end, next.address + next.count) - (last?.address ?? 0)
    const joins =
      last !== undefined &&
      last.unitId === next.unitId &&
      last.table === next.table &&
      next.address <= end &&
      total <= MAX_READ
    if (joins) reads[reads.length - 1] = { ...last, count: total }
    else reads.push(next)
  }
  return reads
}

/** The number of one place; null if the device says that it has no value, undefined if it was not read. */
const numberAt = (unitId: number, place: OneRegister, read: ReadRegister): number | null | undefined => {
  const words = Array.from({ length: registersPerValue(place.type) }, (_, n) =>
    read(unitId, place.table ?? "holding", place.address + n)
  )
  if (!words.every((word) => word !== undefined)) return undefined
  const pattern = registerPattern(words, place.order ?? "big")
  if (place.absentPattern !== undefined && pattern === BigInt(place.absentPattern)) return null
  const number = readNumber(words, place.type, place.order)
  return number === undefined ? null : number * (place.scale ?? 1)
}

/** A sum leaves out parts without a value, as a single-phase meter has two of; if one was not read, there is no sum. */
const reportedNumber = (unitId: number, field: RegisterField, read: ReadRegister) => {
  const numbers = parts(field).map((part) => numberAt(unitId, part, read))
  const known = numbers.filter((one) => typeof one === "number")
  if (field.product !== undefined || field.quotient !== undefined) {
    const [first, second] = known
    if (first === undefined || second === undefined || (field.quotient !== undefined && second === 0)) return undefined
    return withoutNoise(field.product !== undefined ? first * second : first / second)
  }
  return known.length === 0 || numbers.includes(undefined)
    ? undefined
    : withoutNoise(known.reduce((sum, value) => sum + value, 0))
}

const convertFields = (
  unitId: number,
  fields: Readonly<Record<string, RegisterField>>,
  read: ReadRegister,
  problems: Array<string>
) => {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const converted = convertValue(name, reportedNumber(unitId, field, read), field)
    if (converted === undefined) continue
    if ("problem" in converted) problems.push(converted.problem)
    else values[name] = converted.value
  }
  return values
}

/** The place of the serial number; undefined if the template has none. */
export const serialNumberRead = ({ serialNumber }: ModbusTemplate): RegisterRead | undefined => {
  if (serialNumber === undefined) return undefined
  const { address, count, table = "holding", type, unitId } = serialNumber
  return { unitId, table, address, count: type === "text" ? count! : registersPerValue(type) }
}

/** The serial number in its registers; undefined if they are empty. */
export const decodeSerialNumber = (
  { serialNumber }: ModbusTemplate,
  words: ReadonlyArray<number>
): string | undefined => {
  if (serialNumber === undefined || words.every((word) => word === 0) || words.every((word) => word === 0xffff)) {
    return undefined
  }
  return serialNumber.type === "text" ? readText(words) : String(registerPattern(words, "big"))
}

/** The state of one of the template's devices by the registers that were read. `known` are static fields that a person entered. */
export const decodeRegisters = (device: ModbusDevice, read: ReadRegister, known: ReportedStatic = {}): Observation => {
  const problems: Array<string> = []
  const state = convertFields(device.unitId, device.fields, read, problems)
  const measured = convertFields(device.unitId, device.static ?? {}, read, problems)
  return observe(device.type, state, { ...known, ...device.fixedStatic, ...measured }, problems)
}

/** The register writes of a command, in their order; a sentence if it can't be written. */
export const commandRegisters = (
  device: ModbusDevice,
  slug: CommandSlug,
  inputs: Readonly<Record<string, unknown>>
): { readonly writes: ReadonlyArray<RegisterCommand> } | { readonly refused: string } => {
  const steps = device.commands?.[slug]
  if (steps === undefined) return { refused: `The device does not support ${slug}` }
  const writes: Array<RegisterCommand> = []
  for (const step of steps) {
    if (step.when?.includes(String(inputs["operatingMode"])) === false) continue
    const given = giveValue(step, inputs, step.input === undefined ? undefined : commandInputs[slug]?.[step.input])
    if ("refused" in given) return given
    if ("skip" in given) continue
    const number = Number(given.write)
    const words = writeNumber(step.type.startsWith("float") ? number : Math.round(number), step.type, step.order)
    if (words === undefined) return { refused: `The register ${step.address} does not hold ${String(given.write)}` }
    writes.push({
      unitId: device.unitId,
      address: step.address,
      words,
      ...(step.function === 6 && { single: true }),
      ...(step.renew !== undefined && { renew: step.renew }),
      ...(step.writeOnly === true && { writeOnly: true })
    })
  }
  if (writes.length === 0) return { refused: `${slug} can't be ${String(inputs["operatingMode"])} on this device` }
  return { writes }
}

/** The registers that a command may write, whatever its input, in the order in which it writes them. */
export const commandSettings = (device: ModbusDevice, slug: CommandSlug): ReadonlyArray<SettingRegisters> =>
  Array.from(new Map((device.commands?.[slug] ?? []).map((step) => [step.address, step])).values(), (step) => ({
    address: step.address,
    count: registersPerValue(step.type),
    ...(step.function === 6 && { single: true })
  }))
