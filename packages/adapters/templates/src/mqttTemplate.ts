import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { parseJson, parsePath, valueAt, withValue } from "@edp/adapter-kit/decoding/jsonPath"
import { isTopic, type Publication, type ReadTopic } from "@edp/adapter-kit/decoding/messages"
import { type Observation, observe, type ReportedStatic } from "@edp/adapter-kit/decoding/observation"
import { convertValue, giveValue } from "./convertValue.ts"
import type { MessageField, MqttDevice } from "./DeviceTemplate.ts"
import { commandInputs } from "./checkParts.ts"

/** The template's topic for a device: `{id}` stands for its name on the broker. */
export const deviceTopic = (topic: string, id: string): string => topic.replaceAll("{id}", () => id)

/** The topics to subscribe to for a device: those of its state, and the one that indicates whether it is reachable. */
export const deviceTopics = (
  { availability, fields, outlet, static: statics = {} }: MqttDevice,
  id: string
): { readonly state: ReadonlyArray<string>; readonly availability: ReadonlyArray<string> } => ({
  state: [
    ...new Set(
      [...Object.values(fields), ...Object.values(statics), ...(outlet === undefined ? [] : [outlet])].map(
        ({ topic }) => deviceTopic(topic, id)
      )
    )
  ],
  availability: availability === undefined ? [] : [deviceTopic(availability.topic, id)]
})

/** The value of a field in its message: the whole payload without a path. */
const reportedValue = (field: Pick<MessageField, "topic" | "path">, id: string, read: ReadTopic): unknown => {
  const payload = read(deviceTopic(field.topic, id))
  if (payload === undefined) return undefined
  if (field.path === undefined) return payload === "" ? undefined : payload
  return valueAt(parseJson(payload), parsePath(field.path) ?? [])
}

const convertFields = (
  fields: Readonly<Record<string, MessageField>>,
  id: string,
  read: ReadTopic,
  problems: Array<string>
) => {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const converted = convertValue(name, reportedValue(field, id, read), field)
    if (converted === undefined) continue
    if ("problem" in converted) problems.push(converted.problem)
    else values[name] = converted.value
  }
  return values
}

/** The state of one of the template's devices by the newest messages. `known` are static fields that a person entered. */
export const decodeMessages = (
  device: MqttDevice,
  id: string,
  read: ReadTopic,
  known: ReportedStatic = {}
): Observation => {
  const problems: Array<string> = []
  const state = convertFields(device.fields, id, read, problems)
  const measured = convertFields(device.static ?? {}, id, read, problems)
  return observe(device.type, state, { ...known, ...device.fixedStatic, ...measured }, problems)
}

/** Whether the device says that it is reachable; undefined if it says nothing of it. */
export const reportedAvailability = (device: MqttDevice, id: string, read: ReadTopic): boolean | undefined => {
  const { availability } = device
  if (availability === undefined) return undefined
  const value = reportedValue(availability, id, read)
  return value === availability.online ? true : value === availability.offline ? false : undefined
}

/** Whether the outlet of a charger is on; undefined if the device does not tell. */
export const reportedOutlet = ({ outlet }: MqttDevice, id: string, read: ReadTopic): boolean | undefined => {
  if (outlet === undefined) return undefined
  const value = String(reportedValue(outlet, id, read))
  return value === outlet.on ? true : value === outlet.off ? false : undefined
}

/** The message of a command; a sentence if it can't be sent. */
export const commandMessage = (
  device: MqttDevice,
  id: string,
  slug: CommandSlug,
  inputs: Readonly<Record<string, unknown>>
): Publication | { readonly refused: string } => {
  const command = device.commands?.[slug]
  if (command === undefined) return { refused: `The device does not support ${slug}` }
  if (!isTopic(id)) return { refused: `${JSON.stringify(id)} can't be part of a topic` }
  const topic = deviceTopic(command.topic, id)
  let body: unknown
  for (const part of command.payload) {
    const given = giveValue(part, inputs, part.input === undefined ? undefined : commandInputs[slug]?.[part.input])
    if ("refused" in given) return given
    if ("skip" in given) continue
    if (part.path === undefined) return { topic, payload: String(given.write) }
    body = withValue(body, parsePath(part.path) ?? [], given.write)
  }
  return body === undefined ? { refused: "The command has nothing to send" } : { topic, payload: JSON.stringify(body) }
}
