import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"

const app = useTestApp({ own: true, adapters: builtInAdapters })

const list = async (query: string) => {
  const { keys } = await app.workspace()
  const { body, status } = await app.call("GET", `/v1/products?${query}`, { key: keys.CONNECT })
  expect(status).toBe(200)
  return body
}

describe("the list of products", () => {
  test("tells how a product is linked, its devices and commands, and with whom that was tested", async () => {
    const { data } = await list("q=wallbox+pulsar+plus")
    expect(data[0]).toEqual({
      name: "Wallbox Pulsar Plus",
      manufacturer: "ocpp",
      manufacturerName: "OCPP charging station",
      deviceTypes: ["charger"],
      commands: ["charger:set-operating-mode"],
      connection: "inbound",
      provenAgainst: "Simulated stations of other authors, not the product"
    })
  })

  test("has templates, and device models that an adapter links or that report by themselves", async () => {
    const first = async (q: string) => (await list(`q=${encodeURIComponent(q)}`)).data[0]
    expect(await first("sonnenbatterie eco")).toMatchObject({ manufacturer: "sonnen", connection: "form" })
    expect(await first("sonnenBatterie 10")).toMatchObject({ connection: "form", deviceTypes: ["battery"] })
    // Tesla's adapter needs settings, and FranklinWH has none.
    expect(await first("Powerwall 3")).toMatchObject({ manufacturer: "tesla", connection: null, provenAgainst: null })
    expect(await first("aPower X")).toMatchObject({ manufacturer: "franklinwh", connection: null })
    // The adapter of SMA reads no meter.
    expect(await first("Energy Meter 2.0")).toMatchObject({ manufacturer: "sma", connection: null })
    expect(await first("IQ Battery 5P")).toMatchObject({ manufacturer: "enphase", connection: "form" })
  })

  test("has pages and filters", async () => {
    const all = await list("perPage=100")
    expect(all.totalItems).toBeGreaterThan(150)
    const stations = await list("manufacturer=ocpp&perPage=100&page=1")
    expect(stations.totalItems).toBe(91)
    expect((await list("q=battery&type=thermostat")).data).toEqual([])
    expect((await list("manufacturer=ocpp&type=charger&perPage=2&page=2")).data).toEqual(stations.data.slice(2, 4))
  })
})
