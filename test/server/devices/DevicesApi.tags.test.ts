import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices, nobody } from "./arrangeDevices.ts"

const app = useTestApp()

const arrange = async (tags: ReadonlyArray<string> = []) => {
  const place = await arrangeDevices(app)
  const id = await place.device({ tags })
  const path = `/v1/devices/${id}/tags`
  return { ...place, id, path, tags: async () => (await place.get(path)).body.tags }
}

const hundred = Array.from({ length: 100 }, (_, n) => `tag-${n}`)
const absent = async () => [nobody, "short", await (await arrangeDevices(app)).device()]

describe("GET /v1/devices/:id/tags", () => {
  test("200 in the order they were set, also for a SCOPED key", async () => {
    const { path, get } = await arrange(["b", "a"])
    expect(await get(path)).toMatchObject({ status: 200, body: { tags: ["b", "a"] } })
    expect((await get(path, "SCOPED")).body).toEqual({ tags: ["b", "a"] })
  })

  test("403 FORBIDDEN a SCOPED key and another user's device", async () => {
    const { device, get } = await arrange()
    const id = await device({ referenceId: "user-2" })
    expectError(await get(`/v1/devices/${id}/tags`, "SCOPED"), 403, "FORBIDDEN")
  })

  test("404 DEVICE_NOT_FOUND", async () => {
    const { get } = await arrange()
    for (const id of await absent()) expectError(await get(`/v1/devices/${id}/tags`), 404, "DEVICE_NOT_FOUND")
  })
})

describe("PUT /v1/devices/:id/tags", () => {
  test("200 replaces them, each once, and filters use the new ones", async () => {
    const { call, ids, id, path, tags } = await arrange(["old"])
    expect(await call("PUT", path, { tags: ["b", "a", "b"] })).toMatchObject({
      status: 200,
      body: { tags: ["b", "a"] }
    })
    expect(await tags()).toEqual(["b", "a"])
    expect(await ids("tag=a")).toEqual([id])
    expect(await ids("tag=old")).toEqual([])
    expect((await call("PUT", path, { tags: [] })).body).toEqual({ tags: [] })
    expect(await ids("tag=a")).toEqual([])
  })

  test("200 accepts dots, except in tags that a path can't end in", async () => {
    const { call, path, tags } = await arrange()
    const dotted = ["...", ".a", "..a", "a.", "a..", ". ", "x".repeat(100), `.${"x".repeat(99)}`, `..${"x".repeat(98)}`]
    expect((await call("PUT", path, { tags: dotted })).body.tags).toEqual(dotted)
    for (const tag of dotted) expect((await call("DELETE", `${path}/${encodeURIComponent(tag)}`)).status).toBe(204)
    expect(await tags()).toEqual([])
  })

  test("200 accepts a hundred", async () => {
    const { call, path } = await arrange()
    expect((await call("PUT", path, { tags: hundred })).body.tags).toEqual(hundred)
  })

  test("400 VALIDATION_ERROR", async () => {
    const { call, path, tags } = await arrange(["kept"])
    const wrong = (field: string) => ({ [field]: expect.any(String) })
    expectError(await call("PUT", path, {}), 400, "VALIDATION_ERROR", wrong("tags"))
    expectError(await call("PUT", path, { tags: "a" }), 400, "VALIDATION_ERROR", wrong("tags"))
    expectError(await call("PUT", path, { tags: [...hundred, "x"] }), 400, "VALIDATION_ERROR", wrong("tags"))
    for (const tag of ["", "a,b", "x".repeat(101), "a\u0000b", "a\nb", ".", ".."]) {
      expectError(await call("PUT", path, { tags: ["fine", tag] }), 400, "VALIDATION_ERROR", wrong("tags.1"))
    }
    expect(await tags()).toEqual(["kept"])
  })

  test("404 DEVICE_NOT_FOUND", async () => {
    const { call } = await arrange()
    for (const id of await absent()) {
      expectError(await call("PUT", `/v1/devices/${id}/tags`, { tags: [] }), 404, "DEVICE_NOT_FOUND")
    }
  })
})

describe("POST /v1/devices/:id/tags", () => {
  test("200 appends to the existing ones, each once", async () => {
    const { call, path, tags } = await arrange(["b", "a"])
    expect(await call("POST", path, { tags: ["c", "a", "c"] })).toMatchObject({
      status: 200,
      body: { tags: ["b", "a", "c"] }
    })
    expect(await tags()).toEqual(["b", "a", "c"])
  })

  test("200 keeps all tags that are added concurrently", async () => {
    const { call, path, tags } = await arrange()
    const added = hundred.slice(0, 20)
    await Promise.all(added.map((tag) => call("POST", path, { tags: [tag] })))
    expect((await tags()).toSorted()).toEqual(added.toSorted())
  })

  test("400 VALIDATION_ERROR more than a hundred including the existing ones; a hundred is accepted", async () => {
    const { call, path, tags } = await arrange(hundred.slice(0, 99))
    const details = { tags: "Must be at most 100 including those of the device" }
    expectError(await call("POST", path, { tags: ["x", "y"] }), 400, "VALIDATION_ERROR", details)
    expect(await tags()).toEqual(hundred.slice(0, 99))
    expect((await call("POST", path, { tags: ["tag-7", "x"] })).body.tags).toEqual([...hundred.slice(0, 99), "x"])
  })

  test("404 DEVICE_NOT_FOUND", async () => {
    const { call } = await arrange()
    for (const id of await absent()) {
      expectError(await call("POST", `/v1/devices/${id}/tags`, { tags: ["a"] }), 404, "DEVICE_NOT_FOUND")
    }
  })
})

describe("DELETE /v1/devices/:id/tags/:tag", () => {
  test("204 removes it, whatever its characters; 404 NOT_FOUND the second time", async () => {
    const odd = "ost/süd ?#%"
    const { call, path, tags } = await arrange(["a", odd, "b"])
    const own = `${path}/${encodeURIComponent(odd)}`
    expect((await call("DELETE", own)).status).toBe(204)
    expect(await tags()).toEqual(["a", "b"])
    expectError(await call("DELETE", own), 404, "NOT_FOUND")
    expectError(await call("DELETE", `${path}/${encodeURIComponent("\0")}`), 404, "NOT_FOUND")
    expect(await tags()).toEqual(["a", "b"])
  })

  test("404 DEVICE_NOT_FOUND", async () => {
    const { call } = await arrange()
    for (const id of await absent()) {
      expectError(await call("DELETE", `/v1/devices/${id}/tags/a`), 404, "DEVICE_NOT_FOUND")
    }
  })
})
