import { PAGED_READINGS } from "@edp/domain/telemetry/ReadingPagesApi"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../../support/describeKeyChecks.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDevices } from "../../devices/arrangeDevices.ts"

const app = useTestApp()
const path = "/dashboard/api/reading-pages"

describeKeyChecks(app, [{ method: "POST", path, allowed: ["SERVER", "API"] }])

describe("pages of readings", () => {
  test("have every reading of the devices once, in the order of devices and times, and none of another workspace", async () => {
    const place = await arrangeDevices(app)
    const other = await arrangeDevices(app)
    const begin = Date.parse("2026-05-01T00:00:00Z")
    const readings = (n: number) => Array.from({ length: n }, (_, at) => ({ at: new Date(begin + at * 1000) }))
    const devices = [await place.device(), await place.device(), await other.device()]
    for (const [index, n] of [3000, 2500, 10].entries()) await place.read(devices[index]!, ...readings(n))
    const body = { deviceIds: devices, from: "2026-05-01T00:00:01Z", to: "2026-06-01T00:00:00Z" }
    const first = (await app.call("POST", path, { key: place.keys.SERVER, body })).body
    expect([first.readings.length, first.more]).toEqual([PAGED_READINGS, true])
    const { deviceId, timestamp } = first.readings.at(-1)
    const after = { deviceId, timestamp }
    const second = (await app.call("POST", path, { key: place.keys.SERVER, body: { ...body, after } })).body
    const keys = [...first.readings, ...second.readings].map((one: any) => `${one.deviceId} ${one.timestamp}`)
    expect([keys.length, new Set(keys).size, second.more]).toEqual([5498, 5498, false])
    expect(keys).toEqual(keys.toSorted())
    expect(new Set([...first.readings, ...second.readings].map((one: any) => one.deviceId))).toEqual(
      new Set(devices.slice(0, 2))
    )
  })
})
