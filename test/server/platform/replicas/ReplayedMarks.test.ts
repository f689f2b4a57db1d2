import { ReplayedMarks } from "@edp/server/platform/replicas/ReplayedMarks"
import { expect, test } from "vitest"

test("a replica that has replayed everything has no lag, however long nothing was written", () => {
  const marks = new ReplayedMarks()
  for (const at of [0, 60_000]) {
    marks.mark(at, 5n)
    expect(marks.replay(5n)).toBe(true)
  }
  expect(marks.lag(60_100)).toBe(100)
})

test("the lag is the age of the latest mark that the replica has reached", () => {
  const marks = new ReplayedMarks()
  for (const [at, position] of [1, 2, 3, 4].map((n) => [n * 1000, BigInt(n * 10)] as const)) marks.mark(at, position)
  marks.replay(29n)
  expect(marks.lag(4000)).toBe(2000)
  marks.replay(30n)
  expect(marks.lag(4000)).toBe(1000)
  for (let n = 5; n < 5000; n++) {
    marks.mark(n * 1000, BigInt(n * 10))
    marks.replay(30n)
  }
  expect(marks.lag(5_000_000)).toBe(4_997_000)
})

test("the lag is unknown before a mark is reached, and after the replica was not to be asked", () => {
  const marks = new ReplayedMarks()
  marks.mark(0, 10n)
  marks.replay(9n)
  expect(marks.lag(1)).toBeUndefined()
  marks.replay(10n)
  expect(marks.lag(1)).toBe(1)
  marks.forget()
  expect(marks.lag(1)).toBeUndefined()
})

test("a replica that is ahead of a new primary has another history until that has passed it", () => {
  const marks = new ReplayedMarks()
  marks.mark(0, 10n)
  marks.replay(20n)
  for (const at of [1, 2]) {
    marks.mark(at, 15n)
    expect(marks.replay(20n)).toBe(false)
  }
  marks.mark(3, 25n)
  expect(marks.replay(25n)).toBe(true)
  expect(marks.lag(3)).toBe(0)
})
