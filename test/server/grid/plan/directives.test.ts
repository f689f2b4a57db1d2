import { judge, payloadUnits } from "@edp/server/grid/plan/directives"
import type { GridRule } from "@edp/domain/grid/GridProgram"
import { describe, expect, test } from "vitest"

const discharge = { battery: { operatingMode: "discharge" } } as const
const none = new Map<string, string>()
const one = (type: string, value: any, rules: ReadonlyArray<GridRule>, units: ReadonlyMap<string, string> = none) =>
  judge([{ type, values: value === undefined ? [] : [value] }], rules, units).judged[0]

describe("a payload", () => {
  const rules: ReadonlyArray<GridRule> = [
    { payloadType: "SIMPLE", minimum: 1, maximum: 1, actions: discharge },
    { payloadType: "DISPATCH_SETPOINT", share: "battery" },
    { payloadType: "CHARGE_STATE_SETPOINT", chargeState: "discharge" }
  ]

  test("means what the first rule of its type and value says", () => {
    expect(one("SIMPLE", 1, rules)).toMatchObject({
      outcome: "dispatched",
      directive: { kind: "actions", actions: discharge }
    })
  })

  test("without a rule commands nothing and says so", () => {
    expect(one("SIMPLE", 2, rules)).toEqual({ payloadType: "SIMPLE", outcome: "no_rule", detail: null })
    expect(one("CURVE", { x: 1, y: 2 }, rules)).toMatchObject({ outcome: "no_rule" })
    expect(one("SIMPLE", "1", rules)).toMatchObject({ outcome: "no_rule" })
  })

  test("with level 0 is normal operation, unless a rule says otherwise", () => {
    expect(one("SIMPLE", 0, rules)).toMatchObject({ outcome: "normal" })
    expect(
      one("CONTROL_LEVEL_OFFSET", 0, [{ payloadType: "CONTROL_LEVEL_OFFSET", maximum: 0, actions: discharge }])
    ).toMatchObject({
      outcome: "dispatched"
    })
  })

  test("that is a price or an alert is shown, not followed", () => {
    expect(one("PRICE", 0.31, rules)).toMatchObject({ outcome: "signal" })
    expect(one("ALERT_FLEX_ALERT", "Save energy from 4 to 9", rules)).toEqual({
      payloadType: "ALERT_FLEX_ALERT",
      outcome: "alert",
      detail: "Save energy from 4 to 9"
    })
  })

  test("that is a price is followed where a rule maps it", () => {
    expect(one("PRICE", 0.5, [{ payloadType: "PRICE", minimum: 0.4, actions: discharge }])).toMatchObject({
      outcome: "dispatched"
    })
  })

  test("with a power in kW is shared in watts; another unit is refused", () => {
    expect(one("DISPATCH_SETPOINT", -12.5, rules)).toMatchObject({
      directive: { kind: "share", type: "battery", watts: -12_500 }
    })
    expect(one("DISPATCH_SETPOINT", -12.5, rules, new Map([["DISPATCH_SETPOINT", "KWH"]]))).toEqual({
      payloadType: "DISPATCH_SETPOINT",
      outcome: "unfit_value",
      detail: "The unit is KWH, not KW"
    })
    expect(one("DISPATCH_SETPOINT", undefined, rules)).toMatchObject({ outcome: "unfit_value" })
  })

  test("with a power below 0 is for batteries alone", () => {
    const charger: ReadonlyArray<GridRule> = [{ payloadType: "DISPATCH_SETPOINT", share: "charger" }]
    expect(one("DISPATCH_SETPOINT", -1, charger)).toMatchObject({ outcome: "unfit_value" })
    expect(one("DISPATCH_SETPOINT", 1, charger)).toMatchObject({ directive: { watts: 1000 } })
  })

  test("with a state of charge is a limit in percent", () => {
    expect(one("CHARGE_STATE_SETPOINT", 0.25, rules)).toMatchObject({
      directive: { actions: { battery: { operatingMode: "discharge", minimumBatteryReserve: 25 } } }
    })
    expect(one("CHARGE_STATE_SETPOINT", 25, rules)).toMatchObject({ outcome: "unfit_value" })
    expect(one("CHARGE_STATE_SETPOINT", 5, rules, new Map([["CHARGE_STATE_SETPOINT", "KWH"]]))).toMatchObject({
      outcome: "unfit_value"
    })
  })

  test("after others of an interval counts if they mean nothing for devices", () => {
    const { directive, judged } = judge(
      [
        { type: "PRICE", values: [1] },
        { type: "SIMPLE", values: [1] }
      ],
      rules,
      none
    )
    expect(judged.map(({ outcome }) => outcome)).toEqual(["signal", "dispatched"])
    expect(directive).toEqual({ kind: "actions", actions: discharge })
  })
})

describe("units", () => {
  test("that the event states go before those of the program", () => {
    const program = [
      { payloadType: "A", units: "KW" },
      { payloadType: "B", units: "KW" }
    ]
    expect([...payloadUnits([{ payloadType: "A", units: "KWH" }], program)]).toEqual([
      ["A", "KWH"],
      ["B", "KW"]
    ])
  })
})
