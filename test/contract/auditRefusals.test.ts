import { forbiddenCodes, refusalReasons } from "@edp/domain/audit/AuditLog"
import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { beforeAll, describe, expect, test } from "vitest"
import { eventually } from "../support/eventually.ts"
import { useTestApp } from "../support/TestApp.ts"
import { fillPath, ownEndpoints, formatRoute } from "./endpoints.ts"
import { refusals } from "./refusals.ts"
import { nobody, seedWorld, type World } from "./world.ts"

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })
let world: World
let stranger: World
beforeAll(async () => {
  world = await seedWorld(app, "own")
  stranger = await seedWorld(app, "stranger")
})

const params = {
  id: nobody.siteId,
  customerId: nobody.siteId,
  deviceId: nobody.siteId,
  memberId: nobody.siteId,
  slug: "-",
  tag: "-"
}

/** All pages. */
const readLog = async (query: string, page = 1): Promise<ReadonlyArray<any>> => {
  const path = `/v1/audit-logs?perPage=100&action=access.refused&page=${page}&${query}`
  const { data, totalPages } = (await app.call("GET", path, { key: world.keys.MANAGEMENT })).body
  return page < totalPages ? [...data, ...(await readLog(query, page + 1))] : data
}

describe.each(apiKeyTypes)("a %s key", (type) => {
  test("is recorded at every endpoint that it may not call, and at no other", async () => {
    const { id, key } = await app.key(world, type, { scope: ["generic"] })
    const closed = ownEndpoints.filter(({ allowed }) => !allowed.includes(type))
    expect(closed.length).toBeGreaterThan(5)
    for (const { documented, method } of closed) {
      expect((await app.call(method, fillPath(documented, params), { key })).status).toBe(401)
    }
    const found = await eventually("all are recorded", async () => {
      const records = await readLog(`actorId=${id}`)
      // A record that is added between two pages moves another one to the second.
      const isWhole = new Set(records.map((each) => each.id)).size === closed.length
      return isWhole && records.length === closed.length ? records : undefined
    })
    expect(found.map(({ resourceId }) => resourceId).sort()).toEqual(closed.map(formatRoute).sort())
    for (const record of found) {
      const { method, route } = record.refusal
      expect(record).toMatchObject({
        resourceType: "endpoint",
        resourceId: `${method} ${route}`,
        workspaceId: world.workspaceId,
        actorId: id,
        actorType: type,
        before: null,
        after: null,
        refusal: { reason: "WRONG_KEY_TYPE", count: 1, lastAt: record.createdAt }
      })
    }
  })
})

test("every permission error is a reason, and has a refusal in this table", () => {
  expect(Object.keys(refusals)).toEqual(expect.arrayContaining([...forbiddenCodes]))
  expect(refusalReasons).toEqual(["WRONG_KEY_TYPE", "KEY_REVOKED", "KEY_EXPIRED", ...forbiddenCodes])
})

test.each(forbiddenCodes)("403 %s is recorded", async (code) => {
  const response = await refusals[code]!({ app, world, stranger })
  expect(response.status).toBe(403)
  const requestId = response.headers.get("x-request-id")
  const record = await eventually("it is recorded", async () =>
    (await readLog(`workspaceId=${world.workspaceId}`)).find((one) => one.requestId === requestId)
  )
  expect(record.refusal).toMatchObject({ reason: code, count: 1 })
})
