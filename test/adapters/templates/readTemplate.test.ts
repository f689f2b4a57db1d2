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
    ["victron-gx", "protocol", "zwave", "protocol", "Must be one of modbus, mqtt, sunspec, http"],
    ["go-e-charger", "requests.status.path", "api/status", "requests.status.path", "begins with /"],
    ["go-e-charger", "requests.status.method", "DELETE", "requests.status.method", "Must be one of GET, POST"],
    ["go-e-charger", "requests.status.json", { a: 1 }, "requests.status.method", "another one than GET"],
    ["go-e-charger", "requests.status.query", { filter: "{secret}" }, "requests.status", "Must name no input"],
    ["ahoydtu", "requests.inverter.path", "/{other}", "requests.inverter", "one of the inputs inverterId"],
    ["ahoydtu", "inputs.host", { label: { en: "a", es: "b" } }, "inputs.host", "other than host, port"],
    ["ahoydtu", "inputs.spare", { label: { en: "a", es: "b" } }, "inputs.spare", "Must be used as {spare}"],
    ["ahoydtu", "inputs.inverterId.label", { en: "Number" }, "inputs.inverterId.label.es", "Is required"],
    ["homewizard-p1", "requests.more", { path: "/more" }, "requests.more", "Must be read by a field"],
    ["homewizard-p1", "fixture.responses.data", undefined, "fixture.responses.data", "Is required"],
    ["homewizard-p1", "fixture.responses.other", {}, "fixture.responses.other", "Must be one of about, data"],
    [
      "homewizard-p1",
      "devices.0.fields.power.request",
      undefined,
      "devices.0.fields.power.request",
      "Must be one of about, data"
    ],
    ["homewizard-p1", "serialNumber.path", "a..b", "serialNumber.path", "Must be a path such as a.b[0].c"],
    [
      "kostal-piko",
      "devices.0.fields.power.path",
      "dxsEntries[?dxsId=1].value",
      "devices.0.fields.power.path",
      "Must be a path such as a.b[0].c"
    ],
    ["youless", "devices.0.fields.power.sum", [{ path: "a" }], "devices.0.fields.power", "either path or sum"],
    [
      "youless",
      "devices.0.fields.importedEnergy.sum.1.path",
      "[",
      "devices.0.fields.importedEnergy.sum.1.path",
      "Must be a path"
    ],
    ["youless", "devices.0.fields.power.jq", ".[0]|.pwr", "devices.0.fields.power.jq", "Is not known here"],
    ["indevolt-battery", "tls", "maybe", "tls", "Must be one of optional, required"],
    ["indevolt-battery", "interval", 1, "interval", "Must be an integer from 5 to 3600"],
    ["indevolt-battery", "port", 70_000, "port", "Must be an integer from 1 to 65535"],
    ["indevolt-battery", "authentication.kind", "magic", "authentication.kind", "Must be one of none, basic, digest"],
    ["indevolt-battery", "authentication.header", "X-Key", "authentication.header", "is for the kind header or login"],
    ["indevolt-battery", "authentication", { kind: "header" }, "authentication.header", "Is required"],
    ["indevolt-battery", "authentication", { kind: "login", token: "t" }, "authentication.request", "Is required"],
    [
      "indevolt-battery",
      "authentication",
      { kind: "login", token: "t", request: { path: "/login" } },
      "authentication.request",
      "Must send {password}"
    ],
    [
      "indevolt-battery",
      "authentication",
      { kind: "login", request: { path: "/login/{password}" } },
      "authentication.token",
      "either token or cookie"
    ],
    [
      "sonnenbatterie",
      "devices.0.commands.battery:set-reserve.0.json.0.confirm.request",
      "other",
      "devices.0.commands.battery:set-reserve.0.json.0.confirm.request",
      "Must be one of status, settings"
    ],
    [
      "sonnenbatterie",
      "devices.0.commands.battery:set-operating-mode.0.json.0.confirm",
      undefined,
      "devices.0.commands.battery:set-operating-mode",
      "Must have a value with confirm"
    ],
    [
      "sonnenbatterie",
      "devices.0.commands.battery:set-operating-mode.1.when",
      ["reset"],
      "devices.0.commands.battery:set-operating-mode.1.when",
      "Must be a list of charge, discharge, idle"
    ],
    [
      "sonnenbatterie",
      "devices.0.commands.battery:set-operating-mode.2.path",
      "/api/v2/setpoint/charge",
      "devices.0.commands.battery:set-operating-mode.2.segments.power",
      "Must be in the path as {power}"
    ],
    [
      "sonnenbatterie",
      "devices.0.commands.battery:set-reserve.0.method",
      "GET",
      "devices.0.commands.battery:set-reserve.0.method",
      "another one than GET"
    ],
    ["sonnenbatterie", "fixture.sends", [], "fixture.sends", "Must have the requests of battery:set-operating-mode"],
    ["sonnenbatterie", "fixture.sends.0.device", "other", "fixture.sends.0.device", "Must be one of battery"],
    [
      "sonnenbatterie",
      "devices.0.fields.chargingState.sign",
      { positive: "discharging" },
      "devices.0.fields.chargingState.sign.negative",
      "Is required"
    ],
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
      "either address and type, or sum, product or quotient"
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
    ...(
      [
        [
          "fields.chargeRate.product",
          [
            { address: 1, type: "int16" },
            { address: 2, type: "int16" }
          ],
          "fields.chargeRate",
          "Must have either address"
        ],
        [
          "fields.loadPower",
          { quotient: [{ address: 1, type: "int16" }] },
          "fields.loadPower.quotient",
          "two registers"
        ],
        ["fields.loadPower.sum.0.scale", 0, "fields.loadPower.sum.0.scale", "other than 0"],
        ["fields.gridPower.sum.0.unit", "kW", "fields.gridPower.sum.0.unit", "Is not known here"],
        ["commands.battery:set-reserve.0.function", 5, "commands.battery:set-reserve.0.function", "Must be 6 or 16"],
        [
          "commands.battery:set-reserve.0",
          { address: 1, type: "uint32", function: 6, input: "chargePercentage" },
          "commands.battery:set-reserve.0.function",
          "function 6 writes one register"
        ],
        ["commands.battery:set-reserve.0.renew", 1, "commands.battery:set-reserve.0.renew", "integer from 2 to 3600"],
        [
          "commands.battery:set-reserve.0.renew",
          30,
          "commands.battery:set-reserve.0.renew",
          "battery:set-operating-mode"
        ],
        ["commands.battery:set-reserve.0.when", ["charge"], "commands.battery:set-reserve.0.when", "Must be left out"],
        ["commands.battery:set-reserve.0.writeOnly", 1, "commands.battery:set-reserve.0.writeOnly", "true or false"],
        [
          "commands.battery:set-operating-mode",
          [{ address: 1, type: "int16", value: 1, when: ["holiday"] }],
          "commands.battery:set-operating-mode.0.when",
          "Must be a list of charge, discharge, idle"
        ]
      ] as const
    ).map(
      ([path, value, field, message]) =>
        ["victron-gx", `devices.0.${path}`, value, `devices.0.${field}`, message] as [
          string,
          string,
          unknown,
          string,
          string
        ]
    ),
    [
      "senec-home",
      "devices.0.fields.power.hexadecimal",
      "float",
      "devices.0.fields.power.hexadecimal",
      "Must be one of int16"
    ],
    [
      "senec-home",
      "devices.0.fields.power",
      { sum: [{ path: "a" }], hexadecimal: "float32" },
      "devices.0.fields.power",
      "Must have a path for hexadecimal"
    ],
    ["victron-gx", "transports", ["radio"], "transports.0", "Must be one of tcp, serial, tls"],
    ["victron-gx", "transports", [], "transports", "at least one of transports"],
    ["victron-gx", "connectDelay", 5, "connectDelay", "from 0 to 4"],
    ["victron-gx", "port", 0, "port", "Must be an integer from 1 to 65535"],
    ["victron-gx", "fixture.sends.0.device", "meter", "fixture.sends.0.command", "one of the template's devices"],
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

  it("has products, quotients and differences, and none where a part has no value or the divisor is 0", () => {
    const part = (address: number, scale = 1) => ({ address, type: "int16", absentPattern: "0x8000", scale }) as const
    const meter = { ...victron.devices[2]!, fields: {} }
    const power = (field: object, words: ReadonlyArray<number>) =>
      decodeRegisters({ ...meter, fields: { power: field as never } }, (_, __, address) => words[address]).state
    const product = { product: [part(0, 0.1), part(1, -0.1)], unit: "W" }
    expect(power(product, [2300, 105])).toEqual({ power: -2415 })
    expect(power(product, [2300, 0x8000])).toEqual({})
    const quotient = { quotient: [part(0), part(1)], unit: "kW" }
    expect(power(quotient, [7, 2])).toEqual({ power: 3500 })
    expect(power(quotient, [7, 0])).toEqual({})
    expect(power({ sum: [part(0), part(1, -1)], scale: 10 }, [7, 12])).toEqual({ power: -50 })
  })

  it("reads and writes numbers of 64 bits, with the registers in either order", () => {
    for (const order of ["big", "little"] as const) {
      const words = order === "big" ? [0, 1, 0, 2] : [2, 0, 1, 0]
      const meter = {
        ...victron.devices[2]!,
        fields: { power: { address: 0, type: "int16" }, importedEnergy: { address: 1, type: "uint64", order } }
      } as const
      expect(decodeRegisters(meter, (_, __, address) => [0, ...words][address]).state).toEqual({
        power: 0,
        importedEnergy: 2 ** 32 + 2
      })
      const battery = {
        ...victron.devices[0]!,
        commands: { "battery:set-reserve": [{ address: 9, type: "float64", order, input: "chargePercentage" }] }
      } as const
      const half = [0x3fe0, 0, 0, 0]
      expect(commandRegisters(battery, "battery:set-reserve", { chargePercentage: 0.5 })).toMatchObject({
        writes: [{ words: order === "big" ? half : half.toReversed() }]
      })
    }
  })

  it("writes what belongs to the mode", () => {
    const battery = read<ModbusTemplate>("kostal-plenticore").devices[1]!
    const set = "battery:set-operating-mode"
    const words = (operatingMode: string, targetPowerW?: number) =>
      commandRegisters(battery, set, { operatingMode, targetPowerW })
    expect(words("idle")).toEqual({ writes: [{ unitId: 71, address: 1034, words: [0, 0], renew: 15 }] })
    expect(words("charge", 1000)).toMatchObject({ writes: [{ words: [0, 0xc47a] }] })
    expect(words("discharge", 1000)).toMatchObject({ writes: [{ words: [0, 0x447a] }] })
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
