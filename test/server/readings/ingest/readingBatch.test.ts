import { readingBatch, type ResolvedReading } from "@edp/server/readings/ingest/readingBatch"
import { describe, expect, it } from "vitest"
import { Random } from "../../../support/Random.ts"

const DAY = 86_400_000
const noon = Date.UTC(2026, 2, 1, 12)

let count = 0
const reading = (deviceId: string, at: number, more: Partial<ResolvedReading> = {}): ResolvedReading => ({
  deviceId,
  type: "inverter",
  at,
  id: `id${++count}`,
  state: `{"power":${count}}`,
  reportedStatus: null,
  location: null,
  ...more
})

const arrived = noon + 3 * DAY
const makeBatch = (readings: ReadonlyArray<ResolvedReading>) => {
  const { rows, ...batch } = readingBatch(readings, () => arrived + 5)
  return { ...batch, rows: JSON.parse(rows) as ReadonlyArray<Record<string, unknown>> }
}

describe("a batch of readings", () => {
  it("has a device's current state only in the row of its newest reading", () => {
    const location = { latitude: 38.5, longitude: -121.5 }
    const newest = reading("one", noon + 2, { reportedStatus: "online", location })
    const readings = [reading("one", noon + 1), newest, reading("other", noon), reading("one", noon)]
    const { rows, newest: states } = makeBatch(readings)
    const plain = ({ deviceId: d, at: a, id: i, state }: ResolvedReading) => ({ d, a, i, s: JSON.parse(state) })
    const [first, , other, last] = readings.map(plain)
    const common = { t: "inverter", c: arrived + 5 }
    expect(rows).toHaveLength(4)
    expect(rows).toEqual(
      expect.arrayContaining([
        first,
        { ...plain(newest), ...common, f: noon, o: "online", y: 38.5, x: -121.5 },
        { ...other, ...common, f: noon },
        last
      ])
    )
    expect([...states]).toEqual([
      ["one", newest],
      ["other", readings[2]]
    ])
  })

  it("stores the first of a device's readings with the same time, in any order", () => {
    const random = new Random(7)
    const readings = Array.from({ length: 2000 }, () => reading(`device-${random.below(3)}`, noon + random.below(300)))
    const seen = new Set<string>()
    const repeats = readings.filter(({ deviceId, at }) => seen.size === seen.add(`${deviceId} ${at}`).size)
    const batch = makeBatch(readings)
    expect([...batch.repeats]).toEqual(repeats.map(({ id }) => id))
    expect(batch.rows.map(({ i }) => i).sort()).toEqual(
      readings
        .filter((each) => !repeats.includes(each))
        .map(({ id }) => id)
        .sort()
    )
  })

  it("lists the months of its readings and the days of their arrival", () => {
    const { months, arrivals } = makeBatch([
      reading("one", Date.UTC(2026, 0, 31, 23, 59)),
      reading("one", Date.UTC(2026, 1, 1)),
      reading("other", Date.UTC(2025, 11, 31))
    ])
    expect([...months].sort()).toEqual([Date.UTC(2025, 11), Date.UTC(2026, 0), Date.UTC(2026, 1)])
    expect([...arrivals]).toEqual([Date.UTC(2026, 2, 4)])
  })
})
