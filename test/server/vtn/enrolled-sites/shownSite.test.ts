import { nameForms, siteAttributes, siteNames, siteTargets } from "@edp/server/vtn/enrolled-sites/shownSite"
import { describe, expect, test } from "vitest"

const id = `c${"1".repeat(24)}`
const site = {
  id,
  name: null,
  streetOne: "1 Capitol Mall",
  streetTwo: null,
  city: "Sacramento",
  state: "CA",
  postalCode: "95814",
  latitude: 38.5767,
  longitude: -121.4934,
  tags: []
}
const length = (name: string) => [...name].length

describe("the resource of a site", () => {
  test("has the name of the site, else its address, with the id where that is taken", () => {
    expect(siteNames({ ...site, name: "Home" })).toEqual(["Home", `Home ${id}`])
    const address = "1 Capitol Mall, Apt 5, Sacramento, CA 95814"
    expect(siteNames({ ...site, streetTwo: "Apt 5" })).toEqual([address, `${address} ${id}`])
  })

  test("has no name that is longer than 128 characters, nor half a character", () => {
    for (const name of ["x".repeat(255), "🏠".repeat(255)]) {
      for (const form of nameForms(name, id)) {
        expect(length(form)).toBe(128)
        expect(form.isWellFormed()).toBe(true)
      }
    }
    expect(nameForms("🏠".repeat(255), id)[1].endsWith(` ${id}`)).toBe(true)
  })

  test("is described by its address, and by its location if that is known", () => {
    const described = { type: "DESCRIPTION", values: ["1 Capitol Mall, Sacramento, CA 95814"] }
    expect(siteAttributes(site)).toEqual([described, { type: "LOCATION", values: [-121.4934, 38.5767] }])
    expect(siteAttributes({ ...site, latitude: null, longitude: null })).toEqual([described])
  })

  test("has the tags of the site as targets, each once", () => {
    expect(siteTargets({ ...site, tags: ["feeder-7", "pilot", "feeder-7"] })).toEqual(["feeder-7", "pilot"])
  })
})
