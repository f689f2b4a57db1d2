import { beforeAll, describe, expect, test } from "vitest"
import { splitCells } from "@edp/cli/kernel/csv"
import { cellSize, wholeEarth } from "@edp/server/dashboard/fleet/fleetGrid"
import { testSeed as seed } from "../../support/rounds.ts"
import { seedFleet } from "../../support/fleet.ts"
import { Random } from "../../support/Random.ts"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

const DEVICES = 1000

interface Reference {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly manufacturer: string
  readonly serial: string | null
  readonly site: string | null
  readonly tags: ReadonlyArray<string>
  readonly disconnected: boolean
  readonly at: Date | null
  readonly reported: string | null
  readonly window: number
  readonly alerts: ReadonlyArray<string>
}

interface LocatedSite {
  readonly id: string
  readonly name: string
  readonly latitude: number
  readonly longitude: number
}

type Query = Readonly<Record<string, ReadonlyArray<string>>>

const app = useTestApp()
let own: TestWorkspace
let all: ReadonlyArray<Reference>
let siteIds: ReadonlyArray<string>
let places: ReadonlyMap<string, LocatedSite>

/** Every device as the tables have it, newest first. */
const readReference = (workspaceId: string) =>
  app.sql(
    (
      sql
    ) => sql<Reference>`SELECT d.id, d.name, d.type, d.manufacturer, d.serial_number AS serial, d.site_id AS site, d.tags,
        d.disconnected_at IS NOT NULL AS disconnected, s.at, s.reported_status AS reported,
        extract(epoch FROM m.online_window)::int * 1000 AS window,
        ARRAY(SELECT severity FROM alerts WHERE device_id = d.id AND status IN ('OPEN', 'ACKNOWLEDGED')) AS alerts
      FROM devices d LEFT JOIN device_states s ON s.device_id = d.id JOIN manufacturers m ON m.slug = d.manufacturer
      WHERE d.workspace_id = ${workspaceId} ORDER BY d.id DESC`
  )

const readMapSites = (workspaceId: string) =>
  app.sql(
    (
      sql
    ) => sql<LocatedSite>`SELECT id, coalesce(name, street_one || ', ' || city) AS name, latitude, longitude FROM sites
      WHERE workspace_id = ${workspaceId} AND latitude IS NOT NULL`
  )

const onlineStatus = ({ at, disconnected, reported, window }: Reference, now: number) => {
  if (at === null) return "unknown"
  if (disconnected || reported === "unreachable") return "offline"
  if (reported === "asleep") return "asleep"
  return now - at.getTime() <= window ? "online" : "offline"
}

const accepts = (device: Reference, query: Query, now: number) => {
  const starts = (text: string | null, prefix: string) => text?.toLowerCase().startsWith(prefix.toLowerCase()) === true
  const tests: Record<string, (values: ReadonlyArray<string>) => boolean> = {
    type: (values) => values.includes(device.type),
    manufacturer: (values) => values.includes(device.manufacturer),
    onlineStatus: (values) => values.includes(onlineStatus(device, now)),
    status: ([value]) => device.disconnected === (value === "disconnected"),
    tag: (values) => values.some((tag) => device.tags.includes(tag)),
    siteId: (values) => device.site !== null && values.includes(device.site),
    q: ([q]) => [device.name, device.serial, device.id].some((text) => starts(text, q!))
  }
  return Object.entries(query).every(([name, values]) => tests[name]!(values))
}

interface Cell {
  readonly sites: Set<string>
  devices: number
  online: number
  alerts: number
}

