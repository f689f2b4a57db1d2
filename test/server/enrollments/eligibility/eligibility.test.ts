import type { Condition } from "@edp/domain/collections/criteria"
import { criteriaMatch } from "@edp/domain/collections/criteriaMatch"
import type { Device } from "@edp/domain/devices/Device"
import { type JudgedSite, joinedReasons, judge } from "@edp/server/enrollments/eligibility/eligibility"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const rule = (attribute: string, operator: string, value: unknown) => ({ attribute, operator, value }) as Condition
const aBattery = rule("type", "eq", "battery")
const capacity = (least: number) => rule("staticState.capacity", "gte", least)

/** A device in the form of a response, as far as conditions read it. */
const device = (fields: object = {}): Device =>
  ({
    id: "cdevice",
    type: "battery",
    name: "Powerwall",
    manufacturer: "tesla",
    model: "Powerwall 3",
    tags: [],
    siteId: "csite",
    location: { address: { state: "CA", postalCode: "95814" } },
    state: { id: "creading", createdAt: "2026-03-01T12:00:00.000Z", chargePercentage: 40 },
    staticState: { capacity: 5000 },
    onlineStatus: "online",
    createdAt: "2026-01-01T00:00:00.000Z",
    ...fields
  }) as unknown as Device

const home = (devices: ReadonlyArray<Device>, state = "CA", inUnitedStates = true): JudgedSite => ({
  state,
  inUnitedStates,
  devices
})

const judged = (eligibility: Condition | null, devices: ReadonlyArray<Device>, states: ReadonlyArray<string> = []) =>
  judge({ states, eligibility }, [home(devices)])
const messages = (condition: Condition, ...devices: ReadonlyArray<Device>) =>
  judged(condition, devices).reasons.map(({ message }) => message)

describe("the judgement of a person", () => {
  test("is eligible if one site is in a state of the program and one device there meets the conditions", () => {
    const program = { states: ["CA"], eligibility: capacity(10_000) }
    const big = device({ staticState: { capacity: 13_500 } })
    expect(judge(program, [home([device(), big])])).toEqual({ status: "eligible", reasons: [] })
    expect(judge(program, [home([device()], "NV"), home([big])]).status).toBe("eligible")
    // The right device is at the wrong home.
    expect(judge(program, [home([big], "NV"), home([device()])]).status).toBe("ineligible")
  })

  test("can't be made before the address, a device or the first reading is known", () => {
    const charged = rule("state.chargePercentage", "gte", 20)
    const fresh = device({ state: {}, onlineStatus: "unknown" })
    const codes = (states: ReadonlyArray<string>, eligibility: Condition | null, homes: ReadonlyArray<JudgedSite>) => {
      const { reasons, status } = judge({ states, eligibility }, homes)
      return [status, ...reasons.map(({ code }) => code)]
    }
    expect(codes(["CA"], null, [])).toEqual(["candidate", "address_unknown"])
    expect(codes(["CA"], aBattery, [])).toEqual(["candidate", "address_unknown", "no_device"])
    expect(codes([], aBattery, [home([])])).toEqual(["candidate", "no_device"])
    expect(codes([], charged, [home([fresh])])).toEqual(["candidate", "no_reading"])
    expect(codes([], rule("onlineStatus", "eq", "online"), [home([fresh])])).toEqual(["candidate", "no_reading"])
    // The reading would not matter.
    expect(codes([], { all: [charged, rule("type", "eq", "charger")] }, [home([fresh])])).toEqual([
      "ineligible",
      "criteria_not_met"
    ])
    expect(codes([], { any: [charged, aBattery] }, [home([fresh])])).toEqual(["eligible"])
    expect(codes([], {} as never, [])).toEqual(["eligible"])
    expect(codes([], null, [])).toEqual(["eligible"])
  })

  test("names a state outside of the program, and a region outside of the USA", () => {
    const message = (homes: ReadonlyArray<JudgedSite>) =>
      judge({ states: ["CA", "OR"], eligibility: aBattery }, homes).reasons
    expect(message([home([], "NV")])).toEqual([
      { code: "state_not_served", message: "The program serves sites in CA, OR; the address is in NV" }
    ])
    expect(message([home([], "NV"), home([], "CA", false)])[0]!.message).toBe(
      "The program serves sites in CA, OR; the addresses are in NV, CA, outside the USA"
    )
  })

  test("is eligible exactly when a device meets the criteria as collections understand them, in random conditions", () => {
    const random = new Random(7)
    const leaves = [
      aBattery,
      rule("type", "nin", ["battery", "charger"]),
      capacity(4000),
      capacity(6000),
      rule("state.chargePercentage", "lt", 50),
      rule("state.missing", "exists", false),
      rule("model", "startsWith", "Power"),
      rule("tags", "contains", "pilot"),
      rule("onlineStatus", "ne", "offline"),
      rule("site.state", "in", ["CA", "NV"])
    ]
    const anyCondition = (depth: number): Condition => {
      const kind = depth === 0 ? 0 : random.below(4)
      if (kind === 0) return random.pick(leaves)
      if (kind === 1) return { not: anyCondition(depth - 1) }
      const parts = Array.from({ length: 1 + random.below(3) }, () => anyCondition(depth - 1))
      return kind === 2 ? { all: parts } : { any: parts }
    }
    for (let run = 0; run < 3000; run++) {
      const condition = anyCondition(4)
      const devices = Array.from({ length: 1 + random.below(3) }, () =>
        device({
          type: random.pick(["battery", "charger", "thermostat"]),
          ...(random.chance(0.3) && { state: {}, onlineStatus: "unknown" }),
          staticState: random.pick([{ capacity: 5000 }, { capacity: 13_500 }, {}]),
          tags: random.pick([[], ["pilot"]])
        })
      )
      const { reasons, status } = judged(condition, devices)
      const isMet = devices.some((one) => criteriaMatch("DEVICE", condition, one))
      expect(status === "eligible").toBe(isMet)
      expect(reasons.length > 0).toBe(!isMet)
      if (status === "candidate") expect(devices.some(({ state }) => !("id" in state))).toBe(true)
      for (const { message } of reasons) expect(message).toMatch(/^\S.{10,999}$/u)
    }
  })
})

