import { isObject } from "../decoding/jsonPath.ts"
import { convertUnit, fieldUnits, parseUnit } from "../decoding/units.ts"
import { type Channel, isTopic, type ReadTopic } from "./channels.ts"
import type { DiscoveredComponent } from "./homeAssistantDiscovery.ts"
import { parseValueTemplate, renderTemplate, type ValueTemplate } from "./valueTemplate.ts"

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

interface AvailabilityTopic {
  readonly topic: string
  readonly online: string
  readonly offline: string
  readonly template: ValueTemplate | undefined
}

const availabilityTopic = (
  entry: Readonly<Record<string, unknown>>,
  template: unknown
): AvailabilityTopic | undefined => {
  const topic = text(entry["topic"])
  return topic === undefined
    ? undefined
    : {
        topic,
        online: text(entry["payload_available"]) ?? "online",
        offline: text(entry["payload_not_available"]) ?? "offline",
        template: typeof template === "string" ? parseValueTemplate(template) : PAYLOAD
      }
}

const availabilityTopics = ({ config }: DiscoveredComponent): ReadonlyArray<AvailabilityTopic> => {
  const list = config["availability"]
  const entries = Array.isArray(list) ? list : isObject(list) ? [list] : []
  return [
    availabilityTopic({ ...config, topic: config["availability_topic"] }, config["availability_template"]),
    ...entries.map((one) => (isObject(one) ? availabilityTopic(one, one["value_template"]) : undefined))
  ].filter((one) => one !== undefined)
}

/** The topics on which a component tells whether it is reachable. */
export const listAvailabilityTopics = (component: DiscoveredComponent): ReadonlyArray<string> =>
  availabilityTopics(component).map(({ topic }) => topic)

/**
 * Whether a component says that it is reachable. Several topics count as its mode says: all of them, any, or by default the
 * last that is known. Undefined if none says so.
 */
export const readAvailability = (component: DiscoveredComponent, read: ReadTopic): boolean | undefined => {
  const known = availabilityTopics(component).flatMap(({ offline, online, template, topic }) => {
    const payload = read(topic)
    const value =
      payload === undefined || template === undefined ? undefined : String(renderTemplate(template, payload))
    return value === online ? [true] : value === offline ? [false] : []
  })
  if (known.length === 0) return undefined
  const mode = component.config["availability_mode"]
  if (mode === "any") return known.includes(true)
  return mode === "all" ? !known.includes(false) : known.at(-1)
}