/** Cells of a size in degrees, by their place in the grid. Without filters, they have sites without devices, too. */
const gather = (matches: ReadonlyArray<Reference>, isFiltered: boolean, size: number, now: number) => {
  const cells = new Map<string, Cell>()
  const findCell = ({ id, latitude, longitude }: LocatedSite) => {
    const key = `${Math.floor(latitude / size)} ${Math.floor(longitude / size)}`
    const found = cells.get(key) ?? { sites: new Set(), devices: 0, online: 0, alerts: 0 }
    found.sites.add(id)
    cells.set(key, found)
    return found
  }
  if (!isFiltered) for (const place of places.values()) findCell(place)
  for (const device of matches) {
    const place = device.site === null ? undefined : places.get(device.site)
    if (place === undefined) continue
    const cell = findCell(place)
    cell.devices += 1
    cell.alerts += device.alerts.length
    if (["online", "asleep"].includes(onlineStatus(device, now))) cell.online += 1
  }
  return cells
}

const search = (query: Query, more: Readonly<Record<string, string | number>> = {}) =>
  new URLSearchParams(
    [...Object.entries(query), ...Object.entries(more).map(([name, value]) => [name, [String(value)]] as const)].map(
      ([name, values]) => [name, values.join(",")]
    )
  ).toString()

const get = async (path: string, key = own.keys.MANAGEMENT) => {
  const response = await app.call("GET", `/dashboard/api/fleet${path}`, { key })
  expect([path, response.status, response.status === 200 ? "" : response.text]).toEqual([path, 200, ""])
  return response
}

const randomQuery = (random: Random): Query => {
  const some = (values: ReadonlyArray<string>, limit = 3) =>
    Array.from({ length: 1 + random.below(limit) }, () => random.pick(values))
  const device = random.pick(all)
  const prefix = random.pick([
    device.name,
    device.serial ?? "SN-",
    device.id,
    "garage",
    "=PORCH",
    "sn-00",
    "%",
    "nothing"
  ])
  const options: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["type", some(["battery", "inverter", "meter", "vehicle", "other", "unknown"])],
    ["manufacturer", some(["generic", "simulator", "nobody", device.manufacturer])],
    ["onlineStatus", some(["online", "offline", "asleep", "unknown"])],
    ["status", [random.pick(["connected", "disconnected"])]],
    ["tag", some(["pilot", "rare", "missing"], 2)],
    ["siteId", some(siteIds)],
    ["q", [prefix.slice(0, 1 + random.below(prefix.length))]]
  ]
  return Object.fromEntries(options.filter(() => random.chance(0.25)))
}

beforeAll(async () => {
  own = await app.workspace()
  await app.run(seedFleet({ workspaceId: own.workspaceId, devices: DEVICES }))
  const other = await app.workspace(own.organizationId)
  await app.run(seedFleet({ workspaceId: other.workspaceId, devices: 50 }))
  all = await readReference(own.workspaceId)
  places = new Map((await readMapSites(own.workspaceId)).map((place) => [place.id, place]))
  siteIds = [...new Set(all.flatMap(({ site }) => (site === null ? [] : [site])))]
})

const orders: Record<string, (a: Reference, b: Reference) => number> = {
  newest: () => 0,
  name: (a, b) => Buffer.compare(Buffer.from(a.name.toLowerCase()), Buffer.from(b.name.toLowerCase())),
  "last-reported": (a, b) => (b.at?.getTime() ?? -Infinity) - (a.at?.getTime() ?? -Infinity) || 0,
  "longest-silent": (a, b) => (a.at?.getTime() ?? Infinity) - (b.at?.getTime() ?? Infinity) || 0
}

