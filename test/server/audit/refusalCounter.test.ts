import { type AuditOrigin } from "@edp/server/audit/auditRow"
import { refusalCounter } from "@edp/server/audit/refusalCounter"
import { describe, expect, test } from "vitest"

const MINUTE = 60_000
let ids = 0

const arrange = (limits = { entries: 1000, addresses: 3 }) => {
  const counter = refusalCounter(limits)
  const note = (now: number, use: { actorId?: string; endpoint?: string; address?: string } = {}) =>
    counter.note(
      { actorId: "key", endpoint: "GET /v1/sites", reason: "FORBIDDEN", address: "10.0.0.1", ...use },
      now,
      (address) => ({ id: `id-${++ids}`, address }) as AuditOrigin
    )
  const write = (now: number, atMost = 100, all = false) => {
    const due = counter.due(now, atMost, all)
    counter.settle(due, now)
    return due.map(({ entry, uses }) => ({ uses, address: entry.origin.address, endpoint: entry.use.endpoint }))
  }
  return { counter, note, write }
}

describe("the counter of refused uses", () => {
  test("counts equal uses of a minute as one, and starts anew with the next minute", () => {
    const { note, write } = arrange()
    for (let at = 0; at < 1000; at++) note(at)
    expect(write(1000)).toMatchObject([{ uses: 1000 }])
    note(MINUTE - 1)
    note(MINUTE)
    expect(write(MINUTE).map(({ uses }) => uses)).toEqual([1001, 1])
  })

  test("separates keys, endpoints and addresses", () => {
    const { note, write } = arrange()
    for (const use of [{}, { actorId: "other" }, { endpoint: "GET /v1/devices" }, { address: "10.0.0.2" }]) note(0, use)
    expect(write(0)).toHaveLength(4)
  })

  test("writes the first use at once, later ones every 5 seconds, and the rest at the end of the minute", () => {
    const { note, write } = arrange()
    note(0)
    expect(write(1)).toMatchObject([{ uses: 1 }])
    note(2000)
    expect(write(2000)).toEqual([])
    expect(write(5001)).toMatchObject([{ uses: 2 }])
    note(59_000)
    expect(write(59_500)).toMatchObject([{ uses: 3 }])
    note(59_999)
    expect(write(59_999)).toEqual([])
    expect(write(MINUTE)).toMatchObject([{ uses: 4 }])
  })

  test("writes everything at shutdown", () => {
    const { note, write } = arrange()
    note(0)
    write(0)
    note(1)
    expect(write(1)).toEqual([])
    expect(write(1, 100, true)).toMatchObject([{ uses: 2 }])
  })

  test("retries entries that were not written", () => {
    const { counter, note } = arrange()
    note(0)
    expect(counter.due(0, 100)).toHaveLength(1)
    note(1)
    expect(counter.due(5 * MINUTE, 100)).toMatchObject([{ uses: 2 }])
  })

  test("writes a limited number at a time, and all of them in turn", () => {
    const { note, write } = arrange({ entries: 1000, addresses: 1000 })
    for (let n = 0; n < 250; n++) note(0, { actorId: `key-${n}` })
    const rounds = [write(0), write(0), write(0), write(0)]
    expect(rounds.map(({ length }) => length)).toEqual([100, 100, 50, 0])
  })

  test("separates a few addresses of a key, and counts the others together", () => {
    const { note, write } = arrange()
    for (let n = 0; n < 50; n++) note(0, { address: `10.0.0.${n}` })
    note(0, { address: "10.0.0.0" })
    expect(write(0)).toEqual([
      { uses: 2, address: "10.0.0.0", endpoint: "GET /v1/sites" },
      { uses: 1, address: "10.0.0.1", endpoint: "GET /v1/sites" },
      { uses: 1, address: "10.0.0.2", endpoint: "GET /v1/sites" },
      { uses: 47, address: null, endpoint: "GET /v1/sites" }
    ])
    expect(write(MINUTE)).toEqual([])
    note(MINUTE, { address: "10.0.0.49" })
    expect(write(MINUTE)).toMatchObject([{ uses: 1, address: "10.0.0.49" }])
  })

  test("has a bounded number of entries, reports those it drops, and deletes written ones", () => {
    const { counter, note, write } = arrange({ entries: 100, addresses: 3 })
    const kept = Array.from({ length: 500 }, (_, n) => note(0, { actorId: `key-${n}` }))
    expect(kept.filter((isKept) => isKept)).toHaveLength(100)
    expect(counter.size()).toBe(100)
    expect(note(1, { actorId: "key-7" })).toBe(true)
    write(MINUTE)
    write(MINUTE)
    expect(counter.size()).toBe(0)
  })
})
