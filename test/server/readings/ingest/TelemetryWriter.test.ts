import { inTransaction } from "@edp/server/platform/sql/transaction"
import { TelemetryWriter } from "@edp/server/readings/ingest/TelemetryWriter"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, test } from "vitest"
import { readCommits, fleet, readHistory, reading, readState, useEmbeddedInstance, write } from "./writing.ts"
import { atOnce } from "../../../support/races.ts"

const instance = useEmbeddedInstance()
const noon = Date.UTC(2026, 2, 1, 12)
const minute = 60_000
const states = (history: ReadonlyArray<{ readonly state: object }>) => history.map(({ state }) => state)

describe("a reading", () => {
  test("is stored to the millisecond, and is the device's current state", async () => {
    const [device] = await fleet(instance(), 1)
    const at = noon + 123
    const offered = reading(
      device!,
      at,
      { power: 0.1, gridPower: -5 },
      { location: { latitude: 38.5, longitude: -121 } }
    )
    const { outcomes, latest } = await write(instance(), [offered])
    expect(outcomes).toEqual(["stored"])
    expect(latest(device!)).toMatchObject({ id: offered.id, at, state: offered.state })
    expect(await readHistory(instance(), device!)).toEqual([{ at, state: { power: 0.1, gridPower: -5 } }])
    expect(await readState(instance(), device!)).toEqual({
      readingId: offered.id,
      at,
      firstAt: at,
      state: { power: 0.1, gridPower: -5 },
      status: null,
      latitude: 38.5,
      longitude: -121
    })
  })

  test("is stored only as long as its device is as it was checked, whatever shares its statement", async () => {
    const [changed, steady] = await fleet(instance(), 2)
    const written = await Promise.all([
      write(instance(), [reading(steady!, noon), reading(changed!, noon, { power: 1 }, { type: "meter" })], true),
      write(instance(), [reading(changed!, noon + 1, { power: 2 }, { isDirect: true })]),
      write(instance(), [reading(changed!, noon + 2, { power: 3 }, { type: "meter" })]),
      write(instance(), [reading(steady!, noon + 3)])
    ])
    expect(written.map(({ outcomes }) => outcomes)).toEqual([["stored", "gone"], ["stored"], ["gone"], ["stored"]])
    expect(states(await readHistory(instance(), changed!))).toEqual([{ power: 2 }])
    await instance().runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE devices SET direct = false WHERE id = ${changed!}`)
    )
    const [pushed, polled] = await Promise.all([
      write(instance(), [reading(changed!, noon + 4, { power: 4 }, { isDirect: true })]),
      write(instance(), [reading(changed!, noon + 5, { power: 5 })])
    ])
    expect([pushed.outcomes, polled.outcomes]).toEqual([["gone"], ["stored"]])
    expect(states(await readHistory(instance(), changed!))).toEqual([{ power: 2 }, { power: 5 }])
  })

  test("with a time that the device already has is a duplicate, and the first one is kept", async () => {
    const [device] = await fleet(instance(), 1)
    await write(instance(), [reading(device!, noon, { power: 1 })])
    const { outcomes, latest } = await write(instance(), [reading(device!, noon, { power: 2 })])
    expect(outcomes).toEqual(["duplicate"])
    expect(JSON.parse(latest(device!)!.state)).toEqual({ power: 1 })
    expect(states(await readHistory(instance(), device!))).toEqual([{ power: 1 }])
  })

  test("that is late is stored, and the current state keeps the newest reading with its status and location", async () => {
    const [device] = await fleet(instance(), 1)
    const place = { latitude: 1, longitude: 2 }
    const newest = reading(device!, noon, { power: 9 }, { reportedStatus: "asleep", location: place })
    await write(instance(), [newest])
    const late = reading(device!, noon - minute, { power: 1 }, { reportedStatus: "online" })
    const { outcomes, latest } = await write(instance(), [late])
    expect(outcomes).toEqual(["stored"])
    expect(latest(device!)).toMatchObject({ id: newest.id, at: noon })
    expect(JSON.parse(latest(device!)!.state)).toEqual({ power: 9 })
    expect(await readState(instance(), device!)).toEqual({
      readingId: newest.id,
      at: noon,
      firstAt: noon - minute,
      state: { power: 9 },
      status: "asleep",
      ...place
    })
  })

  test("that is newer clears status and location if it has none", async () => {
    const [device] = await fleet(instance(), 1)
    const place = { latitude: 1, longitude: 2 }
    await write(instance(), [reading(device!, noon, {}, { reportedStatus: "asleep", location: place })])
    await write(instance(), [reading(device!, noon + 1)])
    expect(await readState(instance(), device!)).toMatchObject({ status: null, latitude: null, longitude: null })
  })

  test("for a device without a workspace, or an unknown one, is not stored, and the others are", async () => {
    const [removed, present] = await fleet(instance(), 2)
    await instance().runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE devices SET workspace_id = NULL WHERE id = ${removed!}`)
    )
    const unknown = `c${"0".repeat(24)}`
    const offered = [reading(removed!, noon), reading(present!, noon), reading(unknown, noon)]
    expect((await write(instance(), offered)).outcomes).toEqual(["gone", "stored", "gone"])
    expect(await readHistory(instance(), removed!)).toEqual([])
    expect(await readState(instance(), removed!)).toBeUndefined()
    expect(await readHistory(instance(), unknown)).toEqual([])
  })
})