describe(`the fleet with random filters, seed ${seed}`, () => {
  test("counts, windows, files and maps agree with a plain filter over all devices", async () => {
    const random = new Random(seed)
    for (let run = 0; run < 25; run++) {
      const query = run === 0 ? {} : randomQuery(random)
      const { body: fleet } = await get(`?${search(query)}`)
      const matches = all.filter((device) => accepts(device, query, Date.parse(fleet.asOf)))
      const said = `${run} ${search(query)}`

      expect([said, fleet.devices]).toEqual([said, matches.length])
      for (const { devices, type } of fleet.types) {
        expect(devices).toBe(matches.filter((device) => device.type === type).length)
      }
      for (const { devices, slug } of fleet.manufacturers) {
        expect(devices).toBe(matches.filter(({ manufacturer }) => manufacturer === slug).length)
      }
      for (const [status, devices] of Object.entries(fleet.onlineStatus)) {
        expect(devices).toBe(matches.filter((one) => onlineStatus(one, Date.parse(fleet.asOf)) === status).length)
      }
      const alerts = matches.flatMap((device) => device.alerts)
      for (const [severity, n] of Object.entries(fleet.openAlerts)) {
        expect([said, severity, n]).toEqual([said, severity, alerts.filter((one) => one === severity).length])
      }
      expect(fleet.disconnected).toBe(matches.filter(({ disconnected }) => disconnected).length)

      const sort = random.pick(Object.keys(orders))
      const [offset, limit] = [random.below(matches.length + 3), 1 + random.below(40)]
      const { body: window } = await get(`/devices?${search(query, { sort, offset, limit })}`)
      const expected = matches.toSorted(orders[sort]).slice(offset, offset + limit)
      expect([said, sort, window.data.map(({ id }: any) => id)]).toEqual([said, sort, expected.map(({ id }) => id)])
      expect(window).toMatchObject({ totalItems: matches.length, offset, limit })
      window.data.forEach((row: any, index: number) => {
        const device = expected[index]!
        expect(row).toMatchObject({
          name: device.name,
          type: device.type,
          serialNumber: device.serial,
          siteId: device.site,
          openAlerts: device.alerts.length,
          status: device.disconnected ? "disconnected" : "connected",
          onlineStatus: onlineStatus(device, Date.parse(window.asOf)),
          lastReportedAt: device.at?.toISOString() ?? null
        })
        if (row.figure !== null) expect(row.figure.at).toBe(row.lastReportedAt)
      })

      const zoom = random.below(6)
      const { body: map } = await get(`/map?${search(query, { zoom })}`)
      const size = cellSize(wholeEarth, zoom)
      const isFiltered = Object.keys(query).length > 0
      const cells = gather(matches, isFiltered, size, Date.parse(map.asOf))
      expect([said, map.cells.length]).toEqual([said, cells.size])
      for (const { alerts: n, devices, lat, lon, online, site, sites } of map.cells) {
        const cell = cells.get(`${Math.floor(lat / size)} ${Math.floor(lon / size)}`)!
        const counted = { sites: cell.sites.size, devices: cell.devices, online: cell.online, alerts: cell.alerts }
        expect([said, { sites, devices, online, alerts: n }]).toEqual([said, counted])
        const [single] = cell.sites
        expect(site).toEqual(sites === 1 ? { id: single, name: places.get(single!)!.name } : undefined)
      }
      const unplaced = matches.filter((one) => one.site !== null && !places.has(one.site))
      expect([said, map.withoutCoordinates.devices]).toEqual([said, unplaced.length])
      if (isFiltered) expect(map.withoutCoordinates.sites).toBe(new Set(unplaced.map((one) => one.site)).size)
      else expect(map.withoutCoordinates.sites + places.size).toBe(fleet.sites)
      expect([said, map.withoutSite]).toEqual([said, matches.filter((one) => one.site === null).length])

      const { text } = await get(`/devices.csv?${search(query)}`)
      const ids = text
        .split("\r\n")
        .slice(1, -1)
        .map((line) => line.slice(0, line.indexOf(",")))
      expect([said, ids]).toEqual([said, matches.map(({ id }) => id)])
    }
  })
})

