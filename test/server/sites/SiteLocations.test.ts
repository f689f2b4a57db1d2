import { beforeAll, afterAll, beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { seedSite, someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { StubGeocoder } from "../../support/peers/stubGeocoder.ts"

const geocoder = new StubGeocoder()
beforeAll(() => geocoder.start())
afterAll(() => geocoder.stop())
const app = useTestApp({
  env: {
    get GEOCODER() {
      return geocoder.url
    }
  }
})
beforeEach(() => {
  geocoder.asked.length = 0
  geocoder.place = { latitude: 38.5, longitude: -121.5, county: "Sacramento County" }
  geocoder.respond = (response) => geocoder.found(response)
})

const arrange = async () => {
  const place = await app.workspace()
  const key = place.keys.SERVER
  return {
    ...place,
    call: (method: string, path: string, body?: unknown) =>
      app.call(method, path, { key, ...(body === undefined ? {} : { body }) }),
    create: (fields: object = {}) => seedSite(app, key, fields)
  }
}

const readCounty = async (id: string) => {
  const [row] = await app.sql<{ county: string | null }>((sql) => sql`SELECT county FROM sites WHERE id = ${id}`)
  return row!.county
}

const location = { latitude: 1, longitude: 2 }

describe("the location of a site", () => {
  test("is looked up for the address of a new site, and its county is stored", async () => {
    const { create } = await arrange()
    const address = someAddress()
    const site = await create({ address })
    expect(geocoder.asked).toEqual([address.streetOne])
    expect(site.location).toEqual({ latitude: 38.5, longitude: -121.5 })
    expect(await readCounty(site.id)).toBe("Sacramento County")
  })

  test("is looked up once for a change, however often other changes come between", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ location })
    const address = someAddress()
    let changes = 0
    // The other change is stored while the address is looked up.
    geocoder.respond = async (response) => {
      await call("PATCH", `/v1/sites/${id}`, { name: `Name ${++changes}` })
      geocoder.found(response)
    }
    const { body, status } = await call("PATCH", `/v1/sites/${id}`, { address })
    expect([status, body.address.streetOne, body.name]).toEqual([200, address.streetOne, "Name 1"])
    expect(geocoder.asked).toEqual([address.streetOne])
  })

  test("is not looked up if coordinates are given, or if the address is taken or invalid", async () => {
    const { create, call } = await arrange()
    const address = someAddress()
    await create({ address, location })
    expectError(await call("POST", "/v1/sites", { address }), 400, "SITE_ALREADY_EXISTS")
    const misplaced = { address: someAddress(), location: { latitude: 91, longitude: 0 } }
    expectError(await call("POST", "/v1/sites", misplaced), 400, "INVALID_LOCATION")
    const blank = { address: { ...someAddress(), city: " " } }
    expectError(await call("POST", "/v1/sites", blank), 400, "VALIDATION_ERROR", { "address.city": expect.any(String) })
    expect(geocoder.asked).toEqual([])
  })

  test("is looked up when the address changes, and not for another spelling or without a change", async () => {
    const { create, call } = await arrange()
    const address = someAddress()
    const { id } = await create({ address })
    geocoder.asked.length = 0
    await call("PATCH", `/v1/sites/${id}`, { name: "Home", tags: ["pilot"] })
    await call("PATCH", `/v1/sites/${id}`, { address: { ...address, country: "US", postalCode: "95814-1234" } })
    expect(geocoder.asked).toEqual([])
    geocoder.place = { latitude: 39, longitude: -122, county: "Yolo County" }
    const moved = someAddress()
    const { body } = await call("PATCH", `/v1/sites/${id}`, { address: moved })
    expect(geocoder.asked).toEqual([moved.streetOne])
    expect(body.location).toEqual({ latitude: 39, longitude: -122 })
    expect(await readCounty(id)).toBe("Yolo County")
  })

  test("is taken from coordinates that are given with a new address, whose county is then unknown", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    geocoder.asked.length = 0
    const { body } = await call("PATCH", `/v1/sites/${id}`, { address: someAddress(), location })
    expect([body.location, geocoder.asked]).toEqual([location, []])
    expect(await readCounty(id)).toBeNull()
  })

  test("may be corrected or cleared alone: the county belongs to the address and is kept", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    expect((await call("PATCH", `/v1/sites/${id}`, { location })).body.location).toEqual(location)
    expect((await call("PATCH", `/v1/sites/${id}`, { location: null })).body.location).toBeNull()
    expect(await readCounty(id)).toBe("Sacramento County")
  })
})

