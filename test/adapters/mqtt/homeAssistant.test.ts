import { planMessages } from "@edp/adapter-mqtt/controls"
import { availableCommands, observeDevice, stateTopics } from "@edp/adapter-mqtt/describedDevice"
import { readAvailability } from "@edp/adapter-mqtt/availability"
import { describeAvailability } from "@edp/adapter-mqtt/homeAssistantChannels"
import { describeDevices, type DiscoveryOptions } from "@edp/adapter-mqtt/homeAssistantDevices"
import { type DiscoveredComponent, isRemoved, readDiscovery } from "@edp/adapter-mqtt/homeAssistantDiscovery"
import { parseValueTemplate, renderCommand, renderTemplate } from "@edp/adapter-mqtt/valueTemplate"
import { describe, expect, it } from "vitest"

const discover = (topic: string, payload: object | string): ReadonlyArray<DiscoveredComponent> => {
  const result = readDiscovery(topic, typeof payload === "string" ? payload : JSON.stringify(payload))
  if (!("components" in result)) throw new Error(JSON.stringify(result))
  return result.components
}

const only = (components: ReadonlyArray<DiscoveredComponent>, options: DiscoveryOptions = {}) => {
  const { devices, problems } = describeDevices(components, options)
  expect(problems).toEqual([])
  expect(devices).toHaveLength(1)
  return devices[0]!
}

// Shapes: the documentation of Home Assistant's MQTT integration, discovery of components and of devices.
const sensor = (key: string, unit: string, deviceClass: string, more: object = {}) =>
  discover(`homeassistant/sensor/plug1/${key}/config`, {
    "~": "tele/plug1",
    name: `Plug ${key}`,
    uniq_id: `plug1_${key}`,
    stat_t: "~/SENSOR",
    avty_t: "~/LWT",
    pl_avail: "Online",
    pl_not_avail: "Offline",
    val_tpl: `{{ value_json['ENERGY'].${key} }}`,
    unit_of_meas: unit,
    dev_cla: deviceClass,
    dev: { ids: ["218FF9"], name: "Laundry", mf: "Tasmota", mdl: "Plug" },
    ...more
  })

const asMeter: DiscoveryOptions = { defaultRole: "meter" }

const plug = [
  ...sensor("Power", "kW", "power", { stat_cla: "measurement" }),
  ...sensor("Total", "kWh", "energy", { stat_cla: "total_increasing" }),
  ...sensor("Today", "kWh", "energy"),
  ...sensor("Voltage", "V", "voltage")
]

const thermostat = discover("homeassistant/device/hall/config", {
  dev: { ids: "hall-1", name: "Hall", mf: "Acme", mdl: "T1", sn: "42" },
  o: { name: "bridge" },
  avty: [
    { t: "bridge/state" },
    { t: "hall/state", val_tpl: "{{ value_json.up }}", pl_avail: "yes", pl_not_avail: "no" }
  ],
  avty_mode: "all",
  cmps: {
    climate: {
      p: "climate",
      "~": "hall",
      curr_temp_t: "~/now",
      curr_temp_tpl: "{{ value_json.t }}",
      mode_stat_t: "~/mode",
      mode_cmd_t: "~/mode/set",
      modes: ["off", "heat", "cool", "heat_cool"],
      temp_stat_t: "~/target",
      temp_cmd_t: "~/target/set",
      temp_lo_stat_t: "~/low",
      temp_lo_cmd_t: "~/low/set",
      temp_hi_stat_t: "~/high",
      temp_hi_cmd_t: "~/high/set",
      temp_unit: "C",
      temp_step: 0.5,
      min_temp: 7,
      max_temp: 30,
      fan_mode_stat_t: "~/fan",
      fan_mode_cmd_t: "~/fan/set",
      fan_mode_cmd_tpl: '{"fan":"{{ value }}"}',
      fan_modes: ["auto", "high"]
    },
    gone: { p: "sensor" }
  }
})

const messages = (all: Readonly<Record<string, string>>) => (topic: string) => all[topic]

