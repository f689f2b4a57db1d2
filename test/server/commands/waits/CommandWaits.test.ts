import { CommandWaits } from "@edp/server/commands/waits/CommandWaits"
import { AccountWaits } from "@edp/server/accounts/AccountWaits"
import { DeliveryWaits } from "@edp/server/destinations/delivery/DeliveryWaits"
import { makeClockWatch } from "@edp/server/platform/jobs/ClockWatch"
import { Cause, Effect, Logger } from "effect"
import { expect, test } from "vitest"
import { movableClock } from "../../../support/movableClock.ts"
import { acceptedCommand, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"

const HOUR = 3_600_000
const before = { mode: "self-consumption" }
const clock = movableClock(Date.now())
const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter], clock })
const now = () => clock.currentTimeMillisUnsafe()

const arrange = async () => {
  const place = await arrangeCommands(app, scripted, {
    send: (request) => Effect.as(request.saveSnapshot(before), acceptedCommand)
  })
  const { limit } = await app.run(CommandWaits)
  const looked: Array<boolean> = []
  const note = (isSetBack: boolean) =>
    Effect.andThen(
      limit,
      Effect.sync(() => looked.push(isSetBack))
    )
  const watch = await app.run(makeClockWatch([{ name: "commands", limit: note }]))
  const look = () => app.run(watch.pipe(Effect.provide(Logger.layer([]))))
  await look()
  const until = async () => Date.parse((await place.forcedMode()).until) - now()
  return { ...place, look, looked, until }
}

/** Runs with the clock ahead, and sets it back. */
const ahead = async <A>(look: () => Promise<void>, work: () => Promise<A>): Promise<A> => {
  clock.move(2 * HOUR)
  await look()
  const done = await work()
  clock.move(-2 * HOUR)
  await look()
  return done
}

test("a mode that began while the clock was ahead ends after its time, counted from when the clock is set back", async () => {
  const { forcedMode, look, mode, perform, restored, until } = await arrange()
  await ahead(look, async () => {
    await mode("charge", { revertAfter: 60 })
    await perform()
    expect(await until()).toBe(60_000)
  })
  expect(await until()).toBe(60_000)
  await perform()
  expect(restored()).toEqual([])
  clock.move(60_000)
  await perform()
  expect(await forcedMode()).toBeUndefined()
  expect(restored()).toEqual([before])
})

test("a mode that began before keeps its end", async () => {
  const { look, mode, perform, until } = await arrange()
  await mode("charge", { revertAfter: 3 * 3600 })
  await perform()
  await ahead(look, async () => undefined)
  expect(await until()).toBe(3 * HOUR)
})

test("a command that waits since the clock was ahead is sent at once, and expires in time", async () => {
  const { look, perform, read, reserve, sent } = await arrange()
  const { id } = await ahead(look, () => reserve(30))
  const waiting = await read(id)
  expect(Date.parse(waiting.expiresAt) - now()).toBe(900_000)
  await perform()
  expect(sent()).toHaveLength(1)
  expect(await read(id)).toMatchObject({ status: "delivered" })
})

test("a command for a time of the caller's choice keeps it", async () => {
  const { look, perform, read, reserve, sent } = await arrange()
  const scheduledFor = new Date(now() + 5 * HOUR).toISOString()
  const { expiresAt, id } = await ahead(look, () => reserve(30, { scheduledFor }))
  await perform()
  expect(sent()).toEqual([])
  expect(await read(id)).toMatchObject({ status: "scheduled", scheduledFor, expiresAt })
})

test("a delivered command times out in time", async () => {
  const { look, perform, read, reserve } = await arrange()
  const { id } = await ahead(look, async () => {
    const command = await reserve(30)
    await perform()
    return command
  })
  expect(await read(id)).toMatchObject({ status: "delivered" })
  const [row] = await app.sql<{ readonly deadline: Date; readonly delivered: Date; readonly handed: Date }>(
    (sql) => sql`SELECT deadline, delivered_at AS delivered, handed_at AS handed FROM commands WHERE id = ${id}`
  )
  const times = [row!.delivered, row!.handed, row!.deadline].map((at) => at.getTime() - now())
  expect(times).toEqual([0, 0, 900_000])
})

test("waits are limited at the first look and twice after a clock was set back, and again after a failure", async () => {
  const { look, looked } = await arrange()
  await ahead(look, async () => undefined)
  await look()
  await look()
  expect(looked).toEqual([false, true, true])

  let failures = 1
  const flaky = Effect.suspend(() => (failures-- > 0 ? Effect.failCause(Cause.die("refused")) : Effect.void))
  const others: Array<boolean> = []
  const watch = await app.run(
    makeClockWatch([
      { name: "one", limit: () => flaky },
      { name: "other", limit: (isSetBack) => Effect.sync(() => others.push(isSetBack)) }
    ])
  )
  for (let n = 0; n < 3; n++) await app.run(watch.pipe(Effect.provide(Logger.layer([]))))
  expect(others).toEqual([false, false])
})

test("leases, accounts and deliveries that were due in hours are due in time", async () => {
  const { accountId, deviceId, perform, reserve, workspaceId } = await arrange()
  await reserve(30)
  await perform()
  const later = new Date(Date.now() + 2 * HOUR)
  await app.sql(
    (sql) => sql`UPDATE device_work SET claim = gen_random_uuid(), lease_until = ${later} WHERE device_id = ${deviceId}
      RETURNING 1`
  )
  await app.sql(
    (sql) =>
      sql`UPDATE account_work SET due_at = ${later}, read_at = ${later} WHERE account_id = ${accountId} RETURNING 1`
  )
  await app.sql(
    (sql) => sql`INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
      VALUES (${workspaceId}, 'lane', ${later}, 1) RETURNING 1`
  )
  await app.sql(
    (sql) => sql`INSERT INTO manufacturer_calls (manufacturer, account_id, window_seconds, window_start, calls)
      VALUES ('scripted', ${accountId}, 60, ${new Date(now() + 2 * HOUR)}, 60) RETURNING 1`
  )
  await app.run(
    Effect.gen(function* () {
      yield* (yield* CommandWaits).limit
      yield* (yield* AccountWaits).limit(true)
      yield* (yield* DeliveryWaits).limit(true)
    })
  )
  const [row] = await app.sql<Record<string, number>>(
    (sql) => sql`SELECT
      (SELECT extract(epoch FROM lease_until - now())::float8 FROM device_work WHERE device_id = ${deviceId}) AS lease,
      (SELECT extract(epoch FROM due_at - now())::float8 FROM account_work WHERE account_id = ${accountId}) AS account,
      (SELECT extract(epoch FROM due_at - now())::float8 FROM delivery_lanes WHERE destination_id = ${workspaceId}) AS lane,
      (SELECT count(*)::int FROM manufacturer_calls WHERE account_id = ${accountId}) AS windows`
  )
  expect(row!["lease"]).toBeLessThanOrEqual(120)
  expect(row!["account"]).toBeLessThanOrEqual(300)
  expect(row!["lane"]).toBeLessThanOrEqual(0)
  expect(row!["windows"]).toBe(0)
})
