import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "../ingest/arrangeDirect.ts"
import { counting } from "../../devices/counting.ts"

const app = useTestApp({ own: true })
const { countedUntil, seed } = counting(app)

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Every two minutes, over two months and a bit of a third. */
const READINGS = 28_000
const first = Date.UTC(2025, 11, 24, 7, 30)
const iso = (at: number) => new Date(at).toISOString()

const arrange = async (readings: number) => {
  const place = await arrangeDirect(app)
  const { id } = await place.device()
  if (readings > 0) await seed(id, first, readings)
  const asked = async (query: Record<string, string | number>) => {
    const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))
    return (await place.read(`/v1/devices/${id}/history?${text}`)).body
  }
  return {
    ...place,
    id,
    asked,
    speak: (...times: ReadonlyArray<number>) =>
      place.push(id, { readings: times.map((at) => ({ timestamp: iso(at), state: { power: at % 5000 } })) }),
    /** The result of the database itself. */
    truth: async (from: number, to: number, order: "asc" | "desc", perPage: number, page: number) => {
      const rows = await app.sql(
        (sql) => sql<{
          readonly id: string
          readonly at: Date
          readonly state: object
        }>`SELECT id, at, state FROM readings
          WHERE device_id = ${id} AND at >= ${new Date(from)} AND at < ${new Date(to)}
          ORDER BY at ${sql.literal(order)} LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`
      )
      const [{ n }] = (await app.sql(
        (sql) => sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM readings
          WHERE device_id = ${id} AND at >= ${new Date(from)} AND at < ${new Date(to)}`
      )) as [{ readonly n: number }]
      return {
        data: rows.map(({ id: readingId, at, state }) => ({ id: readingId, createdAt: at.toISOString(), ...state })),
        page,
        perPage,
        totalItems: n,
        totalPages: Math.ceil(n / perPage)
      }
    }
  }
}

describe("a history over months", () => {
  test("is exact in any span, order and page while readings arrive early and late", async () => {
    const { asked, id, speak, truth } = await arrange(READINGS)
    const random = new Random(7)
    const end = first + READINGS * 120_000
    for (let round = 0; round < 120; round++) {
      const around = random.pick([first, Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1), end])
      const length = random.pick([0, 1, 7 * 60_000, HOUR, 3 * HOUR, DAY, 40 * DAY])
      const from = around - random.below(length + DAY)
      const to = from + length
      const order = random.pick(["asc", "desc"] as const)
      const perPage = 1 + random.below(40)
      const page = 1 + random.below(3)
      const body = await asked({ from: iso(from), to: iso(to), order, perPage, page })
      expect(body, `${iso(from)} ${iso(to)} ${order} ${perPage} ${page}`).toEqual(
        await truth(from, to, order, perPage, page)
      )
      if (!random.chance(0.3)) continue
      await speak(from + random.below(length + 1), first - DAY + random.below(80 * DAY))
      const whole = await asked({ from: iso(first - 9 * DAY), to: iso(end + 90 * DAY), perPage: 1 })
      expect(whole).toEqual(await truth(first - 9 * DAY, end + 90 * DAY, "desc", 1, 1))
    }
    expect(await countedUntil(id)).not.toBeNull()
  })

  test("is complete from a device's first reading on, across the end of a month", async () => {
    const { asked, speak, truth } = await arrange(0)
    const [from, to] = [Date.UTC(2026, 2, 31, 22), Date.UTC(2026, 3, 1, 2)]
    expect(await asked({ from: iso(from), to: iso(to) })).toMatchObject({ data: [], totalItems: 0 })
    for (let at = from; at < to; at += 20 * 60_000) {
      await speak(at)
      for (const order of ["asc", "desc"] as const) {
        expect(await asked({ from: iso(from), to: iso(to), order, perPage: 3 })).toEqual(
          await truth(from, to, order, 3, 1)
        )
      }
    }
  })

  test("treats a month whose table was dropped as one without readings", async () => {
    const { asked, speak } = await arrange(0)
    const [from, to] = [Date.UTC(2019, 4, 1), Date.UTC(2019, 6, 1)]
    await speak(Date.UTC(2019, 4, 20), Date.UTC(2019, 5, 20))
    const span = { from: iso(from), to: iso(to) }
    expect((await asked(span)).totalItems).toBe(2)
    await app.sql((sql) => sql`DROP TABLE readings_201906`)
    expect(await asked(span)).toMatchObject({ data: [{ createdAt: iso(Date.UTC(2019, 4, 20)) }], totalItems: 1 })
  })

  test("returns texts of devices unchanged, including line breaks", async () => {
    const place = await arrangeDirect(app)
    const { id } = await place.device("other")
    const states = [{ note: 'one\ntwo\r\n\t",\\' }, { note: "\u2028}" }, { on: true, level: -1.5e-7 }]
    const readings = states.map((state, n) => ({ timestamp: iso(first + n), state }))
    expect((await place.push(id, { readings })).status).toBe(200)
    const { body } = await place.read(`/v1/devices/${id}/history?order=asc&from=${iso(first)}&to=${iso(first + 9)}`)
    expect(body.data).toMatchObject(states)
  })
})
