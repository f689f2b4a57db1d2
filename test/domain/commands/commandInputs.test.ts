import {
  commandLimits,
  commandType,
  decodeCommandInput,
  inputSchemas,
  isForcedMode,
  mayRevert,
  restrictions,
  type TypedCommand
} from "@edp/domain/commands/commandInputs"
import { commandSlugs, type CommandSlug } from "@edp/domain/devices/DeviceType"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { describe, expect, test } from "vitest"

const decode = (type: CommandSlug, input: unknown) => Effect.runSync(Effect.result(decodeCommandInput(type, input)))

/** The messages for an invalid input; undefined for a valid one. */
const findProblems = (type: CommandSlug, input: unknown) => {
  const decoded = decode(type, input)
  return Result.isFailure(decoded) ? { ...decoded.failure } : undefined
}

const percent = "Must be a number from 0 to 100"

const valid: ReadonlyArray<TypedCommand> = [
  { type: "battery:set-reserve", input: { chargePercentage: 0 } },
  { type: "battery:set-reserve", input: { chargePercentage: 100 } },
  { type: "battery:set-operating-mode", input: { operatingMode: "reset" } },
  {
    type: "battery:set-operating-mode",
    input: {
      operatingMode: "discharge",
      minimumBatteryReserve: 20.5,
      maximumBatteryReserve: 21,
      enableGridInteraction: true,
      executionPriority: "grid_services"
    }
  },
  { type: "battery:set-operating-mode", input: { operatingMode: "charge", targetPowerW: 0.5 } },
  { type: "charger:set-operating-mode", input: { operatingMode: "start-charging" } },
  { type: "charger:set-operating-mode", input: { operatingMode: "start-charging", targetPowerW: 3680 } },
  { type: "thermostat:set-operating-mode", input: { operatingMode: "off" } },
  { type: "thermostat:set-operating-mode", input: { operatingMode: "eco", heatTarget: 60 } },
  { type: "thermostat:set-operating-mode", input: { operatingMode: "heat", heatTarget: 68, coolTarget: 60 } },
  { type: "thermostat:set-operating-mode", input: { operatingMode: "auto", heatTarget: 67.9, coolTarget: 68 } },
  { type: "thermostat:set-fan-mode", input: { fanMode: "circulate" } },
  { type: "thermostat:pause-schedule", input: {} },
  { type: "thermostat:resume-schedule", input: {} },
  { type: "vehicle:check-pairing-status", input: {} },
  { type: "vehicle:set-charge-limit", input: { chargeLimit: 80 } },
  { type: "vehicle:set-operating-mode", input: { operatingMode: "stop-charging" } }
]