describe("the reasons against a device", () => {
  test.each<readonly [Condition, string]>([
    [capacity(10_000), "The battery's capacity is 5,000 Wh; the program takes at least 10,000 Wh"],
    [{ not: capacity(4000) }, "The battery's capacity is 5,000 Wh; the program takes less than 4,000 Wh"],
    [rule("type", "eq", "charger"), "The device is a battery; the program takes chargers"],
    [rule("type", "in", ["charger", "vehicle"]), "The device is a battery; the program takes chargers or vehicles"],
    [{ not: aBattery }, "The device is a battery; the program takes no batteries"],
    [
      rule("manufacturer", "in", ["enphase", "generic"]),
      "The battery is made by tesla; the program takes devices made by enphase or generic"
    ],
    [rule("model", "eq", "PW4"), "The battery's model is “Powerwall 3”; the program takes PW4"],
    [
      rule("model", "startsWith", "Encharge"),
      "The battery's model is “Powerwall 3”; the program takes those that begin with Encharge"
    ],
    [
      rule("state.chargePercentage", "gt", 50),
      "The battery's state of charge is 40 %; the program takes more than 50 %"
    ],
    [
      rule("staticState.maxDischargeRate", "gte", 5000),
      "The battery's maximum discharging power is not known; the program takes at least 5,000 W"
    ],
    [
      rule("staticState.maxDischargeRate", "exists", true),
      "The battery's maximum discharging power is not known; the program takes devices with a known maximum discharging power"
    ],
    [rule("onlineStatus", "eq", "offline"), "The battery is online; the program takes devices that are offline"],
    [rule("tags", "contains", "pilot"), "The battery has no tags; the program takes devices with the tag pilot"],
    [rule("site.state", "eq", "NV"), "The battery is in CA; the program takes devices in NV"],
    [
      rule("createdAt", "gte", "2026-06-01T00:00:00Z"),
      "The battery's time of arrival is 2026-01-01T00:00:00.000Z; the program takes times from 2026-06-01T00:00:00Z"
    ]
  ])("say what was observed and what is asked: %j", (condition, sentence) => {
    expect(messages(condition, device())).toEqual([sentence])
  })

  test("are one for each condition that fails, of those that all must hold", () => {
    const condition: Condition = { all: [aBattery, capacity(10_000), { all: [rule("tags", "contains", "pilot")] }] }
    expect(messages(condition, device())).toEqual([
      "The battery's capacity is 5,000 Wh; the program takes at least 10,000 Wh",
      "The battery has no tags; the program takes devices with the tag pilot"
    ])
    expect(joinedReasons(judged(condition, [device()]).reasons)).toBe(
      "The battery's capacity is 5,000 Wh; the program takes at least 10,000 Wh. The battery has no tags; the program takes devices with the tag pilot"
    )
  })

  test("are one for conditions of which any would do, with what is missing in each", () => {
    const large = { all: [aBattery, capacity(10_000)] }
    const other = { all: [rule("type", "eq", "vehicle"), capacity(40_000)] }
    expect(messages({ any: [large, other] }, device())).toEqual([
      "The battery's capacity is 5,000 Wh and the device is a battery; the program takes a capacity of at least 10,000 Wh, or vehicles and a capacity of at least 40,000 Wh"
    ])
    // Neither of both: each condition counts by itself.
    expect(messages({ not: { any: [aBattery, rule("model", "eq", "Powerwall 3")] } }, device())).toEqual([
      "The device is a battery; the program takes no batteries",
      "The battery's model is “Powerwall 3”; the program takes anything but “Powerwall 3”"
    ])
    expect(messages({ not: { all: [aBattery, rule("model", "eq", "Powerwall 3")] } }, device())).toEqual([
      "The device is a battery and the battery's model is “Powerwall 3”; the program takes no batteries, or the model anything but “Powerwall 3”"
    ])
  })

  test("explain the device that fails the fewest conditions, by its name", () => {
    const condition: Condition = { all: [aBattery, capacity(10_000)] }
    const thermostat = device({ type: "thermostat", name: "Nest", staticState: {} })
    expect(messages(condition, thermostat, device({ name: "Garage" }))).toEqual([
      "Of 2 devices, “Garage” comes closest: the battery's capacity is 5,000 Wh; the program takes at least 10,000 Wh"
    ])
  })

  test("have at most 1000 characters, and name ten of many values", () => {
    const models = Array.from({ length: 1000 }, (_, n) => `Model ${n}`)
    const [message] = messages(rule("model", "in", models), device())
    expect(message).toContain("“Model 9” or 990 others")
    const long = { any: Array.from({ length: 50 }, (_, n) => rule("name", "eq", `😀${"x".repeat(100)}${n}`)) }
    const [shortened] = messages(long, device())
    expect([...shortened!]).toHaveLength(1000)
    expect(shortened!.endsWith("…")).toBe(true)
  })
})
