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
    ["with an escaped slash", "a%2Fb"]
  ])("%s is an id that does not exist", async (_, id) => {
    expectError(await read(`/v1/sites/${id}`), 404, "SITE_NOT_FOUND")
    expectError(await app.call("GET", `/v1/sites/${id}`), 401, "UNAUTHENTICATED")
  })
})

test.each(["/V1/sites", "/v1/SITES", "/v1//sites", "//v1/sites", "/v1/sites/%zz", "/v1/sites/%E2%82"])(
  "%s is not a route",
  async (path) => expectError(await read(path), 404, "NOT_FOUND")
)

test("a tag of a hundred emoji can be removed", async () => {
  const { deviceId, keys } = await seedWorld(app, "own")
  const path = `/v1/devices/${deviceId}/tags`
  const tag = "😀".repeat(100)
  expect((await app.call("PUT", path, { key: keys.SERVER, body: { tags: [tag] } })).body).toEqual({ tags: [tag] })
  expect((await app.call("DELETE", `${path}/${encodeURIComponent(tag)}`, { key: keys.SERVER })).status).toBe(204)
  expect((await app.call("GET", path, { key: keys.SERVER })).body).toEqual({ tags: [] })
})
