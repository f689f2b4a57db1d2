import { timestamps } from "@edp/server/readings/history/historyPage"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const DAY = 86_400_000

describe("the time of a reading", () => {
  test("is formatted like a Date, whatever was formatted before", () => {
    const timestamp = timestamps()
    const random = new Random(5)
    const some = Array.from({ length: 2000 }, () => Date.UTC(1960) + random.below(3 * 36_525) * DAY + random.below(DAY))
    const edges = [0, -1, DAY - 1, DAY, Date.UTC(1000), Date.UTC(9999, 11, 31, 23, 59, 59, 999), Date.UTC(2024, 1, 29)]
    for (const at of [...some, ...edges, ...edges.map((each) => each + 1)])
      expect(timestamp(at)).toBe(new Date(at).toISOString())
  })
})
