import { afterAll, beforeAll, expect, test } from "vitest"
import type { UsageInterval } from "../../support/peers/utilityFeed.ts"
import { type Platform, startPlatform } from "./platform.ts"
import { DAY, electric, gasMeter, homeHours, HOUR, meterIds, midnight, RECEIVED } from "./utilityMeters.ts"

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

const totals = (intervals: ReadonlyArray<UsageInterval>, from: number, days: number) =>
  Array.from({ length: days }, (_, day) =>
    intervals
      .filter(({ start }) => start >= from + day * DAY && start < from + (day + 1) * DAY)
      .reduce((sum, { value }) => sum + value, 0)
  )

test("the meters of an account are connected at one site, and 13 months of hours become their history, day by day as the utility has them", async () => {
  const { connect, countReadings, daily, devices, readAll, utility, work } = platform
  const today = midnight(Date.now())
  const from = today - 395 * DAY
  const { exported, imported } = homeHours(from, 395)
  const registerFrom = today - 40 * DAY
  const states = Array.from({ length: 40 * 24 + 1 }, (_, at) => ({
    start: registerFrom + at * HOUR,
    duration: 0,
    value: 50_000 + at * 25
  }))
  utility.meters.set(
    meterIds.kitchen,
    electric(meterIds.kitchen, "Kitchen", { intervals: imported }, { type: RECEIVED, intervals: exported })
  )
  utility.meters.set(
    meterIds.barn,
    electric(meterIds.barn, "Barn", { type: { accumulationBehaviour: 1, powerOfTenMultiplier: 1 }, intervals: states })
  )
  utility.meters.set(meterIds.gas, gasMeter)

  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  await readAll(accountId)

  const found = await devices(workspace)
  expect([...found.keys()].toSorted()).toEqual([meterIds.barn, meterIds.kitchen].toSorted())
  const [kitchen, barn] = [found.get(meterIds.kitchen), found.get(meterIds.barn)]
  expect([kitchen.name, barn.name, kitchen.type, kitchen.site?.id ?? kitchen.siteId]).toEqual([
    "Kitchen",
    "Barn",
    "meter",
    barn.site?.id ?? barn.siteId
  ])

  const windows = utility.windows()
  expect(windows.length).toBe(13)
  for (const [at, [begin]] of windows.entries()) {
    // Two days of each window are in the one before.
    if (at > 0) expect(Date.parse(windows[at - 1]![1]) - Date.parse(begin)).toBe(2 * DAY * 1000)
  }

  const span = [from, today] as const
  expect(await daily(workspace, "consumption", kitchen.id, span)).toEqual(totals(imported, from, 395))
  expect(await daily(workspace, "production", kitchen.id, span)).toEqual(totals(exported, from, 395))
  expect(await daily(workspace, "consumption", barn.id, [registerFrom, today])).toEqual(
    Array.from({ length: 40 }, () => 24 * 250)
  )

  // A crash before the memory was stored: everything is reported once more.
  const before = await countReadings(kitchen.id)
  await platform.app.sql(
    (sql) => sql`UPDATE account_work SET memory = NULL WHERE account_id = ${accountId} RETURNING 1`
  )
  utility.calls.length = 0
  await work(accountId)
  await work(accountId)
  expect(utility.windows()).toEqual(windows.slice(0, 2))
  expect(await countReadings(kitchen.id)).toBe(before)
})