describe("a discovered device of sensors", () => {
  it("is a meter whose units are ours, with the total counter and not that of the day", () => {
    const meter = only(plug, asMeter)
    expect(meter).toMatchObject({ id: "218FF9", name: "Laundry", manufacturerName: "Tasmota", type: "meter" })
    expect(stateTopics(meter)).toEqual(["tele/plug1/SENSOR"])
    const payload = JSON.stringify({ ENERGY: { Power: 0.0714, Total: 412.073, Today: 0.9, Voltage: "233" } })
    expect(observeDevice(meter, messages({ "tele/plug1/SENSOR": payload }))).toEqual({
      type: "meter",
      state: { power: 71, importedEnergy: 412_073, voltage: 233 },
      staticState: {},
      missing: [],
      problems: []
    })
  })

  it("lacks what was not sent, and is missing its power before the first message", () => {
    const meter = only(plug, asMeter)
    expect(observeDevice(meter, messages({})).missing).toEqual(["power"])
    const broken = observeDevice(
      meter,
      messages({ "tele/plug1/SENSOR": '{"ENERGY":{"Power":"broken","Voltage":"unavailable"}}' })
    )
    expect(broken.state).toEqual({})
    expect(broken.problems).toEqual(['power needs a number, not "broken"'])
  })

  it("has no field for which several sensors or an unknown unit are there", () => {
    const twice = [...plug, ...sensor("PowerB", "W", "power")]
    expect(only(twice, asMeter).problems).toEqual([
      "power has several sensors: sensor/plug1/Power, sensor/plug1/PowerB"
    ])
    const odd = only([...sensor("Power", "hp", "power"), ...sensor("Voltage", "V", "voltage")], asMeter)
    expect(odd.channels.map(({ field }) => field)).toEqual(["voltage"])
    expect(odd.problems).toEqual(['sensor/plug1/Power: the unit "hp" of power is not understood'])
  })

  it("is reported with the reason where nothing of it is understood", () => {
    const template = sensor("Power", "W", "power", { val_tpl: "{{ value_json.p if value_json.p > 0 else 0 }}" })
    expect(describeDevices(template, asMeter)).toEqual({
      devices: [],
      problems: [
        '218FF9 is not understood: sensor/plug1/Power: the template "{{ value_json.p if value_json.p > 0 else 0 }}" of power is not understood'
      ]
    })
    expect(describeDevices(sensor("Humidity", "%", "humidity"), asMeter).problems[0]).toContain(
      "218FF9 is not understood"
    )
    expect(describeDevices(sensor("Power", "W", "power", { stat_t: "#" }), asMeter).problems[0]).toContain(
      '"#" is not the topic'
    )
  })

  it("is reported while nobody says whether it generates, uses or measures", () => {
    expect(describeDevices(plug)).toEqual({
      devices: [],
      problems: ["218FF9 is not understood: its role is not known: charger, inverter or meter"]
    })
    expect(only(plug, { roles: { "218FF9": "inverter" } }).channels.map(({ field }) => field)).toEqual([
      "power",
      "lifetimeEnergyGenerated"
    ])
  })

  it("is a charger where its owner says so, and then its switch starts and stops", () => {
    const relay = discover("homeassistant/switch/plug1/config", {
      cmd_t: "cmnd/plug1/POWER",
      stat_t: "stat/plug1/POWER",
      dev: { ids: ["218FF9"] }
    })
    const charger = only([...plug, ...relay], { roles: { "218FF9": "charger" } })
    expect(charger.type).toBe("charger")
    expect(availableCommands(charger)).toEqual(["charger:set-operating-mode"])
    expect(
      planMessages("charger", charger.controls, "charger:set-operating-mode", { operatingMode: "stop-charging" })
    ).toEqual({ messages: [{ topic: "cmnd/plug1/POWER", payload: "OFF" }] })
    expect(availableCommands(only([...plug, ...relay], asMeter))).toEqual([])
  })
})

