import { auditActions } from "@edp/domain/audit/AuditLog"
import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Scene, readRecords, readResource, arrangeScene } from "./auditScene.ts"
import { auditTable } from "./auditTable.ts"
import { type Endpoint, fillPath, ownEndpoints, formatRoute } from "./endpoints.ts"
import { nobody, seedWorld, type World } from "./world.ts"

const app = useTestApp({ own: true })

const writes = ownEndpoints.filter(({ allowed, method }) => method !== "GET" && allowed.includes("MANAGEMENT"))
const recorded = writes
  .filter((endpoint) => auditTable[formatRoute(endpoint)] !== "writes nothing")
  .map((endpoint) => ({ endpoint, route: formatRoute(endpoint), action: auditTable[formatRoute(endpoint)]! }))

test("the table contains every write that MANAGEMENT keys may make", () => {
  expect(writes.map(formatRoute).sort()).toEqual(Object.keys(auditTable).sort())
})

test("every audit action belongs to a write, to what follows from one, or to a refusal", () => {
  const recordedActions = new Set(Object.values(auditTable).filter((action) => action !== "writes nothing"))
  expect([...recordedActions, ...sessionActions, ...otherActions].sort()).toEqual(auditActions)
})

/** Recorded by exports and imports, by background work, and by authentication. */
const otherActions = [
  "workspace.export",
  "workspace.import",
  "workspace.pause",
  "workspace.resume",
  "workspace.erase",
  "access.refused"
]

/** Recorded by the sessions of the dashboard. */
const sessionActions = [
  "dashboard-link.create",
  "session.revoke",
  "session.sign-in",
  "session.sign-out",
  "session.write"
]

let count = 0

const write = async ({ method }: Endpoint, { body, path, world }: Scene, headers: Record<string, string> = {}) => {
  const requestId = `audited-${++count}`
  const options = { key: world.keys.MANAGEMENT, headers: { ...headers, "X-Request-Id": requestId } }
  const response = await app.call(method, path, body === undefined ? options : { ...options, body })
  return { response, requestId }
}

const omitted = ["id", "organizationId", "workspaceId", "createdAt", "updatedAt", "lastUsedAt"]

/** The expected audit record of a changed resource. */
/** The log has the scheme and host of a URL. */
const auditedValue = (name: string, value: unknown) =>
  name === "url" && typeof value === "string"
    ? expect.stringMatching(`^${new URL(value).origin.replaceAll(".", "\\.")}/[*]{8} sealed [0-9a-f]{16}$`)
    : value

const differences = (before: Record<string, unknown> | undefined, after: Record<string, unknown> | undefined) => {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !omitted.includes(name) && JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name])
  )
  const of = (record: Record<string, unknown> | undefined) =>
    record === undefined ? null : Object.fromEntries(names.map((name) => [name, auditedValue(name, record[name])]))
  return { before: of(before), after: of(after) }
}

/** Everything that these writes can change. */
const everything = async () => {
  const tables = [
    "organizations",
    "workspaces",
    "workspace_retentions",
    "api_keys",
    "manufacturers",
    "device_models",
    "collections",
    "programs",
    "alert_configurations",
    "saved_filters",
    "destinations",
    "deliveries",
    "delivery_lanes",
    "delivery_queues",
    "event_cursors",
    "home_assistant_publications"
  ]
  const rows = [...tables, "collection_members", "audit_logs"].map((table) =>
    app.sql(
      (sql) => sql`SELECT to_jsonb(t) - 'last_used_at' - 'freshness' AS row FROM ${sql(table)} AS t
        ORDER BY to_jsonb(t)::text`
    )
  )
  return Promise.all(rows)
}

/** The workspace of a resource. A saved filter does not name its own. */
const findWorkspace = (type: string, resource: Record<string, any>, world: World) => {
  if (type === "saved-filter") return world.workspaceId
  return type === "workspace" ? resource["id"] : (resource["workspaceId"] ?? null)
}

/** All writes in it are refused. */
let unchanged: World
/** Its records are written to, each by one endpoint. */
let shared: World
beforeAll(async () => {
  unchanged = await seedWorld(app, "unchanged")
  shared = await seedWorld(app, "shared")
})

