import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { oneOf, quantity } from "@edp/domain/shared/quantities"
import { Text } from "@edp/domain/shared/Text"
import { Schema } from "effect"
import { registerTypes } from "@edp/adapter-kit/decoding/registers"
import { unitNames } from "@edp/adapter-kit/decoding/units"

const optional = Schema.optionalKey

const few = <S extends Schema.Top>(item: S, name: string) =>
  Schema.Array(item)
    .annotate({ message: `Must be a list of ${name}` })
    .check(Schema.isMinLength(1, { message: `Must have at least one of ${name}` }))

const named = <S extends Schema.Top>(value: S, name: string) =>
  Schema.Record(Schema.String, value).annotate({ message: `Must be an object of ${name}` })

const Scalar = Schema.Union([Schema.Finite, Text(0, 200), Schema.Boolean]).annotate({
  message: "Must be a number, a string, true or false"
})

/** Conversion of a reported value into the contract's field. */
const conversion = {
  unit: optional(oneOf(unitNames, "Unit that the device reports; that of the contract's field by default")),
  scale: optional(
    quantity("Factor of the reported number: the value is `number * scale`, in `unit`").check(
      Schema.makeFilter((scale: number) => scale !== 0, { message: "Must be a number other than 0" })
    )
  ),
  values: optional(
    named(Scalar, "reported values with the contract's values").annotate({
      description: "Values of a choice or flag by what the device reports; a value that is not listed is not known"
    })
  ),
  absent: optional(
    Schema.Array(Schema.Finite)
      .annotate({ message: "Must be a list of numbers" })
      .annotate({ description: "Numbers that mean that the device has no value" })
  ),
  floor: optional(
    quantity("Smaller values become this one, in the unit of the contract: an idle inverter reports -3 W")
  )
}

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
  threshold: optional(
    Schema.Struct({
      above: quantity("Limit"),
      matched: Scalar,
      otherwise: Scalar
    }).annotate({ description: "A choice by a number: `matched` for numbers above the limit" })
  ),
  ...conversion
})
export type MessageField = typeof MessageField.Type

const FixedValues = named(
  Schema.Union([Scalar, Schema.Array(Text(1, 100))]).annotate({
    message: "Must be a number, a string, true, false or a list of strings"
  }),
  "fixed fields"
)

const device = {
  key: Text(1, 60).check(
    Schema.isPattern(/^[a-z0-9-]+$/, { message: "Must consist of lower-case letters, digits and hyphens" })
  ),
  type: oneOf(["battery", "charger", "inverter", "meter", "thermostat", "vehicle", "water_heater"], "Type of device"),
  model: Text(1, 255).annotate({ description: "Name of the device model" }),
  fixedStatic: optional(FixedValues.annotate({ description: "Static fields that are the same for all such devices" }))
}

/** A value that a command writes: fixed, or an input of the command. */
const given = {
  value: optional(Scalar.annotate({ description: "A fixed value" })),
  input: optional(Text(1, 60).annotate({ description: "Name of the command's input" })),
  unit: optional(oneOf(unitNames, "Unit that the device takes; that of the contract by default")),
  scale: optional(quantity("Factor: the number written is `value * scale`")),
  values: optional(named(Scalar, "values that the device takes by the input's values")),
  otherwise: optional(
    Scalar.annotate({ description: "Value that the device takes where the command has no such input" })
  ),
  optional: optional(
    Schema.Boolean.annotate({ message: "Must be true or false" }).annotate({
      description: "Whether the write is left out where the command has no such input"
    })
  )
}

const commandName = oneOf(commandSlugs)

const commands = <S extends Schema.Top>(steps: S) =>
  optional(
    Schema.Record(Schema.String, steps)
      .annotate({ message: "Must be an object of commands" })
      .check(
        Schema.makeFilter((all) => Object.keys(all).every((name) => Schema.is(commandName)(name)), {
          message: `Must have the names ${commandSlugs.join(", ")}`
        })
      )
  )

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

const about = {
  slug: Text(1, 63).check(
    Schema.isPattern(/^[a-z0-9]+(-[a-z0-9]+)*$/, { message: "Must consist of lower-case letters, digits and hyphens" })
  ),
  name: Text(1, 255),
  manufacturer: Text(1, 255),
  source: Text(1, 1000).annotate({ description: "The public documentation or repository of the addresses and topics" })
}

const Words = Schema.Array(quantity("A register", { integer: true, minimum: 0, maximum: 65_535 }))
const Expected = named(
  Schema.Struct({
    state: named(Schema.Unknown, "fields"),
    staticState: optional(named(Schema.Unknown, "static fields")),
    missing: optional(Schema.Array(Schema.String))
  }),
  "devices"
)
const expectation = {
  expected: Expected.annotate({ description: "State of each device by its key" }),
  known: optional(
    named(FixedValues, "devices").annotate({ description: "Static fields that a person entered, by the device's key" })
  )
}

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

export type DeviceTemplate = ModbusTemplate | MqttTemplate | SunSpecTemplate

/** The manufacturer's slug: its name in lower case, with hyphens for everything but letters and digits. */
export const manufacturerSlug = ({ manufacturer }: Pick<DeviceTemplate, "manufacturer">): string =>
  manufacturer
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-|-$/gu, "")
