import { BrokerAddress } from "@edp/adapter-kit/broker/BrokerAddress"
import { brokerInstance } from "@edp/adapter-kit/broker/BrokerAdapter"
import { brokerFields, type FormValues, readBroker, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { makeSetPointModes } from "@edp/adapter-kit/broker/SetPointModes"
import type { FormField, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Schema } from "effect"
import { victronDialect } from "./victronDialect.ts"

const Credentials = Schema.Struct({
  broker: BrokerAddress,
  portal: Schema.String,
  batteryCapacity: Schema.NullOr(Schema.Finite),
  batteryPower: Schema.optionalKey(Schema.NullOr(Schema.Finite))
})
type Credentials = typeof Credentials.Type

const REPORT_EVERY = 10_000
/** A state that does not change is reported again so often that the device counts as online. */
const REPEAT_AFTER = 5 * 60_000

const capacityBounds = { minimum: 100, maximum: 100_000_000 }
const powerBounds = { minimum: 100, maximum: 1_000_000 }

const fields: ReadonlyArray<FormField> = [
  {
    name: "portalId",
    label: { en: "VRM portal ID", es: "ID del portal VRM", de: "VRM-Portal-ID" },
    help: {
      en: "In the menu of the GX device: Settings, VRM online portal",
      es: "En el menú del dispositivo GX: Configuración, portal en línea VRM",
      de: "Im Menü des GX-Geräts: Einstellungen, VRM-Online-Portal"
    },
    kind: "text",
    required: true
  },
  {
    name: "batteryCapacity",
    label: {
      en: "Capacity of the battery in Wh",
      es: "Capacidad de la batería en Wh",
      de: "Kapazität der Batterie in Wh"
    },
    help: {
      en: "The GX device reports percent alone. Leave it empty if there is no battery.",
      es: "El dispositivo GX solo comunica el porcentaje. Déjelo vacío si no hay batería.",
      de: "Das GX-Gerät meldet nur Prozent. Lassen Sie das Feld leer, wenn es keine Batterie gibt."
    },
    kind: "integer",
    ...capacityBounds,
    required: false
  },
  {
    name: "batteryPower",
    label: {
      en: "Greatest power of the battery in W",
      es: "Potencia máxima de la batería en W",
      de: "Größte Leistung der Batterie in W"
    },
    help: {
      en: "With which it may be charged and discharged on command. Leave it empty if its power shall not be controlled.",
      es: "Con la que puede cargarse y descargarse por orden. Déjelo vacío si su potencia no debe controlarse.",
      de: "Mit der sie auf Befehl geladen und entladen werden darf. Lassen Sie das Feld leer, wenn ihre Leistung nicht gesteuert werden soll."
    },
    kind: "integer",
    ...powerBounds,
    required: false
  },
  ...brokerFields
]

const readForm = Effect.fnUntraced(function* (values: FormValues) {
  const broker = yield* readBroker(values)
  const portal = valueFrom(values, "portalId")?.toLowerCase() ?? ""
  if (!/^[0-9a-z]{1,32}$/u.test(portal)) {
    return yield* wrongValue("portalId must be the VRM portal ID of the GX device, such as c0619ab12345")
  }
  const whole = Effect.fnUntraced(function* (name: string, unit: string, { maximum, minimum }: typeof powerBounds) {
    const given = valueFrom(values, name)
    if (given === undefined) return null
    const number = Number(given)
    if (Number.isInteger(number) && number >= minimum && number <= maximum) return number
    return yield* wrongValue(`${name} must be a whole number of ${unit} from ${minimum} to ${maximum}`)
  })
  return {
    broker,
    portal,
    batteryCapacity: yield* whole("batteryCapacity", "Wh", capacityBounds),
    batteryPower: yield* whole("batteryPower", "W", powerBounds)
  } satisfies Credentials
})

/** Systems behind a Victron GX device, by the broker that it runs. */
export const victronAdapter: ManufacturerAdapter<{}, Credentials> = {
  manifest: {
    slug: "victron-mqtt",
    name: "Victron GX (MQTT)",
    deviceTypes: ["battery", "charger", "inverter", "meter"],
    commands: ["battery:set-reserve", "battery:set-operating-mode", "charger:set-operating-mode"],
    authorization: "form",
    polling: null,
    quotas: [],
    confirmWithin: 60,
    provenAgainst: "Debian's mosquitto with messages in the documented shape, not the product"
  },
  settings: Schema.Struct({}),
  credentials: Credentials,
  create: (_, host) =>
    Effect.map(makeSetPointModes(host), (setPoints) =>
      brokerInstance<Credentials>(
        host,
        { reportEvery: REPORT_EVERY, repeatAfter: REPEAT_AFTER },
        {
          fields,
          hasCommands: true,
          readForm,
          dialect: ({ batteryCapacity, batteryPower = null, portal }) =>
            victronDialect({ portal, battery: { capacity: batteryCapacity, power: batteryPower } }),
          setPoints,
          suffix: ({ portal }) => `/${portal}`
        }
      )
    )
}
