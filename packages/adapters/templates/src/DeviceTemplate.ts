import { oneOf, quantity } from "@edp/domain/shared/quantities"
import { Text } from "@edp/domain/shared/Text"
import { Schema } from "effect"
import { registerTypes } from "@edp/adapter-kit/decoding/registers"
import { transports } from "@edp/adapter-kit/modbus/ModbusClient"
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

const Register = Schema.Struct({
  ...registers,
  scale: optional(
    quantity("Factor of the register's number in a sum, product or quotient: -1 subtracts").check(
      Schema.makeFilter((scale: number) => scale !== 0, { message: "Must be a number other than 0" })
    )
  )
})
const TWO = "Must have two registers"
const pair = (description: string) =>
  optional(
    few(Register, "registers")
      .check(Schema.isMaxLength(2, { message: TWO }), Schema.isMinLength(2, { message: TWO }))
      .annotate({ description })
  )

const WHOLE = "Must have either address and type, or sum, product or quotient"

/** One value, or one of several with one conversion: the three phases of a meter. */
const RegisterField = Schema.Struct({
  ...registers,
  address: optional(registers.address),
  type: optional(registers.type),
  sum: optional(few(Register, "registers")),
  product: pair("The product of two numbers: voltage and current"),
  quotient: pair("The first number divided by the second one; no value where that is 0"),
  ...conversion
}).check(
  Schema.makeFilter(
    ({ address, product, quotient, sum, type }) =>
      (address !== undefined && type !== undefined ? 1 : 0) +
        [sum, product, quotient].filter((one) => one !== undefined).length ===
        1 && (address === undefined) === (type === undefined),
    { message: WHOLE }
  )
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

const RegisterWrite = Schema.Struct({
  address: registers.address,
  type: registers.type,
  order: registers.order,
  function: optional(
    Schema.Literals([6, 16])
      .annotate({ message: "Must be 6 or 16" })
      .annotate({ description: "Function of the write; 16 by default, and 6 where the device has no 16" })
  ),
  writeOnly: optional(
    Schema.Boolean.annotate({ message: "Must be true or false" }).annotate({
      description: "Whether the register can't be read: the command is accepted, and later readings confirm it"
    })
  ),
  when: optional(
    few(Text(1, 60), "operating modes").annotate({
      description: "The operating modes with which it is written; with all by default"
    })
  ),
  renew: optional(
    quantity("Seconds after which the write is repeated while a forced mode lasts", {
      integer: true,
      minimum: 2,
      maximum: 3600
    })
  ),
  ...given
})
export type RegisterWrite = typeof RegisterWrite.Type

const ModbusDevice = Schema.Struct({
  ...device,
  unitId: quantity("Modbus unit id", { integer: true, minimum: 0, maximum: 255 }),
  fields: named(RegisterField, "fields"),
  static: optional(named(RegisterField, "static fields")),
  commands: commands(few(RegisterWrite, "register writes"))
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
  sends: optional(
    few(
      Schema.Struct({
        device: device.key,
        command: Text(1, 100),
        input: Schema.Record(Schema.String, Schema.Unknown),
        registers: named(Words, "registers")
      }),
      "commands"
    ).annotate({ description: "Registers by `unit/table/address` after each command" })
  ),
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
  transports: optional(
    few(oneOf(transports), `transports: ${transports.join(", ")}`).annotate({
      description: "How the device is connected; a person chooses among several. Modbus TCP (tcp) by default"
    })
  ),
  port: optional(quantity("Port of such devices; 502 by default", { integer: true, minimum: 1, maximum: 65_535 })),
  connectDelay: optional(
    quantity("Seconds that such devices need before the first request on a connection", { minimum: 0, maximum: 4 })
  ),
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
