import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, at, HOUR, iso, type Query, states } from "./arrangeMetrics.ts"

const app = useTestApp()
const arrange = () => arrangeMetrics(app)
const [start, end] = ["2025-06-01T10:00:00Z", "2025-06-01T11:00:00Z"]
const hour = { from: start, to: end, period: "hour" }

/** An hour of a counter that grows by so much. */
const grown = (wh: number): ReadonlyArray<readonly [string, object]> => [
  [start, states.counted(5000)],
  [end, states.counted(5000 + wh)]
]

/** A site with solar, a battery and a meter: 3 kWh generated, 1 charged, 0.2 imported, 0.5 exported. */
const home = async (on: Awaited<ReturnType<typeof arrange>>, fields: object = {}) => {
  const site = await on.site(fields)
  const inverter = await on.device({ type: "inverter", siteId: site.id, tags: ["roof"] })
  const battery = await on.device({ type: "battery", siteId: site.id })
  const meter = await on.device({ type: "meter", siteId: site.id })
  await on.send(inverter, grown(3000))
  await on.send(
    battery,
    [start, end].map((time) => [time, states.battery({ charge: 4000, chargeRate: -1000 })])
  )
  await on.send(meter, [
    [start, states.metered(100, 200)],
    [end, states.metered(300, 700)]
  ])
  return { site, inverter, battery, meter }
}

describe("a site", () => {
  test("counts each energy once", async () => {
    const on = await arrange()
    const { site } = await home(on)
    const query = { ...hour, siteId: site.id }
    const values = await Promise.all(
      (["generation", "grid", "load", "consumption", "production", "charging", "storage"] as const).map(
        async (metric) => [metric, (await on.values(metric, query))[0]]
      )
    )
    // The battery's reading at the end of the hour is the next hour's; the one at its start counts.
    expect(Object.fromEntries(values)).toEqual({
      generation: 3000,
      grid: -300,
      load: 1700,
      consumption: 1700,
      production: 3000,
      charging: 1000,
      storage: 4000
    })
  })

  test("uses two formulas within a day: in each quarter the first one that covers it", async () => {
    const on = await arrange()
    const site = (await on.site()).id
    const inverter = await on.device({ type: "inverter", siteId: site })
    const meter = await on.device({ type: "meter", siteId: site })
    const times = Array.from({ length: 25 }, (_, n) => at("2025-06-01T00:00:00Z") + n * HOUR)
    await on.send(
      inverter,
      times.map((time) => [time, { power: 0, gridPower: 100 }])
    )
    // Until 6 o'clock. The meter reports power alone: a counter's next step would cover the gap.
    await on.send(
      meter,
      times.slice(0, 7).map((time) => [time, { power: 700 }])
    )
    const day = { from: iso(times[0]!), to: iso(times[24]!), siteId: site }
    const hours = await on.values("grid", { ...day, period: "hour" })
    expect(hours).toEqual([...Array.from({ length: 6 }, () => 700), ...Array.from({ length: 18 }, () => 100)])
    for (const period of ["day", "week", "month", "year"]) {
      expect([period, await on.values("grid", { ...day, period })]).toEqual([period, [6 * 700 + 18 * 100]])
    }
    expect((await on.read("grid", { ...day, period: "day" })).data[0]!.coverage).toBe(1)
    expect((await on.read("grid", { ...day, period: "day", deviceType: "meter" })).data[0]).toMatchObject({
      value: 4200,
      coverage: 0.25
    })
  })

  test("has the energy of its present devices with their whole history", async () => {
    const on = await arrange()
    const [before, after] = [(await on.site()).id, (await on.site()).id]
    const device = await on.device({ siteId: before })
    await on.send(device, grown(1000))
    const ofSites = async () => {
      const { data } = await on.read("generation", { ...hour, groupBy: "site" })
      return data.map(({ siteId, value }) => [siteId, value])
    }
    expect(await ofSites()).toEqual([[before, 1000]])
    await on.call("PUT", `/v1/sites/${after}/devices/${device}`)
    expect(await ofSites()).toEqual([[after, 1000]])
    await on.call("DELETE", `/v1/sites/${after}/devices/${device}`)
    expect(await ofSites()).toEqual([[undefined, 1000]])
    await on.call("DELETE", `/v1/devices/${device}`)
    expect(await ofSites()).toEqual([])
  })
})

describe("a workspace", () => {
  test("is the sum of its own sites and its devices without a site", async () => {
    const [on, other] = [await arrange(), await arrange()]
    await home(other)
    const [one, two] = [await home(on), await home(on)]
    const alone = await on.device()
    await on.send(alone, grown(500))
    expect(await on.values("generation", hour)).toEqual([6500])
    expect(await on.values("load", hour)).toEqual([3400])
    const { data } = await on.read("generation", { ...hour, groupBy: "site" })
    expect(data.map(({ siteId, value }) => [siteId, value])).toEqual([
      [one.site.id, 3000],
      [two.site.id, 3000],
      [undefined, 500]
    ])
    const devices = await on.read("generation", { ...hour, groupBy: "device" })
    expect(devices.data.map(({ deviceId, value }) => [deviceId, value])).toEqual([
      [one.inverter, 3000],
      [two.inverter, 3000],
      [alone, 500]
    ])
  })

  test("has the mean coverage of its sites", async () => {
    const on = await arrange()
    await home(on)
    await on.device()
    // A device without readings covers nothing.
    expect((await on.read("generation", hour)).data[0]!.coverage).toBe(1)
    await on.send(await on.device(), [[start, { power: 5 }]])
    expect((await on.read("generation", hour)).data[0]!.coverage).toBe(0.5)
  })
})

