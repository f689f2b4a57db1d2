import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices, nobody } from "./arrangeDevices.ts"

const app = useTestApp()
const HOUR = 3_600_000
/** The end of a year, so that the readings lie in months of two. */
const end = Date.UTC(2026, 0, 1, 2)
const hoursBefore = (hours: number) => new Date(end - hours * HOUR)
const wide = "from=2000-01-01T00:00:00Z&to=2030-01-01T00:00:00Z"

const arrange = async (readings = 0) => {
  const place = await arrangeDevices(app)
  const id = await place.device()
  const given = Array.from({ length: readings }, (_, n) => ({ at: hoursBefore(n), state: { power: n } }))
  const readingIds = readings === 0 ? [] : (await place.read(id, ...given)).toReversed()
  const path = `/v1/devices/${id}/history`
  return {
    ...place,
    id,
    path,
    /** Newest first. */
    readingIds,
    powers: async (query: string): Promise<ReadonlyArray<number>> =>
      (await place.get(`${path}?${query}`)).body.data.map(({ power }: any) => power)
  }
}

describe("GET /v1/devices/:id/history", () => {
  test("200 returns the readings as recorded, newest first, with their id and time", async () => {
    const { get, path, readingIds } = await arrange(3)
    const { status, body } = await get(`${path}?${wide}`)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: [0, 1, 2].map((n) => ({ id: readingIds[n], createdAt: hoursBefore(n).toISOString(), power: n })),
        page: 1,
        perPage: 10,
        totalItems: 3,
        totalPages: 1
      }
    })
  })

  test("200 returns the last 24 hours by default", async () => {
    const { device, get, read } = await arrange()
    const id = await device()
    const at = (hours: number) => new Date(Date.now() - hours * HOUR)
    await read(
      id,
      { at: at(25), state: { power: 25 } },
      { at: at(23), state: { power: 23 } },
      { at: at(1), state: { power: 1 } }
    )
    const { body } = await get(`/v1/devices/${id}/history`)
    expect(body.data.map(({ power }: any) => power)).toEqual([1, 23])
    expect(body.totalItems).toBe(2)
  })

  test("200 includes the reading at `from` and excludes the one at `to`", async () => {
    const { powers } = await arrange(5)
    const text = (hours: number) => hoursBefore(hours).toISOString()
    expect(await powers(`from=${text(3)}&to=${text(1)}`)).toEqual([2, 3])
    expect(await powers(`from=${text(3)}&to=${text(3)}`)).toEqual([])
    expect(await powers("from=2025-12-31T15:00:00-08:00&to=2026-01-01T02:00:00%2B01:00")).toEqual([2, 3])
    expect(await powers(`to=${text(-1)}`)).toEqual([0, 1, 2, 3, 4])
    expect(await powers("from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z")).toEqual([0, 1, 2, 3, 4])
    expect(await powers("from=2027-01-01T00:00:00Z&to=2028-01-01T00:00:00Z")).toEqual([])
  })

  test("200 in either order, page by page, with exact totals", async () => {
    const { get, path, powers } = await arrange(7)
    expect(await powers(`${wide}&order=asc`)).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(await powers(`${wide}&order=desc&page=2&perPage=3`)).toEqual([3, 4, 5])
    expect(await powers(`${wide}&order=asc&page=3&perPage=3`)).toEqual([0])
    const { body } = await get(`${path}?${wide}&page=4&perPage=3`)
    expect(body).toEqual({ data: [], page: 4, perPage: 3, totalItems: 7, totalPages: 3 })
  })

  test.each(["asc", "desc"])("a cursor walk returns every reading once: %s", async (order) => {
    const { get, path, powers } = await arrange(10)
    const whole = await powers(`${wide}&order=${order}`)
    const seen: Array<number> = []
    let query = `${wide}&order=${order}&perPage=4`
    for (let pages = 1; ; pages++) {
      const { body, headers } = await get(`${path}?${query}`)
      seen.push(...body.data.map(({ power }: any) => power))
      const cursor = headers.get("x-next-cursor")
      if (cursor === null) {
        expect({ pages, keys: Object.keys(body).toSorted() }).toEqual({ pages: 3, keys: ["data", "perPage"] })
        break
      }
      query = `${wide}&order=${order}&perPage=4&cursor=${cursor}`
    }
    expect(seen).toEqual(whole)
  })

  test("200 a device that never reported", async () => {
    const { get, path } = await arrange()
    expect((await get(`${path}?${wide}`)).body).toMatchObject({ data: [], totalItems: 0, totalPages: 0 })
  })

  test("200 a SCOPED key reads its user's device", async () => {
    const { get, path } = await arrange(1)
    expect((await get(`${path}?${wide}`, "SCOPED")).body.totalItems).toBe(1)
  })

  test("400 VALIDATION_ERROR lists every invalid parameter", async () => {
    const { get, path } = await arrange()
    const response = await get(`${path}?from=yesterday&to=2026-13-01T00:00:00Z&order=up&perPage=101&size=3`)
    expect(response.status).toBe(400)
    expect(new Set(Object.keys(response.body.details))).toEqual(new Set(["from", "to", "order", "perPage", "size"]))
  })

  test("400 VALIDATION_ERROR from after to, also after the default of to", async () => {
    const { get, path } = await arrange()
    const details = { from: "Must not be after `to`" }
    for (const query of ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from=9999-01-01T00:00:00Z"]) {
      expectError(await get(`${path}?${query}`), 400, "VALIDATION_ERROR", details)
    }
  })

  test("400 VALIDATION_ERROR page with a cursor, and an invalid cursor", async () => {
    const { get, path } = await arrange(2)
    const cursor = (await get(`${path}?${wide}&perPage=1`)).headers.get("x-next-cursor")
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
    expectError(await get(`${path}?page=1&cursor=${cursor}`), 400, "VALIDATION_ERROR", { page: expect.any(String) })
    for (const wrong of [
      "x",
      encoded([nobody, 0]),
      encoded([1.5, nobody]),
      encoded([9e15, nobody]),
      encoded([1, "x"])
    ]) {
      expectError(await get(`${path}?cursor=${wrong}`), 400, "VALIDATION_ERROR", { cursor: expect.any(String) })
    }
  })

  test("403 FORBIDDEN a SCOPED key and another user's device", async () => {
    const { device, get } = await arrange()
    const id = await device({ referenceId: "user-2" })
    expectError(await get(`/v1/devices/${id}/history`, "SCOPED"), 403, "FORBIDDEN")
  })

  test("404 DEVICE_NOT_FOUND", async () => {
    const { get } = await arrange()
    const foreign = await arrange(1)
    for (const id of [nobody, "short", foreign.id]) {
      expectError(await get(`/v1/devices/${id}/history`), 404, "DEVICE_NOT_FOUND")
    }
  })
})
