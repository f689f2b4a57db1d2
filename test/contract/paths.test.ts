import { describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { seedWorld } from "./world.ts"

const app = useTestApp()
const read = async (path: string) => app.call("GET", path, { key: (await app.workspace()).keys.SERVER })

describe("an id in a path", () => {
  test.each([
    ["of one character", "x"],
    ["of upper case", "CMM7P6YO04A9E3I7M1Q5U9Y2C"],
    ["one character too long", `c${"0".repeat(25)}`],
    ["of 300 characters", "a".repeat(300)],
    ["of 8 kB", "a".repeat(8000)],
    ["with NUL", "%00"],
    ["of emoji", encodeURIComponent("😀".repeat(100))],
    ["with an escaped slash", "a%2Fb"],
    ["with a percent sign that encodes nothing", "%zz"],
    ["with a percent sign at its end", "100%"],
    ["with bytes that are not UTF-8", "%E2%82"]
  ])("%s is an id that does not exist", async (_, id) => {
    expectError(await read(`/v1/sites/${id}`), 404, "SITE_NOT_FOUND")
    expectError(await app.call("GET", `/v1/sites/${id}`), 401, "UNAUTHENTICATED")
  })
})

test.each(["/V1/sites", "/v1/SITES", "/v1//sites", "//v1/sites", "/v1/%zz", "/%E2%82"])(
  "%s is not a route",
  async (path) => expectError(await read(path), 404, "NOT_FOUND")
)

test("a percent sign that encodes nothing is itself in a query, and is refused where no such value is allowed", async () => {
  const { keys } = await app.workspace()
  await app.call("POST", "/v1/customers", { key: keys.SERVER, body: { firstName: "100%zz" } })
  const found = await app.call("GET", "/v1/customers?q=100%zz", { key: keys.SERVER })
  expect([found.status, found.body.totalItems]).toEqual([200, 1])
  const refused = await app.call("GET", "/v1/customers?page=%zz&%zz=1", { key: keys.SERVER })
  expectError(refused, 400, "VALIDATION_ERROR", { page: expect.any(String), "%zz": expect.any(String) })
})

test("a tag in a path that is not percent-encoded UTF-8 is a tag that no device has", async () => {
  const { deviceId, keys } = await seedWorld(app, "own")
  const path = `/v1/devices/${deviceId}/tags`
  await app.call("PUT", path, { key: keys.SERVER, body: { tags: ["%zz"] } })
  expectError(await app.call("DELETE", `${path}/%zz`, { key: keys.SERVER }), 404, "NOT_FOUND")
  expect((await app.call("DELETE", `${path}/%25zz`, { key: keys.SERVER })).status).toBe(204)
})

test("a tag of a hundred emoji can be removed", async () => {
  const { deviceId, keys } = await seedWorld(app, "own")
  const path = `/v1/devices/${deviceId}/tags`
  const tag = "😀".repeat(100)
  expect((await app.call("PUT", path, { key: keys.SERVER, body: { tags: [tag] } })).body).toEqual({ tags: [tag] })
  expect((await app.call("DELETE", `${path}/${encodeURIComponent(tag)}`, { key: keys.SERVER })).status).toBe(204)
  expect((await app.call("GET", path, { key: keys.SERVER })).body).toEqual({ tags: [] })
})
