import { Effect } from "effect"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { enteredChoice, enteredInteger, text, unitField } from "@edp/adapter-kit/modbus/formFields"
import type { FormValues, OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import type { SunSpecUnit } from "./SunSpecConfig.ts"
import { describeModels, eachUnit, findSerial, walkUnit } from "./units.ts"

const makeUnitField = (units: ReadonlyArray<SunSpecUnit>, { key, unitId }: SunSpecUnit) =>
  unitField(unitId, units.length === 1 ? undefined : key)

/** SunSpec leaves the sign of a meter's power to the installation. */
const meterDirection = (units: ReadonlyArray<SunSpecUnit>): FormField => ({
  name: "meterDirection",
  kind: "choice",
  label: text(
    "Power from the grid is counted as",
    "La energía tomada de la red se cuenta como",
    "Bezug aus dem Netz zählt als"
  ),
  help: text(
    "Of the meter, if there is one. Choose “negative” if power taken from the grid is shown as sent to it.",
    "Del contador, si lo hay. Elija «negativa» si la energía tomada de la red aparece como vertida.",
    "Beim Zähler, wenn es einen gibt. Wählen Sie „negativ“, wenn bezogene Energie als eingespeist angezeigt wird."
  ),
  choices: [
    { value: "import", label: text("positive, as usual", "positiva, como es habitual", "positiv, wie üblich") },
    { value: "export", label: text("negative", "negativa", "negativ") }
  ],
  initial: units.some(({ settings }) => settings.meterPositive === "export") ? "export" : "import",
  required: false
})

const capacity: FormField = {
  name: "batteryCapacity",
  kind: "integer",
  label: text("Capacity of the battery in Wh", "Capacidad de la batería en Wh", "Kapazität der Batterie in Wh"),
  help: text(
    "Only for a battery that does not report its capacity",
    "Solo para una batería que no comunica su capacidad",
    "Nur für eine Batterie, die ihre Kapazität nicht meldet"
  ),
  minimum: 100,
  maximum: 100_000_000,
  required: false
}

export const formFields = (units: ReadonlyArray<SunSpecUnit>): ReadonlyArray<FormField> => [
  ...units.map((unit) => makeUnitField(units, unit)),
  meterDirection(units),
  capacity
]

/** Tries the units of a form. An installation may lack some of several. */
export const connect = (units: ReadonlyArray<SunSpecUnit>) =>
  Effect.fnUntraced(function* (open: OpenUnit, values: FormValues) {
    const batteryCapacity = yield* enteredInteger(values, capacity)
    const meterPositive = enteredChoice(values, meterDirection(units)) === "export" ? "export" : "import"
    const entered = yield* Effect.forEach(units, (unit) =>
      Effect.map(enteredInteger(values, makeUnitField(units, unit)), (unitId = unit.unitId): SunSpecUnit => ({
        ...unit,
        unitId,
        settings: { ...unit.settings, meterPositive, ...(batteryCapacity === undefined ? {} : { batteryCapacity }) }
      }))
    )
    const found = yield* eachUnit(
      entered,
      (unit) => walkUnit(open, unit),
      ({ failure }) => failure === "unreachable" || (units.length > 1 && failure === "misconfigured")
    )
    for (const { map, unit } of found) {
      yield* Effect.annotateLogs(Effect.logInfo(`A SunSpec device is being linked. ${describeModels(map)}.`), {
        unitId: unit.unitId
      })
    }
    const { devices, unit } = found[0]!
    const { manufacturerName, modelName } = devices[0]!
    const serial = findSerial(devices)
    return {
      config: { serial, units: found.map((one) => one.unit) },
      serial,
      unitId: unit.unitId,
      name: [manufacturerName, modelName].filter((part) => part !== undefined).join(" ") || "SunSpec device"
    }
  })
