import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, at, HOUR, iso, states } from "./arrangeMetrics.ts"

const app = useTestApp()
const arrange = () => arrangeMetrics(app)

/** An inverter that generates 1, 2, 3, … Wh in the hours from an instant on. */
const counting = async (on: Awaited<ReturnType<typeof arrange>>, from: string, hours: number) => {
  const device = await on.device()
  await on.send(
    device,
    Array.from({ length: hours + 1 }, (_, n) => [at(from) + n * HOUR, states.counted((n * (n + 1)) / 2)])
  )
  return device
}

const sum = (values: ReadonlyArray<number | null>) => values.reduce<number>((total, value) => total + (value ?? 0), 0)

describe("a day on which the clock changes", () => {
  test("by half an hour has a short hour, and all of the energy", async () => {
    const on = await arrange()
    await counting(on, "2025-04-05T13:00:00Z", 26)
    const day = { from: "2025-04-05T13:00:00Z", to: "2025-04-06T13:30:00Z", timezone: "Australia/Lord_Howe" }
    const hours = await on.values("generation", { ...day, period: "hour" })
    // The third hour is cut where the clock goes back from 2:00 to 1:30.
    expect(hours.slice(0, 5)).toEqual([1, 2, 1.5, 1.5 + 2, 2 + 2.5])
    expect(hours).toHaveLength(25)
    expect(await on.values("generation", { ...day, period: "day" })).toEqual([sum(hours)])
  })
})

describe("a time span", () => {
  test("truncates its first and last bucket", async () => {
    const on = await arrange()
    await counting(on, "2025-06-01T10:00:00Z", 3)
    const query = { from: "2025-06-01T10:20:00Z", to: "2025-06-01T12:30:00.001Z", period: "hour" }
    const { data, meta } = await on.read("generation", query)
    expect(data.map(({ coverage, timestamp, value }) => [timestamp, value, coverage])).toEqual([
      ["2025-06-01T10:20:00.000Z", 0.667, 1],
      ["2025-06-01T11:00:00.000Z", 2, 1],
      ["2025-06-01T12:00:00.000Z", 1.5, 1]
    ])
    expect([meta.from, meta.to]).toEqual(["2025-06-01T10:20:00.000Z", "2025-06-01T12:30:00.001Z"])
  })

  test("has no buckets if it is empty", async () => {
    const on = await arrange()
    const { data } = await on.read("load", { from: "2025-06-01T10:00:00Z", to: "2025-06-01T10:00:00Z" })
    expect(data).toEqual([])
  })

  test("may have centuries, also before time zones existed", async () => {
    const on = await arrange()
    await counting(on, "2025-06-01T10:00:00Z", 3)
    const ages = { from: "0001-01-01T00:00:00Z", to: "3000-01-01T00:00:00Z", timezone: "Europe/Amsterdam" }
    expect(sum(await on.values("generation", { ...ages, period: "year" }))).toBe(6)
    const before = { from: "1890-01-01T00:00:00Z", to: "1890-01-02T00:00:00Z", timezone: "Europe/Amsterdam" }
    expect(await on.values("generation", { ...before, period: "hour" })).toEqual(Array.from({ length: 25 }, () => null))
    const tomorrow = { from: iso(Date.now() + 24 * HOUR), to: iso(Date.now() + 48 * HOUR), period: "year" }
    expect((await on.read("generation", tomorrow)).data).toMatchObject([{ value: null, coverage: 0, reason: "future" }])
  })
})

