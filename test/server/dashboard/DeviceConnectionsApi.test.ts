import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { seedDevice } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "../accounts/arrangeAccounts.ts"

const scripted = scriptedAdapter()
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

const arrange = async () => {
  const arranged = await arrangeAccounts(app, scripted)
  const read = (id: string, key = arranged.keys.MANAGEMENT) =>
    app.call("GET", `/dashboard/api/devices/${id}/connection`, { key })
  return { ...arranged, read, connection: async (id: string) => (await read(id)).body }
}

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test("a device that is read has its account, the next attempt, and the time until which it is online", async () => {
  const { connection, link, perform } = await arrange()
  const { deviceId, id } = await link()
  expect(await connection(deviceId)).toMatchObject({ onlineStatus: "unknown", lastOnlineAt: null, onlineUntil: null })
  await perform(id)
  const read = await connection(deviceId)
  expect(read).toEqual({
    onlineStatus: "online",
    lastOnlineAt: moment,
    onlineUntil: moment,
    isUnreachable: false,
    disconnectedAt: null,
    isDirect: false,
    account: {
      id,
      manufacturer: "scripted",
      name: "A person's account",
      status: "connected",
      lastError: null,
      failures: 0,
      disconnectedAt: null,
      isWorking: false,
      nextAttemptAt: moment,
      pausedUntil: null
    },
    asOf: moment
  })
  expect(Date.parse(read.onlineUntil) - Date.parse(read.lastOnlineAt)).toBe(900_000)
  expect(Date.parse(read.account.nextAttemptAt)).toBeGreaterThan(Date.parse(read.asOf))
})

test("a failed attempt is told in the words of the adapter, with its time and the next one, until a reading succeeds", async () => {
  const { connection, link, perform } = await arrange()
  const person = scripted.account()
  const { deviceId, id } = await link(person)
  await perform(id)
  const works = person.account.read
  person.account.read = () => Effect.fail(AdapterError.of("vendor_fault", "The service responded with 503"))
  await perform(id)
  await perform(id)
  const { account, asOf, lastOnlineAt } = await connection(deviceId)
  expect(account).toMatchObject({
    status: "connected",
    failures: 2,
    lastError: { failure: "vendor_fault", message: "The service responded with 503", at: moment },
    nextAttemptAt: moment
  })
  expect(account.lastError.at > lastOnlineAt).toBe(true)
  expect(account.nextAttemptAt > asOf).toBe(true)
  person.account.read = works
  await perform(id)
  expect((await connection(deviceId)).account).toMatchObject({ failures: 0, lastError: null })
})

test("an account that lost its access has no next attempt, and its devices are offline", async () => {
  const { connection, link, perform } = await arrange()
  const person = scripted.account()
  const { deviceId, id } = await link(person)
  await perform(id)
  person.account.read = () => Effect.fail(AdapterError.of("grant_lost", "The owner withdrew the permission"))
  await perform(id)
  expect(await connection(deviceId)).toMatchObject({
    onlineStatus: "offline",
    onlineUntil: null,
    disconnectedAt: moment,
    account: { status: "failed", nextAttemptAt: null, lastError: { message: "The owner withdrew the permission" } }
  })
})

test("a manufacturer's pause is told until it ends", async () => {
  const { connection, link, perform } = await arrange()
  const { deviceId, id } = await link()
  await perform(id)
  const pause = (until: Date) =>
    app.sql(
      (
        sql
      ) => sql`INSERT INTO manufacturer_pauses (manufacturer, account_id, until) VALUES ('scripted', ${id}, ${until})
        ON CONFLICT (manufacturer, account_id) DO UPDATE SET until = excluded.until`
    )
  const later = new Date(Date.now() + 60_000)
  await pause(later)
  expect((await connection(deviceId)).account.pausedUntil).toBe(later.toISOString())
  await pause(new Date(Date.now() - 1000))
  expect((await connection(deviceId)).account.pausedUntil).toBeNull()
})

test("a direct device has no account, and a device of another workspace is not found", async () => {
  const { connection, read, workspaceId } = await arrange()
  const id = await seedDevice(app, workspaceId)
  expect(await connection(id)).toMatchObject({ onlineStatus: "unknown", account: null })
  const stranger = await app.workspace()
  expectError(await read(id, stranger.keys.MANAGEMENT), 404, "DEVICE_NOT_FOUND")
})
