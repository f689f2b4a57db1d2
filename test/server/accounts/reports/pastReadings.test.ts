import { pastReadings } from "@edp/server/accounts/reports/pastReadings"
import type { AccountDevice } from "@edp/server/devices/linkedDeviceRow"
import { expect, test } from "vitest"

const now = Date.parse("2026-11-29T12:00:00Z")
const DAY = 86_400_000
const device = (id: string, isConnected: boolean) =>
  ({ id, manufacturerDeviceId: id, type: "meter", isConnected, lastAt: new Date(now) }) as AccountDevice
const devices = new Map(["one", "gone"].map((id) => [id, device(id, id === "one")]))
const past = (manufacturerDeviceId: string, at: number, state: object = { power: 500 }) => ({
  manufacturerDeviceId,
  at,
  state
})
const found = (...history: Parameters<typeof pastReadings>[0]) =>
  pastReadings(history, devices, now, () => now - 30 * DAY)

test("readings of the past are stored in the order of their times, however new the newest reading is", () => {
  const { problems, readings } = found(past("one", now - DAY), past("one", now - 2 * DAY))
  expect([problems, readings.map(({ at }) => at)]).toEqual([[], [now - 2 * DAY, now - DAY]])
  expect(readings[0]).toMatchObject({ deviceId: "one", state: '{"power":500}', reportedStatus: null })
})

test("readings that are older than what is kept are left out without a problem", () => {
  expect(found(past("one", now - 31 * DAY))).toEqual({ readings: [], problems: [] })
})

test("readings of devices that are not connected, or not known, are left out", () => {
  expect(found(past("gone", now - DAY), past("other", now - DAY))).toEqual({ readings: [], problems: [] })
})

test("a wrong value and a time ahead are a problem once, and leave the others as they are", () => {
  const { problems, readings } = found(
    past("one", now - DAY, { power: "much" }),
    past("one", now - DAY + 1, { power: "more" }),
    past("one", now + DAY),
    past("one", Number.NaN),
    past("one", now - DAY + 2)
  )
  expect(readings.map(({ at }) => at)).toEqual([now - DAY + 2])
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^one: state\.power: /u)
  expect(problems[1]).toBe("one: a past reading has no time, one before 2000 or one ahead")
})
