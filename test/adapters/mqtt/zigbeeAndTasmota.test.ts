import { planMessages } from "@edp/adapter-mqtt/controls"
import { availableCommands, observeDevice } from "@edp/adapter-mqtt/describedDevice"
import { describeTasmota } from "@edp/adapter-mqtt/tasmota"
import { describeZigbeeDevices } from "@edp/adapter-mqtt/zigbee2mqtt"
import { describe, expect, it } from "vitest"

const numeric = (name: string, unit: string, more: object = {}) => ({
  type: "numeric",
  name,
  property: name,
  unit,
  access: 1,
  ...more
})

// Shape: Zigbee2MQTT's documentation, topic zigbee2mqtt/bridge/devices and exposes.
const bridge = JSON.stringify([
  { ieee_address: "0x00", friendly_name: "Coordinator", type: "Coordinator", definition: null },
  {
    ieee_address: "0x01",
    friendly_name: "bedroom",
    type: "EndDevice",
    definition: {
      model: "TRV-1",
      vendor: "Acme",
      exposes: [
        numeric("battery", "%"),
        {
          type: "climate",
          features: [
            numeric("local_temperature", "°C"),
            numeric("occupied_heating_setpoint", "°C", { access: 7, value_min: 5, value_max: 30, value_step: 0.5 }),
            { type: "enum", name: "system_mode", property: "system_mode", access: 7, values: ["off", "auto", "heat"] }
          ]
        }
      ]
    }
  },
  {
    ieee_address: "0x02",
    friendly_name: "garage",
    type: "Router",
    definition: {
      model: "PLUG-1",
      vendor: "Acme",
      exposes: [
        {
          type: "switch",
          features: [{ type: "binary", name: "state", property: "state", access: 7, value_on: "ON", value_off: "OFF" }]
        },
        numeric("power", "W"),
        numeric("energy", "kWh"),
        numeric("voltage", "V"),
        numeric("current", "A")
      ]
    }
  },
  {
    ieee_address: "0x03",
    friendly_name: "button",
    type: "EndDevice",
    definition: { model: "B", vendor: "A", exposes: [] }
  },
  { ieee_address: "0x04", friendly_name: "new", type: "EndDevice", definition: null },
  { ieee_address: "0x05", friendly_name: "a/#", type: "EndDevice", definition: { exposes: [numeric("power", "W")] } },
  { ieee_address: "0x06", friendly_name: "off", type: "Router", disabled: true, definition: { exposes: [] } }
])

const messages = (all: Readonly<Record<string, object>>) => (topic: string) =>
  all[topic] === undefined ? undefined : JSON.stringify(all[topic])

describe("the devices of Zigbee2MQTT", () => {
  const { devices, problems } = describeZigbeeDevices(bridge)
  const [thermostat, plug] = devices

  it("are thermostats and meters; the others are reported", () => {
    expect(devices.map(({ id, modelName, type }) => [id, modelName, type])).toEqual([
      ["0x01", "TRV-1", "thermostat"],
      ["0x02", "PLUG-1", "meter"]
    ])
    expect(problems).toEqual([
      "button exposes neither a thermostat nor a power",
      "new has no definition",
      '"a/#" can\'t be part of a topic'
    ])
    expect(describeZigbeeDevices("{}").problems).toEqual(["The list of devices is not a JSON array"])
  })

  it("have readings in our units", () => {
    const read = messages({
      "zigbee2mqtt/bedroom": { local_temperature: 19.5, occupied_heating_setpoint: 21, system_mode: "heat" },
      "zigbee2mqtt/garage": { power: 12.4, energy: 3.5, voltage: null, state: "ON" }
    })
    expect(observeDevice(thermostat!, read)).toMatchObject({
      state: { ambientTemperature: 67.1, heatTarget: 69.8, operatingMode: "heat", fanMode: "unknown" },
      staticState: { allowedModes: ["off", "auto", "heat"], allowedFanModes: [] },
      missing: [],
      problems: []
    })
    expect(observeDevice(plug!, read).state).toEqual({ power: 12, importedEnergy: 3500 })
  })

  it("take set-points in their unit, steps and bounds", () => {
    const set = "thermostat:set-operating-mode"
    expect(planMessages("thermostat", thermostat!.controls, set, { operatingMode: "heat", heatTarget: 70 })).toEqual({
      messages: [
        { topic: "zigbee2mqtt/bedroom/set", payload: '{"system_mode":"heat"}' },
        { topic: "zigbee2mqtt/bedroom/set", payload: '{"occupied_heating_setpoint":21}' }
      ],
      input: { operatingMode: "heat", heatTarget: 69.8 }
    })
    expect(
      planMessages("thermostat", thermostat!.controls, set, { operatingMode: "heat", heatTarget: 90 })
    ).toHaveProperty("refused")
    expect(
      planMessages("thermostat", thermostat!.controls, set, { operatingMode: "auto", heatTarget: 68, coolTarget: 77 })
    ).toEqual({ refused: "The device has no coolTarget" })
  })

  it("are chargers where their owner says so", () => {
    const charger = describeZigbeeDevices(bridge, {
      isChargingOutlet: (id) => id === "0x02",
      baseTopic: "z2m"
    }).devices[1]!
    expect(availableCommands(charger)).toEqual(["charger:set-operating-mode"])
    expect(
      observeDevice(charger, messages({ "z2m/garage": { power: 2100, voltage: 231, current: 9.1 } })).state
    ).toEqual({
      chargingState: "charging",
      chargerWattage: 2100,
      chargerVoltage: 231,
      chargerCurrent: 9.1
    })
    expect(
      planMessages("charger", charger.controls, "charger:set-operating-mode", { operatingMode: "start-charging" })
    ).toEqual({ messages: [{ topic: "z2m/garage/set", payload: '{"state":"ON"}' }] })
  })
})

