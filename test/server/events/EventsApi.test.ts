import { describe, expect, test } from "vitest"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeEvents, type EventScene } from "./arrangeEvents.ts"

const app = useTestApp()

const sequences = (events: ReadonlyArray<any>) => events.map(({ sequence }) => sequence)
const types = (events: ReadonlyArray<any>) => events.map(({ type }) => type)

/** Two sites, a device at the second, an alert of it, and a customer: seven events with that of the scene's own site. */
const eventful = async (scene: EventScene) => {
  const first = await scene.call("POST", "/v1/sites", { address: someAddress() })
  const second = await scene.call("POST", "/v1/sites", { address: someAddress() })
  const device = await scene.device("inverter", { siteId: second.id })
  const alert = await scene.call("POST", "/v1/alerts", {
    siteId: second.id,
    deviceId: device.id,
    title: "Dark",
    sourceSystem: "watch",
    severity: "INFO"
  })
  const customer = await scene.call("POST", "/v1/customers", { firstName: "Ada" })
  return { first, second, device, alert, customer }
}

const arrange = async () => {
  const scene = await arrangeEvents(app)
  const records = await eventful(scene)
  const list = (query = "") => scene.call("GET", `/v1/events?perPage=100${query}`)
  const refused = async (query: string) => {
    const response = await app.call("GET", `/v1/events?${query}`, { key: scene.keys.SERVER })
    return [response.status, response.body.code, Object.keys(response.body.details ?? {})]
  }
  return { ...scene, ...records, list, refused }
}

const inOrder = [
  "SITE_CREATED",
  "SITE_CREATED",
  "SITE_CREATED",
  "DEVICE_DISCOVERED",
  "DEVICE_CONNECTED",
  "ALERT_CREATED",
  "CUSTOMER_CREATED"
]

