import { makeLaneSlots, type Slot } from "@edp/server/destinations/delivery/bulkheads"
import { describe, expect, test } from "vitest"

const limits = { usual: 4, slow: 2, atOnce: 2, slowAfter: 1000 }

/** Lanes that ask to begin, with the answers that they have so far. */
const arrange = () => {
  const slots = makeLaneSlots(limits)
  const answers: Array<string> = []
  const ask = (slot: Slot, name: string, now = 0) =>
    slots.enter(slot, (isLet) => {
      if (isLet) slot.begun = now
      answers.push(`${name} ${isLet ? "begins" : "is let go"}`)
    })
  const begin = (id: string, now = 0, workspace = `workspace of ${id}`) => {
    const slot = slots.take(id, workspace)
    ask(slot, id, now)
    return slot
  }
  return { slots, answers, ask, begin }
}

describe("the places of lanes", () => {
  test("are as many as the limits say, and are free again when a lane is done", () => {
    const { slots } = arrange()
    const [first] = [slots.take("a", "w"), slots.take("b", "w"), slots.take("b", "w")]
    expect(slots.room()).toEqual({ usual: 1, slow: 2 })
    expect(slots.busy()).toEqual([
      { destinationId: "a", count: 1 },
      { destinationId: "b", count: 2 }
    ])
    slots.free(first!)
    expect([slots.room(), slots.size()]).toEqual([{ usual: 2, slow: 2 }, 2])
  })

  test("what takes long moves over to those of slow destinations, as far as there is room", () => {
    const { begin, slots } = arrange()
    for (const id of ["a", "b", "c", "d"]) begin(id)
    slots.sweep(999)
    expect(slots.room()).toEqual({ usual: 0, slow: 2 })
    slots.sweep(1000)
    expect(slots.room()).toEqual({ usual: 2, slow: 0 })
    expect(slots.slowOnes()).toEqual(["a", "b", "c", "d"])
  })

  test("a destination that took long gets a slow place the next time, until it is quick again", () => {
    const { begin, slots } = arrange()
    const first = begin("a")
    slots.leave(first, true, 1500)
    slots.free(first)
    const second = begin("a", 2000)
    expect(slots.room()).toEqual({ usual: 4, slow: 1 })
    expect([slots.slowOnes(), slots.quickOnes()]).toEqual([["a"], []])
    slots.leave(second, true, 2010)
    slots.free(second)
    expect([slots.slowOnes(), slots.quickOnes()]).toEqual([[], ["a"]])
    slots.take("a", "w")
    expect(slots.room()).toEqual({ usual: 3, slow: 2 })
  })

  test("a lane that only waits makes nobody slow", () => {
    const { slots } = arrange()
    slots.take("a", "w")
    slots.sweep(100_000)
    expect(slots.slowOnes()).toEqual([])
  })
})

describe("a workspace", () => {
  test("has no more places of slow destinations than are free besides", () => {
    const slots = makeLaneSlots({ usual: 12, slow: 9, atOnce: 2, slowAfter: 1000 })
    const begin = (destination: string, workspace: string) => {
      slots.take(destination, workspace).begun = 0
    }
    for (const n of [1, 2, 3, 4, 5, 6]) begin(`dead ${n}`, "hog")
    slots.sweep(1000)
    expect(slots.held(true)).toEqual([{ workspaceId: "hog", count: 5 }])
    expect(slots.held(false)).toEqual([{ workspaceId: "hog", count: 1 }])
    for (const n of [1, 2, 3]) begin(`slow ${n}`, "neighbour")
    slots.sweep(1000)
    expect(slots.held(true)).toEqual([
      { workspaceId: "hog", count: 5 },
      { workspaceId: "neighbour", count: 2 }
    ])
    expect(slots.room()).toEqual({ usual: 10, slow: 2 })
  })
})

describe("deliveries to one destination", () => {
  test("are under way a few at a time; the next begins when one is through, and others are not held up", () => {
    const { answers, ask, begin, slots } = arrange()
    const first = begin("a")
    begin("a")
    ask(slots.take("a", "w"), "third")
    begin("b")
    expect(answers).toEqual(["a begins", "a begins", "b begins"])
    slots.leave(first, true, 10)
    expect(answers.slice(3)).toEqual(["third begins"])
  })

  test("that wait are let go when it turns out to take long, or has failed three times in a row", () => {
    const { answers, ask, begin, slots } = arrange()
    for (const id of ["slow", "slow"]) begin(id)
    ask(slots.take("slow", "w"), "waiting")
    slots.sweep(1000)
    expect(answers.at(-1)).toBe("waiting is let go")

    const [one, two] = [begin("dead"), begin("dead")] as const
    ask(slots.take("dead", "w"), "another")
    slots.leave(one, false, 1)
    expect(answers.at(-1)).toBe("another begins")
    slots.leave(two, false, 2)
    ask(two, "fourth")
    ask(slots.take("dead", "w"), "fifth")
    slots.leave(one, false, 3)
    expect(answers.slice(-2)).toEqual(["fourth begins", "fifth is let go"])
  })

  test("one that does not wait any more is not answered", () => {
    const { answers, ask, begin, slots } = arrange()
    const first = begin("a")
    begin("a")
    ask(slots.take("a", "w"), "third")()
    slots.leave(first, true, 10)
    expect(answers).toEqual(["a begins", "a begins"])
  })
})