const invalid: ReadonlyArray<readonly [CommandSlug, unknown, Readonly<Record<string, string>>]> = [
  ["battery:set-reserve", {}, { "input.chargePercentage": "Is required" }],
  ["battery:set-reserve", { chargePercentage: 100.1 }, { "input.chargePercentage": percent }],
  ["battery:set-reserve", { chargePercentage: "30" }, { "input.chargePercentage": percent }],
  ["battery:set-reserve", null, { input: "Must be a JSON object" }],
  ["battery:set-reserve", [30], { input: "Must be a JSON object" }],
  [
    "battery:set-operating-mode",
    {
      operatingMode: "export",
      minimumBatteryReserve: -1,
      enableGridInteraction: "yes",
      executionPriority: 1,
      power: 5
    },
    {
      "input.power": "Is not known here",
      "input.operatingMode": "Must be one of charge, discharge, idle, reset",
      "input.minimumBatteryReserve": percent,
      "input.enableGridInteraction": "Must be true or false",
      "input.executionPriority": "Must be one of baseline, grid_services"
    }
  ],
  [
    "battery:set-operating-mode",
    { operatingMode: "charge", minimumBatteryReserve: 80, maximumBatteryReserve: 80, power: 5 },
    {
      "input.power": "Is not known here",
      "input.minimumBatteryReserve": "Must be below maximumBatteryReserve"
    }
  ],
  [
    "battery:set-operating-mode",
    { operatingMode: "idle", targetPowerW: 3000, minimumBatteryReserve: 2, maximumBatteryReserve: 1 },
    {
      "input.targetPowerW": "Must be absent unless operatingMode is charge or discharge",
      "input.minimumBatteryReserve": "Must be below maximumBatteryReserve"
    }
  ],
  [
    "battery:set-operating-mode",
    { operatingMode: "charge", targetPowerW: 0 },
    { "input.targetPowerW": "Must be a number above 0" }
  ],
  [
    "vehicle:set-operating-mode",
    { operatingMode: "stop-charging", targetPowerW: 3000 },
    { "input.targetPowerW": "Must be absent unless operatingMode is start-charging" }
  ],
  [
    "charger:set-operating-mode",
    { operatingMode: "charge" },
    {
      "input.operatingMode": "Must be one of start-charging, stop-charging"
    }
  ],
  [
    "thermostat:set-operating-mode",
    { operatingMode: "heat", coolTarget: 75 },
    {
      "input.heatTarget": "Is required with operatingMode heat"
    }
  ],
  [
    "thermostat:set-operating-mode",
    { operatingMode: "cool" },
    {
      "input.coolTarget": "Is required with operatingMode cool"
    }
  ],
  [
    "thermostat:set-operating-mode",
    { operatingMode: "auto" },
    {
      "input.heatTarget": "Is required with operatingMode auto",
      "input.coolTarget": "Is required with operatingMode auto"
    }
  ],
  [
    "thermostat:set-operating-mode",
    { operatingMode: "auto", heatTarget: null, fan: true },
    {
      "input.fan": "Is not known here",
      "input.heatTarget": "Must be a number",
      "input.coolTarget": "Is required with operatingMode auto"
    }
  ],
  [
    "thermostat:set-operating-mode",
    { operatingMode: "auto", heatTarget: 70, coolTarget: 70 },
    {
      "input.heatTarget": "Must be below coolTarget"
    }
  ],
  ["thermostat:set-fan-mode", { fanMode: "unknown" }, { "input.fanMode": "Must be one of auto, on, off, circulate" }],
  [
    "thermostat:pause-schedule",
    { hours: 2, until: "noon" },
    {
      "input.hours": "Is not known here",
      "input.until": "Is not known here"
    }
  ],
  ["vehicle:check-pairing-status", [], { input: "Must be a JSON object" }],
  ["vehicle:set-charge-limit", { chargeLimit: Number.NaN }, { "input.chargeLimit": percent }]
]

describe("an input of a command", () => {
  test.each(valid)("$type takes $input, and no default is added to it", ({ type, input }) => {
    expect(decode(type, input)).toEqual(Result.succeed(input))
  })

  test.each(invalid)("%s refuses %j, and says why of every wrong field at once", (type, input, details) => {
    expect(findProblems(type, input)).toEqual(details)
  })

  test.each(commandSlugs)("%s refuses a field that is named like a part of every object", (type) => {
    const problems = decode(type, JSON.parse('{"__proto__": 1, "constructor": 2}'))
    expect(Result.isFailure(problems) && Object.entries(problems.failure)).toEqual(
      expect.arrayContaining([
        ["input.__proto__", "Is not known here"],
        ["input.constructor", "Is not known here"]
      ])
    )
  })

  test("with a thousand unknown fields is refused with a bounded number of messages", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, at]))
    expect(Object.keys(findProblems("thermostat:pause-schedule", many)!).length).toBeLessThanOrEqual(101)
  })
})

