import { type Component, type ConfigSource, takenCommand, template } from "./configSource.ts"
import { hvacModes } from "./statePayload.ts"

type Fields = Readonly<Record<string, unknown>>

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string" && one !== "unknown") : []

const numbers = (...values: ReadonlyArray<unknown>) => values.filter((one) => typeof one === "number")

/** A topic of the state with its template. */
const read = (name: string, topic: string, field: string) => ({
  [`${name}_topic`]: topic,
  [`${name}_template`]: template(field)
})

/** A thermostat. Set-points are in the contract's degrees Fahrenheit, which Home Assistant converts to its own unit. */
export const climate = (source: ConfigSource): Component => {
  const { device, topics } = source
  const known = (device.staticState ?? {}) as Fields
  const state = topics.state(device.id)
  const to = (key: string) => topics.command(device.id, key)
  const modes = texts(known["allowedModes"])
  const fans = texts(known["allowedFanModes"])
  const isSet = takenCommand(source, "thermostat:set-operating-mode") !== undefined
  const isFanSet = takenCommand(source, "thermostat:set-fan-mode") !== undefined
  const lowest = numbers(known["minHeatSetpoint"], known["minCoolSetpoint"])
  const highest = numbers(known["maxHeatSetpoint"], known["maxCoolSetpoint"])
  return {
    platform: "climate",
    // The entity has the name of its device.
    name: null,
    temperature_unit: "F",
    precision: 0.1,
    temp_step: 0.5,
    ...(lowest.length > 0 && { min_temp: Math.min(...lowest) }),
    ...(highest.length > 0 && { max_temp: Math.max(...highest) }),
    modes: modes.flatMap((mode) => hvacModes[mode] ?? []),
    ...read("current_temperature", state, "ambientTemperature"),
    ...read("mode_state", state, "mode"),
    ...read("temperature_state", state, "setpoint"),
    ...(isSet && { mode_command_topic: to("mode"), temperature_command_topic: to("temperature") }),
    ...(modes.includes("auto") && {
      ...read("temperature_low_state", state, "heatTarget"),
      ...read("temperature_high_state", state, "coolTarget"),
      ...(isSet && {
        temperature_low_command_topic: to("heatTarget"),
        temperature_high_command_topic: to("coolTarget")
      })
    }),
    ...(modes.includes("eco") && {
      preset_modes: ["eco"],
      preset_mode_state_topic: state,
      preset_mode_value_template: template("preset"),
      // Home Assistant takes presets only with a topic for commands.
      preset_mode_command_topic: to("preset")
    }),
    ...(fans.length > 0 && {
      fan_modes: fans,
      ...read("fan_mode_state", state, "fanMode"),
      ...(isFanSet && { fan_mode_command_topic: to("fanMode") })
    })
  }
}

/** A water heater. The platform has no commands for one. */
export const waterHeater = ({ device, topics }: ConfigSource): Component => {
  const state = topics.state(device.id)
  return {
    platform: "water_heater",
    name: null,
    temperature_unit: "F",
    precision: 0.1,
    modes: ["heat_pump", "electric", "high_demand", "vacation", "off"],
    ...read("current_temperature", state, "waterTemperature"),
    ...read("temperature_state", state, "targetTemperature"),
    ...read("mode_state", state, "operatingMode")
  }
}
