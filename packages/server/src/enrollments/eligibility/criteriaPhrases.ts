import { type Operator, type Rule, type Scalar, findAttribute } from "@edp/domain/collections/criteria"
import type { Device } from "@edp/domain/devices/Device"
import type { DeviceType } from "@edp/domain/devices/DeviceType"

const kinds: Readonly<Record<DeviceType, readonly [one: string, many: string]>> = {
  battery: ["battery", "batteries"],
  charger: ["charger", "chargers"],
  inverter: ["inverter", "inverters"],
  meter: ["meter", "meters"],
  thermostat: ["thermostat", "thermostats"],
  vehicle: ["vehicle", "vehicles"],
  water_heater: ["water heater", "water heaters"],
  other: ["device", "other devices"],
  unknown: ["device", "devices of unknown type"]
}

/** Names and units of attributes inside `state` and `staticState`; the words of other names are taken apart. */
const quantities: Readonly<Record<string, readonly [name: string, unit: string]>> = {
  capacity: ["capacity", "Wh"],
  maxChargeRate: ["maximum charging power", "W"],
  maxDischargeRate: ["maximum discharging power", "W"],
  power: ["power", "W"],
  charge: ["stored energy", "Wh"],
  chargePercentage: ["state of charge", "%"],
  chargeRate: ["battery power", "W"],
  chargeLimit: ["charge limit", "%"],
  backupReserve: ["backup reserve", "%"],
  range: ["remaining range", "miles"],
  gridPower: ["grid power", "W"],
  loadPower: ["power used by the home", "W"],
  chargerVoltage: ["charger voltage", "V"],
  chargerCurrent: ["charger current", "A"],
  chargerWattage: ["charging power", "W"],
  ambientTemperature: ["room temperature", "°F"],
  coolTarget: ["cooling setpoint", "°F"],
  heatTarget: ["heating setpoint", "°F"],
  waterTemperature: ["water temperature", "°F"],
  targetTemperature: ["heating setpoint", "°F"]
}

const names: Readonly<Record<string, string>> = {
  "site.postalCode": "postal code",
  siteId: "site",
  referenceId: "reference",
  createdAt: "time of arrival",
  "state.id": "reading",
  "state.createdAt": "time of the last reading"
}

const spelled = (name: string) => name.replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2").toLowerCase()

const lastPart = (attribute: string) => attribute.slice(attribute.lastIndexOf(".") + 1)

const isMeasured = (attribute: string) => attribute.startsWith("state.") || attribute.startsWith("staticState.")

const attributeName = (attribute: string) => {
  const last = lastPart(attribute)
  if (names[attribute] !== undefined) return names[attribute]
  return (isMeasured(attribute) ? quantities[last]?.[0] : undefined) ?? spelled(last)
}

const unit = (attribute: string) => (isMeasured(attribute) ? quantities[lastPart(attribute)]?.[1] : undefined)

/** A word or a code needs no quotes. */
const isPlain = (text: string) => /^[\w.:-]+$/u.test(text)

const shown = (attribute: string, value: unknown): string => {
  if (typeof value === "number") {
    const digits = value.toLocaleString("en-US", { maximumFractionDigits: 3 })
    const after = unit(attribute)
    return after === undefined ? digits : `${digits} ${after}`
  }
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) return value.map((one) => shown(attribute, one)).join(", ")
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return isPlain(text) ? text : `“${text}”`
}

