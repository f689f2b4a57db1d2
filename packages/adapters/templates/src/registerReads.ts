import { Effect, Schema } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import type { ModbusTemplate } from "./DeviceTemplate.ts"
import { decodeSerialNumber, type ReadRegister, serialNumberRead, templateReads } from "./modbusTemplate.ts"

/** Data that is stored with a linked device. */
export const RegisterConfig = Schema.Struct({
  serial: Schema.NullOr(Schema.String),
  /** The person's unit ids by those of the template. */
  unitIds: Schema.Record(Schema.String, Schema.Int),
  /** Capacities in Wh that a person entered, by the device's key. */
  capacities: Schema.Record(Schema.String, Schema.Finite)
})
export type RegisterConfig = typeof RegisterConfig.Type

export const templateUnitIds = ({ devices }: ModbusTemplate) => [...new Set(devices.map(({ unitId }) => unitId))]

/** Reads what the template names, by its unit ids. Fails if no unit responds. */
export const readTemplateRegisters = Effect.fnUntraced(function* (
  open: OpenUnit,
  template: ModbusTemplate,
  unitIds: RegisterConfig["unitIds"]
) {
  const registers = new Map<string, number>()
  const silent = new Set<number>()
  let missed: AdapterError | undefined
  for (const { address, count, table, unitId } of templateReads(template)) {
    if (silent.has(unitId)) continue
    const unit = open(unitIds[String(unitId)] ?? unitId)
    const result = yield* Effect.result(unit.read({ table, address, count }))
    if (result._tag === "Failure") {
      if (result.failure.failure !== "unreachable") return yield* result.failure
      silent.add(unitId)
      missed ??= result.failure
    } else if ("registers" in result.success) {
      for (const [n, word] of result.success.registers.entries()) {
        registers.set(`${unitId}/${table}/${address + n}`, word)
      }
    }
  }
  if (missed !== undefined && silent.size === templateUnitIds(template).length) return yield* missed
  const read: ReadRegister = (unitId, table, address) => registers.get(`${unitId}/${table}/${address}`)
  return { read, silent, isEmpty: registers.size === 0 }
})

/** The serial number; null if the device does not tell it. */
export const readSerial = Effect.fnUntraced(function* (
  open: OpenUnit,
  template: ModbusTemplate,
  unitIds: RegisterConfig["unitIds"]
) {
  const place = serialNumberRead(template)
  if (place === undefined) return null
  const response = yield* open(unitIds[String(place.unitId)] ?? place.unitId).read(place)
  return "registers" in response ? (decodeSerialNumber(template, response.registers) ?? null) : null
})

/** Another device at the address, such as after the router gave it away, is not taken for the linked one. */
export const requireSame = Effect.fnUntraced(function* (
  open: OpenUnit,
  template: ModbusTemplate,
  config: RegisterConfig
) {
  if (config.serial === null) return
  const found = yield* readSerial(open, template, config.unitIds)
  if (found !== null && found !== config.serial) {
    return yield* AdapterError.of(
      "misconfigured",
      `Another device responds at the address: ${found} in place of ${config.serial}`
    )
  }
})
