import { formFields } from "@edp/dashboard/kit/commands/commandForm"
import {
  commandOfType,
  effectsFor,
  newRule,
  powerProblem,
  ruleProblems,
  rulesForm,
  sharingFor,
  toRules,
  withPayloadType
} from "@edp/dashboard/pages/grid/connection/ruleForm"
import { type GridRule, UpdateGridProgram } from "@edp/domain/grid/GridProgram"
import { Schema } from "effect"
import { expect, test } from "vitest"

const rules: ReadonlyArray<GridRule> = [
  {
    payloadType: "SIMPLE",
    minimum: 1,
    maximum: 1,
    actions: {
      battery: { operatingMode: "discharge", enableGridInteraction: true, minimumBatteryReserve: 20 },
      charger: { operatingMode: "stop-charging" }
    }
  },
  {
    payloadType: "SIMPLE",
    minimum: 2,
    actions: { battery: { targetPowerW: -1500 }, thermostat: { operatingMode: "off" } }
  },
  { payloadType: "DISPATCH_SETPOINT", share: "charger" },
  { payloadType: "DISPATCH_SETPOINT", maximum: -0.5, actions: { vehicle: { targetPowerW: 0 } } },
  { payloadType: "CHARGE_STATE_SETPOINT", chargeState: "charge" }
]

test("stored rules are the same after their form, and the contract accepts them", () => {
  expect(toRules(rulesForm(rules))).toEqual(rules)
  expect(Schema.decodeUnknownSync(UpdateGridProgram)({ rules: toRules(rulesForm(rules)) })).toEqual({ rules })
})

test("a new rule for a power shares it, one for a state of charge reaches it, and any other sets devices", () => {
  const effect = (payloadType: string) => newRule(0, payloadType).effect
  expect(["DISPATCH_SETPOINT", "CHARGE_STATE_SETPOINT", "SIMPLE"].map(effect)).toEqual([
    "share",
    "chargeState",
    "actions"
  ])
})

test("another type of payload keeps the effect only where it can be had", () => {
  const chosen = { ...newRule(0, "DISPATCH_SETPOINT"), share: "charger" as const }
  expect(withPayloadType(chosen, "DISPATCH_SETPOINT_RELATIVE")).toMatchObject({ effect: "share", share: "battery" })
  expect(withPayloadType(chosen, "SIMPLE").effect).toBe("actions")
  expect(withPayloadType({ ...chosen, effect: "actions" }, "DISPATCH_SETPOINT_RELATIVE").effect).toBe("actions")
  expect(effectsFor("x-private")).toEqual(["actions"])
  expect(sharingFor("DISPATCH_SETPOINT")).toEqual(["battery", "charger", "vehicle"])
})

test("a rule without a device, with a text for a number, or with a range that is none says so", () => {
  const rule = newRule(0, "SIMPLE")
  expect(ruleProblems(rule)).toEqual({ actions: "noAction" })
  expect(ruleProblems({ ...rule, effect: "share", minimum: "two", maximum: "many" })).toEqual({
    minimum: "number",
    maximum: "number"
  })
  expect(ruleProblems({ ...rule, effect: "share", minimum: "2", maximum: "1,5" })).toEqual({ maximum: "belowFrom" })
})

test("a power is a number, and below zero only for batteries", () => {
  expect([powerProblem("battery", "-1500"), powerProblem("charger", "-1"), powerProblem("vehicle", "")]).toEqual([
    undefined,
    "notNegative",
    "number"
  ])
})

test("a battery offers no mode that a dispatch refuses", () => {
  const [mode] = formFields(commandOfType("battery"))
  expect(mode).toEqual({ kind: "choice", name: "operatingMode", values: ["charge", "discharge", "idle"] })
})
