import { Effect, Schema } from "effect"
import { BrokerAddress } from "@edp/adapter-kit/broker/BrokerAddress"
import type { BrokerDevice } from "@edp/adapter-kit/broker/BrokerDevice"
import { brokerFields, type FormValues, readBroker, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { brokerInstance } from "@edp/adapter-kit/broker/BrokerAdapter"
import { isTopic } from "@edp/adapter-kit/decoding/messages"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { AnyManufacturerAdapter, FormField, ManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { type DeviceTemplate, manufacturerSlug, type MqttTemplate } from "./DeviceTemplate.ts"
import { commandMessage, decodeMessages, deviceTopics, reportedAvailability, reportedOutlet } from "./mqttTemplate.ts"
import { provenAgainst } from "./templateParts.ts"

/** A manufacturer whose devices on a broker are described by templates. */
export interface MqttManufacturer {
  readonly slug: string
  readonly name: string
  /** At least one; a person chooses among several. */
  readonly templates: ReadonlyArray<MqttTemplate>
}

const Credentials = Schema.Struct({
  broker: BrokerAddress,
  /** The slug of the template. */
  template: Schema.String,
  /** The device's name in its topics. */
  device: Schema.String
})
type Credentials = typeof Credentials.Type

const REPORT_EVERY = 10_000
/** A state that does not change is reported again so often that the device counts as online. */
const REPEAT_AFTER = 5 * 60_000
const NAME_LIMIT = 100
const STAND_IN = "Shipped templates: Debian's mosquitto with messages in the documented shape, not the product"

const templateField = (templates: ReadonlyArray<MqttTemplate>): FormField => ({
  name: "model",
  label: { en: "Model", es: "Modelo" },
  kind: "choice",
  choices: templates.map(({ name, slug }) => ({ value: slug, label: { en: name, es: name } })),
  initial: templates[0]!.slug,
  required: true
})

const deviceField: FormField = {
  name: "device",
  label: { en: "Name of the device on the broker", es: "Nombre del dispositivo en el bróker" },
  help: {
    en: "The part of its topics that is its own, such as shellypro3em-08f9e0000001",
    es: "La parte de sus temas que le es propia, como shellypro3em-08f9e0000001"
  },
  kind: "text",
  required: true
}

const distinct = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(all)]

const brokerDevices = (template: MqttTemplate, id: string): ReadonlyArray<BrokerDevice> =>
  template.devices.map((device) => ({
    id: `${id}/${device.key}`,
    name: template.devices.length === 1 ? id : `${id} ${device.key}`,
    model: device.model,
    manufacturerName: template.manufacturer,
    serialNumber: null,
    type: device.type,
    commands: Object.keys(device.commands ?? {}) as ReadonlyArray<CommandSlug>,
    topics: deviceTopics(device, id).state,
    availabilityTopics: deviceTopics(device, id).availability,
    problems: [],
    observe: (read) => decodeMessages(device, id, read),
    isReachable: (read) => reportedAvailability(device, id, read),
    plan: (slug, inputs) => {
      const message = commandMessage(device, id, slug, inputs)
      return "refused" in message ? message : { messages: [message] }
    },
    isSwitchedOn: (read) => reportedOutlet(device, id, read)
  }))

/** The adapter of a manufacturer whose devices publish on a person's broker. A person links one device at a time. */
export const mqttTemplateAdapter = ({
  name,
  slug,
  templates
}: MqttManufacturer): ManufacturerAdapter<{}, Credentials> => {
  const devices = templates.flatMap((template) => template.devices)
  const commands = distinct(devices.flatMap((device) => Object.keys(device.commands ?? {}) as Array<CommandSlug>))
  const fields = [...(templates.length > 1 ? [templateField(templates)] : []), deviceField, ...brokerFields]

  const readForm = Effect.fnUntraced(function* (values: FormValues) {
    const broker = yield* readBroker(values)
    const chosen = valueFrom(values, "model") ?? templates[0]!.slug
    const template = templates.find((one) => one.slug === chosen)
    if (template === undefined) {
      return yield* wrongValue(`model must be one of ${templates.map((one) => one.slug).join(", ")}`)
    }
    const device = valueFrom(values, "device") ?? ""
    if (!isTopic(device) || device.length > NAME_LIMIT) {
      return yield* wrongValue(`device must be a name without wildcards, of at most ${NAME_LIMIT} characters`)
    }
    return { broker, template: template.slug, device } satisfies Credentials
  })

  return {
    manifest: {
      slug,
      name,
      deviceTypes: distinct(devices.map(({ type }) => type)),
      commands,
      authorization: "form",
      polling: null,
      quotas: [],
      confirmWithin: 300,
      products: templates.map((template) => ({
        name: template.name,
        deviceTypes: distinct(template.devices.map(({ type }) => type)),
        commands: distinct(
          template.devices.flatMap((device) => Object.keys(device.commands ?? {}) as Array<CommandSlug>)
        ),
        provenAgainst: provenAgainst(STAND_IN, template)
      })),
      provenAgainst: STAND_IN
    },
    settings: Schema.Struct({}),
    credentials: Credentials,
    create: (_, host) =>
      Effect.sync(() =>
        brokerInstance<Credentials>(
          host,
          { reportEvery: REPORT_EVERY, repeatAfter: REPEAT_AFTER },
          {
            fields,
            hasCommands: commands.length > 0,
            readForm,
            dialect: ({ device, template }) => {
              const found = templates.find((one) => one.slug === template)
              return {
                filters: [],
                isDescription: () => false,
                describe: () =>
                  found === undefined
                    ? { devices: [], problems: [`There is no template ${template} any more`] }
                    : { devices: brokerDevices(found, device), problems: [] }
              }
            },
            suffix: ({ device }) => `/${device}`
          }
        )
      )
  }
}

/** An adapter for each manufacturer with templates over MQTT. One with several asks which. */
export const mqttTemplateAdapters = (templates: ReadonlyArray<DeviceTemplate>): ReadonlyArray<AnyManufacturerAdapter> =>
  Array.from(
    Map.groupBy(
      templates.filter((one) => one.protocol === "mqtt"),
      manufacturerSlug
    ),
    ([slug, own]) => mqttTemplateAdapter({ slug, name: own[0]!.manufacturer, templates: own })
  )
