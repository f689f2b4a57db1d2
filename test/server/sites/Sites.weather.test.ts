import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { seedSite, someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { forecast } from "../../support/peers/forecasts.ts"

let asked = 0
let respond = (response: ServerResponse) => void response.end(JSON.stringify(forecast))
const server = createServer((_, response) => {
  asked += 1
  respond(response)
})
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)))
afterAll(() => new Promise<unknown>((closed) => server.close(closed)))

const app = useTestApp({
  env: {
    get WEATHER_URL() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
  }
})

const arrange = async () => {
  const { keys } = await app.workspace()
  const get = (path: string) => app.call("GET", path, { key: keys.SERVER })
  return { get, create: (fields: object = {}) => seedSite(app, keys.SERVER, fields) }
}

const weather = {
  temperature: 61.3,
  condition: "partly_cloudy",
  cloudCover: 45,
  windSpeed: 7.4,
  observedAt: "2026-03-01T12:00:00.000Z"
}

describe("GET /v1/sites/:id?include=weather", () => {
  test("200 with the weather at the site", async () => {
    const { create, get } = await arrange()
    const site = await create()
    expect((await get(`/v1/sites/${site.id}?include=weather`)).body).toEqual({ ...site, weather })
  })

  test("200 without it there is no field and no lookup", async () => {
    const { create, get } = await arrange()
    const site = await create()
    const before = asked
    expect((await get(`/v1/sites/${site.id}`)).body).toEqual(site)
    expect((await get("/v1/sites")).body.data).toEqual([site])
    expect(asked).toBe(before)
  })

  test("200 null for a site without a location, without a lookup", async () => {
    const { create, get } = await arrange()
    const abroad = { city: "Ottawa", state: "Ontario", postalCode: "K1A 0B1", country: "Canada" }
    const site = await create({ address: { ...someAddress(), ...abroad } })
    const before = asked
    expect((await get(`/v1/sites/${site.id}?include=weather`)).body).toEqual({ ...site, weather: null })
    expect(asked).toBe(before)
  })

  test("200 null when the service fails, and the weather again when it is back", async () => {
    const { create, get } = await arrange()
    const site = await create()
    const working = respond
    respond = (response) => void response.writeHead(503).end()
    expect((await get(`/v1/sites/${site.id}?include=weather`)).body).toEqual({ ...site, weather: null })
    respond = working
    expect((await get(`/v1/sites/${site.id}?include=weather`)).body.weather).toEqual(weather)
  })

  test("400 VALIDATION_ERROR for any other value of include, 404 SITE_NOT_FOUND", async () => {
    const { create, get } = await arrange()
    const { id } = await create()
    expectError(await get(`/v1/sites/${id}?include=rain`), 400, "VALIDATION_ERROR", { include: expect.any(String) })
    const before = asked
    expectError(await get(`/v1/sites/c${"0".repeat(24)}?include=weather`), 404, "SITE_NOT_FOUND")
    expect(asked).toBe(before)
  })
})

describe("without WEATHER_URL", () => {
  const plain = useTestApp()

  test("200 the weather is null", async () => {
    const { keys } = await plain.workspace()
    const site = await seedSite(plain, keys.SERVER)
    const { body } = await plain.call("GET", `/v1/sites/${site.id}?include=weather`, { key: keys.SERVER })
    expect(body).toEqual({ ...site, weather: null })
  })
})
