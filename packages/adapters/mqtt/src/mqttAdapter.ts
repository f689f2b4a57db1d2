import { Effect, Schema } from "effect"
import { BrokerAddress } from "@edp/adapter-kit/broker/BrokerAddress"
import { brokerFields, type FormValues, readBroker, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { brokerInstance } from "@edp/adapter-kit/broker/BrokerAdapter"
import { isTopic } from "@edp/adapter-kit/decoding/messages"
import type { FormField, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { brokerDialect } from "./brokerDialects.ts"
import { roles } from "./homeAssistantDevices.ts"

const Settings = Schema.Struct({
  /** Seconds between two readings of a device, however often it publishes. */
  reportSeconds: Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 600 }))
  )
})

const Credentials = Schema.Struct({
  broker: BrokerAddress,
  discoveryPrefix: Schema.NullOr(Schema.String),
  zigbeeTopic: Schema.NullOr(Schema.String),
  tasmota: Schema.Boolean,
  sensorRole: Schema.Literals(roles),
  chargers: Schema.Array(Schema.String),
  inverters: Schema.Array(Schema.String),
  temperatureUnit: Schema.NullOr(Schema.Literals(["C", "F"])),
  /** Absent from accounts that were linked before there was the field: false. */
  published: Schema.optionalKey(Schema.Boolean)
})
type Credentials = typeof Credentials.Type

const REPORT_SECONDS = 10
/** A state that does not change is reported again so often that the device counts as online. */
const REPEAT_AFTER = 5 * 60_000

const fields: ReadonlyArray<FormField> = [
  ...brokerFields,
  {
    name: "discoveryPrefix",
    label: { en: "Home Assistant discovery prefix", es: "Prefijo de descubrimiento de Home Assistant" },
    help: { en: "Empty: not read", es: "Vacío: no se lee" },
    kind: "text",
    initial: "homeassistant",
    required: false
  },
  {
    name: "zigbeeTopic",
    label: { en: "Zigbee2MQTT base topic", es: "Tema base de Zigbee2MQTT" },
    help: { en: "Empty: not read", es: "Vacío: no se lee" },
    kind: "text",
    initial: "zigbee2mqtt",
    required: false
  },
  {
    name: "tasmota",
    label: { en: "Read Tasmota devices", es: "Leer dispositivos Tasmota" },
    kind: "choice",
    choices: [
      { value: "yes", label: { en: "Yes", es: "Sí" } },
      { value: "no", label: { en: "No", es: "No" } }
    ],
    initial: "yes",
    required: true
  },
  {
    name: "sensorRole",
    label: { en: "Devices that measure power are", es: "Los dispositivos que miden potencia son" },
    kind: "choice",
    choices: [
      { value: "meter", label: { en: "Meters", es: "Contadores" } },
      { value: "inverter", label: { en: "Solar inverters", es: "Inversores solares" } },
      { value: "charger", label: { en: "Outlets that charge a vehicle", es: "Enchufes que cargan un vehículo" } }
    ],
    initial: "meter",
    required: true
  },
  {
    name: "chargers",
    label: { en: "Outlets that charge a vehicle", es: "Enchufes que cargan un vehículo" },
    help: {
      en: "Names or identifiers on the broker, separated by commas. They can be switched on and off",
      es: "Nombres o identificadores en el bróker, separados por comas. Se pueden encender y apagar"
    },
    kind: "text",
    required: false
  },
  {
    name: "inverters",
    label: { en: "Devices that measure solar generation", es: "Dispositivos que miden generación solar" },
    help: {
      en: "Names or identifiers of Home Assistant discovery, separated by commas",
      es: "Nombres o identificadores del descubrimiento de Home Assistant, separados por comas"
    },
    kind: "text",
    required: false
  },
  {
    name: "temperatureUnit",
    label: { en: "Unit of thermostats that name none", es: "Unidad de los termostatos que no la indican" },
    kind: "choice",
    choices: [
      { value: "none", label: { en: "Leave such thermostats out", es: "Omitir esos termostatos" } },
      { value: "C", label: { en: "Degrees Celsius", es: "Grados Celsius" } },
      { value: "F", label: { en: "Degrees Fahrenheit", es: "Grados Fahrenheit" } }
    ],
    initial: "none",
    required: true
  },
  {
    name: "published",
    label: {
      en: "Devices that another Energy Device Platform publishes",
      es: "Dispositivos que publica otra Energy Device Platform"
    },
    kind: "choice",
    choices: [
      { value: "no", label: { en: "Leave them out", es: "Omitirlos" } },
      { value: "yes", label: { en: "Read them", es: "Leerlos" } }
    ],
    initial: "no",
    required: false
  }
]

