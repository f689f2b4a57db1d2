import { beforeAll, describe, expect, test } from "vitest"
import { useTestApp } from "../support/TestApp.ts"
import { fillPath, ownEndpoints, formatRoute } from "./endpoints.ts"
import { findPathId } from "./pathIds.ts"
import { requestBodies } from "./requestBodies.ts"
import { readRows } from "./readRows.ts"
import { seedWorld, type World } from "./world.ts"

const app = useTestApp({ own: true })
let stranger: World
/** Takes all requests but those that have a world for themselves. */
let own: World
let before: Record<string, unknown>
beforeAll(async () => {
  stranger = await seedWorld(app, "stranger")
  own = await seedWorld(app, "own")
  before = await readRows(app, [stranger])
})

/** Fields that only the service sets, with values that would do harm or at least be seen. */
const forbidden = (): Readonly<Record<string, unknown>> => ({
  id: stranger.deviceId,
  workspaceId: stranger.workspaceId,
  organizationId: stranger.organizationId,
  status: "RESOLVED",
  createdAt: "2000-01-01T00:00:00.000Z",
  updatedAt: "2000-01-01T00:00:00.000Z",
  connectedAt: "2000-01-01T00:00:00.000Z",
  lastUsedAt: "2000-01-01T00:00:00.000Z",
  acknowledgedBy: "somebody else",
  resolvedBy: "somebody else",
  revoked: true,
  key: "chosen",
  keyPrefix: "chosen",
  keyHash: "chosen",
  scopeReferenceId: "user-2",
  deviceCount: 77,
  occurrenceCount: 77,
  connectable: true,
  direct: false,
  onlineStatus: "asleep",
  rawModel: "chosen",
  provisioned: { name: "chosen" },
  catalogueKey: "chosen",
  deactivatedReason: "chosen",
  sealedSecret: "chosen",
  afterSequence: 0
})

/** Fields that a body may set, which are no violation. */
const permitted: Readonly<Record<string, ReadonlyArray<string>>> = {
  "POST /v1/api-keys": ["workspaceId"],
  "POST /v1/programInstances": ["status"],
  "PATCH /v1/programInstances/:id": ["status"],
  "POST /v1/programInstances/:id/dispatches": ["status"],
  "POST /v1/programInstances/:id/dispatches/preview": ["status"],
  "PATCH /v1/dispatches/:id": ["status"],
  "POST /devices/:id/telemetry": ["onlineStatus"]
}

/** It determines the participants of the dispatch anew, on which another request acts. */
const separate = "PATCH /v1/dispatches/:id"

const writes = ownEndpoints.filter(({ payload }) => payload !== undefined)

describe.each(writes.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) })))(
  "$route",
  ({ endpoint, route }) => {
    test("ignores fields that the caller may not set", async () => {
      const world = route === separate ? await seedWorld(app, `caller of ${route}`) : own
      const params = endpoint.params.map((param) => {
        const kind = findPathId(endpoint.documented, param)
        return [param, kind === undefined ? (param === "slug" ? "generic" : world.deviceModelId) : world[kind]]
      })
      const extra = Object.fromEntries(
        Object.entries(forbidden()).filter(([name]) => !permitted[route]?.includes(name))
      )
      const response = await app.call(endpoint.method, fillPath(endpoint.path, Object.fromEntries(params)), {
        key: world.keys[endpoint.allowed[0]!],
        body: { ...extra, ...requestBodies[route]!(world) }
      })
      expect(response.status, response.text).toBeLessThan(300)
      for (const [name, value] of Object.entries(extra)) expect([name, response.body[name]]).not.toEqual([name, value])
    })
  }
)

test("the other workspace is unchanged", async () => {
  expect(Object.keys(before).length).toBeGreaterThan(10)
  expect(await readRows(app, [stranger])).toEqual(before)
})
