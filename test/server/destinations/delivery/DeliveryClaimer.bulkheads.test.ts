import { makeBulkheads, type Permit } from "@edp/server/destinations/delivery/DeliveryClaimer"
import { describe, expect, test } from "vitest"

const limits = { fast: 4, slow: 2, concurrent: 2, slowAfter: 1000 }

/** Keys that ask to begin a delivery, and the responses so far. */
const arrange = () => {
  const bulkheads = makeBulkheads(limits)
  const responses: Array<string> = []
  const ask = (permit: Permit, name: string, now = 0) =>
    bulkheads.enter(permit, (isAdmitted) => {
      if (isAdmitted) permit.begun = now
      responses.push(`${name} ${isAdmitted ? "begins" : "is released"}`)
    })
  const begin = (id: string, now = 0, workspace = `workspace of ${id}`) => {
    const permit = bulkheads.acquire(id, workspace)
    ask(permit, id, now)
    return permit
  }
  return { bulkheads, responses, ask, begin }
}

describe("compartments", () => {
  test("accept keys up to their limits, and again when one is released", () => {
    const { bulkheads } = arrange()
    const [first] = [bulkheads.acquire("a", "w"), bulkheads.acquire("b", "w"), bulkheads.acquire("b", "w")]
    expect(bulkheads.room()).toEqual({ fast: 1, slow: 2 })
    expect(bulkheads.byDestination()).toEqual([
      { destinationId: "a", count: 1 },
      { destinationId: "b", count: 2 }
    ])
    bulkheads.release(first!)
    expect([bulkheads.room(), bulkheads.byDestination()]).toEqual([
      { fast: 2, slow: 2 },
      [{ destinationId: "b", count: 2 }]
    ])
  })

  test("keys with slow deliveries move to the slow compartment, up to its limit", () => {
    const { begin, bulkheads } = arrange()
    for (const id of ["a", "b", "c", "d"]) begin(id)
    bulkheads.moveSlow(999)
    expect(bulkheads.room()).toEqual({ fast: 0, slow: 2 })
    bulkheads.moveSlow(1000)
    expect(bulkheads.room()).toEqual({ fast: 2, slow: 0 })
    expect(bulkheads.slowOnes()).toEqual(["a", "b", "c", "d"])
  })

  test("a slow destination is forgotten after ten minutes without a delivery, and of many the ones slow last are kept", () => {
    const { begin, bulkheads } = arrange()
    const slowly = (id: string, at: number) => {
      const permit = begin(id, at)
      bulkheads.leave(permit, false, at + 1500)
      bulkheads.release(permit)
    }
    for (let n = 0; n < 1500; n++) slowly(`d${n}`, n)
    expect([bulkheads.slowOnes().length, bulkheads.slowOnes()[0]]).toEqual([1000, "d500"])
    slowly("late", 600_000)
    bulkheads.moveSlow(601_500)
    expect(bulkheads.slowOnes().includes("d501")).toBe(true)
    bulkheads.moveSlow(610_000)
    expect(bulkheads.slowOnes()).toEqual(["late"])
    bulkheads.moveSlow(1_201_500)
    expect(bulkheads.slowOnes()).toEqual([])
  })

  test("a slow destination stays in the slow compartment until it responds quickly", () => {
    const { begin, bulkheads } = arrange()
    const first = begin("a")
    bulkheads.leave(first, true, 1500)
    bulkheads.release(first)
    const second = begin("a", 2000)
    expect(bulkheads.room()).toEqual({ fast: 4, slow: 1 })
    expect([bulkheads.slowOnes(), bulkheads.fastOnes()]).toEqual([["a"], []])
    bulkheads.leave(second, true, 2010)
    bulkheads.release(second)
    expect([bulkheads.slowOnes(), bulkheads.fastOnes()]).toEqual([[], ["a"]])
    bulkheads.acquire("a", "w")
    expect(bulkheads.room()).toEqual({ fast: 3, slow: 2 })
  })

  test("a key that only waits does not make its destination slow", () => {
    const { bulkheads } = arrange()
    bulkheads.acquire("a", "w")
    bulkheads.moveSlow(100_000)
    expect(bulkheads.slowOnes()).toEqual([])
  })
})

describe("a workspace", () => {
  test("takes at most as much of the slow compartment as stays free", () => {
    const bulkheads = makeBulkheads({ fast: 12, slow: 9, concurrent: 2, slowAfter: 1000 })
    const begin = (destination: string, workspace: string) => {
      bulkheads.acquire(destination, workspace).begun = 0
    }
    for (const n of [1, 2, 3, 4, 5, 6]) begin(`dead ${n}`, "hog")
    bulkheads.moveSlow(1000)
    expect(bulkheads.byWorkspace(true)).toEqual([{ workspaceId: "hog", count: 5 }])
    expect(bulkheads.byWorkspace(false)).toEqual([{ workspaceId: "hog", count: 1 }])
    for (const n of [1, 2, 3]) begin(`slow ${n}`, "neighbour")
    bulkheads.moveSlow(1000)
    expect(bulkheads.byWorkspace(true)).toEqual([
      { workspaceId: "hog", count: 5 },
      { workspaceId: "neighbour", count: 2 }
    ])
    expect(bulkheads.room()).toEqual({ fast: 10, slow: 2 })
  })
})

describe("deliveries to one destination", () => {
  test("are limited; the next begins when one ends, and other destinations are not delayed", () => {
    const { responses, ask, begin, bulkheads } = arrange()
    const first = begin("a")
    begin("a")
    ask(bulkheads.acquire("a", "w"), "third")
    begin("b")
    expect(responses).toEqual(["a begins", "a begins", "b begins"])
    bulkheads.leave(first, true, 10)
    expect(responses.slice(3)).toEqual(["third begins"])
  })

  test("that wait are released when the destination is slow or has failed three times in a row", () => {
    const { responses, ask, begin, bulkheads } = arrange()
    for (const id of ["slow", "slow"]) begin(id)
    ask(bulkheads.acquire("slow", "w"), "waiting")
    bulkheads.moveSlow(1000)
    expect(responses.at(-1)).toBe("waiting is released")

    const [one, two] = [begin("dead"), begin("dead")] as const
    ask(bulkheads.acquire("dead", "w"), "another")
    bulkheads.leave(one, false, 1)
    expect(responses.at(-1)).toBe("another begins")
    bulkheads.leave(two, false, 2)
    ask(two, "fourth")
    ask(bulkheads.acquire("dead", "w"), "fifth")
    bulkheads.leave(one, false, 3)
    expect(responses.slice(-2)).toEqual(["fourth begins", "fifth is released"])
  })

  test("that are cancelled get no permit", () => {
    const { responses, ask, begin, bulkheads } = arrange()
    const first = begin("a")
    begin("a")
    ask(bulkheads.acquire("a", "w"), "third")()
    bulkheads.leave(first, true, 10)
    expect(responses).toEqual(["a begins", "a begins"])
  })
})
