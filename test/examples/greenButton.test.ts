import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { greenButtonFeed, RECEIVED, run, seconds } from "../adapter-kit/green-button/greenButtonFeed.ts"

const start = seconds("2025-06-21T00:00:00-07:00")
const hours = Array.from({ length: 48 }, (_, at) => at)

/** The use of a home and the production of its roof in an hour, Wh: both follow the time of the day. */
const used = (hour: number) => 300 + 60 * Math.abs(12 - (hour % 24)) + (hour % 24 >= 17 && hour % 24 < 22 ? 900 : 0)
const produced = (hour: number) => Math.max(0, 3000 - 90 * ((hour % 24) - 13) ** 2)
const net = hours.map((hour) => used(hour) - produced(hour))
const delivered = run(
  start,
  3600,
  net.map((energy) => Math.max(0, energy))
)
const received = run(
  start,
  3600,
  net.map((energy) => Math.max(0, -energy))
)
const splitDays = (readings: typeof delivered) => [readings.slice(0, 24), readings.slice(24)]

test("the example of Green Button is what this computes: two days of a home with a solar roof", async () => {
  const text = greenButtonFeed({
    name: "01",
    title: "Electric meter",
    series: [{ blocks: splitDays(delivered) }, { type: RECEIVED, blocks: splitDays(received) }]
  })
  await expect(text).toMatchFileSnapshot(
    fileURLToPath(new URL("../../examples/green-button/usage.xml", import.meta.url))
  )
})
