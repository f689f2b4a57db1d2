import { payloadsText, payloadText } from "@edp/dashboard/pages/grid/connection/payloadText"
import { expect, test } from "vitest"

const text = (type: string, values: ReadonlyArray<any>, units: string | null = null) =>
  payloadText("en", { type, values, units }).replaceAll("\u00a0", " ")

test("a payload is its type and its values with their unit", () => {
  expect(text("SIMPLE", [2])).toBe("SIMPLE 2")
  expect(text("DISPATCH_SETPOINT", [-10], "KW")).toBe("DISPATCH_SETPOINT -10 kW")
  expect(text("CHARGE_STATE_SETPOINT", [0.8], "PERCENT")).toBe("CHARGE_STATE_SETPOINT 80%")
  expect(text("PRICE", [0.17], "KWH_X")).toBe("PRICE 0.17 KWH_X")
})

test("texts, flags, points and many values are shown, and none is left as a blank", () => {
  expect(text("ALERT_OTHER", ["Storm"])).toBe("ALERT_OTHER Storm")
  expect(text("x-flag", [true])).toBe("x-flag true")
  expect(text("CURVE", [{ x: 1, y: 2.5 }])).toBe("CURVE (1; 2.5)")
  expect(text("x-many", [1, 2, 3, 4, 5, 6])).toBe("x-many 1, 2, 3, 4, 5 …")
  expect(text("x-none", [])).toBe("x-none")
  const both = ["SIMPLE", "GHG"].map((type) => ({ type, values: [1], units: null }))
  expect(payloadsText("en", both)).toBe("SIMPLE 1 · GHG 1")
})
