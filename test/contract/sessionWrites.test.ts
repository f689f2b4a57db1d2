import { beforeAll, describe, expect, test } from "vitest"
import { type BrowserSession, signIn } from "../support/browserSession.ts"
import { useTestApp } from "../support/TestApp.ts"
import { endpoints, formatRoute } from "./endpoints.ts"
import { readRows } from "./readRows.ts"
import { requestBodies } from "./requestBodies.ts"
import { seedWorld, type World } from "./world.ts"
import { worldPath } from "./worldPath.ts"

const app = useTestApp({ own: true })
let world: World
let browser: BrowserSession

beforeAll(async () => {
  world = await seedWorld(app, "writes")
  browser = await signIn(app, world.keys.MANAGEMENT)
  await app.sql((sql) =>
    sql.unsafe(`ALTER TABLE audit_logs ADD CONSTRAINT no_writes CHECK (action <> 'session.write') NOT VALID`)
  )
})

/** Writes that a session makes as the workspace's SERVER key would. Those of MANAGEMENT keys record themselves. */
const writes = endpoints
  .filter(({ method, writesNothing }) => method !== "GET" && !writesNothing)
  .filter(({ allowed }) => allowed.includes("SERVER") && !allowed.includes("MANAGEMENT"))
  .map((endpoint) => ({ endpoint, route: formatRoute(endpoint) }))

describe("a write of a session whose record in the audit log can't be stored", () => {
  test.each(writes)("$route is not made", async ({ endpoint }) => {
    const body = endpoint.payload && requestBodies[formatRoute({ ...endpoint, path: endpoint.documented })]!(world)
    const before = await readRows(app, [world])
    const response = await browser.call(endpoint.method, worldPath(endpoint, world), {
      body,
      headers: { "X-Workspace-Id": world.workspaceId }
    })
    expect(response.status, response.text).toBeGreaterThanOrEqual(500)
    expect(await readRows(app, [world])).toEqual(before)
  })
})
