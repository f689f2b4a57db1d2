import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeSchedules, charge, rule } from "./arrangeSchedules.ts"

// Transitions are due in all workspaces at once, so this file has its own app.
const app = useTestApp({ own: true })

const DUE = "2026-06-01T22:00:00Z"
const night = rule("22:00", "06:00", charge)

/** A workspace in which every schedule is due at the same time. */
const arrange = async () => {
  const place = await arrangeSchedules(app)
  const schedule = async (target: object, more: object = {}): Promise<string> => {
    const { id } = await place.create({ target, rules: [night], ...more })
    await place.setDue(id, DUE)
    return id
  }
  const collection = async (members: ReadonlyArray<string>): Promise<string> => {
    const name = `Collection ${Math.floor(performance.now() * 1000)}`
    const body = { name, collectionType: "DEVICE", criteria: {}, dynamic: false }
    const { id } = (await place.call("POST", "/v1/collections", body)).body
    for (const member of members) await place.call("PUT", `/v1/collections/${id}/members/${member}`)
    return id
  }
  /** The schedules that include a device, as the dashboard lists them: it follows the first. */
  const followed = async (deviceId: string): Promise<ReadonlyArray<string>> => {
    const key = place.keys.MANAGEMENT
    const { body } = await app.call("GET", `/dashboard/api/devices/${deviceId}/schedules`, { key })
    return body.data.map(({ id }: { readonly id: string }) => id)
  }
  /** The schedule that commands each device. */
  const run = async () => {
    await place.runAt(DUE)
    const rows = await place.issued()
    expect(new Set(rows.map(({ deviceId }) => deviceId)).size).toBe(rows.length)
    for (const { deviceId, sourceId } of rows) expect((await followed(deviceId))[0]).toBe(sourceId)
    return new Map(rows.map(({ deviceId, sourceId }) => [deviceId, sourceId]))
  }
  return { ...place, schedule, collection, run }
}

describe("a device follows", () => {
  test("its own schedule, else that of its collection, else that of its tag", async () => {
    const { battery, collection, run, schedule } = await arrange()
    const tags = ["fleet"]
    const [own, member, tagged] = [await battery({ tags }), await battery({ tags }), await battery({ tags })]
    const byDevice = await schedule({ deviceId: own })
    const byCollection = await schedule({ collectionId: await collection([own, member]) })
    const byTag = await schedule({ tag: "fleet" })
    expect(await run()).toEqual(
      new Map([
        [own, byDevice],
        [member, byCollection],
        [tagged, byTag]
      ])
    )
  })

  test("the newest among several collections, and among several tags", async () => {
    const { battery, collection, run, schedule } = await arrange()
    const both = await battery({ tags: ["a", "b"] })
    const [one, member] = [await battery({ tags: ["a"] }), await battery({ tags: ["b"] })]
    const older = await schedule({ tag: "a" })
    const newer = await schedule({ tag: "b" })
    await schedule({ collectionId: await collection([member]) })
    const newest = await schedule({ collectionId: await collection([member]) })
    expect(await run()).toEqual(
      new Map([
        [both, newer],
        [one, older],
        [member, newest]
      ])
    )
  })

  test("an enabled one only: those that are paused or for another type count for nothing", async () => {
    const { battery, collection, run, schedule } = await arrange()
    const device = await battery({ tags: ["fleet"] })
    const byTag = await schedule({ tag: "fleet" })
    await schedule({ deviceId: device }, { enabled: false })
    await schedule({ collectionId: await collection([device]) }, { enabled: false })
    await schedule(
      { collectionId: await collection([device]) },
      {
        deviceType: "vehicle",
        rules: [rule("22:00", "06:00", { operatingMode: "start-charging" })]
      }
    )
    // Pausing clears what was made due.
    await app.sql((sql) => sql`UPDATE schedules SET next_transition_at = NULL WHERE NOT enabled`)
    expect(await run()).toEqual(new Map([[device, byTag]]))
  })

  test("its own schedule even while no mode of it holds", async () => {
    const { battery, create, run, schedule } = await arrange()
    const device = await battery({ tags: ["fleet"] })
    await create({ target: { deviceId: device }, rules: [rule("01:00", "02:00", charge)] })
    await schedule({ tag: "fleet" })
    expect(await run()).toEqual(new Map())
  })

  test("a dynamic collection as long as it meets the criteria", async () => {
    const { battery, call, run, schedule } = await arrange()
    const [match, other] = [await battery({ name: "Match" }), await battery({ name: "Other" })]
    const criteria = { attribute: "name", operator: "eq", value: "Match" }
    const { body } = await call("POST", "/v1/collections", { name: "Matching", collectionType: "DEVICE", criteria })
    const id = await schedule({ collectionId: body.id })
    expect(await run()).toEqual(new Map([[match, id]]))
    expect(other).not.toBe(match)
  })

  test("no schedule of a deleted collection, of a tag that it lost, or of another workspace", async () => {
    const { battery, call, collection, run, schedule } = await arrange()
    const [member, tagged] = [await battery({ tags: ["fleet"] }), await battery({ tags: ["lost"] })]
    const collectionId = await collection([member])
    await schedule({ collectionId })
    const byTag = await schedule({ tag: "fleet" })
    await schedule({ tag: "lost" })
    await call("DELETE", `/v1/collections/${collectionId}`)
    await call("PUT", `/v1/devices/${tagged}/tags`, { tags: [] })
    const foreign = await arrange()
    await foreign.battery({ tags: ["fleet"] })
    expect(await run()).toEqual(new Map([[member, byTag]]))
    expect(await foreign.issued()).toEqual([])
  })
})
