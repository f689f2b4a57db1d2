import { formatRule, parseRule } from "@edp/cli/commands/grid/ruleText"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"

const discharge = { operatingMode: "discharge" }
const stop = { operatingMode: "stop-charging" }

describe("a rule as text", () => {
  it.effect.each([
    ["SIMPLE 1: charger stop-charging", { minimum: 1, maximum: 1, actions: { charger: stop } }],
    [
      "SIMPLE 2..: battery discharge, charger stop-charging",
      { minimum: 2, actions: { battery: discharge, charger: stop } }
    ],
    ["SIMPLE 1..3: battery discharge", { minimum: 1, maximum: 3, actions: { battery: discharge } }],
    [
      "SIMPLE ..0.5: battery discharge minimumBatteryReserve=20",
      { maximum: 0.5, actions: { battery: { ...discharge, minimumBatteryReserve: 20 } } }
    ],
    [
      "SIMPLE -1.5..-0.5: battery targetPowerW=-2000",
      { minimum: -1.5, maximum: -0.5, actions: { battery: { targetPowerW: -2000 } } }
    ],
    ["SIMPLE: share battery", { share: "battery" }],
    ["SIMPLE: chargeState discharge", { chargeState: "discharge" }]
  ] as const)("%s is printed as it is read", ([text, rule]) =>
    Effect.gen(function* () {
      const parsed = yield* parseRule(text)
      expect(parsed).toEqual({ payloadType: "SIMPLE", ...rule })
      expect(formatRule(parsed)).toBe(text)
    })
  )

  it.effect("takes private types of payloads, with spaces in them, and spaces around the parts", () =>
    Effect.gen(function* () {
      expect(yield* parseRule("  Peak level  3 :  charger  stop-charging ")).toEqual({
        payloadType: "Peak level",
        minimum: 3,
        maximum: 3,
        actions: { charger: stop }
      })
    })
  )

  it.effect.each([
    ["SIMPLE 1 battery discharge", "--rule must be 'PAYLOAD [VALUES]: EFFECT'"],
    ["SIMPLE:", "--rule must be 'PAYLOAD [VALUES]: EFFECT'"],
    ["SIMPLE 1: heater off", 'heater off" is no action'],
    ["SIMPLE 1: battery", 'battery" is no action'],
    ["SIMPLE 1: battery discharge,", '"" is no action'],
    ["SIMPLE 1: battery discharge, battery idle", "two actions for battery"],
    ["SIMPLE 1: battery explode", "operatingMode"]
  ] as const)("%s is refused", ([text, message]) =>
    Effect.gen(function* () {
      const { code, details, message: given } = yield* Effect.flip(parseRule(text))
      expect([code, given, ...(details ?? [])].join("\n")).toContain(message)
    })
  )
})
