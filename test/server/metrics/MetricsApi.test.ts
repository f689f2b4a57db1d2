import { metricNames } from "@edp/domain/metrics/Metric"
import { beforeAll, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, at, HOUR, iso, states } from "./arrangeMetrics.ts"

const app = useTestApp()
const allowed = ["SERVER", "API"] as const
const arrange = () => arrangeMetrics(app)
const day = { from: "2025-06-01T00:00:00Z", to: "2025-06-02T00:00:00Z" }
const nobody = `c${"0".repeat(24)}`

describeKeyChecks(app, [
  { method: "GET", path: "/v1/metrics", allowed },
  ...metricNames.map((metric) => ({ method: "GET", path: `/v1/metrics/${metric}`, allowed }))
])

describe("GET /v1/metrics", () => {
  test("200 the catalogue: what each is of, its unit, and how its values become one", async () => {
    const { get } = await arrange()
    const { body, status } = await get("/v1/metrics")
    expect([status, body.totalItems, body.totalPages]).toEqual([200, 7, 1])
    expect(body.data.map(({ name }: any) => name)).toEqual(metricNames)
    expect(body.data[2]).toEqual({
      name: "generation",
      description: "Energy that inverters generated, Wh; never negative",
      unit: "Wh",
      deviceTypes: ["inverter"],
      aggregation: "sum"
    })
    expect(body.data[3]).toMatchObject({ name: "storage", aggregation: "latest" })
  })

  test("200 by pages", async () => {
    const { get } = await arrange()
    const { body } = await get("/v1/metrics?page=2&perPage=3")
    expect([body.data.map(({ name }: any) => name), body.totalPages]).toEqual([["storage", "grid", "charging"], 3])
  })

  test("400 VALIDATION_ERROR for a parameter that there is not", async () => {
    const { get } = await arrange()
    expectError(await get("/v1/metrics?unit=Wh&page=0"), 400, "VALIDATION_ERROR", {
      unit: expect.any(String),
      page: expect.any(String)
    })
  })
})