describe("a geocoder that fails", () => {
  test("500 LOCATION_SERVICE_ERROR from POST, and no site is created", async () => {
    const { call } = await arrange()
    geocoder.respond = (response) => {
      response.writeHead(503).end()
    }
    expectError(await call("POST", "/v1/sites", { address: someAddress() }), 500, "LOCATION_SERVICE_ERROR")
    expect((await call("GET", "/v1/sites")).body.totalItems).toBe(0)
  })

  test("500 LOCATION_SERVICE_ERROR from PATCH, and nothing changes", async () => {
    const { create, call } = await arrange()
    const site = await create()
    geocoder.respond = (response) => {
      response.socket?.destroy()
    }
    const reply = await call("PATCH", `/v1/sites/${site.id}`, { name: "Moved", address: someAddress() })
    expectError(reply, 500, "LOCATION_SERVICE_ERROR")
    expect((await call("GET", `/v1/sites/${site.id}`)).body).toEqual(site)
  })

  test("400 INVALID_LOCATION if it does not find the address", async () => {
    const { call } = await arrange()
    geocoder.respond = (response) => {
      response.setHeader("content-type", "application/json").end("[]")
    }
    expectError(await call("POST", "/v1/sites", { address: someAddress() }), 400, "INVALID_LOCATION")
  })
})

describe("while the geocoder is running", () => {
  test("no transaction is open: other requests are served", async () => {
    const { call } = await arrange()
    const other = await arrange()
    geocoder.respond = async (response) => {
      // In an embedded database an open transaction would keep this one waiting for ever.
      expect((await other.call("GET", "/v1/sites")).status).toBe(200)
      geocoder.found(response)
    }
    expect((await call("POST", "/v1/sites", { address: someAddress() })).status).toBe(201)
  })

  test("another creation may take the address: 400 SITE_ALREADY_EXISTS for the later one", async () => {
    const { call } = await arrange()
    const address = someAddress()
    geocoder.respond = async (response) => {
      expect((await call("POST", "/v1/sites", { address, location })).status).toBe(201)
      geocoder.found(response)
    }
    expectError(await call("POST", "/v1/sites", { address }), 400, "SITE_ALREADY_EXISTS")
    expect((await call("GET", "/v1/sites")).body.data).toMatchObject([{ location }])
  })

  test("another change of the address may be stored: the location fits the stored address", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const [mine, theirs] = [someAddress(), someAddress()]
    geocoder.asked.length = 0
    geocoder.respond = async (response) => {
      geocoder.respond = (next) => geocoder.found(next)
      await call("PATCH", `/v1/sites/${id}`, { address: theirs, location })
      geocoder.found(response)
    }
    const { status, body } = await call("PATCH", `/v1/sites/${id}`, { address: mine })
    expect([status, body.address.streetOne, body.location]).toEqual([
      200,
      mine.streetOne,
      { latitude: 38.5, longitude: -121.5 }
    ])
    expect(geocoder.asked).toEqual([mine.streetOne])
  })

  test("the site may be deleted: 404 SITE_NOT_FOUND", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    geocoder.respond = async (response) => {
      await call("DELETE", `/v1/sites/${id}`)
      geocoder.found(response)
    }
    expectError(await call("PATCH", `/v1/sites/${id}`, { address: someAddress() }), 404, "SITE_NOT_FOUND")
  })
})
