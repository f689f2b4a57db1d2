import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "../ingest/arrangeDirect.ts"
import { counting } from "../../devices/counting.ts"

const app = useTestApp({ own: true })
const { seed, count, truth, countedUntil } = counting(app)

const DAY = 86_400_000
const READINGS = 40_000
const first = Date.UTC(2025, 11, 15, 7, 30)
const whole = { from: first, to: first + 60 * DAY }
const iso = (at: number) => new Date(at).toISOString()

const arrange = async () => {
  const place = await arrangeDirect(app)
  const { id } = await place.device()
  await seed(id, first, READINGS)
  const speak = (...times: ReadonlyArray<number>) =>
    place.push(id, { readings: times.map((at) => ({ timestamp: iso(at), state: { power: 1 } })) })
  return { ...place, id, speak }
}

describe("the number of a device's readings", () => {
  test("is exact in any span, also while late readings arrive", async () => {
    const { id, speak } = await arrange()
    expect(await count(id, whole)).toBe(READINGS)
    const random = new Random(20)
    for (let round = 0; round < 25; round++) {
      const [one, other] = [first - DAY + random.below(62 * DAY), first - DAY + random.below(62 * DAY)]
      const span = { from: Math.min(one, other), to: Math.max(one, other) }
      expect(await count(id, span), JSON.stringify(span)).toBe(await truth(id, span))
      // Some are there already, some are older than all, some newer.
      const late = first - 10 * DAY + random.below(90 * DAY)
      await speak(late, late + 1, first + random.below(READINGS) * 120_000)
      if (round % 5 === 0) expect(await count(id, { ...whole, from: 0 })).toBe(await truth(id, { ...whole, from: 0 }))
    }
  })

  test("is stored by hour, up to the last complete one, and a late reading moves the end back to its own hour", async () => {
    const { id, speak } = await arrange()
    expect(await countedUntil(id)).toBeNull()
    await count(id, whole)
    expect(await countedUntil(id)).toBe(iso(Date.UTC(2026, 1, 13, 7)))
    const late = Date.UTC(2025, 11, 20, 12, 0, 1)
    await speak(late)
    expect(await countedUntil(id)).toBe(iso(late))
    await speak(Date.UTC(2026, 1, 20))
    expect(await countedUntil(id)).toBe(iso(late))
    expect(await count(id, whole)).toBe(READINGS + 1)
    expect(await countedUntil(id)).toBe(iso(Date.UTC(2026, 1, 13, 7)))
  })

  test("is counted each time if it is small, and nothing is stored", async () => {
    const { id } = await arrange()
    const span = { from: first, to: first + DAY }
    expect(await count(id, span)).toBe(720)
    expect(await countedUntil(id)).toBeNull()
  })

  test("restarts when the device was removed and provisioned again", async () => {
    const { makeBody, id, post, push, read, remove } = await arrange()
    await count(id, whole)
    const { manufacturerDeviceId } = (await read(`/v1/devices/${id}`)).body
    expect((await remove(id)).status).toBe(204)
    const again = await post("/devices", await makeBody("inverter", { manufacturerDeviceId }))
    expect([again.status, again.body.id]).toEqual([201, id])
    const days = Array.from({ length: 5 }, (_, day) => iso(Date.UTC(2026, 0, 10 + day)))
    await push(id, { readings: days.map((timestamp) => ({ timestamp, state: { power: 2 } })) })
    expect(await count(id, whole)).toBe(5)
    const rows = await app.sql((sql) => sql`SELECT FROM reading_counts WHERE device_id = ${id}`)
    expect(rows).toHaveLength(0)
  })

  test("is the total of the history's pages", async () => {
    const { id, read } = await arrange()
    const { body } = await read(`/v1/devices/${id}/history?from=2020-01-01T00:00:00Z&perPage=100&page=7`)
    expect(body).toMatchObject({ page: 7, perPage: 100, totalItems: READINGS, totalPages: READINGS / 100 })
    expect(body.data[0].createdAt).toBe(iso(first + (READINGS - 1 - 600) * 120_000))
    const asc = (await read(`/v1/devices/${id}/history?from=2020-01-01T00:00:00Z&order=asc&perPage=100&page=400`)).body
    expect(asc.data.at(-1).createdAt).toBe(iso(first + (READINGS - 1) * 120_000))
  })
})
