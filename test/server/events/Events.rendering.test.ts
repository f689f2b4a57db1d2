import { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { minutesAgo } from "../alerts/watching.ts"
import { arrangeEvents } from "./arrangeEvents.ts"

const app = useTestApp()

const arrange = async (readings: number) => {
  const scene = await arrangeEvents(app)
  const body = await scene.makeBody("inverter")
  const { id } = (await scene.post("/devices", body)).body
  for (let n = 0; n < readings; n++) {
    await scene.push(id, { timestamp: minutesAgo(readings - n), state: { power: n } })
  }
  const list = (query = "") => scene.call("GET", `/v1/events?${query}`)
  return { ...scene, body, id, list }
}

const powers = (events: ReadonlyArray<any>) => events.map(({ data }) => data.device.state.power)

test("an event of a reading has its state, and is found by its id, device, site and type", async () => {
  const { after, call, id, list, site } = await arrange(3)
  for (const query of [`deviceId=${id}`, `siteId=${site.id}`, "type=DEVICE_UPDATED", ""]) {
    const { data } = await list(query)
    expect(powers(data.filter(({ type }: any) => type === "DEVICE_UPDATED"))).toEqual([2, 1, 0])
  }
  expect(powers(await after(0, "&type=DEVICE_UPDATED"))).toEqual([0, 1, 2])
  for (const event of (await list("type=DEVICE_UPDATED")).data) {
    expect(event.id).toBe(event.data.device.state.id)
    expect(await call("GET", `/v1/events/${event.id}`)).toEqual(event)
  }
})

/** Deletes the readings of deleted devices, as background work does. */
const forgotten = async (id: string) => {
  await app.run(Effect.flatMap(HistoryDeletion, ({ deleteAll }) => deleteAll))
  expect(await app.sql((sql) => sql`SELECT 1 FROM readings WHERE device_id = ${id}`)).toEqual([])
}

/** A device that another source than its manufacturer's direct integration has brought is deleted whole. */
const asIndirect = (id: string) => app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${id}`)

test.each(["direct", "indirect"])(
  "events of a deleted device are kept, each with its state: %s integration",
  async (kind) => {
    const { after, call, id, list, remove, site } = await arrange(5)
    if (kind === "indirect") await asIndirect(id)
    const before = await after(0)
    await remove(id)
    const stateEvents = before.filter(({ type }) => type === "DEVICE_UPDATED")
    expect(powers(stateEvents)).toEqual([0, 1, 2, 3, 4])
    const holds = async () => {
      const now = await after(0)
      expect(now.slice(0, -1)).toEqual(before)
      expect(now.at(-1).type).toBe("DEVICE_DISCONNECTED")
      for (const query of [`deviceId=${id}&perPage=100`, `siteId=${site.id}&perPage=100`, "perPage=100"]) {
        const page = await list(query)
        expect(page.data).toHaveLength(page.totalItems)
        expect(page.data.filter(({ type }: any) => type === "DEVICE_UPDATED")).toEqual(stateEvents.toReversed())
      }
      for (const event of stateEvents) expect(await call("GET", `/v1/events/${event.id}`)).toEqual(event)
    }
    await holds()
    await forgotten(id)
    await holds()
  }
)

test("every page is full despite deletions, and totals count the listed events", async () => {
  const { id, keys, list, remove } = await arrange(7)
  await remove(id)
  const { totalItems } = await list()
  const sizes: Array<number> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const query = `perPage=2${cursor === "" ? "" : `&cursor=${cursor}`}`
    const response = await app.call("GET", `/v1/events?${query}`, { key: keys.SERVER })
    sizes.push(response.body.data.length)
    cursor = response.headers.get("x-next-cursor")
  }
  expect(totalItems).toBe(11)
  expect(sizes).toEqual([2, 2, 2, 2, 2, 1])
  const pages = await Promise.all([1, 2, 3].map((page) => list(`page=${page}&perPage=4`)))
  expect(pages.map(({ data }) => data.length)).toEqual([4, 4, 3])
  for (let last = 0, seen = 0; seen < totalItems; seen += 1) {
    const { data } = await list(`after=${last}&perPage=1`)
    expect(data).toHaveLength(1)
    last = data[0].sequence
  }
})

test("a device that returns has its old events unchanged, and its new ones", async () => {
  const { after, body, call, id, post, push, remove } = await arrange(2)
  const old = await after(0)
  await remove(id)
  await post("/devices", body)
  await call("PATCH", `/v1/devices/${id}`, { name: "Back again" })
  await push(id, { timestamp: minutesAgo(1), state: { power: 7 } })
  expect((await after(0)).slice(0, old.length)).toEqual(old)
  const updates = await after(0, "&type=DEVICE_UPDATED")
  const fromReadings = updates.filter(({ data }) => data.changed.includes("state"))
  expect(powers(fromReadings)).toEqual([0, 1, 7])
  expect(fromReadings.at(-1).data.device.name).toBe("Back again")
})

test("an event whose reading is no longer kept has no state", async () => {
  const { after, id, list } = await arrange(2)
  await app.sql((sql) => sql`DELETE FROM readings WHERE device_id = ${id}`)
  const updates = await after(0, "&type=DEVICE_UPDATED")
  expect(updates.map(({ data }) => data.device.state)).toEqual([{}, expect.objectContaining({ power: 1 })])
  expect((await list("type=DEVICE_UPDATED")).totalItems).toBe(2)
})

test("a rejected push publishes no event", async () => {
  const { after, id, push } = await arrange(0)
  const before = await after(0)
  expect((await push(id, { state: { power: "much" } })).status).toBe(400)
  expect(await after(0)).toEqual(before)
})
