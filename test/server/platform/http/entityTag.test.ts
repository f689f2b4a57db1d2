import { readsOne } from "@edp/domain/auth/middleware"
import { beforeAll, describe, expect, test } from "vitest"
import { endpoints, formatRoute } from "../../../contract/endpoints.ts"
import { seedSite } from "../../../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp()
let here: TestWorkspace
let path: string
beforeAll(async () => {
  here = await app.workspace()
  path = `/v1/sites/${(await seedSite(app, here.keys.SERVER)).id}`
})

const get = (ifNoneMatch?: string, method = "GET") =>
  app.call(method, path, {
    key: here.keys.SERVER,
    ...(ifNoneMatch !== undefined && { headers: { "If-None-Match": ifNoneMatch } })
  })

test("each GET whose path ends in a parameter returns a single resource", () => {
  const single = endpoints.filter(readsOne).map(formatRoute)
  expect(single).toEqual(expect.arrayContaining(["GET /v1/sites/:id", "GET /v1/devices/:id", "GET /v1/workspaces/:id"]))
  expect(single.filter((route) => !/^GET .*\/:\w+$/.test(route))).toEqual([])
})

describe("GET of a single resource", () => {
  test("has a weak ETag that changes only with the resource", async () => {
    const [one, two] = [await get(), await get()]
    expect(one.headers.get("etag")).toMatch(/^W\/"[\w-]{22}"$/)
    expect(two.headers.get("etag")).toBe(one.headers.get("etag"))
    expect(one.headers.get("cache-control")).toBe("private, no-cache")
  })

  test("responds 304 without a body to a matching ETag, with the tag, the rate limit and a request id", async () => {
    const etag = (await get()).headers.get("etag")!
    for (const list of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
      const known = await get(list)
      expect([known.status, known.text, known.headers.get("etag")], list).toEqual([304, "", etag])
      expect(Number(known.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0)
      expect(known.headers.get("x-request-id")).toMatch(/.{36}/)
      expect(known.headers.get("content-type")).toBeNull()
    }
  })

  test("responds 200 to another ETag, and after a change", async () => {
    const etag = (await get()).headers.get("etag")!
    expect((await get('"other", W/"another"')).status).toBe(200)
    await app.call("PATCH", path, { key: here.keys.SERVER, body: { name: "Changed" } })
    const changed = await get(etag)
    expect([changed.status, changed.body.name]).toEqual([200, "Changed"])
    expect(changed.headers.get("etag")).not.toBe(etag)
  })

  test("does the same for HEAD", async () => {
    const { headers } = await get()
    const head = await get(undefined, "HEAD")
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", headers.get("etag")])
    expect((await get(headers.get("etag")!, "HEAD")).status).toBe(304)
  })

  test("requires a key, whatever ETag is sent", async () => {
    const response = await app.call("GET", path, { headers: { "If-None-Match": "*" } })
    expect([response.status, response.headers.get("etag")]).toEqual([401, null])
    const stranger = await app.workspace()
    const foreign = await app.call("GET", path, { key: stranger.keys.SERVER, headers: { "If-None-Match": "*" } })
    expect([foreign.status, foreign.headers.get("etag")]).toEqual([404, null])
  })
})

test("has no ETag if it is a list", async () => {
  const list = await app.call("GET", "/v1/sites", { key: here.keys.SERVER, headers: { "If-None-Match": "*" } })
  expect([list.status, list.headers.get("etag")]).toEqual([200, null])
})
