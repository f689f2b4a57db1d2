import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { TestWorkspace } from "../../support/TestApp.ts"
import { eventually } from "../../support/eventually.ts"
import { type Platform, startPlatform } from "./platform.ts"
import { DAY, electric, HOUR, meterIds, midnight, RECEIVED, run } from "./utilityMeters.ts"

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ EDP_GREEN_BUTTON_HISTORY_DAYS: "20" })
})
afterAll(() => platform.stop())

const today = midnight(Date.now())
const from = today - 20 * DAY
const hours = (days: number, value: number) => run(from, HOUR, Array<number>(days * 24).fill(value))

beforeEach(() => {
  const { utility } = platform
  utility.calls.length = 0
  utility.tokenCalls.length = 0
  utility.faults.clear()
  utility.hasList = true
  utility.meters.clear()
  utility.meters.set(meterIds.kitchen, electric(meterIds.kitchen, "Kitchen", { intervals: hours(15, 500) }))
})

/** Three hours, because metrics bridge a shorter gap. */
const isEstimated = (hour: number) => hour >= 14 * 24 + 5 && hour < 14 * 24 + 8

const kitchen = async (workspace: TestWorkspace) => (await platform.devices(workspace)).get(meterIds.kitchen)

const accountRow = async (accountId: string) => {
  const [row] = await platform.app.sql<{
    readonly status: string
    readonly last_error: any
    readonly external_id: string
  }>((sql) => sql`SELECT status, last_error, external_id FROM accounts WHERE id = ${accountId}`)
  return row!
}

test("later data is added, an estimate is replaced by what was measured, and a value that is corrected later stays", async () => {
  const { connect, daily, readAll, utility } = platform
  const workspace = await platform.app.workspace()
  const meter = utility.meters.get(meterIds.kitchen)!
  meter.series = [
    { intervals: hours(15, 500).map((one, at) => (isEstimated(at) ? { ...one, value: 9999, quality: 8 } : one)) }
  ]
  const { accountId } = await connect(workspace)
  await readAll(accountId)
  const { id } = await kitchen(workspace)
  const last = [from + 14 * DAY, from + 16 * DAY] as const
  expect(await daily(workspace, "consumption", id, last)).toEqual([21 * 500, null])

  meter.series = [
    {
      intervals: hours(16, 500).map((one, at) => {
        if (isEstimated(at)) return { ...one, value: 700 }
        return at === 14 * 24 + 12 ? { ...one, value: 1234.5 } : one
      })
    }
  ]
  await readAll(accountId)
  expect(await daily(workspace, "consumption", id, last)).toEqual([21 * 500 + 3 * 700, 24 * 500])
})

test("energy of one direction waits for that of the other one", async () => {
  const { connect, countReadings, daily, readAll, utility } = platform
  const workspace = await platform.app.workspace()
  const begin = today - 2 * DAY
  const imports = run(begin, HOUR, Array<number>(48).fill(500))
  const exports = run(begin, HOUR, Array<number>(48).fill(200))
  const meter = utility.meters.get(meterIds.kitchen)!
  meter.series = [{ intervals: imports }, { type: RECEIVED, intervals: exports.slice(0, 24) }]
  const { accountId } = await connect(workspace)
  await readAll(accountId)
  const { id } = await kitchen(workspace)
  expect(await daily(workspace, "consumption", id, [begin, today])).toEqual([24 * 500, null])
  const before = await countReadings(id)
  meter.series = [{ intervals: imports }, { type: RECEIVED, intervals: exports }]
  await readAll(accountId)
  expect(await countReadings(id)).toBe(2 * before)
  expect(await daily(workspace, "consumption", id, [begin, today])).toEqual([24 * 500, 24 * 500])
  expect(await daily(workspace, "production", id, [begin, today])).toEqual([24 * 200, 24 * 200])
})

test("an access token that has ended is renewed once, and the renewed account still knows where its data is", async () => {
  const { connect, readAll, utility } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  utility.tokenCalls.length = 0
  for (let round = 0; round < 2; round++) {
    utility.expireAccessTokens()
    await readAll(accountId)
  }
  expect(utility.tokenCalls.map((form) => form.get("grant_type"))).toEqual(["refresh_token", "refresh_token"])
  expect(await accountRow(accountId)).toMatchObject({ status: "connected", last_error: null })
})

