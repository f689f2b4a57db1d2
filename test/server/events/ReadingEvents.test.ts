import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { minutesAgo } from "../alerts/watching.ts"
import { arrangeEvents } from "./arrangeEvents.ts"

const app = useTestApp()

const arrange = async (readings: number) => {
  const scene = await arrangeEvents(app)
  const body = await scene.bodyOf("inverter")
  const { id } = (await scene.post("/devices", body)).body
  for (let n = 0; n < readings; n++) {
    await scene.push(id, { timestamp: minutesAgo(readings - n), state: { power: n } })
  }
  const list = (query = "") => scene.call("GET", `/v1/events?${query}`)
  return { ...scene, body, id, list }
}

const powers = (events: ReadonlyArray<any>) => events.map(({ data }) => data.device.state.power)

test("an event of a reading tells its state for ever, and is found by its id, device, site and type", async () => {
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

test("events of a device that has left are left out, and the walks go on behind them", async () => {
  const { after, call, id, list, remove } = await arrange(5)
  const other = await call("POST", "/v1/customers", {})
  await remove(id)
  const types = (events: ReadonlyArray<any>) => events.map(({ type }) => type)
  const expected = ["SITE_CREATED", "DEVICE_DISCOVERED", "DEVICE_CONNECTED", "CUSTOMER_CREATED", "DEVICE_DISCONNECTED"]
  expect(types(await after(0))).toEqual(expected)
  const told: Array<string> = []
  for (let last = 0; ;) {
    const { data } = await list(`after=${last}&perPage=1`)
    if (data.length === 0) break
    told.push(...types(data))
    last = data[0].sequence
  }
  expect(told).toEqual(expected)
  expect(other.id).toBeDefined()
})

test("a device that comes back without its history has its new events alone", async () => {
  const { after, body, id, post, push, remove } = await arrange(2)
  await remove(id)
  await post("/devices", body)
  await push(id, { timestamp: minutesAgo(1), state: { power: 7 } })
  expect(powers(await after(0, "&type=DEVICE_UPDATED"))).toEqual([7])
})

test("a push that is refused tells nothing", async () => {
  const { after, id, push } = await arrange(0)
  const before = await after(0)
  expect((await push(id, { state: { power: "much" } })).status).toBe(400)
  expect(await after(0)).toEqual(before)
})
