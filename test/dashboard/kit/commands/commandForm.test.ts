import { loadArea, loadLanguage, partMessages } from "@edp/dashboard/i18n/messages"
import { fieldRules, formFields, formInput, formTiming, hasEnd } from "@edp/dashboard/kit/commands/commandForm"
import { commandLimits, commandType, decodeCommandInput, inputSchemas } from "@edp/domain/commands/commandInputs"
import { type CommandSlug, commandSlugs } from "@edp/domain/devices/DeviceType"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"

const command = (slug: CommandSlug, staticState: object = {}) => {
  const limits = commandLimits(slug, { staticState })
  return { ...commandType(slug, 60, "takesTargetPower" in staticState), ...(limits && { limits }) }
}

const battery = command("battery:set-operating-mode", {
  capacity: 10_000,
  takesTargetPower: true,
  maxChargeRate: 5000,
  maxDischargeRate: 4000
})
const thermostat = command("thermostat:set-operating-mode", {
  allowedModes: ["heat", "auto", "off"],
  allowedFanModes: ["auto"],
  minHeatSetpoint: 45,
  maxHeatSetpoint: 85
})

beforeAll(async () => {
  await loadLanguage("en")
  await loadArea("pages")
})

describe("the form of a command", () => {
  it.each(commandSlugs)("for %s has a name for each field", (slug) => {
    const { inputs, names } = partMessages("en", "deviceCommands")
    expect(names[slug]).toBeTruthy()
    for (const field of Object.keys(inputSchemas[slug]["properties"] ?? {})) expect(inputs).toHaveProperty(field)
  })

  it("offers the modes of the device, within its limits", () => {
    expect(formFields(thermostat)).toEqual([
      { kind: "choice", name: "operatingMode", values: ["heat", "auto", "off"] },
      { kind: "number", name: "heatTarget", range: { minimum: 45, maximum: 85 } },
      { kind: "number", name: "coolTarget", range: {} }
    ])
    expect(formFields(battery).find(({ name }) => name === "targetPowerW")).toMatchObject({
      range: { maximum: 5000, above: 0 }
    })
  })

  it("needs the targets of the mode, and hides the power of a mode without one", () => {
    expect([...fieldRules(thermostat, { operatingMode: "auto" }).required]).toEqual([
      "operatingMode",
      "heatTarget",
      "coolTarget"
    ])
    expect(fieldRules(battery, { operatingMode: "idle" }).hidden).toContain("targetPowerW")
    expect(formInput(battery, { operatingMode: "idle", targetPowerW: "1500" })).toEqual({
      input: { operatingMode: "idle" },
      problems: {}
    })
  })

  it("has the fields of the chosen mode alone, and before the choice only the mode", () => {
    const shown = (operatingMode?: string) => {
      const { hidden } = fieldRules(battery, operatingMode === undefined ? {} : { operatingMode })
      return formFields(battery).flatMap(({ name }) => (hidden.has(name) ? [] : [name]))
    }
    expect(shown()).toEqual(["operatingMode"])
    expect(shown("reset")).toEqual(["operatingMode"])
    const discharge = shown("discharge")
    expect(discharge).toEqual(
      expect.arrayContaining(["minimumBatteryReserve", "enableGridInteraction", "targetPowerW"])
    )
    expect(discharge).not.toContain("maximumBatteryReserve")
    expect(formInput(battery, { operatingMode: "charge", minimumBatteryReserve: "30" }).input).toEqual({
      operatingMode: "charge"
    })
  })

  it("refuses a wrong and an exceeding value, and targets in the wrong order", () => {
    expect([...fieldRules(battery, {}).required]).toEqual(["operatingMode"])
    expect(formInput(battery, { operatingMode: "charge", targetPowerW: "much" }).problems).toEqual({
      targetPowerW: { kind: "number" }
    })
    expect(formInput(battery, { operatingMode: "charge", targetPowerW: "0" }).problems["targetPowerW"]?.kind).toBe(
      "range"
    )
    expect(formInput(thermostat, { operatingMode: "auto", heatTarget: "75", coolTarget: "70" }).problems).toEqual({
      heatTarget: { kind: "below", other: "coolTarget" }
    })
  })

  it("accepts a decimal comma, and gives an input that the contract accepts", async () => {
    const { input, problems } = formInput(thermostat, { operatingMode: "heat", heatTarget: "68,5", coolTarget: "60" })
    expect(problems).toEqual({})
    expect(await Effect.runPromise(decodeCommandInput("thermostat:set-operating-mode", input))).toEqual({
      operatingMode: "heat",
      heatTarget: 68.5
    })
  })

  it("takes its time in the time zone of the site, and none that is past", () => {
    const now = Date.parse("2026-07-01T00:00:00Z")
    const zone = "America/Los_Angeles"
    expect(formTiming({ at: "2026-07-01T12:30", minutes: "90" }, zone, now).timing).toEqual({
      scheduledFor: "2026-07-01T19:30:00.000Z",
      revertAfter: 5400
    })
    expect(formTiming({ at: "2026-06-01T12:30", minutes: "0" }, zone, now)).toMatchObject({
      timing: {},
      problems: { at: { kind: "past" }, minutes: { kind: "range" } }
    })
  })

  it("offers an end only to modes that can be restored", () => {
    expect(hasEnd("battery:set-operating-mode", { operatingMode: "charge" })).toBe(true)
    expect(hasEnd("battery:set-operating-mode", { operatingMode: "reset" })).toBe(false)
    expect(hasEnd("vehicle:set-charge-limit", { chargeLimit: "80" })).toBe(false)
  })
})