const NAMES_LIMIT = 50
const TEXT_LIMIT = 200

const readForm = (values: FormValues) =>
  Effect.gen(function* () {
    const broker = yield* readBroker(values)
    const topic = Effect.fnUntraced(function* (name: string) {
      const value = valueFrom(values, name)
      if (value === undefined) return null
      return value.length <= TEXT_LIMIT && isTopic(value) && !value.endsWith("/")
        ? value
        : yield* wrongValue(`${name} must be a topic without wildcards, such as home/zigbee2mqtt`)
    })
    const choice = Effect.fnUntraced(function* <const Value extends string>(
      name: string,
      choices: ReadonlyArray<Value>
    ) {
      const value = valueFrom(values, name) ?? fields.find((field) => field.name === name)?.initial
      const chosen = choices.find((one) => one === value)
      return chosen ?? (yield* wrongValue(`${name} must be one of ${choices.join(", ")}`))
    })
    const names = Effect.fnUntraced(function* (name: string) {
      const list = (values[name] ?? "").split(",").map((one) => one.trim().toLowerCase())
      const given = list.filter((one) => one !== "")
      return given.length <= NAMES_LIMIT && given.every(({ length }) => length <= TEXT_LIMIT)
        ? given
        : yield* wrongValue(`${name} must be at most ${NAMES_LIMIT} names of at most ${TEXT_LIMIT} characters`)
    })
    const unit = yield* choice("temperatureUnit", ["none", "C", "F"])
    const credentials: Credentials = {
      broker,
      discoveryPrefix: yield* topic("discoveryPrefix"),
      zigbeeTopic: yield* topic("zigbeeTopic"),
      tasmota: (yield* choice("tasmota", ["yes", "no"])) === "yes",
      sensorRole: yield* choice("sensorRole", roles),
      chargers: yield* names("chargers"),
      inverters: yield* names("inverters"),
      temperatureUnit: unit === "none" ? null : unit,
      published: (yield* choice("published", ["no", "yes"])) === "yes"
    }
    if (credentials.discoveryPrefix === null && credentials.zigbeeTopic === null && !credentials.tasmota) {
      return yield* wrongValue("discoveryPrefix, zigbeeTopic or tasmota is required: nothing else describes devices")
    }
    return credentials
  })

/** Topics other than the usual ones are an account of their own: a broker may have several bridges. */
const otherTopics = ({ discoveryPrefix, zigbeeTopic }: Credentials) =>
  [
    ["discoveryPrefix", discoveryPrefix],
    ["zigbeeTopic", zigbeeTopic]
  ]
    .filter(([name, topic]) => topic !== null && topic !== fields.find((field) => field.name === name)?.initial)
    .map(([, topic]) => `/${topic}`)
    .join("")

/** Devices that describe themselves on a person's MQTT broker: Home Assistant discovery, Zigbee2MQTT, Tasmota. */
export const mqttAdapter: ManufacturerAdapter<typeof Settings.Type, Credentials> = {
  manifest: {
    slug: "mqtt",
    name: "MQTT broker",
    deviceTypes: ["charger", "inverter", "meter", "thermostat", "water_heater"],
    commands: ["charger:set-operating-mode", "thermostat:set-operating-mode", "thermostat:set-fan-mode"],
    authorization: "form",
    polling: null,
    quotas: [],
    // Thermostats that run on batteries listen every few minutes.
    confirmWithin: 300,
    provenAgainst: "Debian's mosquitto and its clients, with messages in the documented shapes"
  },
  settings: Settings,
  credentials: Credentials,
  create: ({ reportSeconds = REPORT_SECONDS }, host) =>
    Effect.sync(() =>
      brokerInstance<Credentials>(
        host,
        { reportEvery: reportSeconds * 1000, repeatAfter: REPEAT_AFTER },
        { fields, hasCommands: true, readForm, dialect: brokerDialect, suffix: otherTopics }
      )
    )
}
