import { expect, test } from "vitest"
import { movableClock } from "../../../support/movableClock.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "./arrangeDirect.ts"

const HOUR = 3_600_000
const noon = Date.UTC(2026, 5, 1, 12)
const clock = movableClock(noon)
const app = useTestApp({ clock })

/** Runs with the clock ahead, and sets it back. */
const ahead = async <A>(milliseconds: number, work: () => Promise<A>): Promise<A> => {
  clock.move(milliseconds)
  try {
    return await work()
  } finally {
    clock.move(-milliseconds)
  }
}

const arrange = async () => {
  const { device, post, read } = await arrangeDirect(app)
  const { id } = await device()
  return {
    push: (power: number, timestamp?: number) =>
      post(`/devices/${id}/telemetry`, {
        ...(timestamp !== undefined && { timestamp: new Date(timestamp).toISOString() }),
        state: { power }
      }),
    state: async () => (await read(`/v1/devices/${id}`)).body,
    history: async (query: string) => (await read(`/v1/devices/${id}/history?${query}`)).body
  }
}

test("a reading that was taken while the clock was ahead does not hide the readings after the clock was set back", async () => {
  const { history, push, state } = await arrange()
  await ahead(2 * HOUR, () => push(1))
  expect((await push(2)).status).toBe(200)
  clock.move(1000)
  const pushed = await push(3)
  expect(pushed.body.latest.power).toBe(3)
  const device = await state()
  expect([device.state.power, device.state.createdAt]).toEqual([3, new Date(noon + 1000).toISOString()])
  expect(device.lastOnlineAt).toBe(new Date(noon + 1000).toISOString())
  clock.move(3 * HOUR)
  await push(4)
  const all = await history(`from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z&order=asc`)
  expect(all.data.map(({ power }: { power: number }) => power)).toEqual([2, 3, 1, 4])
  clock.move(-3 * HOUR)
})

test("a reading up to five minutes ahead stays the current one until a newer one comes", async () => {
  const { push, state } = await arrange()
  const now = noon + 1000
  await push(1, now + 4 * 60_000)
  await push(2, now)
  expect((await state()).state.power).toBe(1)
})

test("an imported history does not become the current state in place of a reading from the future", async () => {
  const { push, state } = await arrange()
  await ahead(2 * HOUR, () => push(1))
  await push(2, noon - 30 * 24 * HOUR)
  expect((await state()).state.power).toBe(1)
  await push(3)
  expect((await state()).state.power).toBe(3)
})
