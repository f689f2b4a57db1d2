import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "./arrangeDevices.ts"

const app = useTestApp()

describeKeyChecks(app, [{ method: "GET", path: "/v1/tags", allowed: ["SERVER", "API"] }])

const arrange = async (organizationId?: string) => {
  const place = await arrangeDevices(app, organizationId)
  return {
    ...place,
    /** `tag devices/sites` of each listed tag. */
    listed: async (query = ""): Promise<ReadonlyArray<string>> => {
      const { status, body } = await place.get(`/v1/tags?perPage=100&${query}`)
      expect([status, body.totalItems]).toEqual([200, body.data.length])
      return body.data.map(({ tag, deviceCount, siteCount }: any) => `${tag} ${deviceCount}/${siteCount}`)
    }
  }
}

describe("GET /v1/tags", () => {
  test("200 lists each tag once, with the numbers of its devices and sites", async () => {
    const { device, site, get } = await arrange()
    await device({ tags: ["north", "pilot"] })
    await device({ tags: ["north"] })
    await site({ tags: ["north", "home"] })
    const response = await get("/v1/tags")
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      data: [
        { tag: "home", deviceCount: 0, siteCount: 1 },
        { tag: "north", deviceCount: 2, siteCount: 1 },
        { tag: "pilot", deviceCount: 1, siteCount: 0 }
      ],
      page: 1,
      perPage: 10,
      totalItems: 3,
      totalPages: 1
    })
  })

  test("200 is empty without any tags", async () => {
    const { device, site, get } = await arrange()
    await device()
    await site()
    expect((await get("/v1/tags")).body).toMatchObject({ data: [], totalItems: 0, totalPages: 0 })
  })

  test("200 is in alphabetical order in any case, upper case first for equal words", async () => {
    const { device, listed } = await arrange()
    await device({ tags: ["b", "écho", "C", "a", "B", "a b", "10", "Écho"] })
    expect(await listed()).toEqual(["10 1/0", "a 1/0", "a b 1/0", "B 1/0", "b 1/0", "C 1/0", "Écho 1/0", "écho 1/0"])
  })

  test("200 page by page, with exact totals on each and beyond the last", async () => {
    const { device, get } = await arrange()
    const tags = Array.from({ length: 25 }, (_, n) => `tag-${String(n).padStart(2, "0")}`)
    for (const tag of tags) await device({ tags: [tag, "of all"] })
    const totals = { perPage: 10, totalItems: 26, totalPages: 3 }
    const page = async (n: number) => (await get(`/v1/tags?page=${n}`)).body
    expect(await page(1)).toMatchObject({ ...totals, page: 1, data: { 0: { tag: "of all", deviceCount: 25 } } })
    const third = await page(3)
    expect(third).toMatchObject({ ...totals, page: 3 })
    expect(third.data.map(({ tag }: any) => tag)).toEqual(tags.slice(19))
    expect(await page(4)).toMatchObject({ ...totals, data: [] })
  })

  test("200 q matches prefixes, in any case, with every character taken literally", async () => {
    const { device, listed } = await arrange()
    await device({ tags: ["North", "northern", "south north", "50%", "500", "a_b", "axb", "\\", "Ébauche"] })
    expect(await listed("q=NORTH")).toEqual(["North 1/0", "northern 1/0"])
    expect(await listed("q=northe")).toEqual(["northern 1/0"])
    expect(await listed("q=50%25")).toEqual(["50% 1/0"])
    expect(await listed("q=a_")).toEqual(["a_b 1/0"])
    expect(await listed("q=%5C")).toEqual(["\\ 1/0"])
    expect(await listed(`q=${encodeURIComponent("éb")}`)).toEqual(["Ébauche 1/0"])
    expect(await listed("q=east")).toEqual([])
  })

  test("200 omits a tag when its last device or site loses it, is moved or deleted", async () => {
    const { call, device, site, listed } = await arrange()
    const [one, two] = [await device({ tags: ["a", "b"] }), await device({ tags: ["a"] })]
    const { id } = await site({ tags: ["a", "c"] })
    expect(await listed()).toEqual(["a 2/1", "b 1/0", "c 0/1"])
    await call("PUT", `/v1/devices/${one}/tags`, { tags: ["d", "a"] })
    expect(await listed()).toEqual(["a 2/1", "c 0/1", "d 1/0"])
    await call("DELETE", `/v1/devices/${one}/tags/d`)
    await call("POST", `/v1/devices/${two}/tags`, { tags: ["e", "a"] })
    await call("PATCH", `/v1/sites/${id}`, { tags: ["f"] })
    expect(await listed()).toEqual(["a 2/0", "e 1/0", "f 0/1"])
    // Only the provisioning of a direct device is kept.
    expect((await call("DELETE", `/v1/devices/${two}`)).status).toBe(204)
    expect((await call("DELETE", `/v1/sites/${id}`)).status).toBe(204)
    expect(await listed()).toEqual(["a 1/0"])
  })

  test("200 counts a device again that is provisioned again", async () => {
    const { call, device, listed, workspaceId } = await arrange()
    const id = await device({ tags: ["a"] })
    expect((await call("DELETE", `/v1/devices/${id}`)).status).toBe(204)
    expect(await listed()).toEqual([])
    await app.sql((sql) => sql`UPDATE devices SET workspace_id = ${workspaceId} WHERE id = ${id}`)
    expect(await listed()).toEqual(["a 1/0"])
  })

  test("200 lists only the workspace's own, also after another one is deleted with its tags", async () => {
    const one = await arrange()
    const other = await arrange(one.organizationId)
    for (const { device, site } of [one, other]) {
      await device({ tags: ["common"] })
      await site({ tags: ["common"] })
    }
    await other.device({ tags: ["theirs"] })
    expect(await one.listed()).toEqual(["common 1/1"])
    expect((await one.call("DELETE", `/v1/workspaces/${other.workspaceId}`, undefined, "MANAGEMENT")).status).toBe(204)
    expect(await one.listed()).toEqual(["common 1/1"])
    expect(
      await app.sql((sql) => sql`SELECT FROM tag_counts WHERE workspace_id = ${other.workspaceId} LIMIT 1`)
    ).toEqual([])
  })

  test.each([
    ["page=0", { page: "Must be an integer from 1 to 1000" }],
    ["page=x", { page: "Must be an integer from 1 to 1000" }],
    ["page=1&page=2", { page: "Must be given only once" }],
    ["perPage=&perPage=5", { perPage: "Must be given only once" }],
    ["perPage=101", { perPage: "Must be an integer from 1 to 100" }],
    ["q=", { q: "Must be a string of 1 to 100 characters" }],
    ["q=a&q=b", { q: "Must be given only once" }],
    ["tag=a&page=1.5", { tag: "Is not known here", page: "Must be an integer from 1 to 1000" }]
  ])("400 VALIDATION_ERROR for ?%s, with the valid values of each parameter", async (query, details) => {
    expectError(await (await arrange()).get(`/v1/tags?${query}`), 400, "VALIDATION_ERROR", details)
  })
})