describe("GET /v1/events", () => {
  test("lists newest first, with totals", async () => {
    const { call, list } = await arrange()
    expect(types((await list()).data)).toEqual(inOrder.toReversed())
    const page = await call("GET", "/v1/events?perPage=3&page=3")
    expect(page).toMatchObject({ page: 3, perPage: 3, totalItems: 7, totalPages: 3 })
    expect(types(page.data)).toEqual(["SITE_CREATED"])
  })

  test("counts only as far as pages go", async () => {
    const { call, site, workspaceId } = await arrange()
    await app.sql(
      (sql) => sql`INSERT INTO events (id, sequence, workspace_id, type, subject, site_id, created_at, payload)
        SELECT 'c' || lpad(n::text, 24, '0'), nextval('event_sequence'), ${workspaceId}, 'SITE_UPDATED', ${site.id}, ${site.id},
          now(), payload FROM events, generate_series(1, 100100) n WHERE subject = ${site.id} AND events.type = 'SITE_CREATED'`
    )
    expect(await call("GET", "/v1/events?perPage=100")).toMatchObject({ totalItems: 100_000, totalPages: 1000 })
    expect(await call("GET", "/v1/events?type=SITE_CREATED,ALERT_CREATED")).toMatchObject({ totalItems: 4 })
  })

  test("visits everything once by cursor, whatever happens meanwhile", async () => {
    const { call, keys, list } = await arrange()
    const all = sequences((await list()).data)
    const seen: Array<number> = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? "perPage=2" : `perPage=2&cursor=${cursor}`
      const response = await app.call("GET", `/v1/events?${query}`, { key: keys.SERVER })
      seen.push(...sequences(response.body.data))
      cursor = response.headers.get("x-next-cursor")
      await call("POST", "/v1/customers", {})
    } while (cursor !== null)
    expect(seen).toEqual(all)
  })

  test("continues with `after`, oldest first, until the end", async () => {
    const { after, call, list } = await arrange()
    const all = sequences((await list()).data).toReversed()
    expect(sequences(await after(0))).toEqual(all)
    const page = await call("GET", `/v1/events?after=${all[1]}&perPage=2`)
    expect([sequences(page.data), page.perPage, page.totalItems]).toEqual([all.slice(2, 4), 2, undefined])
    expect(await after(all.at(-1))).toEqual([])
    expect(await after(Number.MAX_SAFE_INTEGER)).toEqual([])
  })

  test.each(["", "&after=0"])("filters by type, device and site%s", async (order) => {
    const { device, first, list, second } = await arrange()
    const found = async (query: string) => types((await list(query + order)).data).sort()
    expect(await found("&type=CUSTOMER_CREATED")).toEqual(["CUSTOMER_CREATED"])
    expect(await found("&type=ALERT_CREATED,DEVICE_CONNECTED&type=SITE_DELETED")).toEqual([
      "ALERT_CREATED",
      "DEVICE_CONNECTED"
    ])
    expect(await found(`&deviceId=${device.id}`)).toEqual(["ALERT_CREATED", "DEVICE_CONNECTED", "DEVICE_DISCOVERED"])
    expect(await found(`&siteId=${second.id}`)).toEqual([
      "ALERT_CREATED",
      "DEVICE_CONNECTED",
      "DEVICE_DISCOVERED",
      "SITE_CREATED"
    ])
    expect(await found(`&siteId=${first.id}`)).toEqual(["SITE_CREATED"])
    expect(await found(`&siteId=${second.id}&deviceId=${device.id}&type=ALERT_CREATED,SITE_CREATED`)).toEqual([
      "ALERT_CREATED"
    ])
    expect(await found("&deviceId=nowhere")).toEqual([])
  })

  test("pages several types together in one order", async () => {
    const { call, list } = await arrange()
    const { data } = await list("&type=SITE_CREATED,DEVICE_CONNECTED")
    const paged: Array<any> = []
    for (const page of [1, 2, 3, 4]) {
      paged.push(...(await call("GET", `/v1/events?type=SITE_CREATED,DEVICE_CONNECTED&perPage=1&page=${page}`)).data)
    }
    expect(types(data)).toEqual(["DEVICE_CONNECTED", "SITE_CREATED", "SITE_CREATED", "SITE_CREATED"])
    expect(paged).toEqual(data)
  })

  test.each(["", "&after=0"])(
    "filters by a time range, with its start included and its end excluded%s",
    async (order) => {
      const { list } = await arrange()
      const all = (await list()).data.toReversed()
      const [from, to] = [all[2].timestamp, all[5].timestamp]
      const expected = all.filter(({ timestamp }: any) => timestamp >= from && timestamp < to)
      const { data } = await list(`&from=${from}&to=${to}${order}`)
      expect(sequences(data).sort((a, b) => a - b)).toEqual(sequences(expected))
      expect((await list(`&from=2100-01-01T00:00:00Z${order}`)).data).toEqual([])
      expect((await list(`&to=2000-01-01T00:00:00Z${order}`)).data).toEqual([])
    }
  )

  test("shows nothing of another workspace, with any filter", async () => {
    const [mine, other] = [await arrange(), await arrange()]
    const foreign = new Set(sequences((await other.list()).data))
    for (const query of ["", "&after=0", `&deviceId=${other.device.id}`, `&siteId=${other.second.id}`]) {
      const { data } = await mine.list(query)
      expect(sequences(data).filter((sequence) => foreign.has(sequence))).toEqual([])
    }
    expect((await mine.list(`&deviceId=${other.device.id}`)).totalItems).toBe(0)
  })

  test.each([
    ["after=0&page=1", "page"],
    ["after=0&cursor=WzFd", "cursor"],
    ["after=-1", "after"],
    ["after=x", "after"],
    ["after=9007199254740993", "after"],
    ["cursor=WzFd&page=1", "page"],
    ["cursor=no", "cursor"],
    ["type=SITE_BURNT", "type.0"],
    ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
    ["since=1", "since"]
  ])("400 %s", async (query, field) => {
    const { refused } = await arrangeRefusals()
    expect(await refused(query)).toEqual([400, "VALIDATION_ERROR", [field]])
  })
})

let refusals: ReturnType<typeof arrange> | undefined
const arrangeRefusals = () => (refusals ??= arrange())

describe("GET /v1/events/:id", () => {
  test("returns the event as in the list, and 304 for an unchanged one", async () => {
    const { keys, list } = await arrange()
    for (const event of (await list()).data) {
      const response = await app.call("GET", `/v1/events/${event.id}`, { key: keys.SERVER })
      expect([response.status, response.body]).toEqual([200, event])
      const etag = response.headers.get("etag")!
      const again = await app.call("GET", `/v1/events/${event.id}`, {
        key: keys.SERVER,
        headers: { "If-None-Match": etag }
      })
      expect(again.status).toBe(304)
    }
  })

  test("404 for an unknown id and for one of another workspace", async () => {
    const [mine, other] = [await arrangeRefusals(), await arrange()]
    const [{ id }] = (await other.list()).data
    for (const unknown of [id, "c0000000000000000000000000", "czzzzzzzzzzzzzzzzzzzzzzzz", "nothing"]) {
      const { body, status } = await app.call("GET", `/v1/events/${unknown}`, { key: mine.keys.SERVER })
      expect([status, body.code]).toEqual([404, "NOT_FOUND"])
    }
  })
})
