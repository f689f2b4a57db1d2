import { asNumber } from "@edp/adapter-kit/decoding/jsonPath"
import type { ReadTopic } from "@edp/adapter-kit/decoding/messages"
import { convertUnit, fieldUnits, type Unit } from "@edp/adapter-kit/decoding/units"
import { renderTemplate, type ValueTemplate } from "./valueTemplate.ts"

/** A field of a device and where its value comes from. */
export interface Channel {
  readonly field: string
  readonly topic: string
  readonly template: ValueTemplate
  readonly unit: Unit | undefined
  /** The contract's values of a choice by the device's. */
  readonly values?: Readonly<Record<string, string>>
}

/** The value of a channel in the unit of the contract; undefined if there is none, a sentence if it isn't understood. */
export const readChannel = (
  { field, template, topic, unit, values }: Channel,
  read: ReadTopic
): { readonly value: unknown } | { readonly problem: string } | undefined => {
  const payload = read(topic)
  if (payload === undefined || payload === "") return undefined
  const value = renderTemplate(template, payload)
  // Home Assistant uses these texts for "no value".
  if (value === undefined || value === "None" || value === "unknown" || value === "unavailable") return undefined
  if (values !== undefined) {
    const choice = Object.hasOwn(values, String(value)) ? values[String(value)] : undefined
    return choice === undefined
      ? { problem: `${field} was reported as ${JSON.stringify(value)}, which is not known` }
      : { value: choice }
  }
  const target = fieldUnits[field]
  if (target === undefined || unit === undefined) return { value }
  const number = asNumber(value)
  const converted = number === undefined ? undefined : convertUnit(number, unit, target)
  return converted === undefined
    ? { problem: `${field} needs a number, not ${JSON.stringify(value)}` }
    : { value: converted }
}