describe("the JSON Schema of an input", () => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false })
  const checks = new Map(commandSlugs.map((type) => [type, ajv.compile(inputSchemas[type])]))

  test.each(commandSlugs)("is closed, describes every field and cannot be changed for %s", (type) => {
    const schema = inputSchemas[type] as {
      readonly additionalProperties: unknown
      readonly properties?: Readonly<Record<string, { readonly description?: string }>>
    }
    expect(schema.additionalProperties).toBe(false)
    for (const field of Object.values(schema.properties ?? {})) expect(field.description).toMatch(/\w/)
    expect(Object.isFrozen(schema) && Object.values(schema.properties ?? {}).every(Object.isFrozen)).toBe(true)
  })

  const percentages = Schema.Literals([-1, 0, 19.5, 20, 80, 100, 100.5, 1e9])
  const odd = Schema.Union([Schema.Null, Schema.Boolean, Schema.Literals(["", "20", "charge"]), Schema.Finite])
  const modes = Schema.Literals([
    "charge",
    "discharge",
    "idle",
    "reset",
    "start-charging",
    "stop-charging",
    "heat",
    "cool",
    "auto",
    "eco",
    "off",
    "unknown"
  ])
  const fields = {
    chargePercentage: percentages,
    chargeLimit: percentages,
    minimumBatteryReserve: percentages,
    maximumBatteryReserve: percentages,
    enableGridInteraction: Schema.Boolean,
    executionPriority: Schema.Literals(["baseline", "grid_services", "owner"]),
    heatTarget: Schema.Literals([50, 68, 68.5, 72]),
    coolTarget: Schema.Literals([50, 68, 68.5, 72]),
    fanMode: Schema.Literals(["auto", "on", "off", "circulate", "unknown"]),
    targetPowerW: Schema.Literals([-1, 0, 0.5, 3000]),
    operatingMode: modes
  }
  type Name = keyof typeof fields
  const known = (type: CommandSlug) =>
    Object.keys((inputSchemas[type].properties ?? {}) as object) as ReadonlyArray<Name>

  /** Inputs near the valid ones: some fields are missing, some odd, and some are unknown. */
  const inputs = (type: CommandSlug) =>
    Schema.Struct({
      ...Object.fromEntries(
        known(type).map((name) => [name, Schema.optionalKey(Schema.Union([fields[name], fields[name], odd]))])
      ),
      // Rarely present, so that half of the inputs are not refused for it alone.
      unknown: Schema.Literals([false, false, false, true])
    })

  const isOrdered = ({ minimumBatteryReserve, maximumBatteryReserve, operatingMode, heatTarget, coolTarget }: any) =>
    !(minimumBatteryReserve >= maximumBatteryReserve) && !(operatingMode === "auto" && heatTarget >= coolTarget)

  test.each(commandSlugs)(
    "accepts for %s the inputs that the service accepts, but for the order of two fields",
    (type) => {
      const seen = { accepted: 0, refused: 0 }
      const result = Effect.runSync(
        Arbitrary.checkEffect(
          Arbitrary.schema(inputs(type)),
          ({ unknown, ...rest }) =>
            Effect.sync(() => {
              const input = unknown ? { ...rest, power: 1 } : rest
              const isAccepted = findProblems(type, input) === undefined
              seen[isAccepted ? "accepted" : "refused"]++
              return isAccepted === (checks.get(type)!(input) && isOrdered(input))
            }),
          { runs: 6000 }
        )
      )
      expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
      expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(20)
    }
  )
})

describe("the limits of a device", () => {
  const staticState = {
    allowedModes: ["heat", "off", "unknown"],
    allowedFanModes: ["auto", "on"],
    minHeatSetpoint: 50,
    maxHeatSetpoint: 80,
    maxCoolSetpoint: 95
  }

  test("are the modes of a thermostat and the ranges of its targets", () => {
    expect(commandLimits("thermostat:set-operating-mode", { staticState })).toEqual({
      operatingMode: { enum: ["heat", "off"] },
      heatTarget: { minimum: 50, maximum: 80 },
      coolTarget: { maximum: 95 }
    })
    expect(commandLimits("thermostat:set-fan-mode", { staticState })).toEqual({ fanMode: { enum: ["auto", "on"] } })
  })

  test("are absent where nothing is known and where a command has none", () => {
    for (const type of commandSlugs) {
      for (const nothing of [undefined, null, {}, { allowedModes: ["unknown"], allowedFanModes: [] }]) {
        expect(commandLimits(type, { staticState: nothing })).toBeUndefined()
      }
    }
    expect(commandLimits("thermostat:pause-schedule", { staticState })).toBeUndefined()
    expect(commandLimits("battery:set-reserve", { staticState })).toBeUndefined()
  })

  test("restrict an input, with a message for every field that exceeds them", () => {
    const device = { staticState }
    const mode = "thermostat:set-operating-mode"
    expect(restrictions(mode, { operatingMode: "heat", heatTarget: 50 }, device)).toEqual({})
    expect(restrictions(mode, { operatingMode: "heat", heatTarget: 80, coolTarget: 95 }, device)).toEqual({})
    expect(restrictions(mode, { operatingMode: "auto", heatTarget: 49, coolTarget: 96 }, device)).toEqual({
      "input.operatingMode": "Must be one of heat, off on this device",
      "input.heatTarget": "Must be from 50 to 80 on this device",
      "input.coolTarget": "Must be at most 95 on this device"
    })
    expect(restrictions("thermostat:set-fan-mode", { fanMode: "circulate" }, device)).toEqual({
      "input.fanMode": "Must be one of auto, on on this device"
    })
    expect(restrictions("battery:set-reserve", { chargePercentage: 30 }, device)).toEqual({})
  })
})

