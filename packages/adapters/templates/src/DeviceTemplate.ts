import { oneOf, quantity } from "@edp/domain/shared/quantities"
import { Text } from "@edp/domain/shared/Text"
import { Schema } from "effect"
import { registerTypes } from "@edp/adapter-kit/decoding/registers"
import type { HttpTemplate } from "./HttpTemplate.ts"
import { about, commands, conversion, device, expectation, few, given, named, threshold } from "./templateParts.ts"

const optional = Schema.optionalKey

/** The registers of one Modbus value. Patterns that mean "no value" are given as unsigned hexadecimal of the value's registers. */
const registers = {
  address: quantity("Address of the first register, from 0 on", { integer: true, minimum: 0, maximum: 65_535 }),
  type: oneOf(registerTypes, "Type of the number"),
  table: optional(oneOf(["holding", "input"], "Table of the register; holding by default")),
  order: optional(oneOf(["big", "little"], "Order of the registers; the most significant first (big) by default")),
  absentPattern: optional(
    Schema.String.annotate({ message: "Must be a hexadecimal number such as 0x80000000" }).check(
      Schema.isPattern(/^0x[0-9a-fA-F]{1,16}$/, { message: "Must be a hexadecimal number such as 0x80000000" })
    )
  )
}

/** One value, or a sum of several with one conversion: the three phases of a meter. */
const RegisterField = Schema.Struct({
  ...registers,
  address: optional(registers.address),
  type: optional(registers.type),
  sum: optional(few(Schema.Struct(registers), "registers")),
  ...conversion
}).check(
  Schema.makeFilter(({ address, sum, type }) => (sum === undefined) === (address !== undefined && type !== undefined), {
    message: "Must have either address and type, or sum"
  })
)
export type RegisterField = typeof RegisterField.Type

const Topic = Text(1, 500).check(
  Schema.isPattern(/^[^+#\0]+$/, { message: "Must be a topic without wildcards; {id} stands for the device's name" })
)

const MessageField = Schema.Struct({
  topic: Topic,
  path: optional(Text(1, 200).annotate({ description: "Path into the JSON payload; the whole payload by default" })),
  threshold,
  ...conversion
})
export type MessageField = typeof MessageField.Type

const ModbusDevice = Schema.Struct({
  ...device,
  unitId: quantity("Modbus unit id", { integer: true, minimum: 0, maximum: 255 }),
  fields: named(RegisterField, "fields"),
  static: optional(named(RegisterField, "static fields")),
  commands: commands(
    few(
      Schema.Struct({ address: registers.address, type: registers.type, order: registers.order, ...given }),
      "register writes"
    )
  )
})
export type ModbusDevice = typeof ModbusDevice.Type

const MqttDevice = Schema.Struct({
  ...device,
  fields: named(MessageField, "fields"),
  static: optional(named(MessageField, "static fields")),
  availability: optional(
    Schema.Struct({
      topic: Topic,
      path: optional(Text(1, 200)),
      online: Text(1, 100),
      offline: Text(1, 100)
    }).annotate({ description: "The topic that indicates whether the device is reachable" })
  ),
  outlet: optional(
    Schema.Struct({
      topic: Topic,
      path: optional(Text(1, 200)),
      on: Text(1, 100),
      off: Text(1, 100)
    }).annotate({ description: "The topic that indicates whether the outlet of a charger is on" })
  ),
  commands: commands(
    Schema.Struct({
      topic: Topic,
      payload: few(
        Schema.Struct({ path: optional(Text(1, 200)), ...given }),
        "values of the payload; without path the value is the whole payload"
      )
    })
  )
})
export type MqttDevice = typeof MqttDevice.Type

const Words = Schema.Array(quantity("A register", { integer: true, minimum: 0, maximum: 65_535 }))
/** Registers by `unit/table/address`, such as `100/holding/820`. */
const RegisterFixture = Schema.Struct({
  shape: Text(1, 500),
  registers: named(Words, "registers"),
  serialNumber: optional(Text(1, 100).annotate({ description: "The serial number in the registers" })),
  ...expectation
})
const MessageFixture = Schema.Struct({
  shape: Text(1, 500),
  id: Text(1, 255),
  messages: named(Text(0, 20_000), "payloads by topic"),
  ...expectation
})

/** Registers that tell the serial number: a number, or a text of two characters a register. */
const SerialNumber = Schema.Struct({
  unitId: quantity("Modbus unit id", { integer: true, minimum: 0, maximum: 255 }),
  address: registers.address,
  table: registers.table,
  type: oneOf(["uint16", "uint32", "uint64", "text"], "Type of the serial number"),
  count: optional(quantity("Registers of a text", { integer: true, minimum: 1, maximum: 32 }))
}).check(
  Schema.makeFilter(({ count, type }) => (type === "text") === (count !== undefined), {
    message: "Must have count for a text, and for nothing else"
  })
)

export const ModbusTemplate = Schema.Struct({
  ...about,
  protocol: Schema.Literal("modbus"),
  serialNumber: optional(
    SerialNumber.annotate({
      description: "Identifies the device wherever its address moves; without it the address and the unit do"
    })
  ),
  devices: few(ModbusDevice, "devices"),
  fixture: RegisterFixture
})
export type ModbusTemplate = typeof ModbusTemplate.Type

export const MqttTemplate = Schema.Struct({
  ...about,
  protocol: Schema.Literal("mqtt"),
  devices: few(MqttDevice, "devices"),
  fixture: MessageFixture
})
export type MqttTemplate = typeof MqttTemplate.Type

/** Units and settings of a device that describes itself by SunSpec. */
export const SunSpecTemplate = Schema.Struct({
  ...about,
  protocol: Schema.Literal("sunspec"),
  units: few(
    Schema.Struct({
      key: device.key,
      unitId: quantity("Modbus unit id", { integer: true, minimum: 0, maximum: 255 }),
      settings: Schema.Struct({
        meterPositive: oneOf(["import", "export"], "Direction in which the meter counts power as positive"),
        swapMeterCounters: Schema.Boolean.annotate({ message: "Must be true or false" }),
        batteryPositive: oneOf(["discharge", "charge"], "Direction in which model 802 counts power as positive"),
        batteryInputs: optional(
          Schema.Struct({
            charge: quantity("DC input that charges", { integer: true, minimum: 1, maximum: 20 }),
            discharge: quantity("DC input that discharges", { integer: true, minimum: 1, maximum: 20 })
          })
        )
      })
    }),
    "units"
  ),
  fixture: RegisterFixture
})
export type SunSpecTemplate = typeof SunSpecTemplate.Type

export type DeviceTemplate = ModbusTemplate | MqttTemplate | SunSpecTemplate | HttpTemplate

/** The manufacturer's slug: its name in lower case, with hyphens for everything but letters and digits. */
export const manufacturerSlug = ({ manufacturer }: Pick<DeviceTemplate, "manufacturer">): string =>
  manufacturer
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-|-$/gu, "")