describe.each(recorded)("$route", ({ action, endpoint }) => {
  // The write that is rolled back leaves the scene as it is.
  let scene: Scene
  beforeAll(async () => {
    scene = await arrangeScene(app, endpoint)
  })

  test("leaves no record when it is refused", async () => {
    const key = unchanged.keys.MANAGEMENT
    const counted = async () => (await app.call("GET", "/v1/audit-logs", { key })).body.totalItems
    const before = await counted()
    const params = Object.fromEntries(endpoint.params.map((param) => [param, nobody.siteId]))
    const body = endpoint.payload === undefined ? {} : { body: { name: 7, deviceTypes: 7, criteria: 7, types: 7 } }
    const response = await app.call(endpoint.method, fillPath(endpoint.path, params), { key, ...body })
    expect([400, 404]).toContain(response.status)
    expect(await counted()).toBe(before)
  })

  test("is rolled back if its record can't be stored, and leaves no record if it is rolled back", async () => {
    // The log is checked when the transaction commits, when both are written.
    await app.sql(
      (sql) => sql`CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'not today'; END $$`
    )
    await app.sql(
      (sql) => sql`CREATE CONSTRAINT TRIGGER undone AFTER INSERT ON audit_logs
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION undo()`
    )
    const before = await everything()
    const { response } = await write(endpoint, scene)
    const after = await everything()
    await app.sql((sql) => sql`DROP FUNCTION undo CASCADE`)
    expectError(response, 500, "UNKNOWN_ERROR")
    expect(after).toEqual(before)
  })

  test("is recorded once, with its actor, the address and the changed fields", async () => {
    const { keys, managementKeyId } = scene.world
    const before = await readResource(app, endpoint, scene)
    const { response, requestId } = await write(endpoint, scene)
    expect(response.status, response.text).toBeLessThan(300)
    const after = await readResource(app, endpoint, scene, response)

    const memberId = scene.params["memberId"]
    const resource = (after ?? before)!
    const type = action.split(".")[0]
    const fields =
      {
        "collection.add-member": { before: null, after: { memberId } },
        "collection.remove-member": { before: { memberId }, after: null },
        "collection.refresh": { before: null, after: null },
        "destination.redeliver": { before: null, after: { deliveryId: scene.params["deliveryId"] } },
        "destination.replay": {
          before: null,
          after: { from: scene.body?.["from"], to: expect.stringMatching(/Z$/), failedOnly: false }
        }
      }[action as string] ?? differences(before, after)
    expect(await readRecords(app, scene.world, requestId)).toEqual([
      {
        id: expect.stringMatching(/^c[0-9a-z]{24}$/),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        action,
        resourceType: type,
        resourceId: resource["id"] ?? resource["slug"],
        workspaceId: findWorkspace(type!, resource, scene.world),
        actorId: managementKeyId,
        actorType: "MANAGEMENT",
        actorOwnerId: "owner-1",
        address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
        requestId,
        ...fields,
        refusal: null
      }
    ])

    const { text } = await app.call("GET", "/v1/audit-logs?perPage=100", { key: keys.MANAGEMENT })
    for (const key of [...Object.values(keys), response.body?.key ?? keys.SERVER]) {
      expect(text).not.toContain(key.slice(12))
    }
    expect(text).not.toMatch(/"[^"]*hash[^"]*":/i)
  })
})

describe.each(
  recorded.filter(({ endpoint }) => endpoint.method === "POST" && !/^\/v1\/(api-keys|destinations)/.test(endpoint.path))
)("$route with an Idempotency-Key", ({ endpoint }) => {
  test("is recorded once, even if it is repeated", async () => {
    const scene = await arrangeScene(app, endpoint, shared)
    const headers = { "Idempotency-Key": `audited-${count}` }
    const first = await write(endpoint, scene, headers)
    const again = await write(endpoint, scene, headers)
    expect([first.response.status, again.response.status]).toEqual([first.response.status, first.response.status])
    expect(again.response.headers.get("idempotency-replayed")).toBe("true")
    expect(await readRecords(app, scene.world, first.requestId)).toHaveLength(1)
    expect(await readRecords(app, scene.world, again.requestId)).toEqual([])
  })
})

describe.each(recorded.filter(({ endpoint }) => endpoint.method === "PATCH"))("$route", ({ endpoint }) => {
  test("that changes nothing is not recorded", async () => {
    const scene = await arrangeScene(app, endpoint, shared)
    const first = await write(endpoint, scene)
    const again = await write(endpoint, scene)
    expect([first.response.status, again.response.status]).toEqual([200, 200])
    expect(await readRecords(app, scene.world, again.requestId)).toEqual([])
  })
})

let unrecorded: World
beforeAll(async () => {
  unrecorded = await seedWorld(app, "unrecorded")
})

test.each([
  ["POST", "/v1/collections", (): object => ({ name: "Mine", collectionType: "SITE", criteria: {}, dynamic: false })],
  ["PATCH", "/v1/collections/:id", () => ({ name: "Ours" })],
  ["PUT", "/v1/collections/:id/members/:memberId", () => ({})],
  ["DELETE", "/v1/collections/:id", () => ({})]
] as const)("%s %s with a SERVER key is not recorded", async (method, path, body) => {
  const { collectionId: id, commonDeviceId: memberId, keys } = unrecorded
  const filled = fillPath(path, { id, memberId })
  const response = await app.call(method, filled, { key: keys.SERVER, body: body() })
  expect(response.status, response.text).toBeLessThan(300)
  const { data } = (await app.call("GET", "/v1/audit-logs?resourceType=collection", { key: keys.MANAGEMENT })).body
  expect(data).toEqual([])
})
