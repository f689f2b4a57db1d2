import { expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()

test("the customers, devices and sites of a workspace are named by one request, and those of other workspaces are left out", async () => {
  const [own, other] = [await app.workspace(), await app.workspace()]
  const make = async (path: string, body: object, key = own.keys.SERVER): Promise<string> => {
    const response = await app.call("POST", path, { key, body })
    expect(response.status, response.text).toBe(201)
    return response.body.id
  }
  const address = { streetOne: "1 Elm Street", city: "Sacramento", state: "CA", postalCode: "95814" }
  const customers = [
    [await make("/v1/customers", { firstName: "Ada", lastName: "Okafor", email: "ada@example.com" }), "Ada Okafor"],
    [await make("/v1/customers", { lastName: "Brooks" }), "Brooks"],
    [await make("/v1/customers", { email: "eve@example.com", referenceId: "user-3" }), "eve@example.com"],
    [await make("/v1/customers", { referenceId: "user-4" }), "user-4"]
  ] as const
  const nameless = await make("/v1/customers", {})
  const sites = [
    [await make("/v1/sites", { name: "Home", address }), "Home"],
    [await make("/v1/sites", { address: { ...address, streetOne: "2 Elm Street" } }), "2 Elm Street"]
  ] as const
  const strange = await make("/v1/customers", { firstName: "Mallory" }, other.keys.SERVER)
  const customerId = [...customers.map(([id]) => id), nameless, strange, "none"].join()
  const list = (query: string) => app.call("GET", `/dashboard/api/names?${query}`, { key: own.keys.MANAGEMENT })
  const { body } = await list(`customerId=${customerId}&siteId=${sites.map(([id]) => id).join()}`)
  const pairs = (records: ReadonlyArray<{ readonly id: string; readonly name: string }>) =>
    new Set(records.map(({ id, name }) => `${id} ${name}`))
  const given = (records: ReadonlyArray<readonly [id: string, name: string]>) =>
    new Set(records.map((each) => each.join(" ")))
  expect(pairs(body.customers)).toEqual(given([...customers, [nameless, nameless]]))
  expect(pairs(body.sites)).toEqual(given(sites))
  expect((await list("")).body).toEqual({ customers: [], devices: [], sites: [] })
  const many = Array(101).fill("x").join()
  expectError(await list(`siteId=${many}`), 400, "VALIDATION_ERROR", { siteId: "Must be at most 100 values" })
})