const oneOfThem = (parts: ReadonlyArray<string>) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)!}`

/** At most so many values of a list are named. */
const NAMED = 10

const listed = (value: Rule["value"], show: (one: Scalar) => string) => {
  const values = Array.isArray(value) ? (value as ReadonlyArray<Scalar>) : [value as Scalar]
  const rest = values.length - NAMED
  const few = values.slice(0, NAMED).map(show)
  return oneOfThem(rest > 0 ? [...few, `${rest} others`] : few)
}

const opposite: Readonly<Partial<Record<Operator, Operator>>> = {
  eq: "ne",
  ne: "eq",
  in: "nin",
  nin: "in",
  gt: "lte",
  gte: "lt",
  lt: "gte",
  lte: "gt"
}

/** The rule without its negation, where an operator says the opposite. */
const positive = ({ attribute, operator, value }: Rule, negated: boolean) => {
  if (!negated) return { attribute, operator, value, negated }
  if (operator === "exists") return { attribute, operator, value: value !== true, negated: false }
  const other = opposite[operator]
  return other === undefined
    ? { attribute, operator, value, negated }
    : { attribute, operator: other, value, negated: false }
}

const amounts: Readonly<Partial<Record<Operator, string>>> = {
  gt: "more than",
  gte: "at least",
  lt: "less than",
  lte: "at most"
}

/** The same of times. */
const times: typeof amounts = { gt: "times after", gte: "times from", lt: "times before", lte: "times up to" }

const amountPhrase = (attribute: string, operator: Operator) =>
  (findAttribute("DEVICE", attribute)?.kind === "time" ? times : amounts)[operator]

/** Whether the rule excludes what it names. */
const excludes = ({ negated, operator }: ReturnType<typeof positive>) =>
  negated || operator === "ne" || operator === "nin"

/** Attributes whose rules read best as a kind of device: “batteries”, “devices made by tesla”. */
const ofKind = (rule: ReturnType<typeof positive>): string | undefined => {
  const { attribute, operator, value } = rule
  if (operator === "exists" || operator === "contains" || operator === "startsWith") {
    if (attribute !== "tags" || operator === "exists") return undefined
    const how = operator === "contains" ? "the tag" : "a tag that begins with"
    return `${excludes(rule) ? "no " : ""}devices with ${how} ${shown(attribute, value)}`
  }
  const no = excludes(rule) ? "no " : ""
  if (attribute === "type") return no + listed(value, (type) => kinds[type as DeviceType]?.[1] ?? String(type))
  const values = listed(value, (one) => shown(attribute, one))
  if (attribute === "manufacturer") return `${no}devices made by ${values}`
  if (attribute === "onlineStatus") return `${no}devices that are ${values}`
  if (attribute === "site.state") return `${no}devices in ${values}`
  return attribute === "tags" ? `${no}devices with the tag ${values}` : undefined
}

/** The values that a rule asks for, after “the program takes”, when the attribute was just named. */
export const wanted = (given: Rule, negatedRule: boolean): string => {
  const rule = positive(given, negatedRule)
  const kind = ofKind(rule)
  if (kind !== undefined) return kind
  const { attribute, operator, value } = rule
  if (operator === "exists") {
    return `devices ${value === true ? "with" : "without"} a known ${attributeName(attribute)}`
  }
  const values = listed(value, (one) => shown(attribute, one))
  if (operator === "contains") return `${excludes(rule) ? "none" : "those"} that contain ${values}`
  if (operator === "startsWith") return `${excludes(rule) ? "none" : "those"} that begin with ${values}`
  const amount = amountPhrase(attribute, operator)
  if (amount !== undefined) return `${amount} ${values}`
  return excludes(rule) ? `anything but ${values}` : values
}

/** The same with the attribute's name. */
export const askedFor = (given: Rule, negatedRule: boolean): string => {
  const rule = positive(given, negatedRule)
  if (ofKind(rule) !== undefined || rule.operator === "exists") return wanted(given, negatedRule)
  const isAmount = amounts[rule.operator] !== undefined
  const [article, preposition] = isAmount ? ["a", "of "] : ["the", ""]
  return `${article} ${attributeName(rule.attribute)} ${preposition}${wanted(given, negatedRule)}`
}

const valueIn = (device: Device, attribute: string): unknown => {
  const { at } = findAttribute("DEVICE", attribute)!
  const path = at !== undefined ? [at.field, ...at.path] : attribute.split(".")
  const inside = path[0] === "site" ? ["location", "address", ...path.slice(1)] : path
  return inside.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Readonly<Record<string, unknown>>)[part]
        : undefined,
    device
  )
}

const withArticle = (noun: string) => `${/^[aeiou]/u.test(noun) ? "an" : "a"} ${noun}`

/** The value of a rule's attribute, such as “the battery's capacity is 5,000 Wh”. */
export const observedIn = (device: Device, { attribute }: Rule): string => {
  const [kind] = kinds[device.type]
  if (attribute === "type")
    return kind === "device" ? "the type of the device is not known" : `the device is ${withArticle(kind)}`
  const value = valueIn(device, attribute)
  if (attribute === "manufacturer") return `the ${kind} is made by ${device.manufacturer}`
  if (attribute === "onlineStatus") return `the ${kind} is ${device.onlineStatus}`
  if (attribute === "site.state")
    return `the ${kind} is in ${value === undefined ? "no known state" : shown(attribute, value)}`
  if (attribute === "tags") {
    return device.tags.length === 0
      ? `the ${kind} has no tags`
      : `the ${kind} has the tag${device.tags.length > 1 ? "s" : ""} ${shown(attribute, device.tags)}`
  }
  const name = `the ${kind}'s ${attributeName(attribute)}`
  return value === undefined || value === null ? `${name} is not known` : `${name} is ${shown(attribute, value)}`
}