describe("readings", () => {
  test("that arrive late and out of order change only the buckets that they affect", async () => {
    const on = await arrange()
    const device = await on.device()
    const reading = (n: number, power: number) => [at("2025-06-01T10:00:00Z") + n * HOUR, { power }] as const
    const query = { from: "2025-06-01T10:00:00Z", to: "2025-06-01T14:00:00Z", period: "hour" }
    await on.send(device, [reading(4, 4000), reading(0, 1000), reading(3, 4000)])
    expect(await on.values("generation", query)).toEqual([null, null, null, 4000])
    await on.send(device, [reading(1, 2000)])
    expect(await on.values("generation", query)).toEqual([1500, null, null, 4000])
    await on.send(device, [reading(2, 2000)])
    expect(await on.values("generation", query)).toEqual([1500, 2000, 3000, 4000])
    const other = await on.device()
    await on.send(
      other,
      [4, 2, 0, 3, 1].map((n) => reading(n, [1000, 2000, 2000, 4000, 4000][n]!))
    )
    expect(await on.values("generation", { ...query, deviceId: other })).toEqual([1500, 2000, 3000, 4000])
  })

  test("with a counter and a gap are exact in sum, with the least coverage above zero", async () => {
    const on = await arrange()
    const device = await on.device({ staticState: { power: 5000 } })
    await on.send(device, [
      ["2025-06-01T10:00:00Z", states.counted(1000)],
      ["2025-06-01T17:00:00Z", states.counted(1100)]
    ])
    const query = { from: "2025-06-01T10:00:00Z", to: "2025-06-01T17:00:00Z" }
    const { data } = await on.read("generation", { ...query, period: "hour" })
    expect(data.map(({ value }) => value)).toEqual([14.286, 14.286, 14.286, 14.286, 14.286, 14.286, 14.286])
    expect(new Set(data.map(({ coverage }) => coverage))).toEqual(new Set([0.0001]))
    expect(await on.values("generation", { ...query, period: "day" })).toEqual([100])
  })

  test.each(["charger", "vehicle"] as const)(
    "of a direct %s with a register have its energy, not that of their power",
    async (type) => {
      const on = await arrange()
      const device = await on.device({ type })
      const state = (chargerWattage: number, lifetimeEnergyCharged: number) =>
        type === "charger"
          ? { ...states.charger(chargerWattage), lifetimeEnergyCharged }
          : { ...states.car({ chargerWattage }), lifetimeEnergyCharged }
      await on.send(device, [
        ["2025-06-01T11:00:00Z", state(7194, 57_200)],
        ["2025-06-01T10:00:00Z", state(7194, 50_000)],
        ["2025-06-01T12:00:00Z", state(7194, 6000)]
      ])
      const query = { from: "2025-06-01T10:00:00Z", to: "2025-06-01T12:00:00Z", period: "hour" }
      expect(await on.values("charging", query)).toEqual([7200, 6000])
    }
  )

  test("beyond the rated power are a counter's jump, and no energy", async () => {
    const on = await arrange()
    const device = await on.device({ staticState: { power: 5000 } })
    const taken = [1000, 6999, 7000, 990_000, 990_500].map((count, n) => [
      at("2025-06-01T10:00:00Z") + n * HOUR,
      states.counted(count)
    ])
    await on.send(device, taken as never)
    const query = { from: "2025-06-01T10:00:00Z", to: "2025-06-01T14:00:00Z", period: "hour" }
    const { data } = await on.read("generation", query)
    expect(data.map(({ coverage, value }) => [value, coverage])).toEqual([
      [5999, 1],
      [1, 1],
      [null, 0],
      [500, 1]
    ])
  })

  test("with a charge give each bucket its latest value, or null", async () => {
    const on = await arrange()
    const site = (await on.site()).id
    const [one, two] = [
      await on.device({ type: "battery", siteId: site }),
      await on.device({ type: "battery", siteId: site })
    ]
    const stored = (time: string, charge: number) => [time, states.battery({ charge })] as const
    await on.send(one, [
      stored("2025-06-01T10:05:00Z", 100),
      stored("2025-06-01T10:55:00Z", 300),
      stored("2025-06-01T12:00:00Z", 500)
    ])
    await on.send(two, [stored("2025-06-01T10:30:00Z", 40)])
    const query = { from: "2025-06-01T09:00:00Z", to: "2025-06-01T13:00:00Z", period: "hour", siteId: site }
    expect(await on.values("storage", query)).toEqual([null, 340, null, 500])
    expect(await on.values("storage", { ...query, period: "day" })).toEqual([540])
  })
})

describe("Accept", () => {
  const query = "from=2025-06-01T10:00:00Z&to=2025-06-01T12:00:00Z&period=hour"

  test("200 text/csv is a table of the points", async () => {
    const on = await arrange()
    const site = (await on.site()).id
    await on.call("PUT", `/v1/sites/${site}/devices/${await counting(on, "2025-06-01T10:00:00Z", 3)}`)
    const csv = (path: string, accept = "text/csv") =>
      app.call("GET", path, { key: on.keys.SERVER, headers: { accept } })
    const response = await csv(`/v1/metrics/generation?${query}&groupBy=site`)
    expect(response.headers.get("content-type")).toMatch(/^text\/csv/)
    expect(response.headers.get("vary")).toContain("Accept")
    expect(response.text).toBe(
      [
        "timestamp,value,unit,coverage,deviceId,siteId",
        `2025-06-01T10:00:00.000Z,1,Wh,1,,${site}`,
        `2025-06-01T11:00:00.000Z,2,Wh,1,,${site}`,
        ""
      ].join("\r\n")
    )
    const stored = await csv(`/v1/metrics/storage?${query}`)
    expect(stored.text.split("\r\n")[1]).toBe("2025-06-01T10:00:00.000Z,,Wh,0,,")
    const refused = await csv(`/v1/metrics/storage?${query}&period=week`)
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"])
  })

  test.each([undefined, "*/*", "application/json", "image/png", "text/csv;q=0.5, application/json"])(
    "200 JSON for %s",
    async (accept) => {
      const on = await arrange()
      const headers = accept === undefined ? {} : { accept }
      const response = await app.call("GET", `/v1/metrics/load?${query}`, { key: on.keys.SERVER, headers })
      expect([response.status, response.body.data.length]).toEqual([200, 2])
    }
  )
})
