import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { withBriefCommands } from "./withBriefCommands.ts"
import { arrangeDevices, type GivenDevice, nobody } from "./arrangeDevices.ts"

const app = useTestApp()
const arrange = () => arrangeDevices(app)

describe("GET /v1/devices", () => {
  test("200 newest first, page by page, with exact totals", async () => {
    const { device, get } = await arrange()
    const made: Array<string> = []
    for (let n = 0; n < 7; n++) made.unshift(await device())
    const { body } = await get("/v1/devices?page=2&perPage=3")
    expect(body).toMatchObject({ page: 2, perPage: 3, totalItems: 7, totalPages: 3 })
    expect(body.data.map(({ id }: any) => id)).toEqual(made.slice(3, 6))
    expect((await get("/v1/devices")).body).toMatchObject({ page: 1, perPage: 10, totalItems: 7, totalPages: 1 })
    const beyond = (await get("/v1/devices?page=1000&perPage=100")).body
    expect(beyond).toEqual({ data: [], page: 1000, perPage: 100, totalItems: 7, totalPages: 1 })
  })

  test("200 is empty for an empty workspace", async () => {
    const { body } = await (await arrange()).get("/v1/devices")
    expect(body).toEqual({ data: [], page: 1, perPage: 10, totalItems: 0, totalPages: 0 })
  })

  test("200 returns each record as GET by id does", async () => {
    const { device, get, read, site } = await arrange()
    const id = await device({ siteId: (await site()).id, tags: ["a"], commands: ["battery:set-reserve"] })
    await read(id, { at: new Date("2026-01-02T03:04:05.678Z") })
    const { body } = await get(`/v1/devices/${id}`)
    expect((await get("/v1/devices?include=commandDetails")).body.data).toEqual([body])
    expect((await get("/v1/devices")).body.data).toEqual([withBriefCommands(body)])
  })

  test("200 concurrent lists of many keys each have their own devices, as of their request", async () => {
    const [here, there] = [await arrange(), await arrange()]
    const own = await here.device({ referenceId: "user-1" })
    const others = await here.device({ referenceId: "user-2" })
    const foreign = await there.device({ referenceId: "user-1" })
    const rounds = Array.from({ length: 20 }, () =>
      Promise.all([here.ids(""), here.ids("", "SCOPED"), there.ids(""), there.ids("", "SCOPED"), here.ids("perPage=1")])
    )
    for (const round of await Promise.all(rounds)) {
      expect(round).toEqual([[others, own], [own], [foreign], [foreign], [others]])
    }
    const late = rounds.map(async () => {
      const added = await here.device()
      expect(await here.ids("perPage=100")).toContain(added)
    })
    await Promise.all(late)
  })

  test("200 a SCOPED key sees only its user's devices, with any filter", async () => {
    const { device, ids } = await arrange()
    const own = await device({ referenceId: "user-1", tags: ["a"] })
    await device({ referenceId: "user-2", tags: ["a"] })
    expect(await ids("", "SCOPED")).toEqual([own])
    expect(await ids("tag=a", "SCOPED")).toEqual([own])
    expect(await ids("referenceId=user-1", "SCOPED")).toEqual([own])
    expect(await ids("referenceId=user-2", "SCOPED")).toEqual([])
  })

  test("400 VALIDATION_ERROR lists every invalid parameter", async () => {
    const { get } = await arrange()
    const query = "page=1001&perPage=0&type=toaster&onlineStatus=dead&connected=maybe&colour=red&q="
    const response = await get(`/v1/devices?${query}`)
    expect({ status: response.status, code: response.body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" })
    expect(new Set(Object.keys(response.body.details).map((field) => field.split(".")[0]))).toEqual(
      new Set(["page", "perPage", "type", "onlineStatus", "connected", "colour", "q"])
    )
  })
})

describe("filters of GET /v1/devices", () => {
  const one: GivenDevice = {
    name: "Garage battery",
    type: "battery",
    manufacturer: "tesla",
    model: "Powerwall 3",
    manufacturerDeviceId: "TES-1",
    serialNumber: "SN-1",
    referenceId: "user-1",
    tags: ["pilot", "garage"]
  }
  const two: GivenDevice = {
    name: "Roof",
    type: "inverter",
    manufacturer: "sma",
    model: "Sunny Boy 5.0",
    manufacturerDeviceId: "SMA-2",
    serialNumber: "SN-2",
    referenceId: "user-2",
    tags: ["pilot"],
    disconnectedAt: new Date()
  }
  const three: GivenDevice = {
    name: "garage_meter",
    type: "meter",
    manufacturer: "shelly",
    model: "EM",
    manufacturerDeviceId: "SHE-3",
    serialNumber: null,
    referenceId: "user-3"
  }

  test.each<readonly [query: string, matching: ReadonlyArray<number>]>([
    ["type=meter", [3]],
    ["type=meter,battery", [3, 1]],
    ["type=meter&type=inverter&type=meter", [3, 2]],
    ["type=vehicle", []],
    ["manufacturer=tesla", [1]],
    ["manufacturer=tesla,shelly,nobody", [3, 1]],
    ["model=EM", [3]],
    ["model=em", []],
    ["siteId=SITE1", [1]],
    ["siteId=SITE1,SITE2", [2, 1]],
    ["siteId=NOBODY", []],
    ["siteId=short", []],
    ["referenceId=user-2", [2]],
    ["manufacturerDeviceId=SHE-3", [3]],
    ["serialNumber=SN-1", [1]],
    ["tag=pilot", [2, 1]],
    ["tag=garage", [1]],
    ["tag=pilot,garage", [2, 1]],
    ["tag=nothing", []],
    ["connected=true", [3, 1]],
    ["connected=false", [2]],
    ["onlineStatus=unknown", [3, 2, 1]],
    ["onlineStatus=online", []],
    ["q=garage", [3, 1]],
    ["q=GARAGE%20B", [1]],
    ["q=garage_", [3]],
    ["q=%25", []],
    ["q=battery", []],
    ["customerId=NOBODY", []],
    ["collectionId=NOBODY", []],
    ["type=battery,meter&tag=pilot", [1]],
    ["tag=pilot&connected=false&q=r", [2]],
    ["type=meter&manufacturer=tesla", []],
    ["onlineStatus=unknown,online&manufacturer=sma,shelly", [3, 2]],
    ["siteId=SITE1&referenceId=user-1&serialNumber=SN-1&model=Powerwall%203&connected=true", [1]]
  ])("200 ?%s matches %j", async (template, matching) => {
    const { device, get, ids, site } = await arrange()
    const stranger = await arrange()
    const sites = [(await site()).id, (await site()).id]
    const made = [
      await device({ ...one, siteId: sites[0] }),
      await device({ ...two, siteId: sites[1] }),
      await device(three)
    ]
    for (const given of [one, two, three]) await stranger.device(given)
    const expected = matching.map((n) => made[n - 1])
    const query = template.replace("SITE1", sites[0]).replace("SITE2", sites[1]).replace("NOBODY", nobody)
    expect(await ids(query)).toEqual(expected)
    expect((await get(`/v1/devices?${query}`)).body.totalItems).toBe(expected.length)
    // The same a device a page.
    const walked = []
    for (let page = 1; page <= expected.length; page++) walked.push(...(await ids(`${query}&perPage=1&page=${page}`)))
    expect(walked).toEqual(expected)
    expect(await ids(`${query}&perPage=1&page=${expected.length + 1}`)).toEqual([])
  })
})

test("match references of any length exactly, also if only their ends differ", async () => {
  const { call, device, get } = await arrange()
  // Three bytes a character, hardly compressible: more than an index entry holds.
  const long = Array.from({ length: 999 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join("")
  const ids = [await device(), await device()]
  for (const [n, id] of ids.entries()) {
    expect((await call("PATCH", `/v1/devices/${id}`, { referenceId: long + n })).status).toBe(200)
  }
  const { body } = await get(`/v1/devices?referenceId=${encodeURIComponent(`${long}1`)}`)
  expect(body.data.map(({ id }: any) => id)).toEqual([ids[1]])
  expect((await get(`/v1/devices?referenceId=${encodeURIComponent(long)}`)).body.totalItems).toBe(0)
})

describe("cursor of GET /v1/devices", () => {
  const walk = async ({ get }: Awaited<ReturnType<typeof arrange>>, query: string, between = async () => {}) => {
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      const position: string = cursor === null ? "" : `&cursor=${cursor}`
      const { status, body, headers } = await get(`/v1/devices?${query}${position}`)
      expect(status).toBe(200)
      if (position !== "") expect(Object.keys(body).toSorted()).toEqual(["data", "perPage"])
      seen.push(...body.data.map(({ id }: any) => id))
      cursor = headers.get("x-next-cursor")
      await between()
    } while (cursor !== null)
    return seen
  }

  test.each(["", "type=battery,meter", "tag=a", "tag=a,b", "q=roof", "onlineStatus=unknown", "connected=true&tag=a"])(
    "?%s visits every device that was there, once, while others are added and removed",
    async (query) => {
      const place = await arrange()
      const given = { type: "battery", tags: ["a", "b"] } as const
      const made: Array<string> = []
      for (let n = 0; n < 11; n++) made.unshift(await place.device(given))
      const passing: Array<string> = []
      const seen = await walk(place, `${query}&perPage=3`, async () => {
        passing.push(await place.device(given))
        if (passing.length % 2 === 0) await place.call("DELETE", `/v1/devices/${passing.at(-2)}`)
      })
      expect(seen).toEqual(made)
    }
  )

  test("is present exactly if more follow", async () => {
    const { device, get } = await arrange()
    for (let n = 0; n < 4; n++) await device()
    const next = async (query: string) => (await get(`/v1/devices?${query}`)).headers.get("x-next-cursor")
    expect(await next("perPage=4")).toBeNull()
    expect(await next("perPage=10")).toBeNull()
    expect(await next("perPage=2&page=2")).toBeNull()
    expect(await next("perPage=2&page=3")).toBeNull()
    const cursor = await next("perPage=2&page=1")
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(await next(`perPage=2&cursor=${cursor}`)).toBeNull()
    expect(await next(`perPage=1&cursor=${cursor}`)).not.toBeNull()
  })

  test("continues after its last device is deleted", async () => {
    const { call, device, get, ids } = await arrange()
    const made = [await device(), await device(), await device()].toReversed()
    const cursor = (await get("/v1/devices?perPage=2")).headers.get("x-next-cursor")
    await call("DELETE", `/v1/devices/${made[1]}`)
    expect(await ids(`perPage=2&cursor=${cursor}`)).toEqual([made[2]])
  })

  test("400 VALIDATION_ERROR page with a cursor", async () => {
    const { device, get } = await arrange()
    await device()
    await device()
    const cursor = (await get("/v1/devices?perPage=1")).headers.get("x-next-cursor")
    const details = { page: expect.any(String) }
    expectError(await get(`/v1/devices?page=1&cursor=${cursor}`), 400, "VALIDATION_ERROR", details)
  })

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

  test.each([
    "x",
    "%00",
    encoded(null),
    encoded({}),
    encoded([nobody]),
    encoded(["short", 1]),
    encoded([nobody, -1]),
    encoded([nobody, 1.5]),
    encoded([nobody, "1"]),
    encoded([nobody, 1, 1]),
    encoded([`${nobody}' OR 1=1`, 1])
  ])("400 VALIDATION_ERROR an invalid cursor: %s", async (cursor) => {
    const { get } = await arrange()
    expectError(await get(`/v1/devices?cursor=${cursor}`), 400, "VALIDATION_ERROR", { cursor: expect.any(String) })
  })
})
