import type { Device } from "@edp/domain/devices/Device"
import { planCommands } from "@edp/server/home-assistant/mapping/receivedCommands"
import { describe, expect, test } from "vitest"

const device = (type: string, state: object = {}) => ({ type, state }) as unknown as Device
const thermostat = (operatingMode: string, more: object = { heatTarget: 66, coolTarget: 76 }) =>
  device("thermostat", { operatingMode, ...more })

describe("messages for a thermostat", () => {
  test.each([
    [
      "a mode keeps the set-points",
      "off",
      { mode: "heat_cool" },
      { operatingMode: "auto", heatTarget: 66, coolTarget: 76 }
    ],
    ["a set-point keeps the mode", "cool", { temperature: "74.5" }, { operatingMode: "cool", coolTarget: 74.5 }],
    [
      "two set-points of auto",
      "auto",
      { heatTarget: "60", coolTarget: "80" },
      { operatingMode: "auto", heatTarget: 60, coolTarget: 80 }
    ],
    [
      "a mode with its set-point",
      "off",
      { mode: "heat", temperature: "70" },
      { operatingMode: "heat", heatTarget: 70 }
    ],
    ["a preset", "heat", { preset: "eco" }, { operatingMode: "eco" }],
    ["off", "heat", { mode: "off" }, { operatingMode: "off" }]
  ])("%s", (_, mode, messages, input) => {
    expect(planCommands(thermostat(mode), messages)).toEqual({
      commands: [{ type: "thermostat:set-operating-mode", input }],
      refused: []
    })
  })

  test.each([
    ["a set-point without a mode that has one", thermostat("off"), { temperature: "70" }],
    ["a mode whose set-point nobody knows", thermostat("off", {}), { mode: "heat" }],
    ["a temperature that is no number", thermostat("heat"), { temperature: "warm" }],
    ["a mode that is none of the contract", thermostat("heat"), { mode: "dry" }],
    ["a preset that is left without a mode", thermostat("eco"), { preset: "none" }]
  ])("refuse %s, with a reason", (_, device, messages) => {
    const { commands, refused } = planCommands(device, messages)
    expect(commands).toEqual([])
    expect(refused).toHaveLength(1)
  })
})

describe("messages for other devices", () => {
  test("become the command of their control", () => {
    const plan = (type: string, messages: Record<string, string>) => planCommands(device(type), messages).commands
    expect(plan("battery", { operatingMode: "automatic", backupReserve: "25" })).toEqual([
      { type: "battery:set-operating-mode", input: { operatingMode: "reset" } },
      { type: "battery:set-reserve", input: { chargePercentage: 25 } }
    ])
    expect(plan("vehicle", { charging: "ON", chargeLimit: "80" })).toEqual([
      { type: "vehicle:set-operating-mode", input: { operatingMode: "start-charging" } },
      { type: "vehicle:set-charge-limit", input: { chargeLimit: 80 } }
    ])
    expect(plan("thermostat", { pauseSchedule: "PRESS" })).toEqual([{ type: "thermostat:pause-schedule", input: {} }])
  })

  test("are refused for a control that the device has not, whatever its name", () => {
    for (const key of ["chargeLimit", "__proto__", "constructor"]) {
      expect(planCommands(device("meter"), { [key]: "1" }).commands).toEqual([])
    }
    expect(planCommands(device("battery"), { backupReserve: "" }).refused).toEqual(["backupReserve must be a number"])
    expect(planCommands(device("charger"), { charging: "maybe" }).refused).toEqual(["charging must be ON or OFF"])
  })
})
