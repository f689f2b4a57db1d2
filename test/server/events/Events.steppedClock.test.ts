import { expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ clock })

test("an event is found by its id after the clock was set back", async () => {
  const { keys } = await app.workspace()
  const key = keys.SERVER
  const create = async (firstName: string) =>
    expect((await app.call("POST", "/v1/customers", { key, body: { firstName } })).status).toBe(201)
  clock.move(2 * 3_600_000)
  await create("Ahead")
  clock.move(-2 * 3_600_000)
  await create("Back")
  const { data } = (await app.call("GET", "/v1/events", { key })).body
  expect(data).toHaveLength(2)
  for (const event of data) {
    const found = await app.call("GET", `/v1/events/${event.id}`, { key })
    expect([found.status, found.body]).toEqual([200, event])
  }
})
