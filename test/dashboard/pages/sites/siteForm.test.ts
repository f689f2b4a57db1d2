import { customerChanges, customerToCreate, formFromCustomer } from "@edp/dashboard/pages/customers/customerForm"
import { emptySite, formFromSite, siteChanges, siteToCreate } from "@edp/dashboard/pages/sites/siteForm"
import { CreateSite, Site, UpdateSite } from "@edp/domain/sites/Site"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"

const home = {
  ...emptySite,
  streetOne: " 1 Capitol Mall ",
  city: "Sacramento",
  state: "CA",
  postalCode: "95814"
}

describe("the form of a site", () => {
  it("leaves out what is empty, so that the service locates the address", () => {
    expect(siteToCreate(home)).toEqual({
      address: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    })
  })

  it.prop("changes nothing when nothing was typed", [Site], ([site]) => {
    const form = formFromSite(site)
    expect(siteChanges(form, { ...form })).toEqual({})
  })

  it("sends what was changed, null for what was emptied, and coordinates only if they were changed", () => {
    const before = { ...home, name: "Home", latitude: "38.5", longitude: "-121.4", tags: "pilot", maxImportW: "11000" }
    const after = {
      ...before,
      name: " ",
      streetTwo: "Apt 5",
      tags: "pilot, roof , pilot",
      maxImportW: "",
      maxExportW: "0"
    }
    const changes = siteChanges(before, after)
    expect(changes).toEqual({
      name: null,
      address: { streetTwo: "Apt 5" },
      tags: ["pilot", "roof"],
      maxImportW: null,
      maxExportW: 0
    })
    expect(Schema.is(UpdateSite)(changes)).toBe(true)
    expect(siteChanges(before, { ...before, latitude: "", longitude: "" })).toEqual({ location: null })
  })

  it("has the contract refuse a wrong value with its field", () => {
    const send = () => Schema.encodeUnknownSync(CreateSite)(siteToCreate({ ...home, timezone: "Mars/Olympus" }))
    expect(send).toThrow(/IANA database[^]*timezone/)
  })
})

describe("the form of a customer", () => {
  it("leaves out what is empty, and clears what was emptied", () => {
    const empty = formFromCustomer(undefined)
    const ada = { ...empty, firstName: " Ada " }
    expect(customerToCreate(ada)).toEqual({ firstName: "Ada" })
    expect(customerChanges(ada, { ...ada, firstName: "", email: "ada@example.com" })).toEqual({
      firstName: null,
      email: "ada@example.com"
    })
    expect(customerChanges(ada, { ...ada, firstName: "Ada" })).toEqual({})
  })
})
