import { describe, expect, test } from "vitest"
import { arrangeCustomers } from "../../server/customers/arrangeCustomers.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await arrangeCustomers(app)
  return { ...place, edp: makeCli(app, place) }
}
const listIds = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) => data.map(({ id }) => id)
const address = "1 Capitol Mall, Sacramento, CA 95814"

describe("edp sites", () => {
  test("create adds a site from an address in one flag or in several, and prints it", async () => {
    const { create, edp } = await arrange()
    const { id } = await create({ referenceId: "user-1" })
    const whole = await edp("sites", "create", "--address", address, "--street-two", "Suite 4", "--json")
    expect(whole.json().address).toMatchObject({
      streetOne: "1 Capitol Mall",
      streetTwo: "Suite 4",
      city: "Sacramento"
    })
    const lines = ["--street", "2 Capitol Mall", "--city", "Sacramento", "--state", "CA", "--postal-code", "95814"]
    const place = ["--latitude", "38.5", "--longitude", "-121.4", "--timezone", "America/Los_Angeles"]
    const limits = ["--max-import", "11000", "--max-export", "0"]
    const names = ["--name", "Home", "--reference-id", "home-1", "--tag", "pilot", "--tag", "roof", ...limits]
    const site = (await edp("sites", "create", ...lines, ...place, ...names, "--customer", "user-1", "--json")).json()
    expect(site).toMatchObject({
      name: "Home",
      referenceId: "home-1",
      location: { latitude: 38.5, longitude: -121.4 },
      timezone: "America/Los_Angeles",
      tags: ["pilot", "roof"],
      maxImportW: 11_000,
      maxExportW: 0,
      customerIds: [id]
    })
  })

  test("create reports a second site at an address with the service's code and exit code 1", async () => {
    const { edp } = await arrange()
    expect((await edp("sites", "create", "--address", address)).code).toBe(0)
    const again = await edp("sites", "create", "--address", address.toUpperCase())
    expect([again.code, again.stderr.split(":")[0]]).toEqual([1, "SITE_ALREADY_EXISTS"])
  })

  test.each([
    ["without an address", ["create", "--name", "Home"]],
    ["with half an address", ["create", "--street", "1 Capitol Mall", "--city", "Sacramento"]],
    ["with an address twice", ["create", "--address", address, "--city", "Davis"]],
    ["with an address that can't be read", ["create", "--address", "Sacramento"]],
    ["with half a place", ["create", "--address", address, "--latitude", "38"]],
    ["that changes nothing", ["update", "home-1"]],
    ["that changes and empties a field", ["update", "home-1", "--name", "Home", "--clear", "name"]],
    ["that links nothing", ["link", "home-1"]],
    ["that links two at once", ["link", "home-1", "--customer", "a", "--device", "b"]]
  ])("a command line %s exits with 2", async (_, args) => {
    const { edp } = await arrange()
    expect(await edp("sites", ...args)).toMatchObject({ code: 2, stdout: "" })
  })

  test("list takes every filter of the API", async () => {
    const { create, edp, site } = await arrange()
    const customer = await create()
    const home = await site({ name: "Home", referenceId: "home-1", tags: ["pilot"], customerId: customer.id })
    const davis = { streetOne: "5 B Street", city: "Davis", state: "CA", postalCode: "95616" }
    const other = await site({ name: "Shop", tags: ["roof"], address: davis })
    const list = async (...flags: ReadonlyArray<string>) =>
      listIds((await edp("sites", "list", "--json", ...flags)).json())
    expect(await list()).toEqual([other.id, home.id])
    expect(await list("--all")).toEqual([other.id, home.id])
    expect(await list("--per-page", "1", "--page", "2")).toEqual([home.id])
    expect(await list("--reference-id", "home-1")).toEqual([home.id])
    expect(await list("--customer", customer.id)).toEqual([home.id])
    expect(await list("--state", "California", "--postal-code", "95616")).toEqual([other.id])
    expect(await list("--tag", "pilot", "--tag", "roof")).toEqual([other.id, home.id])
    expect(await list("--q", "shop")).toEqual([other.id])
    const table = await edp("sites", "list", "--tag", "roof")
    expect(table.stdout.split("\n").map((line) => line.split(/ {2,}/u).slice(0, 5))).toEqual([
      ["ID", "NAME", "REFERENCE", "STREET", "CITY"],
      [other.id, "Shop", "-", "5 B Street", "Davis"]
    ])
  })

  test("show finds a site by id and by referenceId, with --weather also the weather", async () => {
    const { edp, site } = await arrange()
    const { id } = await site({ referenceId: "home-1" })
    expect((await edp("sites", "show", id, "--json")).json()).not.toHaveProperty("weather")
    expect((await edp("sites", "show", "home-1", "--weather", "--json")).json()).toMatchObject({ id, weather: null })
    expect((await edp("sites", "show", "home-1", "--weather")).stdout).toMatch(/^weather +unknown$/mu)
  })

  test("reports a referenceId that no site or several sites have", async () => {
    const { edp, site } = await arrange()
    const missing = await edp("sites", "show", "home-1")
    expect(missing.stderr).toBe("SITE_NOT_FOUND: There is no site with the id, referenceId or name home-1")
    const ids = [await site({ referenceId: "home-1" }), await site({ referenceId: "home-1" })].map(({ id }) => id)
    const several = await edp("sites", "show", "home-1")
    expect([several.code, several.stderr.split("\n")]).toEqual([
      1,
      ["SITE_AMBIGUOUS: Several sites are called home-1: use an id", ...ids.toReversed().map((id) => `  ${id}`)]
    ])
  })

  test("update changes the given fields and clears the ones that --clear names", async () => {
    const { edp, site } = await arrange()
    const before = await site({ name: "Home", referenceId: "home-1", timezone: "UTC", tags: ["pilot"] })
    const limited = (await edp("sites", "update", "home-1", "--max-import", "5500", "--json")).json()
    expect(limited.maxImportW).toBe(5500)
    expect((await edp("sites", "show", "home-1")).stdout).toMatch(/^max import +5500 W$/mu)
    const clear = ["--clear", "timezone", "--clear", "tags", "--clear", "max-import"]
    const after = (await edp("sites", "update", "home-1", "--name", "Shop", ...clear, "--json")).json()
    expect(after).toEqual({ ...before, name: "Shop", timezone: null, tags: [], updatedAt: expect.any(String) })
    const moved = (await edp("sites", "update", before.id, "--address", "5 B Street, Davis, CA 95616", "--json")).json()
    expect(moved.address).toMatchObject({ streetOne: "5 B Street", city: "Davis" })
  })

  test("devices lists the devices at a site, link adds one and unlink removes it", async () => {
    const { device, edp, site } = await arrange()
    const { id } = await site({ referenceId: "home-1" })
    const deviceId = await device()
    const there = async () => listIds((await edp("sites", "devices", "home-1", "--json")).json())
    expect(await there()).toEqual([])
    const linked = await edp("sites", "link", "home-1", "--device", `INV-${deviceId}`, "--json")
    expect(linked.json()).toMatchObject({ id: deviceId, siteId: id })
    expect(await there()).toEqual([deviceId])
    const unlinked = await edp("sites", "unlink", "home-1", "--device", deviceId, "--json")
    expect(unlinked.json()).toEqual({ siteId: id, deviceId, unlinked: true })
    expect(await there()).toEqual([])
    expect((await edp("sites", "unlink", "home-1", "--device", deviceId)).stderr).toMatch(/^DEVICE_NOT_FOUND/u)
  })

  test("link associates a customer with a site and unlink separates them", async () => {
    const { create, edp, get, site } = await arrange()
    const { id } = await site({ referenceId: "home-1" })
    const customer = await create({ referenceId: "user-1" })
    const linked = await edp("sites", "link", "home-1", "--customer", "user-1", "--json")
    expect(linked.json()).toMatchObject({ id: customer.id, connectedSiteIds: [id] })
    expect((await edp("sites", "unlink", "home-1", "--customer", "user-1")).code).toBe(0)
    expect((await get(customer.id)).connectedSiteIds).toEqual([])
  })

  test("delete requires --yes without a terminal, and prints what it deleted", async () => {
    const { edp, site } = await arrange()
    const { id } = await site({ name: "Home", referenceId: "home-1" })
    expect(await edp("sites", "delete", "home-1")).toMatchObject({ code: 2, stdout: "" })
    expect((await edp("sites", "delete", "home-1", "--yes", "--json")).json()).toEqual({ id, deleted: true })
    expect((await edp("sites", "delete", id, "--yes")).stderr).toMatch(/^SITE_NOT_FOUND/u)
  })
})
