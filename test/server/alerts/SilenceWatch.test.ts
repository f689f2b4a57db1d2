import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeWatch, minutesAgo } from "./watching.ts"

const app = useTestApp({ own: true })
const arrange = () => arrangeWatch(app)

describe("a device that falls silent", () => {
  test("raises one alert with the device's fields, however often it is checked", async () => {
    const { alerts, site, speaking, sweep } = await arrange()
    const deviceId = await speaking({ name: "Roof" })
    await sweep(15)
    expect(await alerts()).toEqual([])
    for (let round = 0; round < 3; round++) await sweep(16 + round)
    expect(await alerts()).toMatchObject([
      {
        sourceSystem: "edp",
        type: "COMMUNICATIONS",
        severity: "WARNING",
        status: "OPEN",
        title: "Device is offline",
        description: expect.stringContaining("within 15 minutes"),
        externalId: null,
        deviceId,
        deviceName: "Roof",
        siteId: site.id,
        occurrenceCount: 1
      }
    ])
  })

  test("and reports again has its alert resolved, and raises another one at the next silence", async () => {
    const { alerts, speak, speaking, sweep, alertSummaries } = await arrange()
    const id = await speaking()
    await sweep(16)
    await speak(id)
    await sweep()
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
    expect((await alerts())[0]).toMatchObject({ resolvedBy: "edp", resolvedAt: expect.any(String) })
    await sweep(200)
    expect(await alertSummaries()).toEqual(["RESOLVED 1", "OPEN 1"])
  })

  test("has the window of its manufacturer", async () => {
    const { device, speak, sweep, alertSummaries } = await arrange()
    const { id } = await device()
    const window = (text: string) =>
      app.sql((sql) => sql`UPDATE manufacturers SET online_window = ${text}::text::interval WHERE slug = 'generic'`)
    await window("2 hours")
    try {
      await speak(id)
      await sweep()
      await sweep(119)
      expect(await alertSummaries()).toEqual([])
      await sweep(125)
      expect(await alertSummaries()).toEqual(["OPEN 1"])
    } finally {
      await window("15 minutes")
    }
  })

  test("during an outage is detected once after the start", async () => {
    const { device, speak, sweep, alertSummaries } = await arrange()
    const { id } = await device()
    // Nothing has ever swept.
    await speak(id)
    await sweep(600)
    await sweep(601)
    expect(await alertSummaries()).toEqual(["OPEN 1"])
  })

  test("and often reports again soon raises two alerts: the second stays open and is counted", async () => {
    const { speak, speaking, sweep, alertSummaries } = await arrange()
    const id = await speaking()
    for (let round = 0; round < 4; round++) {
      await sweep(16)
      await speak(id)
      await sweep()
    }
    expect(await alertSummaries()).toEqual(["RESOLVED 1", "OPEN 3"])
  })

  test("while its alert is ignored or resolved raises no other alert", async () => {
    const { alerts, keys, speaking, sweep, alertSummaries } = await arrange()
    await speaking()
    await sweep(16)
    const [{ id }] = (await alerts()) as [any]
    await app.call("PATCH", `/v1/alerts/${id}/ignore`, { key: keys.SERVER })
    await sweep(5000)
    expect(await alertSummaries()).toEqual(["IGNORED 1"])
  })
})

describe("no alert is raised", () => {
  test("by an import of old history, however old its last readings are", async () => {
    const { device, push, sweep, alertSummaries, watches } = await arrange()
    const { id } = await device()
    const readings = [8000, 900, 100, 16].map((minutes) => ({
      timestamp: minutesAgo(minutes),
      state: { power: minutes }
    }))
    await push(id, { readings: readings.slice(0, 1) })
    await push(id, { readings: readings.slice(1) })
    expect(await watches(id)).toEqual([])
    await sweep(1000)
    expect(await alertSummaries()).toEqual([])
  })

  test("for a device that is asleep, disconnected or has never reported", async () => {
    const { device, speak, speaking, sweep, alertSummaries } = await arrange()
    await device()
    await speak((await device()).id, 0, { onlineStatus: "asleep" })
    const disconnected = await speaking()
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = now() WHERE id = ${disconnected}`)
    await speak(disconnected)
    await sweep(16)
    await sweep(5000)
    expect(await alertSummaries()).toEqual([])
  })
})

describe("late readings", () => {
  test("from outside the window change nothing: the alert stays open", async () => {
    const { speak, speaking, sweep, alertSummaries, watches } = await arrange()
    const id = await speaking()
    await app.sql((sql) => sql`UPDATE device_states SET at = at - interval '1 hour' WHERE device_id = ${id}`)
    await sweep(16)
    const before = await watches(id)
    expect(before).toMatchObject([{ phase: "silent" }])
    // Newer than its newest, and too old.
    await speak(id, 40)
    await speak(id, 20)
    expect(await watches(id)).toEqual(before)
    await sweep()
    expect(await alertSummaries()).toEqual(["OPEN 1"])
    await speak(id, 14)
    await sweep()
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
  })
})

describe("no alert stays open for a device", () => {
  test("that is removed from its workspace; when it returns, the watch starts anew", async () => {
    const { makeBody, post, remove, speak, sweep, alertSummaries, watches } = await arrange()
    const body = await makeBody("inverter")
    const { id } = (await post("/devices", body)).body
    await speak(id)
    await sweep()
    await sweep(16)
    expect((await remove(id)).status).toBe(204)
    await sweep()
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
    expect(await watches(id)).toEqual([])
    expect((await post("/devices", body)).body.id).toBe(id)
    await speak(id)
    await sweep()
    await sweep(16)
    expect(await alertSummaries()).toEqual(["RESOLVED 1", "OPEN 1"])
  })

  test("that is deleted", async () => {
    const { speaking, sweep, alertSummaries, watches } = await arrange()
    const id = await speaking()
    await sweep(16)
    await app.sql((sql) => sql`DELETE FROM devices WHERE id = ${id}`)
    await sweep()
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
    expect(await watches(id)).toEqual([])
  })

  test("that is disconnected", async () => {
    const { speaking, sweep, alertSummaries } = await arrange()
    const id = await speaking()
    await sweep(16)
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = now() WHERE id = ${id}`)
    await sweep()
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = NULL WHERE id = ${id}`)
    await sweep(5000)
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
  })
})

describe("a device that reports", () => {
  test("adds no write to its readings: its watch is written when due", async () => {
    const { speak, speaking, sweep, watches } = await arrange()
    const id = await speaking()
    // The first reading made the row, the second one learns that it is watched.
    await speak(id)
    await sweep()
    const before = await watches(id)
    for (let reading = 0; reading < 5; reading++) await speak(id)
    await sweep()
    expect(await watches(id)).toEqual(before)
    await sweep(15)
    expect(await watches(id)).toEqual(before)
  })
})
