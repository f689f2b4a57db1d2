import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { oneOf, quantity } from "@edp/domain/shared/quantities"
import { Text } from "@edp/domain/shared/Text"
import { Schema } from "effect"
import { unitNames } from "@edp/adapter-kit/decoding/units"

const optional = Schema.optionalKey

export const few = <S extends Schema.Top>(item: S, name: string) =>
  Schema.Array(item)
    .annotate({ message: `Must be a list of ${name}` })
    .check(Schema.isMinLength(1, { message: `Must have at least one of ${name}` }))

export const named = <S extends Schema.Top>(value: S, name: string) =>
  Schema.Record(Schema.String, value).annotate({ message: `Must be an object of ${name}` })

export const Scalar = Schema.Union([Schema.Finite, Text(0, 200), Schema.Boolean]).annotate({
  message: "Must be a number, a string, true or false"
})

/** Conversion of a reported value into the contract's field. */
export const conversion = {
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
  sign: optional(
    Schema.Struct({
      positive: Scalar,
      negative: Scalar,
      zero: Scalar,
      within: optional(quantity("Numbers up to this one, of either sign, count as zero", { minimum: 0 }))
    }).annotate({ description: "A choice by the sign of the number: whether a battery charges" })
  ),
  floor: optional(
    quantity("Smaller values become this one, in the unit of the contract: an idle inverter reports -3 W")
  )
}

/** A choice by a number. */
export const threshold = optional(
  Schema.Struct({
    above: quantity("Limit"),
    matched: Scalar,
    otherwise: Scalar
  }).annotate({ description: "A choice by a number: `matched` for numbers above the limit" })
)

export const FixedValues = named(
  Schema.Union([Scalar, Schema.Array(Text(1, 100))]).annotate({
    message: "Must be a number, a string, true, false or a list of strings"
  }),
  "fixed fields"
)

export const device = {
  key: Text(1, 60).check(
    Schema.isPattern(/^[a-z0-9-]+$/, { message: "Must consist of lower-case letters, digits and hyphens" })
  ),
  type: oneOf(["battery", "charger", "inverter", "meter", "thermostat", "vehicle", "water_heater"], "Type of device"),
  model: Text(1, 255).annotate({ description: "Name of the device model" }),
  fixedStatic: optional(FixedValues.annotate({ description: "Static fields that are the same for all such devices" }))
}

/** A value that a command writes: fixed, or an input of the command. */
export const given = {
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

export const commands = <S extends Schema.Top>(steps: S) =>
  optional(
    Schema.Record(Schema.String, steps)
      .annotate({ message: "Must be an object of commands" })
      .check(
        Schema.makeFilter((all) => Object.keys(all).every((name) => Schema.is(commandName)(name)), {
          message: `Must have the names ${commandSlugs.join(", ")}`
        })
      )
  )

export const about = {
  slug: Text(1, 63).check(
    Schema.isPattern(/^[a-z0-9]+(-[a-z0-9]+)*$/, { message: "Must consist of lower-case letters, digits and hyphens" })
  ),
  name: Text(1, 255),
  manufacturer: Text(1, 255),
  source: Text(1, 1000).annotate({ description: "The public documentation or repository of the addresses and topics" }),
  provenWith: optional(
    few(Text(1, 100), "client libraries").annotate({
      description:
        "Client libraries of other authors, with their versions, that read the same figures from a stand-in of the device"
    })
  )
}

/** With what the connection of a template's product was tested: the stand-in, and the libraries that read it. */
export const provenAgainst = (standIn: string, { provenWith = [] }: { readonly provenWith?: ReadonlyArray<string> }) =>
  provenWith.length === 0 ? standIn : `${standIn}; ${provenWith.join(", ")} read the same figures from it`

const Expected = named(
  Schema.Struct({
    state: named(Schema.Unknown, "fields"),
    staticState: optional(named(Schema.Unknown, "static fields")),
    missing: optional(Schema.Array(Schema.String))
  }),
  "devices"
)
export const expectation = {
  expected: Expected.annotate({ description: "State of each device by its key" }),
  known: optional(
    named(FixedValues, "devices").annotate({ description: "Static fields that a person entered, by the device's key" })
  )
}