describe("a discovered thermostat", () => {
  const device = only(thermostat)
  const at = (mode: string) =>
    observeDevice(
      device,
      messages({
        "hall/now": '{"t":20}',
        "hall/mode": mode,
        "hall/target": "21.5",
        "hall/low": "19",
        "hall/high": "25",
        "hall/fan": "high"
      })
    )

  it("has its modes, bounds and identity", () => {
    expect(device).toMatchObject({ id: "hall-1", name: "Hall", serialNumber: "42", type: "thermostat", problems: [] })
    expect(device.staticState).toEqual({
      allowedModes: ["off", "heat", "cool", "auto"],
      allowedFanModes: ["auto", "on"],
      minHeatSetpoint: 45,
      maxHeatSetpoint: 86,
      minCoolSetpoint: 45,
      maxCoolSetpoint: 86
    })
  })

  it("has degrees Fahrenheit, and its one set-point is the target of its mode", () => {
    const base = { ambientTemperature: 68, fanMode: "on", heatTarget: 66.2, coolTarget: 77 }
    expect(at("heat").state).toEqual({ ...base, operatingMode: "heat", heatTarget: 70.7 })
    expect(at("cool").state).toEqual({ ...base, operatingMode: "cool", coolTarget: 70.7 })
    expect(at("heat_cool").state).toEqual({ ...base, operatingMode: "auto" })
  })

  it("has an unknown mode where it reports one that the contract lacks", () => {
    expect(at("dry")).toMatchObject({
      state: { operatingMode: "unknown" },
      problems: ['operatingMode was reported as "dry", which is not known']
    })
  })

  it("gets the mode first, then set-points in its unit and steps", () => {
    const set = "thermostat:set-operating-mode"
    expect(
      planMessages("thermostat", device.controls, set, { operatingMode: "auto", heatTarget: 66, coolTarget: 77 })
    ).toEqual({
      messages: [
        { topic: "hall/mode/set", payload: "heat_cool" },
        { topic: "hall/low/set", payload: "19" },
        { topic: "hall/high/set", payload: "25" }
      ],
      input: { operatingMode: "auto", heatTarget: 66.2, coolTarget: 77 }
    })
    expect(planMessages("thermostat", device.controls, set, { operatingMode: "heat", heatTarget: 100 })).toEqual({
      refused: "heatTarget must be from 7 to 30 °C"
    })
    expect(planMessages("thermostat", device.controls, set, { operatingMode: "eco" })).toEqual({
      refused: "operatingMode can't be eco on this device"
    })
    expect(planMessages("thermostat", device.controls, "thermostat:set-fan-mode", { fanMode: "on" })).toEqual({
      messages: [{ topic: "hall/fan/set", payload: '{"fan":"high"}' }]
    })
    expect(planMessages("thermostat", device.controls, "thermostat:pause-schedule", {})).toHaveProperty("refused")
  })

  it("is reachable while all of its topics say so", () => {
    const availability = describeAvailability(thermostat[0]!)
    expect(availability.topics.map(({ topic }) => topic)).toEqual(["bridge/state", "hall/state"])
    const when = (bridge: string | undefined, hall: string | undefined) =>
      readAvailability(availability, (topic) => (topic === "bridge/state" ? bridge : hall))
    expect(when("online", '{"up":"yes"}')).toBe(true)
    expect(when("offline", '{"up":"yes"}')).toBe(false)
    expect(when(undefined, undefined)).toBeUndefined()
  })

  it("has no temperatures while its unit is not known", () => {
    const bare = discover("homeassistant/climate/x/config", { curr_temp_t: "x/t", mode_stat_t: "x/m" })
    expect(only(bare).channels.map(({ field }) => field)).toEqual(["operatingMode"])
    expect(only(bare, { temperatureUnit: "F" }).channels).toHaveLength(2)
  })
})

describe("a configuration", () => {
  it("that is empty removes its components, and any other text is a problem", () => {
    expect(readDiscovery("homeassistant/sensor/a/b/config", "")).toEqual({ removed: "sensor/a/b" })
    expect(isRemoved(thermostat[0]!, "device/hall")).toBe(true)
    expect(isRemoved(thermostat[0]!, "device/ha")).toBe(false)
    for (const [topic, payload] of [
      ["homeassistant/sensor/a/config", "{"],
      ["homeassistant/sensor/a/config", "[]"],
      ["homeassistant/device/a/config", "{}"],
      ["other/sensor/a/config", "{}"],
      ["homeassistant/status", "online"]
    ] as const) {
      expect(readDiscovery(topic, payload)).toHaveProperty("problem")
    }
  })
})

describe("value templates", () => {
  it.each([
    ["{{ value_json.a.b }}", '{"a":{"b":3}}', 3],
    ["{{value_json['a']['b c']}}", '{"a":{"b c":"x"}}', "x"],
    ["{{ value_json.a[1].b | float }}", '{"a":[0,{"b":"1.5"}]}', 1.5],
    ["{{ value_json.a | multiply(0.1) | round(1) }}", '{"a":2301}', 230.1],
    ["{{ value }}", "on", "on"],
    ["{{ value | int }}", "7.9", 7],
    ["{{ value_json.a }}", "not json", undefined],
    ["{{ value_json.a }}", '{"a":null}', undefined]
  ])("%s of %s", (template, payload, value) => {
    expect(renderTemplate(parseValueTemplate(template)!, payload)).toEqual(value)
  })

  it.each([
    "{{ value_json.a + 1 }}",
    "{{ value_json.a | float(0) }}",
    "{{ value_json.a | default(0) }}",
    "{% if value_json.a %}1{% endif %}",
    "{{ states('sensor.x') }}",
    "{{ value_json.a }} W",
    "{{ value_json.a }}{{ value_json.b }}"
  ])("%s is not understood", (template) => {
    expect(parseValueTemplate(template)).toBeUndefined()
  })

  it("in commands hold the value alone", () => {
    expect(renderCommand(undefined, 5)).toBe("5")
    expect(renderCommand('{"m":"{{ value }}"}', "heat")).toBe('{"m":"heat"}')
    expect(renderCommand("{{ value | int }}", 5)).toBeUndefined()
    expect(renderCommand("fixed", 5)).toBeUndefined()
  })
})