describe("GET /v1/metrics/:metric", () => {
  test("200 by default the last 24 hours by the hour in the workspace's time zone, as one series", async () => {
    const { ask, workspaceId } = await arrange()
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'Asia/Kolkata' WHERE id = ${workspaceId}`)
    const before = Date.now()
    const { body } = await ask("generation")
    const { from, to, ...meta } = body.meta
    expect(meta).toEqual({
      metric: "generation",
      unit: "Wh",
      period: "hour",
      aggregation: "sum",
      timezone: "Asia/Kolkata"
    })
    expect(at(to) - at(from)).toBe(24 * HOUR)
    expect(at(to)).toBeGreaterThanOrEqual(before)
    expect(body.data.length === 25 || iso(at(from)).endsWith(":30:00.000Z")).toBe(true)
    expect(body.data[0].timestamp).toBe(from)
    expect(body.data[1].timestamp).toMatch(/:30:00\.000Z$/)
    expect(new Set(body.data.map(({ coverage, value }: any) => `${value} ${coverage}`))).toEqual(new Set(["null 0"]))
  })

  test("200 null and coverage 0 where nothing is known, with the reason", async () => {
    const { read } = await arrange()
    for (const metric of metricNames) {
      const { data } = await read(metric, { ...day, period: "day" })
      expect([metric, data]).toEqual([
        metric,
        [{ timestamp: expect.any(String), value: null, coverage: 0, reason: "no_devices" }]
      ])
    }
  })

  test("404 NOT_FOUND for a metric that there is not, before any key is asked for", async () => {
    expectError(await app.call("GET", "/v1/metrics/weather"), 404, "NOT_FOUND")
  })

  test("200 the spans 24h and 1d are one", async () => {
    const { read } = await arrange()
    const lengths = await Promise.all(
      ["24h", "1d"].map(async (timeframe) => {
        const { meta } = await read("load", { timeframe })
        return at(meta.to) - at(meta.from)
      })
    )
    expect(lengths).toEqual([24 * HOUR, 24 * HOUR])
  })

  test("200 the default period is a day beyond 7 days", async () => {
    const { read } = await arrange()
    const periodOf = async (timeframe: string) => (await read("load", { timeframe })).meta.period
    expect([await periodOf("7d"), await periodOf("30d")]).toEqual(["hour", "day"])
  })

  describe("400 VALIDATION_ERROR", () => {
    test("for every offending parameter at once", async () => {
      const { ask } = await arrange()
      const wrong = {
        period: "fortnight",
        timeframe: "2w",
        from: "yesterday",
        to: "2025-13-01T00:00:00Z",
        groupBy: "customer",
        timezone: "Mars/Olympus",
        deviceType: "toaster",
        tag: "a\nb",
        device: "x"
      }
      const expected = Object.fromEntries(
        Object.keys(wrong).map((name) => [name.replace(/^(deviceType|tag)$/, "$1.0"), expect.any(String)])
      )
      expectError(await ask("grid", wrong), 400, "VALIDATION_ERROR", expected)
    })

    test("for a from after its to, and for a timeframe beside them", async () => {
      const { ask } = await arrange()
      expectError(await ask("grid", { from: day.to, to: day.from }), 400, "VALIDATION_ERROR", {
        from: "Must not be after `to`"
      })
      expectError(await ask("grid", { ...day, timeframe: "1h" }), 400, "VALIDATION_ERROR", {
        from: expect.stringContaining("timeframe"),
        to: expect.stringContaining("timeframe")
      })
    })

    test("for more than 5,000 points a series, naming the period to ask for, before it is looked whether the ids exist", async () => {
      const { ask } = await arrange()
      const year = { from: "2025-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }
      expectError(await ask("load", { ...year, period: "hour", siteId: nobody }), 400, "VALIDATION_ERROR", {
        period: "hour makes more than 5,000 points a series of this span: ask for day or longer, or for a shorter span"
      })
      expectError(
        await ask("load", { from: "0001-01-01T00:00:00Z", to: "9999-01-01T00:00:00Z" }),
        400,
        "VALIDATION_ERROR",
        {
          period: "day makes more than 5,000 points a series of this span: ask for a shorter span"
        }
      )
      const half = { from: "2025-01-01T00:00:00Z", to: iso(at("2025-01-01T00:00:00Z") + 5000 * HOUR) }
      expect((await ask("load", { ...half, period: "hour" })).body.data).toHaveLength(5000)
    })

    test("for more than 100,000 points in all", async () => {
      const { ask, device } = await arrange()
      for (let made = 0; made < 21; made++) await device()
      const query = { from: "2025-01-01T00:00:00Z", to: iso(at("2025-01-01T00:00:00Z") + 4999 * HOUR), period: "hour" }
      expectError(await ask("generation", { ...query, groupBy: "device" }), 400, "VALIDATION_ERROR", {
        groupBy: expect.stringContaining("104,979 points in 21 series")
      })
    })

    test("for more days of devices than one answer is computed from, and for more devices than one question is about", async () => {
      const { ask, many } = await arrange()
      await many(120)
      const years = { from: "2001-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z", period: "month" }
      expectError(await ask("generation", years), 400, "VALIDATION_ERROR", {
        from: "Asks for 1,095,720 days of devices, and an answer is computed from 1,000,000 at most: ask for a shorter span or fewer devices"
      })
      await many(19_881)
      expectError(await ask("generation"), 400, "VALIDATION_ERROR", {
        deviceId: expect.stringContaining("more than 20,000 devices")
      })
    })
  })

  describe("404", () => {
    const foreign = async () => {
      const { call, device, site } = await arrange()
      const { body: customer } = await call("POST", "/v1/customers", { referenceId: "theirs" })
      const collection = await call("POST", "/v1/collections", {
        name: "Theirs",
        collectionType: "DEVICE",
        criteria: {}
      })
      return {
        deviceId: await device(),
        siteId: (await site()).id as string,
        customerId: customer.id as string,
        collectionId: collection.body.id as string
      }
    }

    test.each([
      ["DEVICE_NOT_FOUND", "deviceId"],
      ["SITE_NOT_FOUND", "siteId"],
      ["CUSTOMER_NOT_FOUND", "customerId"],
      ["COLLECTION_NOT_FOUND", "collectionId"]
    ] as const)(
      "%s for one that there is not, of another workspace, or of no shape, also beside one's own",
      async (code, name) => {
        const [{ ask, site }, theirs] = [await arrange(), await foreign()]
        for (const id of [nobody, theirs[name], "nonsense", "' OR true --"])
          expectError(await ask("load", { [name]: id }), 404, code)
        const own = (await site()).id
        if (name === "siteId") expectError(await ask("load", { siteId: [own, theirs.siteId] }), 404, code)
      }
    )

    test("COLLECTION_NOT_FOUND for a deleted collection, CUSTOMER_NOT_FOUND and SITE_NOT_FOUND likewise", async () => {
      const { ask, call, site } = await arrange()
      const { id } = (await call("POST", "/v1/collections", { name: "Gone", collectionType: "SITE", criteria: {} }))
        .body
      await call("DELETE", `/v1/collections/${id}`)
      expectError(await ask("load", { collectionId: id }), 404, "COLLECTION_NOT_FOUND")
      const gone = (await site()).id
      await call("DELETE", `/v1/sites/${gone}`)
      expectError(await ask("load", { siteId: gone }), 404, "SITE_NOT_FOUND")
    })
  })
})

describe("the table of devices", () => {
  let on: Awaited<ReturnType<typeof arrange>>
  let ids: Record<"battery" | "inverter" | "charger" | "vehicle" | "meter", string>
  beforeAll(async () => {
    on = await arrange()
    const types = ["battery", "inverter", "charger", "vehicle", "meter"] as const
    const made = await Promise.all(types.map(async (type) => [type, await on.device({ type })] as const))
    ids = Object.fromEntries(made) as typeof ids
    const [start, end] = ["2025-06-01T10:00:00Z", "2025-06-01T11:00:00Z"]
    const twice = (state: object): ReadonlyArray<readonly [string, object]> => [
      [start, state],
      [end, state]
    ]
    await on.send(
      ids.battery,
      twice(states.battery({ charge: 6400, chargeRate: -3000, gridPower: -200, loadPower: 850 }))
    )
    await on.send(ids.inverter, twice({ power: 1234, gridPower: -1400, loadEnergy: 420.5 }))
    await on.send(ids.charger, twice(states.charger(7200)))
    await on.send(ids.vehicle, twice(states.car({ charge: 52_000, chargerWattage: 1100 })))
    await on.send(ids.meter, [
      [start, states.metered(1000, 2000)],
      [end, states.metered(1300, 2800)]
    ])
  })

  test.each([
    ["consumption", { battery: 3000, inverter: 420.5, charger: 7200, vehicle: 1100, meter: 300 }],
    ["production", { battery: 0, inverter: 1234, meter: 800 }],
    ["generation", { inverter: 1234 }],
    ["storage", { battery: 6400, vehicle: 52_000 }],
    ["grid", { battery: -200, inverter: -1400, meter: -500 }],
    ["charging", { battery: 3000, charger: 7200, vehicle: 1100 }],
    ["load", { battery: 850, inverter: 420.5 }]
  ] as const)("%s by device", async (metric, expected) => {
    const query = { from: "2025-06-01T10:00:00Z", to: "2025-06-01T12:00:00Z", period: "hour", groupBy: "device" }
    const { data } = await on.read(metric, query)
    const types = Object.fromEntries(Object.entries(ids).map(([type, id]) => [id, type]))
    const first = data.filter(({ timestamp }) => timestamp === "2025-06-01T10:00:00.000Z")
    expect(Object.fromEntries(first.map(({ deviceId, value }) => [types[deviceId!], value]))).toEqual(expected)
    expect(first.every(({ coverage, siteId }) => coverage === 1 && siteId === undefined)).toBe(true)
    const second = data.filter(({ timestamp }) => timestamp !== "2025-06-01T10:00:00.000Z")
    // A reading at the very end of an hour is the next one's.
    if (metric === "storage") {
      expect(second.map(({ coverage, value }) => [value, coverage])).toEqual([
        [6400, 0.0001],
        [52_000, 0.0001]
      ])
    } else expect(second.map(({ coverage, value }) => [value, coverage])).toEqual(first.map(() => [null, 0]))
  })

  test("devices without a site are added up, each by itself", async () => {
    const query = { from: "2025-06-01T10:00:00Z", to: "2025-06-01T11:00:00Z", period: "hour" }
    expect(await on.values("consumption", query)).toEqual([3000 + 420.5 + 7200 + 1100 + 300])
    expect((await on.read("consumption", { ...query, groupBy: "site" })).data).toEqual([
      { timestamp: "2025-06-01T10:00:00.000Z", value: 12_020.5, coverage: 1 }
    ])
  })
})
