import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { MessagePlan, Publication } from "@edp/adapter-kit/decoding/messages"
import type { TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { convertUnit, type Unit } from "@edp/adapter-kit/decoding/units"
import { renderCommand } from "./valueTemplate.ts"

/** A setting of a device that a message changes. */
export interface Control {
  readonly topic: string
  /** The payload, with `{{ value }}` for the value; the value alone without it. */
  readonly template?: string | undefined
  /** The device's values by the contract's. */
  readonly values?: Readonly<Record<string, string>>
  readonly unit?: Unit | undefined
  /** The least difference of two set-points, in the device's unit. */
  readonly step?: number | undefined
  /** Bounds in the device's unit. */
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

export type Controls = Readonly<
  Partial<Record<"operatingMode" | "heatTarget" | "coolTarget" | "setpoint" | "fanMode" | "switch", Control>>
>

const messageOfChoice = (control: Control | undefined, name: string, value: unknown): Publication | string => {
  if (control === undefined) return `The device has no ${name}`
  const own =
    typeof value === "string" && Object.hasOwn(control.values ?? {}, value) ? control.values![value] : undefined
  if (own === undefined) return `${name} can't be ${String(value)} on this device`
  const payload = renderCommand(control.template, own)
  return payload === undefined ? `The payload of ${name} is not understood` : { topic: control.topic, payload }
}

/** A set-point, degrees Fahrenheit, in the unit and steps of the device. */
const ownTarget = ({ step = 0.1, unit }: Control, fahrenheit: number): number | undefined => {
  const exact = unit === undefined ? undefined : convertUnit(fahrenheit, "°F", unit)
  return exact === undefined ? undefined : Number((Math.round(exact / step) * step).toFixed(4))
}

/** The targets as the device will show them, degrees Fahrenheit. */
const shownTargets = (controls: Controls, inputs: Readonly<Record<string, unknown>>) => {
  const shown = (name: "heatTarget" | "coolTarget") => {
    const [control, asked] = [controls[name] ?? controls.setpoint, inputs[name]]
    if (control === undefined || typeof asked !== "number") return {}
    const own = ownTarget(control, asked)
    const value = own === undefined ? undefined : convertUnit(own, control.unit!, "°F")
    return value === undefined ? {} : { [name]: value }
  }
  return { ...inputs, ...shown("heatTarget"), ...shown("coolTarget") }
}

/** The message of a set-point, degrees Fahrenheit, in the unit and steps of the device. */
const messageOfTarget = (control: Control | undefined, name: string, fahrenheit: unknown): Publication | string => {
  if (control === undefined) return `The device has no ${name}`
  if (typeof fahrenheit !== "number") return `${name} is required`
  const value = ownTarget(control, fahrenheit)
  if (value === undefined) return `The unit of ${name} is not known`
  if (value < (control.minimum ?? -Infinity) || value > (control.maximum ?? Infinity)) {
    return `${name} must be from ${control.minimum} to ${control.maximum} ${control.unit}`
  }
  const payload = renderCommand(control.template, value)
  return payload === undefined ? `The payload of ${name} is not understood` : { topic: control.topic, payload }
}

const plan = (steps: ReadonlyArray<Publication | string>): MessagePlan => {
  const refused = steps.find((one) => typeof one === "string")
  return refused === undefined ? { messages: steps.filter((one) => typeof one !== "string") } : { refused }
}

/** The mode first: a thermostat keeps set-points per mode. */
const planThermostat = (controls: Controls, inputs: Readonly<Record<string, unknown>>): MessagePlan => {
  const { operatingMode: mode } = inputs
  const message = messageOfChoice(controls.operatingMode, "operatingMode", mode)
  const heat = () => messageOfTarget(controls.heatTarget ?? controls.setpoint, "heatTarget", inputs["heatTarget"])
  const cool = () => messageOfTarget(controls.coolTarget ?? controls.setpoint, "coolTarget", inputs["coolTarget"])
  if (mode === "heat") return plan([message, heat()])
  if (mode === "cool") return plan([message, cool()])
  if (mode !== "auto") return plan([message])
  // One set-point can't hold both targets.
  return plan([
    message,
    messageOfTarget(controls.heatTarget, "heatTarget", inputs["heatTarget"]),
    messageOfTarget(controls.coolTarget, "coolTarget", inputs["coolTarget"])
  ])
}

const withInput = (planned: MessagePlan, input: Readonly<Record<string, unknown>>): MessagePlan =>
  "refused" in planned ? planned : { ...planned, input }

/** The commands for which a device has controls. */
export const controlledCommands = (type: TypedDevice, controls: Controls): ReadonlyArray<CommandSlug> => {
  if (type === "charger") return controls.switch === undefined ? [] : ["charger:set-operating-mode"]
  if (type !== "thermostat") return []
  return [
    ...(controls.operatingMode === undefined ? [] : ["thermostat:set-operating-mode" as const]),
    ...(controls.fanMode === undefined ? [] : ["thermostat:set-fan-mode" as const])
  ]
}

/** The messages of a command in their order; a sentence if the device can't do it. */
export const planMessages = (
  type: TypedDevice,
  controls: Controls,
  slug: CommandSlug,
  inputs: Readonly<Record<string, unknown>>
): MessagePlan => {
  if (!controlledCommands(type, controls).includes(slug)) return { refused: `The device does not support ${slug}` }
  if (slug === "charger:set-operating-mode") {
    return plan([messageOfChoice(controls.switch, "operatingMode", inputs["operatingMode"])])
  }
  return slug === "thermostat:set-fan-mode"
    ? plan([messageOfChoice(controls.fanMode, "fanMode", inputs["fanMode"])])
    : withInput(planThermostat(controls, inputs), shownTargets(controls, inputs))
}
