import { readFields } from "@edp/server/connections/flow/forms"
import { readAddress, readCustomer } from "@edp/server/platform/pages/personForm"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { describe, expect, test } from "vitest"

const person = { firstName: " Ada ", lastName: "Okafor", email: "ada@example.com", phone: "" }
const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }

describe("a person's form", () => {
  test("is read without spaces around its lines, and without those that are empty", () => {
    expect(readCustomer({ ...person, ...address, streetTwo: " " }, true).value).toEqual({
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      location: { ...address, country: "USA" }
    })
  })

  test("shows what was typed, with a problem for each wrong field", () => {
    const { form, value } = readCustomer({ firstName: "x".repeat(101), email: "ada@", phone: "123" }, true)
    expect(value).toBeUndefined()
    expect(form.values.email).toBe("ada@")
    expect(form.problems).toEqual({
      firstName: "too_long",
      lastName: "required",
      email: "invalid_email",
      phone: "invalid_phone",
      streetOne: "required",
      city: "required",
      state: "required",
      postalCode: "required"
    })
  })

  test("does not ask for an address where the site is known", () => {
    expect(readCustomer(person, false).value).toEqual({
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com"
    })
  })

  test("takes no fields that it does not have, and none of the language's own", () => {
    const odd = JSON.parse('{"__proto__": {"city": "Sacramento"}, "id": "1", "customerId": "c1"}')
    expect(Object.keys(readAddress({ ...odd, ...address, city: "Sacramento" }).form.values).sort()).toEqual(
      ["city", "country", "postalCode", "state", "streetOne", "streetTwo"].sort()
    )
    expect(readAddress(Object.create({ ...address, city: "Sacramento" })).value).toBeUndefined()
  })
})

describe("a manufacturer's form", () => {
  const label = { en: "Label", es: "Etiqueta" }
  const fields: ReadonlyArray<FormField> = [
    { name: "host", label, kind: "host", required: true },
    { name: "port", label, kind: "integer", minimum: 1, maximum: 65_535, required: true },
    { name: "unit", label, kind: "choice", choices: [{ value: "a", label }], required: false },
    { name: "password", label, kind: "password", required: false }
  ]

  test.each([
    [{ host: "inverter.local", port: "502", unit: "a", password: " p " }, {}],
    [{ host: "192.0.2.7", port: "65535" }, {}],
    [{ host: "[2001:db8::1]", port: "1" }, {}],
    [{}, { host: "required", port: "required" }],
    [
      { host: "http://inverter/", port: "0" },
      { host: "invalid_host", port: "invalid_number" }
    ],
    [
      { host: "inverter:502", port: "1e3" },
      { host: "invalid_host", port: "invalid_number" }
    ],
    [
      { host: "a b", port: "1", unit: "b" },
      { host: "invalid_host", unit: "invalid_choice" }
    ],
    [{ host: "x".repeat(256), port: "1" }, { host: "too_long" }]
  ])("with %j has the problems %j", (given, problems) => {
    const { form, value } = readFields(fields, given as never)
    expect(form.problems).toEqual(problems)
    expect(value === undefined).toBe(Object.keys(problems).length > 0)
  })

  test("never shows a password again, and reads it as it was typed", () => {
    const { form, value } = readFields(fields, { host: "inverter", port: "502", password: " secret " })
    expect(value!.password).toBe(" secret ")
    expect(JSON.stringify(form)).not.toContain("secret")
  })
})
