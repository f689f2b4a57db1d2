import type { ReadTopic } from "@edp/adapter-kit/decoding/messages"
import { renderTemplate, type ValueTemplate } from "./valueTemplate.ts"

/** A topic on which a device, or the bridge before it, indicates whether it is reachable. */
export interface AvailabilityTopic {
  readonly topic: string
  readonly online: string
  readonly offline: string
  /** Undefined: the template is not understood, so the topic says nothing. */
  readonly template: ValueTemplate | undefined
}

export interface Availability {
  readonly topics: ReadonlyArray<AvailabilityTopic>
  /** How several topics count: all of them, any, or the last that is known. */
  readonly mode: "all" | "any" | "latest"
}

/** Whether the topics say that the device is reachable; undefined if none says so. */
export const readAvailability = ({ mode, topics }: Availability, read: ReadTopic): boolean | undefined => {
  const known = topics.flatMap(({ offline, online, template, topic }) => {
    const payload = read(topic)
    if (payload === undefined || template === undefined) return []
    const value = String(renderTemplate(template, payload))
    return value === online ? [true] : value === offline ? [false] : []
  })
  if (known.length === 0) return undefined
  if (mode === "any") return known.includes(true)
  return mode === "all" ? !known.includes(false) : known.at(-1)
}
