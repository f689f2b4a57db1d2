import { describe, expect, test } from "vitest"
import { greenButtonFeed, RECEIVED, run, seconds, type FeedReading, type FeedSeries } from "./greenButtonFeed.ts"
import { energiesOfFile, readFile } from "./readFile.ts"

const file = (...series: ReadonlyArray<FeedSeries>) => greenButtonFeed({ name: "01", series })
const total = (readings: ReadonlyArray<FeedReading>) => readings.reduce((sum, { value = 0 }) => sum + value, 0)

const midnight = seconds("2025-06-21T07:00:00Z")
const DAY = 86_400
const values = (count: number, step = 37) => Array.from({ length: count }, (_, at) => (at * step) % 1203)

describe("energies that metrics compute from a file", () => {
  test.each([
    ["5 minutes", 300],
    ["15 minutes", 900],
    ["30 minutes", 1800],
    ["60 minutes", 3600],
    ["4 hours", 14_400],
    ["a day", DAY]
  ])("intervals of %s give the energy of the file, to the Wh, and cover the whole day", (_, duration) => {
    const readings = run(midnight, duration, values((2 * DAY) / duration, 371))
    const energies = energiesOfFile(file({ blocks: [readings] }))
    const day = readings.slice(0, DAY / duration)
    const found = energies(midnight, midnight + DAY)
    expect(found.imported).toBeCloseTo(total(day), 1)
    expect(found.exported).toBe(0)
    expect(found.coverage).toBeCloseTo(1, 6)
    expect(energies(midnight, midnight + 2 * DAY).imported).toBeCloseTo(total(readings), 1)
  })

  test("each quarter of an hour has the energy of the file", () => {
    const readings = run(midnight, 900, values(96))
    const energies = energiesOfFile(file({ blocks: [readings] }))
    for (const { start = 0, value = 0 } of readings) {
      expect(energies(start, start + 900).imported).toBeCloseTo(value, 1)
    }
  })

  test("both directions of a net meter stay apart, also where one interval has both", () => {
    const imports = run(midnight, 3600, values(24, 211))
    const exports = run(midnight, 3600, values(24, 97))
    const energies = energiesOfFile(file({ blocks: [imports] }, { type: RECEIVED, blocks: [exports] }))
    const day = energies(midnight, midnight + DAY)
    expect(day.imported).toBeCloseTo(total(imports), 1)
    expect(day.exported).toBeCloseTo(total(exports), 1)
    const hour = energies(midnight + 5 * 3600, midnight + 6 * 3600)
    expect(hour.imported).toBeCloseTo(imports[5]!.value!, 1)
    expect(hour.exported).toBeCloseTo(exports[5]!.value!, 1)
  })

  test("a month of quarters of an hour that have both directions adds up", () => {
    const imports = run(midnight, 900, values(96 * 30, 211))
    const exports = run(midnight, 900, values(96 * 30, 97))
    const month = energiesOfFile(file({ blocks: [imports] }, { type: RECEIVED, blocks: [exports] }))(
      midnight,
      midnight + 30 * DAY
    )
    expect(Math.abs(month.imported! - total(imports))).toBeLessThan(0.5)
    expect(Math.abs(month.exported! - total(exports))).toBeLessThan(0.5)
  })

  test("directions may have intervals of different lengths", () => {
    const imports = run(midnight, 900, values(96))
    const exports = run(midnight, 3600, values(24))
    const day = energiesOfFile(file({ blocks: [imports] }, { type: RECEIVED, blocks: [exports] }))(
      midnight,
      midnight + DAY
    )
    expect(day.imported).toBeCloseTo(total(imports), 1)
    expect(day.exported).toBeCloseTo(total(exports), 1)
  })

  test("fractions of a Wh add up, though the powers of meters are whole", () => {
    const readings = run(midnight, 900, Array<number>(96).fill(100_123))
    const { imported } = energiesOfFile(file({ type: { powerOfTenMultiplier: -3 }, blocks: [readings] }))(
      midnight,
      midnight + DAY
    )
    expect(imported).toBeCloseTo(96 * 100.123, 1)
  })

  test.each([
    ["23", "2025-03-09T08:00:00Z", "2025-03-10T07:00:00Z"],
    ["25", "2025-11-02T07:00:00Z", "2025-11-03T08:00:00Z"]
  ])("a day of %s hours has the energy of the file, as one interval and by the hour", (_, begin, end) => {
    const [from, to] = [seconds(begin), seconds(end)]
    const asDay = energiesOfFile(file({ blocks: [[{ start: from, duration: to - from, value: 10_001 }]] }))
    expect(asDay(from, to).imported).toBeCloseTo(10_001, 1)
    const readings = run(from, 3600, values((to - from) / 3600))
    expect(energiesOfFile(file({ blocks: [readings] }))(from, to).imported).toBeCloseTo(total(readings), 1)
  })

  test("a gap has no energy and no coverage", () => {
    const readings = run(midnight, 900, values(96))
    const blocks = [readings.slice(0, 20), readings.slice(40)]
    const energies = energiesOfFile(file({ blocks }))
    expect(energies(midnight + 20 * 900, midnight + 40 * 900)).toMatchObject({ imported: null, exported: null })
    const day = energies(midnight, midnight + DAY)
    expect(day.imported).toBeCloseTo(total(blocks.flat()), 1)
    expect(day.coverage).toBeCloseTo(76 / 96, 4)
  })

  test("no energy is known where one direction was not measured", () => {
    const imports = run(midnight, 3600, values(24))
    const exports = run(midnight, 3600, values(24)).map((reading, at) =>
      at >= 10 && at < 14 ? { ...reading, quality: 8 } : reading
    )
    const energies = energiesOfFile(file({ blocks: [imports] }, { type: RECEIVED, blocks: [exports] }))
    expect(energies(midnight + 10 * 3600, midnight + 14 * 3600)).toMatchObject({ imported: null, exported: null })
  })
})

describe("readings of a file", () => {
  test("files that overlap have the same readings", () => {
    const imports = run(midnight, 900, values(96 * 2))
    const whole = readFile(file({ blocks: [imports] })).readings.map(({ state, timestamp }) => [timestamp, state])
    const parts = [imports.slice(0, 120), imports.slice(80)].flatMap((part) =>
      readFile(file({ blocks: [part] })).readings.map(({ state, timestamp }) => [timestamp, state] as const)
    )
    expect([...new Map(parts.map(([timestamp, state]) => [timestamp, state]))].sort()).toEqual(whole)
  })

  test("readings have whole powers at times that never repeat", () => {
    const { readings } = readFile(
      file(
        { type: { powerOfTenMultiplier: -1 }, blocks: [run(midnight, 900, values(96))] },
        { type: { ...RECEIVED, powerOfTenMultiplier: -1 }, blocks: [run(midnight, 900, values(96, 59))] }
      )
    )
    expect(readings.every(({ state }) => Number.isInteger(state["power"]))).toBe(true)
    const times = readings.map(({ timestamp }) => timestamp)
    expect([...new Set(times)].sort()).toEqual(times)
  })

  test("an interval of whole watts gives two readings", () => {
    const { readings } = readFile(file({ blocks: [run(midnight, 900, [250])] }))
    expect(readings.map(({ state, timestamp }) => [timestamp, state])).toEqual([
      ["2025-06-21T07:00:00.000Z", { power: 1000 }],
      ["2025-06-21T07:14:59.999Z", { power: 1000 }]
    ])
  })
})
