import { asNumber } from "@edp/adapter-kit/decoding/jsonPath"
import { isReachable, isSwitchedOn, observeDevice } from "@edp/adapter-mqtt/describedDevice"
import { describeDevices } from "@edp/adapter-mqtt/homeAssistantDevices"
import { readDiscovery } from "@edp/adapter-mqtt/homeAssistantDiscovery"
import { describeTasmota } from "@edp/adapter-mqtt/tasmota"
import { parseValueTemplate } from "@edp/adapter-mqtt/valueTemplate"
import { describeZigbeeDevices } from "@edp/adapter-mqtt/zigbee2mqtt"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"

/** Keys that the decoders look for, so that drawn objects reach their insides. */
const keys =
  "dev ids cns cmps p avty t ~ stat_t val_tpl dev_cla unit_of_meas modes temp_unit ieee_address friendly_name definition exposes features type name property unit values mac ft tp rl fn sn ENERGY Power __proto__".split(
    " "
  )
const Leaf = Schema.Union([
  Schema.Literals(["climate", "sensor", "switch", "power", "W", "C", "~/a", "{{ value_json.a }}", "constructor", "#"]),
  Schema.String,
  Schema.Finite,
  Schema.Boolean,
  Schema.Null
])
/** A value drawn as data: a leaf, a list, or an object by its entries. */
const drawn = (depth: number): Schema.Top =>
  depth === 0
    ? Leaf
    : Schema.Union([
        Leaf,
        Schema.Struct({ list: Schema.Array(drawn(depth - 1)).check(Schema.isMaxLength(4)) }),
        Schema.Struct({
          entries: Schema.Array(Schema.Struct({ key: Schema.Literals(keys), value: drawn(depth - 1) })).check(
            Schema.isMaxLength(8)
          )
        })
      ])

const build = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if ("list" in value) return (value.list as ReadonlyArray<unknown>).map(build)
  const { entries } = value as { readonly entries: ReadonlyArray<{ readonly key: string; readonly value: unknown }> }
  return Object.fromEntries(entries.map((entry) => [entry.key, build(entry.value)]))
}

const Payloads = Schema.Struct({
  config: drawn(4),
  state: drawn(2),
  component: Schema.Literals(["sensor", "climate", "device", "water_heater", "switch"])
})

/** Decodes the payload in all dialects and observes every device that is found. */
const decodeAll = (config: string, state: string, component: string) => {
  const discovery = readDiscovery(`homeassistant/${component}/x/config`, config)
  const components = "components" in discovery ? discovery.components : []
  const tasmota = describeTasmota(config, config)
  const found = [
    ...describeDevices(components, { defaultRole: "meter", temperatureUnit: "C" }).devices,
    ...describeZigbeeDevices(config).devices,
    ...("device" in tasmota ? [tasmota.device] : [])
  ]
  return found.map((device) => {
    isReachable(device, () => state)
    isSwitchedOn(device, () => state)
    return observeDevice(device, () => state)
  })
}

describe("any payload", () => {
  it("is decoded or reported, and never throws", () => {
    let observed = 0
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(Payloads),
        ({ component, config, state }) =>
          Effect.sync(() => {
            const [one, other] = [JSON.stringify(build(config)), JSON.stringify(build(state))]
            observed += decodeAll(one, other, component).length + decodeAll(`[${one}]`, other, component).length
            return true
          }),
        { runs: 1000 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    expect(observed).toBeGreaterThan(0)
  })

  it("that is long takes no longer for it", () => {
    const spaces = " ".repeat(200_000)
    expect(parseValueTemplate(`{{${spaces}value${spaces}`)).toBeUndefined()
    expect(asNumber(`${"1".repeat(200_000)}x`)).toBeUndefined()
  })
})