describe("a target power", () => {
  const battery = { takesTargetPower: true, maxChargeRate: 3000, maxDischargeRate: 5000 }
  const charger = { takesTargetPower: true, minPower: 1440, maxPower: 7680 }
  const mode = "battery:set-operating-mode"

  test("is limited by the rated power of the mode", () => {
    expect(commandLimits(mode, { staticState: battery })).toEqual({ targetPowerW: { maximum: 5000 } })
    expect(restrictions(mode, { operatingMode: "charge", targetPowerW: 3000 }, { staticState: battery })).toEqual({})
    expect(restrictions(mode, { operatingMode: "charge", targetPowerW: 3001 }, { staticState: battery })).toEqual({
      "input.targetPowerW": "Must be at most 3000 on this device"
    })
    expect(restrictions(mode, { operatingMode: "discharge", targetPowerW: 5000 }, { staticState: battery })).toEqual({})
    expect(commandLimits("charger:set-operating-mode", { staticState: charger })).toEqual({
      targetPowerW: { minimum: 1440, maximum: 7680 }
    })
    const start = { operatingMode: "start-charging", targetPowerW: 1000 }
    expect(restrictions("charger:set-operating-mode", start, { staticState: charger })).toEqual({
      "input.targetPowerW": "Must be from 1440 to 7680 on this device"
    })
  })

  test("has no bound that is not known", () => {
    const staticState = { takesTargetPower: true, maxChargeRate: 3000 }
    expect(commandLimits(mode, { staticState })).toBeUndefined()
    expect(restrictions(mode, { operatingMode: "discharge", targetPowerW: 1e6 }, { staticState })).toEqual({})
  })

  test.each([undefined, null, {}, { takesTargetPower: false, maxChargeRate: 3000 }])(
    "is refused by a device that does not take it: %j",
    (staticState) => {
      for (const type of commandSlugs.filter((slug) => slug.endsWith("set-operating-mode") && slug[0] !== "t")) {
        expect(restrictions(type, { operatingMode: "charge", targetPowerW: 3000 }, { staticState })).toEqual({
          "input.targetPowerW": "Must be absent: this device takes no power"
        })
        expect(restrictions(type, { operatingMode: "charge" }, { staticState })).toEqual({})
      }
    }
  )

  test("is in the input's schema of devices that take it alone", () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false })
    const [plain, powered] = [false, true].map((withPower) =>
      ajv.compile(commandType(mode, 300, withPower).inputSchema!)
    )
    const asked = { operatingMode: "charge", targetPowerW: 3000 }
    expect([plain!(asked), powered!(asked)]).toEqual([false, true])
    expect([plain!({ operatingMode: "charge" }), powered!({ operatingMode: "charge" })]).toEqual([true, true])
    expect(powered!({ operatingMode: "idle", targetPowerW: 3000 })).toBe(false)
  })
})

test("a mode is forced on a battery always, and on a charge where it is to revert; nothing else may revert", () => {
  const battery = "battery:set-operating-mode"
  for (const operatingMode of ["charge", "discharge", "idle"]) {
    expect(isForcedMode(battery, { operatingMode }, null)).toBe(true)
    expect(mayRevert(battery, { operatingMode })).toBe(true)
  }
  expect(isForcedMode(battery, { operatingMode: "reset" }, 600)).toBe(false)
  expect(mayRevert(battery, { operatingMode: "reset" })).toBe(false)
  for (const type of ["charger:set-operating-mode", "vehicle:set-operating-mode"] as const) {
    expect(isForcedMode(type, { operatingMode: "stop-charging" }, undefined)).toBe(false)
    expect(isForcedMode(type, { operatingMode: "stop-charging" }, 60)).toBe(true)
    expect(mayRevert(type, { operatingMode: "start-charging" })).toBe(true)
  }
  for (const type of commandSlugs.filter((slug) => !/^(battery|charger|vehicle):set-operating-mode$/.test(slug))) {
    expect(isForcedMode(type, {}, 600)).toBe(false)
    expect(mayRevert(type, {})).toBe(false)
  }
})