describe("a window", () => {
  test("has the main figure of each type with its unit and its own time", async () => {
    const figures = new Map<string, any>()
    for (const type of ["battery", "inverter", "thermostat", "charger", "vehicle", "water_heater", "meter", "other"]) {
      const { body } = await get(`/devices?type=${type}&onlineStatus=online&limit=1`)
      figures.set(type, body.data[0].figure)
      if (type !== "other") expect(body.data[0].figure.at).toBe(body.data[0].lastReportedAt)
    }
    const short = (type: string) => figures.get(type).values.map(({ field, unit }: any) => `${field} ${unit}`)
    expect(short("battery")).toEqual(["chargePercentage percent", "chargeRate W"])
    expect(short("inverter")).toEqual(["power W"])
    expect(short("meter")).toEqual(["power W"])
    expect(short("thermostat")).toEqual(["ambientTemperature degF"])
    expect(short("charger")).toEqual(["chargerWattage W"])
    expect(short("vehicle")).toEqual(["chargePercentage percent"])
    expect(short("water_heater")).toEqual(["waterTemperature degF", "power W"])
    expect(figures.get("other")).toBeNull()
  })

  test("names the site and its first customer", async () => {
    const { body } = await get("/devices?limit=200")
    const named = body.data.filter(({ customerName }: any) => customerName !== null)
    expect(named.length).toBeGreaterThan(100)
    for (const { customerName, siteName } of named) {
      expect(customerName).toMatch(/^Ada Customer \d+$/)
      expect(siteName).toMatch(/^(Home \d+|\d+ Main Street, Springfield)$/)
    }
  })

  test("beyond the last row is empty and has the total", async () => {
    const { body } = await get("/devices?offset=1000000&limit=200")
    expect(body).toMatchObject({ data: [], totalItems: DEVICES, offset: 1_000_000, limit: 200 })
  })

  test.each([
    ["limit=201", "limit"],
    ["limit=0", "limit"],
    ["offset=1000001", "offset"],
    ["sort=type", "sort"],
    ["status=gone", "status.0"],
    ["q=", "q"],
    ["unknown=1", "unknown"]
  ])("with %s is VALIDATION_ERROR", async (query, field) => {
    const response = await app.call("GET", `/dashboard/api/fleet/devices?${query}`, { key: own.keys.MANAGEMENT })
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.details)).toEqual([field])
  })
})

test("hidden alerts are not counted, and the counts are those of the list of alerts", async () => {
  const place = await app.workspace()
  await app.run(seedFleet({ workspaceId: place.workspaceId, devices: 400 }))
  const rules = { minimumSeverity: "WARNING" }
  await app.call("PUT", "/dashboard/api/alert-configuration", { key: place.keys.MANAGEMENT, body: rules })
  const { body: fleet } = await get("", place.keys.MANAGEMENT)
  const { body: list } = await app.call("GET", "/v1/alerts?status=OPEN,ACKNOWLEDGED&perPage=1", {
    key: place.keys.SERVER
  })
  expect(fleet.openAlerts.INFO).toBe(0)
  expect(fleet.openAlerts.CRITICAL + fleet.openAlerts.WARNING).toBe(list.totalItems)
})

describe("the file", () => {
  test("has a header, quotes cells with commas and guards cells that a spreadsheet would compute", async () => {
    const place = await app.workspace()
    await app.run(seedFleet({ workspaceId: place.workspaceId, devices: 4 }))
    await app.sql(
      (sql) =>
        sql`UPDATE devices SET serial_number = '@SUM(A1), "quoted"', model = ' ＝1+1' WHERE workspace_id = ${place.workspaceId}`
    )
    const response = await get("/devices.csv", place.keys.MANAGEMENT)
    expect(response.headers.get("content-type")).toMatch(/^text\/csv/)
    expect(response.headers.get("x-left-out")).toBeNull()
    const [header, ...lines] = response.text.trimEnd().split("\r\n")
    const names = header!.split(",")
    const rows = lines.map((line) => {
      const cells = splitCells(line) as ReadonlyArray<{ readonly text: string }>
      return Object.fromEntries(names.map((name, index) => [name, cells[index]!.text]))
    })
    expect(rows).toHaveLength(4)
    for (const row of rows) {
      expect(row["serialNumber"]).toBe(`'@SUM(A1), "quoted"`)
      expect(row["model"]).toBe("' ＝1+1")
      expect(row["name"]).not.toMatch(/^[=+\-@]/)
    }
    expect(rows.some(({ name }) => name!.startsWith("'=Porch"))).toBe(true)
  })

  test("has the devices of a selection alone, in its order and within the other filters", async () => {
    const chosen = all.filter((_, index) => index % 17 === 3).slice(0, 40)
    const lines = async (query: string) => {
      const { text } = await get(`/devices.csv?${query}`)
      return text
        .trimEnd()
        .split("\r\n")
        .slice(1)
        .map((line: string) => line.split(",")[0])
    }
    const ids = chosen.map(({ id }) => id)
    expect(await lines(`id=${ids.toReversed().join()}`)).toEqual(ids)
    const batteries = chosen.filter(({ type }) => type === "battery").map(({ id }) => id)
    expect(await lines(`id=${ids.join()}&type=battery`)).toEqual(batteries)
    const stranger = await app.workspace()
    await app.run(seedFleet({ workspaceId: stranger.workspaceId, devices: 1 }))
    const strange = await app.sql<{ readonly id: string }>(
      (sql) => sql`SELECT id FROM devices WHERE workspace_id = ${stranger.workspaceId}`
    )
    expect(await lines(`id=${strange[0]!.id}`)).toEqual([])
  })
})

