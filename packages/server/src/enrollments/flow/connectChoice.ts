import type { Condition, Criteria } from "@edp/domain/collections/criteria"
import { toCondition } from "@edp/domain/collections/criteria"
import { type DeviceType, deviceTypes } from "@edp/domain/devices/DeviceType"

type Values = ReadonlyArray<string> | null

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === "string")

/** The values that a record may have if it meets the condition; null if it does not name them all. */
const named = (condition: Condition, attribute: string): Values => {
  if ("all" in condition) {
    const given = condition.all.map((each) => named(each, attribute)).filter((each) => each !== null)
    const [first, ...rest] = given
    return first === undefined ? null : first.filter((value) => rest.every((each) => each.includes(value)))
  }
  if ("any" in condition) {
    const given = condition.any.map((each) => named(each, attribute))
    return given.includes(null) ? null : [...new Set(given.flatMap((each) => each!))]
  }
  if ("not" in condition || condition.attribute !== attribute) return null
  return condition.operator === "eq" || condition.operator === "in" ? texts(condition.value) : null
}

const isDeviceType = (text: string): text is DeviceType => (deviceTypes as ReadonlyArray<string>).includes(text)

/** The manufacturers and device types to which the criteria limit a person's choice; null for no limit. */
export const connectChoice = (eligibility: Criteria | null) => {
  const condition = eligibility === null ? undefined : toCondition(eligibility)
  const pick = (attribute: string) => {
    const values = condition === undefined ? null : named(condition, attribute)
    return values === null || values.length === 0 ? null : values
  }
  const types = pick("type")?.filter(isDeviceType) ?? null
  return { manufacturers: pick("manufacturer"), deviceTypes: types === null || types.length === 0 ? null : types }
}
