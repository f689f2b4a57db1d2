import { makeLaneSlots } from "@edp/server/destinations/laneSlots"
import { describe, expect, test } from "vitest"

const limits = { usual: 4, slow: 2, slowAfter: 1000 }

describe("the places of lanes", () => {
  test("are as many as the limits say, and are free again when a lane is done", () => {
    const slots = makeLaneSlots(limits)
    const [first] = [slots.take("a", 0), slots.take("b", 0), slots.take("b", 0)]
    expect(slots.room()).toEqual({ usual: 1, slow: 2 })
    expect(slots.busy()).toEqual([
      { destinationId: "a", count: 1 },
      { destinationId: "b", count: 2 }
    ])
    slots.free(first!)
    expect([slots.room(), slots.size()]).toEqual([{ usual: 2, slow: 2 }, 2])
  })

  test("what takes long moves over to those of slow destinations, as far as there is room", () => {
    const slots = makeLaneSlots(limits)
    for (const id of ["a", "b", "c", "d"]) slots.take(id, 0)
    slots.sweep(999)
    expect(slots.room()).toEqual({ usual: 0, slow: 2 })
    slots.sweep(1000)
    expect(slots.room()).toEqual({ usual: 2, slow: 0 })
    expect(slots.slowOnes()).toEqual(["a", "b", "c", "d"])
  })

  test("a destination that took long gets a slow place the next time, until it is quick again", () => {
    const slots = makeLaneSlots(limits)
    const first = slots.take("a", 0)
    slots.note(first, 1500)
    slots.free(first)
    const second = slots.take("a", 2000)
    expect(slots.room()).toEqual({ usual: 4, slow: 1 })
    expect([slots.slowOnes(), slots.quickOnes()]).toEqual([["a"], []])
    slots.note(second, 2010)
    slots.free(second)
    expect([slots.slowOnes(), slots.quickOnes()]).toEqual([[], ["a"]])
    slots.take("a", 3000)
    expect(slots.room()).toEqual({ usual: 3, slow: 2 })
  })

  test("the time of a lane is that of its present delivery", () => {
    const slots = makeLaneSlots(limits)
    const slot = slots.take("a", 0)
    slots.goOn(slot, 900)
    slots.sweep(1800)
    expect(slots.slowOnes()).toEqual([])
  })
})