// Shape: the messages that Tasmota publishes below tasmota/discovery/<mac>, as its documentation and firmware name them.
const config = {
  mac: "A1B2C3D4E5F6",
  dn: "Washer",
  fn: ["Washer", null],
  t: "washer",
  ft: "%prefix%/%topic%/",
  tp: ["cmnd", "stat", "tele"],
  md: "Sonoff POW R2",
  rl: [1, 0, 0]
}
const sensors = {
  sn: { Time: "2026-05-02T14:30:10", ENERGY: { Total: 1, Power: 2, Voltage: 230, Current: 0.1 } },
  ver: 1
}
const tasmota = (change: object = {}, sent: object | undefined = sensors, outlets: ReadonlyArray<string> = []) =>
  describeTasmota(JSON.stringify({ ...config, ...change }), sent === undefined ? undefined : JSON.stringify(sent), {
    isChargingOutlet: (id) => outlets.includes(id!)
  })

describe("a device of Tasmota", () => {
  it("is a meter with our units", () => {
    const result = tasmota()
    if ("problem" in result) throw new Error(result.problem)
    expect(result.device).toMatchObject({
      id: "A1B2C3D4E5F6",
      name: "Washer",
      type: "meter",
      modelName: "Sonoff POW R2"
    })
    expect(
      observeDevice(
        result.device,
        messages({ "tele/washer/SENSOR": { ENERGY: { Total: 412.073, Power: 71, Voltage: 233 } } })
      ).state
    ).toEqual({ power: 71, importedEnergy: 412_073, voltage: 233 })
  })

  it("is a charger where its owner says so, with its one relay as the switch", () => {
    const result = tasmota({ ft: "home/%topic%/%prefix%/" }, sensors, ["A1B2C3D4E5F6"])
    if ("problem" in result) throw new Error(result.problem)
    expect(
      planMessages("charger", result.device.controls, "charger:set-operating-mode", { operatingMode: "start-charging" })
    ).toEqual({ messages: [{ topic: "home/washer/cmnd/POWER", payload: "ON" }] })
    const two = tasmota({ rl: [1, 1] }, sensors, ["A1B2C3D4E5F6"])
    expect("device" in two && availableCommands(two.device)).toEqual([])
  })

  it("is reported where it has no energy sensor, or lists phases", () => {
    expect(tasmota({}, { sn: { Time: "x" } })).toEqual({ problem: "washer has no energy sensor" })
    expect(tasmota({ t: undefined })).toEqual({ problem: "The configuration lacks mac, t, ft or tp" })
    expect(tasmota({ t: "+" })).toHaveProperty("problem")
    const phases = tasmota({}, { sn: { ENERGY: { Power: [1, 2, 3], Total: 5 } } })
    expect("device" in phases && phases.device.problems).toEqual(["ENERGY.Power is a list of phases"])
  })
})