describe("several readings", () => {
  test("for many devices and times are stored together, in any order", async () => {
    const [one, other] = await fleet(instance(), 2)
    const offered = [3, 1, 2].flatMap((at) => [one!, other!].map((device) => reading(device, noon + at, { power: at })))
    const { outcomes, latest } = await write(instance(), offered)
    expect(outcomes).toEqual(offered.map(() => "stored"))
    for (const device of [one!, other!]) {
      expect(states(await readHistory(instance(), device))).toEqual([{ power: 1 }, { power: 2 }, { power: 3 }])
      expect(latest(device)).toMatchObject({ at: noon + 3 })
      expect(await readState(instance(), device)).toMatchObject({
        at: noon + 3,
        firstAt: noon + 1,
        state: { power: 3 }
      })
    }
  })

  test("with one time: the first is stored, the others are duplicates", async () => {
    const [device] = await fleet(instance(), 1)
    const offered = [1, 2, 3].map((power) => reading(device!, noon, { power }))
    expect((await write(instance(), offered)).outcomes).toEqual(["stored", "duplicate", "duplicate"])
    expect(states(await readHistory(instance(), device!))).toEqual([{ power: 1 }])
    expect(await readState(instance(), device!)).toMatchObject({ readingId: offered[0]!.id, state: { power: 1 } })
  })

  test("from past years are stored in their months", async () => {
    const [device] = await fleet(instance(), 1)
    const times = Array.from({ length: 30 }, (_, month) => Date.UTC(2003, month, 1) - (month % 2))
    const { outcomes } = await write(
      instance(),
      times.map((at) => reading(device!, at))
    )
    expect(outcomes).toEqual(times.map(() => "stored"))
    expect((await readHistory(instance(), device!)).map(({ at }) => at)).toEqual(times.toSorted((a, b) => a - b))
  })

  test("that are none store nothing", async () => {
    expect((await write(instance(), [])).outcomes).toEqual([])
  })
})

describe("concurrent writes", () => {
  test("share commits", async () => {
    const devices = await fleet(instance(), 200)
    await Promise.all(devices.map((device) => write(instance(), [reading(device, noon)])))
    expect(await readCommits(instance(), devices)).toBeLessThan(20)
  })

  test("are stored by statements of at most a thousand readings", async () => {
    const devices = await fleet(instance(), 5)
    const push = (device: string) =>
      write(
        instance(),
        Array.from({ length: 700 }, (_, at) => reading(device, noon + at))
      )
    await Promise.all(devices.map(push))
    expect(await readCommits(instance(), devices)).toBe(5)
  })

  test("with the same reading store it once", async () => {
    const [device] = await fleet(instance(), 1)
    const responses = await atOnce(50, () => write(instance(), [reading(device!, noon)]))
    const outcomes = responses.flatMap((response) => response.outcomes)
    expect(outcomes.filter((outcome) => outcome === "stored")).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(49)
    expect(await readHistory(instance(), device!)).toHaveLength(1)
  })
})

