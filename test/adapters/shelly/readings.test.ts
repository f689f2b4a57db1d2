import { listDevices, measuredComponents, noInfo } from "@edp/adapter-shelly/components"
import { parsePath } from "@edp/adapter-shelly/deviceAddress"
import { mergeStatus, readStatus, replaceComponent } from "@edp/adapter-shelly/deviceStatus"
import { readNumbers } from "@edp/adapter-shelly/invitation"
import { observeComponent } from "@edp/adapter-shelly/readings"
import { describe, expect, test } from "vitest"

const switchStatus = (fields: object) => readStatus({ "switch:0": { id: 0, output: true, ...fields } })
const meter = (status: ReturnType<typeof readStatus>, kind: "em" | "em1" | "pm1" | "switch", id = 0) =>
  observeComponent({ kind, id }, "meter", status)

describe("a reading of a Shelly", () => {
  test("has the power and the registers of one phase, with export negative", () => {
    const status = readStatus({
      "em1:1": { id: 1, current: 2.598, voltage: 234.9, act_power: -501.8, aprt_power: 612.4, pf: 0.84, freq: 50 },
      "em1data:1": { id: 1, total_act_energy: 72345.1, total_act_ret_energy: 11.5 }
    })
    expect(meter(status, "em1", 1)).toMatchObject({
      state: { power: -502, current: 2.598, voltage: 234.9, importedEnergy: 72345.1, exportedEnergy: 11.5 },
      missing: [],
      problems: []
    })
  })

  test("adds up three phases without a total, and has no power where one is not known", () => {
    const phases = { a_act_power: 375.5, b_act_power: 170.8, c_act_power: 12.7 }
    expect(meter(readStatus({ "em:0": phases }), "em").state).toEqual({ power: 559 })
    expect(meter(readStatus({ "em:0": { ...phases, b_act_power: null } }), "em").missing).toEqual(["power"])
    expect(meter(readStatus({}), "em").missing).toEqual(["power"])
  })

  test("takes what flowed back out of the register that counts both directions", () => {
    const energy = (total: number, minute_ts = 60) => ({ total, minute_ts, by_minute: [1, 2, 3] })
    const both = switchStatus({ apower: -56.8, aenergy: energy(69.437), ret_aenergy: energy(69.3) })
    expect(meter(both, "switch").state).toMatchObject({ power: -57, importedEnergy: 0.137, exportedEnergy: 69.3 })
    const alone = switchStatus({ apower: 5, aenergy: energy(69.437) })
    expect(meter(alone, "switch").state).toEqual({ power: 5, importedEnergy: 69.437 })
    // One of the two came without the other: their difference is that of no time.
    const torn = mergeStatus(both, { "switch:0": { aenergy: energy(70, 120) } })
    expect(meter(torn, "switch").state).toEqual({ power: -57 })
    const whole = mergeStatus(torn, { "switch:0": { ret_aenergy: energy(69.5, 120) } })
    expect(meter(whole, "switch").state).toMatchObject({ importedEnergy: 0.5, exportedEnergy: 69.5 })
  })

  test("has the same fields for a PM1, which is a switch without a relay", () => {
    const status = readStatus({ "pm1:0": { id: 0, apower: 12.3, voltage: 230.1, current: 0.1, aenergy: { total: 7 } } })
    expect(meter(status, "pm1").state).toEqual({ power: 12, voltage: 230.1, current: 0.1, importedEnergy: 7 })
  })

  test.each([
    [{ output: true, apower: 51 }, "charging"],
    [{ output: true, apower: 50 }, "idle"],
    [{ output: false }, "idle"],
    [{ output: true }, "unknown"],
    [{ output: true, apower: -900 }, "idle"]
  ])("shows a charger with %j as %s", (fields, chargingState) => {
    const { missing, problems, state } = observeComponent({ kind: "switch", id: 0 }, "charger", switchStatus(fields))
    expect([state, missing, problems]).toMatchObject([{ chargingState }, [], []])
    if ("apower" in fields && fields.apower === -900) expect(state).toMatchObject({ chargerWattage: 0 })
  })
})

describe("the status of a Shelly", () => {
  test("keeps what a change does not name, drops what is null, and is replaced by a whole one", () => {
    const first = switchStatus({ apower: 5, voltage: 230, timer_started_at: 9, aenergy: { total: 1, minute_ts: 60 } })
    const merged = mergeStatus(first, { "switch:0": { apower: 6, voltage: null, aenergy: { total: 2 } }, wifi: {} })
    expect([...merged]).toEqual([
      ["switch:0", { output: true, apower: 6, timer_started_at: 9, aenergy: { total: 2, minute_ts: 60 } }]
    ])
    const replaced = replaceComponent(merged, "switch:0", { output: false, apower: 0 })
    expect([...replaced]).toEqual([["switch:0", { output: false, apower: 0 }]])
  })
})

describe("the devices of a Shelly", () => {
  const devices = (status: object, chargers: ReadonlyArray<number> = []) =>
    listDevices("shelly-1", noInfo, measuredComponents("shelly-1", readStatus(status as never), chargers)).map(
      ({ commands, incompatible, manufacturerDeviceId, name, type }) => [
        manufacturerDeviceId,
        type,
        name,
        commands.length,
        incompatible
      ]
    )

  test("are its meters and switches, each by its own number", () => {
    expect(
      devices(
        {
          "em1:0": { act_power: 1 },
          "em1data:0": {},
          "em1:1": { act_power: 1 },
          "switch:0": { output: true, apower: 0 },
          "switch:1": { output: true, apower: 0 },
          "switch:100": { output: false },
          "input:0": {},
          sys: {}
        },
        [1, 100, 7]
      )
    ).toEqual([
      ["shelly-1/em1:0", "meter", "Shelly, em1:0", 0, null],
      ["shelly-1/em1:1", "meter", "Shelly, em1:1", 0, null],
      ["shelly-1/switch:0", "meter", "Shelly, switch:0", 0, null],
      ["shelly-1/switch:1", "charger", "Shelly, switch:1", 1, null],
      ["shelly-1/switch:100", "charger", "Shelly, switch:100", 0, "It measures no power"]
    ])
  })

  test("are one that can't be used where it measures nothing", () => {
    expect(devices({ "temperature:0": { tC: 20 } })).toEqual([
      ["shelly-1/none", "meter", "Shelly", 0, "It measures no power"]
    ])
  })
})

test.each([
  ["", []],
  ["0", [0]],
  [" 2, 0 ,2", [0, 2]],
  ["1 2;3", [1, 2, 3]],
  ["first", null],
  ["-1", null],
  ["1.5", null],
  ["1000", null],
  [Array.from({ length: 17 }, (_, n) => n).join(","), null]
])("the numbers of switches in %j are %j", (text, numbers) => {
  expect(readNumbers(text)).toEqual(numbers)
})

test.each([
  ["/inbound/shelly/23456789AB-00112233445566778899aabbccddeeff", true],
  ["/inbound/shelly/23456789AB-00112233445566778899aabbccddeeff/", true],
  ["/inbound/shelly/23456789AB-00112233445566778899aabbccddeeff?x=1", true],
  ["/inbound/shelly/23456789AB-00112233445566778899aabbccddeef", false],
  ["/inbound/shelly/23456789ab-00112233445566778899aabbccddeeff", false],
  ["/inbound/other/23456789AB-00112233445566778899aabbccddeeff", false]
])("the path %s has an id and a secret: %s", (path, is) => {
  expect(parsePath(path) !== null).toBe(is)
})