describe("filters", () => {
  const readGeneration = async (on: Awaited<ReturnType<typeof arrange>>, query: Query) =>
    (await on.values("generation", { ...hour, ...query }))[0]

  test("select by device, site, customer, tag and type, several values of one and all of several", async () => {
    const on = await arrange()
    const [one, two, three] = [await home(on), await home(on), await home(on)]
    const tagged = await on.device({ tags: ["roof", "north"] })
    await on.send(tagged, grown(70))
    const customer = (await on.call("POST", "/v1/customers", { siteIds: [one.site.id, two.site.id] })).body.id
    const other = (await on.call("POST", "/v1/customers", { siteIds: [three.site.id] })).body.id
    expect(await readGeneration(on, {})).toBe(9070)
    expect(await readGeneration(on, { deviceId: tagged })).toBe(70)
    expect(await readGeneration(on, { deviceId: [tagged, one.inverter, tagged] })).toBe(3070)
    expect(await readGeneration(on, { deviceId: `${tagged},${one.inverter}` })).toBe(3070)
    expect(await readGeneration(on, { deviceId: one.battery })).toBe(null)
    expect(await readGeneration(on, { siteId: [one.site.id, three.site.id] })).toBe(6000)
    expect(await readGeneration(on, { customerId: customer })).toBe(6000)
    expect(await readGeneration(on, { customerId: [customer, other] })).toBe(9000)
    expect(await readGeneration(on, { customerId: customer, siteId: three.site.id })).toBe(null)
    expect(await readGeneration(on, { tag: "roof" })).toBe(9070)
    expect(await readGeneration(on, { tag: ["north", "nowhere"] })).toBe(70)
    expect(await readGeneration(on, { tag: "nowhere" })).toBe(null)
    expect(await readGeneration(on, { deviceType: ["inverter", "meter"] })).toBe(9070)
    expect(await readGeneration(on, { deviceType: "thermostat" })).toBe(null)
    expect(await on.values("production", { ...hour, deviceType: "meter", siteId: one.site.id })).toEqual([500])
  })

  test("select by collection of devices, sites or customers, dynamic and materialized; any of several", async () => {
    const on = await arrange()
    const [one, two] = [await home(on), await home(on)]
    const customer = (await on.call("POST", "/v1/customers", { referenceId: "c1", siteIds: [two.site.id] })).body.id
    const collection = async (name: string, collectionType: string, more: object): Promise<string> =>
      (await on.call("POST", "/v1/collections", { name, collectionType, criteria: {}, ...more })).body.id
    const kept = await collection("Kept", "DEVICE", { dynamic: false })
    await on.call("PUT", `/v1/collections/${kept}/members/${one.inverter}`)
    const rule = (attribute: string, value: string) => ({ criteria: { attribute, operator: "eq", value } })
    const types = await collection("Types", "DEVICE", rule("type", "inverter"))
    const ofState = await collection("State", "DEVICE", rule("site.state", "NV"))
    const sites = await collection("Sites", "SITE", { dynamic: false })
    await on.call("PUT", `/v1/collections/${sites}/members/${two.site.id}`)
    const customers = await collection("Customers", "CUSTOMER", rule("referenceId", "c1"))
    expect(customer).toBeDefined()
    expect(await readGeneration(on, { collectionId: kept })).toBe(3000)
    expect(await readGeneration(on, { collectionId: types })).toBe(6000)
    expect(await readGeneration(on, { collectionId: ofState })).toBe(null)
    expect(await readGeneration(on, { collectionId: sites })).toBe(3000)
    expect(await readGeneration(on, { collectionId: customers })).toBe(3000)
    expect(await readGeneration(on, { collectionId: [kept, customers] })).toBe(6000)
    expect(await readGeneration(on, { collectionId: [sites, customers], siteId: one.site.id })).toBe(null)
    expect(await on.values("load", { ...hour, collectionId: sites })).toEqual([1700])
  })
})

describe("the time zone", () => {
  test("is that of the query, else of the site, else of the workspace", async () => {
    const on = await arrange()
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'Asia/Tokyo' WHERE id = ${on.workspaceId}`)
    const [west, east, none] = await Promise.all([
      on.site({ timezone: "America/Los_Angeles" }),
      on.site({ timezone: "America/New_York" }),
      on.site()
    ])
    const device = await on.device({ siteId: west.id })
    const customer = (await on.call("POST", "/v1/customers", { siteIds: [west.id] })).body.id
    const readZone = async (query: Query) => (await on.read("load", { ...hour, ...query })).meta.timezone
    expect(await readZone({ siteId: west.id, timezone: "Europe/Berlin" })).toBe("Europe/Berlin")
    expect(await readZone({ siteId: west.id })).toBe("America/Los_Angeles")
    expect(await readZone({ deviceId: device })).toBe("America/Los_Angeles")
    expect(await readZone({ customerId: customer })).toBe("America/Los_Angeles")
    expect(await readZone({ siteId: east.id })).toBe("America/New_York")
    expect(await readZone({ siteId: [west.id, east.id] })).toBe("Asia/Tokyo")
    expect(await readZone({ siteId: none.id })).toBe("Asia/Tokyo")
    expect(await readZone({ siteId: [west.id, none.id] })).toBe("Asia/Tokyo")
    expect(await readZone({})).toBe("Asia/Tokyo")
  })
})