describe("a reading that the database rejects", () => {
  const poison = { poison: true }
  const arrange = async () => {
    await instance().runPromise(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`ALTER TABLE readings ADD CONSTRAINT no_poison CHECK (NOT state ? 'poison')`
      ).pipe(Effect.ignore)
    )
    return fleet(instance(), 20)
  }

  test("fails alone: no other request of its batch", async () => {
    const devices = await arrange()
    const responses = await Promise.allSettled(
      devices.map((device, at) => write(instance(), [reading(device, noon, at === 7 ? poison : {})]))
    )
    expect(responses.map(({ status }) => status)).toEqual(devices.map((_, at) => (at === 7 ? "rejected" : "fulfilled")))
    expect(await readHistory(instance(), devices[7]!)).toEqual([])
    expect(await readHistory(instance(), devices[8]!)).toHaveLength(1)
  })

  test("fails its whole request if that is all or nothing", async () => {
    const [device] = await arrange()
    const offered = [reading(device!, noon), reading(device!, noon + 1, poison), reading(device!, noon + 2)]
    await expect(write(instance(), offered)).rejects.toThrow()
    expect(await readHistory(instance(), device!)).toEqual([])
    expect(await readState(instance(), device!)).toBeUndefined()
  })

  test("fails alone in a request that allows partial success", async () => {
    const [device] = await arrange()
    const offered = [0, 1, 2, 3, 4].map((at) => reading(device!, noon + at, at === 2 ? poison : {}))
    const { outcomes } = await write(instance(), offered, true)
    expect(outcomes).toEqual(["stored", "stored", "refused", "stored", "stored"])
    expect(await readHistory(instance(), device!)).toHaveLength(4)
    expect(await readState(instance(), device!)).toMatchObject({ at: noon + 4, firstAt: noon })
  })
})

test("a write inside a transaction dies with a message", async () => {
  const [device] = await fleet(instance(), 1)
  const inside = Effect.flatMap(TelemetryWriter, ({ write }) => write([reading(device!, noon)])).pipe(inTransaction)
  await expect(instance().runPromise(inside)).rejects.toThrow(/never inside a transaction/)
  expect(await readHistory(instance(), device!)).toEqual([])
})

const Offered = Schema.Array(
  Schema.Struct({
    device: Schema.Literals([0, 1, 2]),
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
    power: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
    /** Whether a new request begins with this reading. */
    begins: Schema.Boolean
  })
).check(Schema.isMaxLength(40))

type Offered = typeof Offered.Type

const toRequests = (offered: Offered) =>
  offered.reduce<ReadonlyArray<Offered>>(
    (requests, one) =>
      one.begins || requests.length === 0
        ? [...requests, [one]]
        : [...requests.slice(0, -1), [...requests.at(-1)!, one]],
    []
  )

it.effect.prop(
  "any readings in any order, with repeats, make a history of distinct readings and a state of the newest",
  [Offered],
  ([offered]) =>
    Effect.promise(async () => {
      const devices = await fleet(instance(), 3)
      const known = new Map<string, number>()
      for (const request of toRequests(offered)) {
        const expected = request.map(({ device, at, power }) => {
          const key = `${device} ${at}`
          if (known.has(key)) return "duplicate"
          known.set(key, power)
          return "stored"
        })
        const readings = request.map(({ device, at, power }) =>
          reading(devices[device]!, noon + at * minute, { power })
        )
        expect((await write(instance(), readings)).outcomes).toEqual(expected)
      }
      for (const [number, device] of devices.entries()) {
        const times = Array.from({ length: 13 }, (_, at) => at).filter((at) => known.has(`${number} ${at}`))
        const history = times.map((at) => ({ at: noon + at * minute, state: { power: known.get(`${number} ${at}`) } }))
        expect(await readHistory(instance(), device)).toEqual(history)
        const state = await readState(instance(), device)
        if (history.length === 0) expect(state).toBeUndefined()
        else expect(state).toMatchObject({ ...history.at(-1), firstAt: history[0]!.at })
      }
    }),
  { arbitrary: { runs: 60 } }
)
