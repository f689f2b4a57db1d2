import { beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()
const path = "/dashboard/api/saved-filters"
const input = { name: "Silent batteries", page: "devices", query: "type=battery&onlineStatus=offline" }
let own: TestWorkspace
beforeEach(async () => {
  own = await app.workspace()
})
const call = (method: string, at: string, body?: unknown, key = own.keys.MANAGEMENT) =>
  app.call(method, at, { key, ...(body === undefined ? {} : { body }) })

describe("saved filters", () => {
  test("are created, listed by name, changed and deleted", async () => {
    const { body: created, status } = await call("POST", path, input)
    expect(status).toBe(201)
    expect(created).toMatchObject(input)
    await call("POST", path, { ...input, name: "All", query: "" })
    const { body: list } = await call("GET", `${path}?perPage=100`)
    expect(list).toMatchObject({ totalItems: 2, data: [{ name: "All" }, created] })
    const changed = await call("PATCH", `${path}/${created.id}`, { query: "type=meter" })
    expect(changed.body).toMatchObject({ ...input, query: "type=meter" })
    expect((await call("GET", `${path}/${created.id}`)).body).toEqual(changed.body)
    expect((await call("DELETE", `${path}/${created.id}`)).status).toBe(204)
    expectError(await call("GET", `${path}/${created.id}`), 404, "NOT_FOUND")
    expectError(await call("DELETE", `${path}/${created.id}`), 404, "NOT_FOUND")
  })

  test("have names that are unique on their page", async () => {
    const { body: first } = await call("POST", path, input)
    expectError(await call("POST", path, input), 400, "DUPLICATE_NAME")
    expect((await call("POST", path, { ...input, page: "alerts" })).status).toBe(201)
    const { body: second } = await call("POST", path, { ...input, name: "Another" })
    expectError(await call("PATCH", `${path}/${second.id}`, { name: first.name }), 400, "DUPLICATE_NAME")
  })

  test("are at most 100 in a workspace, even when they are saved at the same time", async () => {
    await app.sql(
      (sql) => sql`INSERT INTO saved_filters (id, workspace_id, name, page, query, created_at, updated_at)
        SELECT 'c' || right(${own.workspaceId}, 9) || lpad(n::text, 15, '0'), ${own.workspaceId}, 'Filter ' || n, 'devices', '',
          now(), now() FROM generate_series(1, 98) AS n`
    )
    const saved = await Promise.all(["a", "b", "c", "d"].map((name) => call("POST", path, { ...input, name })))
    expect(saved.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400])
    for (const response of saved.filter(({ status }) => status === 400)) expectError(response, 400, "INVALID_STATE")
  })

  test("belong to their workspace", async () => {
    const { body: created } = await call("POST", path, input)
    const other = await app.workspace(own.organizationId)
    const key = other.keys.MANAGEMENT
    expect((await call("GET", path, undefined, key)).body.totalItems).toBe(0)
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { name: "Taken" } : undefined
      expectError(await call(method, `${path}/${created.id}`, body, key), 404, "NOT_FOUND")
    }
    expect((await call("POST", path, input, key)).status).toBe(201)
  })

  test.each([
    [{ ...input, name: "" }, "name"],
    [{ ...input, page: "moon" }, "page"],
    [{ ...input, query: "x".repeat(2001) }, "query"]
  ])("refuses %j", async (body, field) => {
    const response = await call("POST", path, body)
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.details)).toEqual([field])
  })
})
