import { isTopic } from "@edp/adapter-kit/decoding/messages"
import { commandMessage, reportedAvailability } from "@edp/adapter-templates/mqttTemplate"
import { commandRegisters, decodeRegisters, templateReads } from "@edp/adapter-templates/modbusTemplate"
import { builtInTemplates } from "@edp/adapter-templates/builtInTemplates"
import type { ModbusTemplate, MqttTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { describe, expect, it } from "vitest"

const read = <T>(slug: string): T => {
  const result = readTemplate(builtInTemplates[slug])
  if ("problems" in result) throw new Error(JSON.stringify(result.problems))
  return result.template as T
}

const victron = read<ModbusTemplate>("victron-gx")
const thermostat = read<MqttTemplate>("zigbee2mqtt-thermostat").devices[0]!
const outlet = read<MqttTemplate>("zigbee2mqtt-charging-outlet").devices[0]!

/** A copy of a template with one value replaced at a dotted path. */
const changed = (slug: string, path: string, value: unknown) => {
  const copy = structuredClone(builtInTemplates[slug]) as any
  const keys = path.split(".")
  const parent = keys.slice(0, -1).reduce((node, key) => node[key], copy)
  if (value === undefined) delete parent[keys.at(-1)!]
  else parent[keys.at(-1)!] = value
  return readTemplate(copy)
}

describe("a template with a mistake", () => {
  it.each([
    ["victron-gx", "protocol", "zwave", "protocol", "Must be one of modbus, mqtt, sunspec"],
    ["victron-gx", "devices.0.unitId", 300, "devices.0.unitId", "Must be an integer from 0 to 255"],
    [
      "victron-gx",
      "devices.0.fields.chargeRate.type",
      "int17",
      "devices.0.fields.chargeRate.type",
      "Must be one of int16"
    ],
    ["victron-gx", "devices.0.fields.chargeRate.scale", 0, "devices.0.fields.chargeRate.scale", "other than 0"],
    ["victron-gx", "devices.0.fields.chargeRate.unit", "°C", "devices.0.fields.chargeRate.unit", "converted to W"],
    ["victron-gx", "devices.0.fields.chargeRate.signn", -1, "devices.0.fields.chargeRate.signn", "Is not known here"],
    [
      "victron-gx",
      "devices.0.fields.chargeRate.address",
      undefined,
      "devices.0.fields.chargeRate",
      "either address and type, or sum"
    ],
    [
      "victron-gx",
      "devices.0.fields.soc",
      { address: 1, type: "int16" },
      "devices.0.fields.soc",
      "Must be one of chargingState"
    ],
    [
      "victron-gx",
      "devices.0.commands.battery:explode",
      [],
      "devices.0.commands.battery:explode",
      "at least one of register writes"
    ],
    [
      "victron-gx",
      "devices.1.commands",
      { "battery:set-reserve": [{ address: 1, type: "int16", value: 1 }] },
      "devices.1.commands.battery:set-reserve",
      "of type inverter"
    ],
    [
      "victron-gx",
      "devices.0.commands.battery:set-operating-mode",
      [{ address: 1, type: "int16", input: "targetPowerW" }],
      "devices.0.commands.battery:set-operating-mode.0.otherwise",
      "must not keep that of an earlier one"
    ],
    [
      "zigbee2mqtt-thermostat",
      "devices.0.commands.thermostat:set-operating-mode.payload.1.input",
      "targetPowerW",
      "devices.0.commands.thermostat:set-operating-mode.payload.1.input",
      "Must be one of operatingMode, heatTarget, coolTarget"
    ],
    ["victron-gx", "devices.1.key", "battery", "devices.1.key", "unique"],
    [
      "sma-inverter",
      "devices.0.fields.power.absentPattern",
      "NaN",
      "devices.0.fields.power.absentPattern",
      "0x80000000"
    ],
    [
      "shelly-pro-3em",
      "devices.0.fields.power.topic",
      "shellies/#",
      "devices.0.fields.power.topic",
      "without wildcards"
    ],
    ["shelly-pro-3em", "devices.0.fields.power.path", "a..b", "devices.0.fields.power.path", "Must be a path"],
    ["shelly-pro-3em", "name", 7, "name", "Must be a string of 1 to 255 characters"],
    [
      "zigbee2mqtt-thermostat",
      "devices.0.commands.thermostat:set-operating-mode.payload.1.input",
      "target",
      "devices.0.commands.thermostat:set-operating-mode.payload.1.input",
      "heatTarget"
    ],
    [
      "fronius-gen24",
      "units.0.settings.meterPositive",
      "up",
      "units.0.settings.meterPositive",
      "Must be one of import, export"
    ]
  ])("%s with %s = %j names the field and what it takes", (slug, path, value, field, message) => {
    const result = changed(slug, path, value)
    expect("problems" in result && Object.keys(result.problems)).toContain(field)
    expect("problems" in result && result.problems[field]).toContain(message)
  })

  it("that is no object names its protocol", () => {
    for (const document of [null, "x", [], {}]) expect(readTemplate(document)).toHaveProperty("problems.protocol")
  })
})

describe("a Modbus template", () => {
  it("reads adjacent registers at once, and no register twice", () => {
    expect(templateReads(victron).map(({ address, count }) => [address, count])).toEqual([
      [808, 6],
      [817, 6],
      [842, 3],
      [850, 1],
      [2901, 1]
    ])
  })

  it("leaves out what was not read, and reports a choice that it does not list", () => {
    const observed = decodeRegisters(victron.devices[0]!, (_, __, address) => (address === 844 ? 9 : undefined))
    expect(observed.state).toEqual({ chargingState: "unknown", whConsumed: null })
    expect(observed.missing).toEqual(["charge", "chargePercentage"])
    expect(observed.problems).toEqual(["chargingState was reported as 9, which the template does not list"])
  })

  it("has no sum where one of its registers was not read", () => {
    const meter = victron.devices[2]!
    expect(decodeRegisters(meter, (_, __, address) => address - 819).state).toEqual({ power: 6 })
    expect(decodeRegisters(meter, (_, __, address) => (address === 821 ? undefined : 5)).missing).toEqual(["power"])
  })

  it("writes a command in the device's scale", () => {
    expect(commandRegisters(victron.devices[0]!, "battery:set-reserve", { chargePercentage: 35 })).toEqual({
      writes: [{ unitId: 100, address: 2901, words: [350] }]
    })
    expect(commandRegisters(victron.devices[0]!, "battery:set-reserve", {})).toEqual({
      refused: "chargePercentage is required"
    })
    expect(commandRegisters(victron.devices[1]!, "battery:set-reserve", { chargePercentage: 35 })).toHaveProperty(
      "refused"
    )
  })
})

describe("an MQTT template", () => {
  it("sends set-points in the device's unit, and leaves out an optional one", () => {
    const set = "thermostat:set-operating-mode"
    expect(commandMessage(thermostat, "bedroom", set, { operatingMode: "heat", heatTarget: 68 })).toEqual({
      topic: "zigbee2mqtt/bedroom/set",
      payload: '{"system_mode":"heat","occupied_heating_setpoint":20}'
    })
    expect(commandMessage(thermostat, "bedroom", set, { operatingMode: "off" })).toEqual({
      topic: "zigbee2mqtt/bedroom/set",
      payload: '{"system_mode":"off"}'
    })
  })

  it("refuses what the device does not have", () => {
    expect(commandMessage(thermostat, "bedroom", "thermostat:set-operating-mode", { operatingMode: "cool" })).toEqual({
      refused: "operatingMode can't be cool on this device"
    })
    expect(commandMessage(outlet, "garage", "thermostat:set-fan-mode", {})).toHaveProperty("refused")
  })

  it("takes no name that would reach other devices", () => {
    expect(["a/b", "Küche"].filter((id) => !isTopic(id))).toEqual([])
    expect(["", "#", "a/+", "$SYS", "a\0"].filter(isTopic)).toEqual([])
    expect(
      commandMessage(outlet, "#", "charger:set-operating-mode", { operatingMode: "stop-charging" })
    ).toHaveProperty("refused")
  })

  it("reports reachability only where the device does", () => {
    const payload = (text: string | undefined) => reportedAvailability(outlet, "garage", () => text)
    expect([payload('{"state":"online"}'), payload('{"state":"offline"}'), payload("?"), payload(undefined)]).toEqual([
      true,
      false,
      undefined,
      undefined
    ])
  })
})