test("a permission that the customer has ended asks for a new sign-in, after which the same account goes on", async () => {
  const { connect, daily, readAll, utility, work } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  await readAll(accountId)
  utility.endGrants()
  await work(accountId)
  const lost = await kitchen(workspace)
  expect(lost.interventions).toMatchObject([{ code: "sign_in_again", actor: "owner" }])
  const { body } = await platform.app.call("GET", "/v1/events?type=CONNECTION_FAILED", { key: workspace.keys.SERVER })
  expect(body.data).toMatchObject([{ data: { error: { code: "invalid_grant" } } }])

  utility.meters.get(meterIds.kitchen)!.series = [{ intervals: hours(17, 500) }]
  const again = await connect(workspace)
  expect(again.accountId).toBe(accountId)
  await readAll(accountId)
  const back = await kitchen(workspace)
  expect([back.id, back.interventions ?? []]).toEqual([lost.id, []])
  expect(await daily(workspace, "consumption", back.id, [from + 16 * DAY, from + 17 * DAY])).toEqual([24 * 500])
})

test("disconnecting revokes the refresh token", async () => {
  const { connect, utility } = platform
  const workspace = await platform.app.workspace()
  const { sessionId } = await connect(workspace)
  const before = utility.revoked.length
  const { status } = await platform.app.call("DELETE", `/v1/connections/${sessionId}`, { key: workspace.keys.SERVER })
  expect(status).toBe(204)
  await eventually("a revocation", async () => (utility.revoked.length > before ? true : undefined))
})

test("a response that is too large is asked for in smaller windows, which lose nothing", async () => {
  const { connect, daily, readAll, utility } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  utility.respondOnce("/Batch/", { status: 200, body: "x".repeat(5 * 1024 * 1024) })
  await readAll(accountId)
  expect(
    utility
      .windows()
      .slice(1)
      .map(([begin, end]) => (Date.parse(end) - Date.parse(begin)) / DAY / 1000)
  ).toEqual([17, 8])
  const { id } = await kitchen(workspace)
  expect(await daily(workspace, "consumption", id, [from, from + 15 * DAY])).toEqual(Array<number>(15).fill(24 * 500))
})

test("data that has not changed is not sent again", async () => {
  const { connect, readAll, utility, work } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  await readAll(accountId)
  await readAll(accountId)
  utility.calls.length = 0
  await work(accountId)
  expect(utility.calls.map(({ status }) => status)).toEqual([304])
})

test("a utility that prepares the data is asked again for the same window", async () => {
  const { connect, readAll, utility, work } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  utility.respondOnce("/Batch/", { status: 202 })
  await work(accountId)
  expect((await kitchen(workspace)).state).toEqual({})
  await readAll(accountId)
  expect((await kitchen(workspace)).state).toMatchObject({ power: 500 })
  const [first, second] = utility.calls
    .filter(({ path }) => path.includes("/Batch/"))
    .map(({ query }) => query.toString())
  expect(second).toBe(first)
})

test.each([
  ["429", { status: 429, headers: { "retry-after": "120" } }],
  ["503 with a time", { status: 503, headers: { "retry-after": "120" } }]
])("no call is made while the utility asks for a pause by %s", async (_, reply) => {
  const { connect, utility, work } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  utility.respondOnce("/Batch/", reply)
  await work(accountId)
  utility.calls.length = 0
  await work(accountId)
  expect([utility.calls, await accountRow(accountId)]).toMatchObject([[], { status: "connected", last_error: null }])
})

test("a meter that the customer shares later gets its whole history", async () => {
  const { connect, daily, devices, readAll, utility, work } = platform
  const workspace = await platform.app.workspace()
  const { accountId } = await connect(workspace)
  await readAll(accountId)
  utility.meters.set(meterIds.barn, electric(meterIds.barn, "Barn", { intervals: hours(15, 300) }))
  await platform.app.sql(
    (sql) => sql`UPDATE account_work SET discover_at = now() WHERE account_id = ${accountId} RETURNING 1`
  )
  await work(accountId)
  await readAll(accountId)
  const barn = (await devices(workspace)).get(meterIds.barn)
  expect(await daily(workspace, "consumption", barn.id, [from, from + 15 * DAY])).toEqual(
    Array<number>(15).fill(24 * 300)
  )
})
