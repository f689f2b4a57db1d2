import { isObject } from "@edp/adapter-kit/decoding/jsonPath"
import { isTopic } from "@edp/adapter-kit/decoding/messages"
import { convertUnit, fieldUnits, parseUnit } from "@edp/adapter-kit/decoding/units"
import type { Availability, AvailabilityTopic } from "./availability.ts"
import type { Channel } from "./channels.ts"
import type { DiscoveredComponent } from "./homeAssistantDiscovery.ts"
import { parseValueTemplate, type ValueTemplate } from "./valueTemplate.ts"

const PAYLOAD: ValueTemplate = { path: undefined, filters: [] }

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)

export interface ChannelOptions {
  readonly unit?: string | undefined
  readonly values?: Readonly<Record<string, string>>
  /** Names of the keys; state_topic and value_template by default. */
  readonly topic?: string
  readonly template?: string
}

/** The channel of a field; a sentence if its configuration is not understood; undefined if it has no topic. */
export const makeChannel = (
  { config, id }: DiscoveredComponent,
  field: string,
  options: ChannelOptions = {}
): Channel | string | undefined => {
  const topic = text(config[options.topic ?? "state_topic"])
  if (topic === undefined) return undefined
  if (!isTopic(topic)) return `${id}: ${JSON.stringify(topic)} is not the topic of ${field}`
  const written = config[options.template ?? "value_template"]
  const template =
    written === undefined ? PAYLOAD : typeof written === "string" ? parseValueTemplate(written) : undefined
  if (template === undefined) return `${id}: the template ${JSON.stringify(written)} of ${field} is not understood`
  const target = fieldUnits[field]
  const unit = options.unit === undefined ? undefined : parseUnit(options.unit)
  if (target !== undefined && (unit === undefined || convertUnit(1, unit, target) === undefined)) {
    return `${id}: the unit ${JSON.stringify(options.unit ?? "")} of ${field} is not understood`
  }
  return { field, topic, template, unit, ...(options.values === undefined ? {} : { values: options.values }) }
}

const availabilityTopic = (
  entry: Readonly<Record<string, unknown>>,
  template: unknown
): AvailabilityTopic | undefined => {
  const topic = text(entry["topic"])
  return topic === undefined || !isTopic(topic)
    ? undefined
    : {
        topic,
        online: text(entry["payload_available"]) ?? "online",
        offline: text(entry["payload_not_available"]) ?? "offline",
        template: typeof template === "string" ? parseValueTemplate(template) : PAYLOAD
      }
}

/** The topics on which a component indicates whether it is reachable. By default the last that is known counts. */
export const describeAvailability = ({ config }: DiscoveredComponent): Availability => {
  const list = config["availability"]
  const entries = Array.isArray(list) ? list : isObject(list) ? [list] : []
  const mode = config["availability_mode"]
  return {
    topics: [
      availabilityTopic({ ...config, topic: config["availability_topic"] }, config["availability_template"]),
      ...entries.map((one) => (isObject(one) ? availabilityTopic(one, one["value_template"]) : undefined))
    ].filter((one) => one !== undefined),
    mode: mode === "any" || mode === "all" ? mode : "latest"
  }
}