describe("the map", () => {
  test("has single sites at a high zoom and together at a low one, never more than 4096 cells", async () => {
    const { body: near } = await get("/map?zoom=20")
    const { body: far } = await get("/map?zoom=0")
    const sites = (map: any) => map.cells.reduce((sum: number, cell: any) => sum + cell.sites, 0)
    expect(sites(near)).toBe(sites(far))
    expect(far.cells.length).toBeLessThan(40)
    expect(near.cells.length).toBeGreaterThan(far.cells.length)
    expect(near.cells.length).toBeLessThanOrEqual(4096)
    for (const cell of near.cells) expect(cell.site === undefined).toBe(cell.sites > 1)
  })

  test("has the sites within its box only, also across the 180th meridian", async () => {
    const [place] = await app.sql(
      (sql) =>
        sql<{
          readonly latitude: number
          readonly longitude: number
          readonly id: string
        }>`SELECT id, latitude, longitude
        FROM sites WHERE workspace_id = ${own.workspaceId} AND latitude IS NOT NULL ORDER BY id LIMIT 1`
    )
    const { id, latitude, longitude } = place!
    const box = [longitude - 0.01, latitude - 0.01, longitude + 0.01, latitude + 0.01]
      .map((n) => n.toFixed(6))
      .join(",")
    const { body } = await get(`/map?bbox=${box}&zoom=20`)
    expect(body.cells.some((cell: any) => cell.site?.id === id || cell.sites > 1)).toBe(true)
    const [east, west] = await Promise.all(["170,-90,-170,90", "-170,-90,170,90"].map((one) => get(`/map?bbox=${one}`)))
    const { body: whole } = await get("/map")
    const sum = (map: any) => map.cells.reduce((n: number, cell: any) => n + cell.sites, 0)
    expect(sum(east!.body) + sum(west!.body)).toBe(sum(whole))
  })

  test.each(["1,2,3", "0,10,1,5", "0,0,200,1", "a,b,c,d", "0,0,0,1"])("refuses the box %s", async (bbox) => {
    const response = await app.call("GET", `/dashboard/api/fleet/map?bbox=${bbox}`, { key: own.keys.MANAGEMENT })
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.details)).toEqual(["bbox"])
  })
})

test("an empty workspace has an empty fleet", async () => {
  const place = await app.workspace()
  const key = place.keys.MANAGEMENT
  expect((await get("", key)).body).toMatchObject({ devices: 0, types: [], manufacturers: [], sites: 0, customers: 0 })
  expect((await get("/devices", key)).body).toMatchObject({ data: [], totalItems: 0 })
  expect((await get("/map", key)).body).toMatchObject({ cells: [], withoutSite: 0 })
  expect((await get("/devices.csv", key)).text.split("\r\n")).toHaveLength(2)
})
