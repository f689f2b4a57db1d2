import {
  commandOfType,
  defaultInput,
  defaultPatch,
  overlapping,
  planFromSchedule,
  rulesInput
} from "@edp/dashboard/pages/schedules/scheduleForm"
import { weekDays } from "@edp/domain/schedules/week"
import { expect, test } from "vitest"

const night = {
  daysOfWeek: [1, 2],
  startTime: "22:00",
  endTime: "06:00",
  mode: { operatingMode: "charge", maximumBatteryReserve: 90, enableGridInteraction: true }
} as const
const battery = commandOfType("battery")

test("a stored schedule comes back from the form as it was", () => {
  const plan = planFromSchedule({ rules: [night], defaultMode: { operatingMode: "idle" } })
  expect(rulesInput(battery, plan.rules)).toEqual([night])
  expect(defaultInput(battery, plan.defaultMode)).toEqual({ operatingMode: "idle" })
  const warm = { ...night, mode: { operatingMode: "heat", heatTarget: 68.5 } } as const
  const heating = planFromSchedule({ rules: [warm], defaultMode: null })
  expect(rulesInput(commandOfType("thermostat"), heating.rules)).toEqual([warm])
  expect(defaultInput(commandOfType("thermostat"), heating.defaultMode)).toBeNull()
})

test("a changed default mode removes the fields that it does not have any more", () => {
  const before = { operatingMode: "charge", maximumBatteryReserve: 90 } as const
  expect(defaultPatch(before, { operatingMode: "idle" })).toEqual({
    operatingMode: "idle",
    maximumBatteryReserve: null
  })
  expect(defaultPatch(before, null)).toBeNull()
  expect(defaultPatch(null, { operatingMode: "idle" })).toEqual({ operatingMode: "idle" })
})

test("a rule that holds at the same time as another names the earlier one, once both have times", () => {
  const { rules } = planFromSchedule({
    rules: [night, { ...night, daysOfWeek: [3], startTime: "05:00" }],
    defaultMode: null
  })
  expect([...overlapping(rules)]).toEqual([[1, 0]])
  expect([...overlapping(rules.map((rule) => ({ ...rule, end: "" })))]).toEqual([])
})

test("the days of a week begin with Monday and cover each minute once", () => {
  const days = weekDays([night])
  expect(days[0]).toEqual([
    { from: 0, to: 1320, rule: undefined },
    { from: 1320, to: 1440, rule: 0 }
  ])
  expect(days[2]).toEqual([
    { from: 0, to: 360, rule: 0 },
    { from: 360, to: 1440, rule: undefined }
  ])
  expect(days.map((parts) => parts.reduce((sum, { from, to }) => sum + to - from, 0))).toEqual(days.map(() => 1440))
})
