import { beforeEach, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../../support/describeKeyChecks.ts"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const path = "/dashboard/api/connect-funnel"

beforeEach(() => {
  maker.failing = {}
})

describeKeyChecks(app, [{ method: "GET", path, allowed: ["MANAGEMENT"] }])

describe("the funnel", () => {
  const arrange = async () => {
    const arranged = await arrangeConnections(app, maker)
    const funnel = (query = "") => app.call("GET", `${path}${query}`, { key: arranged.keys.MANAGEMENT })
    return { ...arranged, funnel }
  }

  test("counts the sessions that reached each step and the errors of those that did not succeed", async () => {
    const { connect, create, funnel, toManufacturer } = await arrange()
    await create()
    const { detail } = await connect()
    const denied = await toManufacturer()
    await denied.callback(maker.deny(denied.authorizationUrl))
    await denied.retry()
    // A minute passes at the manufacturer.
    await app.sql(
      (sql) => sql`UPDATE connect_sessions SET transitions = jsonb_set(transitions, '{4,at}',
        to_jsonb(to_char((transitions->3->>'at')::timestamptz + interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MSOF')))
        WHERE id = ${detail.id}`
    )
    const { body, status } = await funnel()
    expect(status).toBe(200)
    expect(body.sessions).toBe(3)
    const [own, none] = body.manufacturers
    expect(none).toEqual({
      manufacturer: null,
      sessions: 1,
      medianConnectSeconds: null,
      steps: [{ status: "PENDING", sessions: 1, medianSeconds: null }],
      errors: []
    })
    expect([own.manufacturer, own.sessions, own.errors]).toEqual([
      "fakecloud",
      2,
      [{ code: "access_denied", sessions: 1 }]
    ])
    const steps = Object.fromEntries(own.steps.map((step: { status: string }) => [step.status, step]))
    expect(Object.keys(steps)).toEqual([
      "PENDING",
      "STARTED",
      "SELECTING_MANUFACTURER",
      "AUTHORIZING_MANUFACTURER",
      "ENTERING_SYSTEM_INFO",
      "SUCCESS",
      "ERROR"
    ])
    expect(steps.AUTHORIZING_MANUFACTURER.sessions).toBe(2)
    expect(steps.AUTHORIZING_MANUFACTURER.medianSeconds).toBeGreaterThan(29)
    expect(own.medianConnectSeconds).toBeGreaterThanOrEqual(0)
    expect(own.medianConnectSeconds).toBeLessThan(60)
    expect(steps.SUCCESS).toMatchObject({ sessions: 1, medianSeconds: null })
  })

  test("covers the sessions of a time, of the workspace, and of another one of the organization", async () => {
    const { create, funnel, organizationId } = await arrange()
    await create()
    const sibling = await arrangeConnections(app, maker, organizationId)
    await sibling.create()
    await sibling.create()
    const count = async (query: string) => (await funnel(query)).body.sessions
    expect(await count("")).toBe(1)
    expect(await count(`?workspaceId=${sibling.workspaceId}`)).toBe(2)
    expect(await count("?from=2025-01-01T00:00:00Z&to=2025-02-01T00:00:00Z")).toBe(0)
  })

  test("400 and 404 for a time that is too long or backwards, and for another organization's workspace", async () => {
    const { funnel } = await arrange()
    const stranger = await arrange()
    const from = { from: expect.any(String) }
    expectError(await funnel("?from=2025-01-01T00:00:00Z&to=2025-06-01T00:00:00Z"), 400, "VALIDATION_ERROR", from)
    expectError(await funnel("?from=2025-02-01T00:00:00Z&to=2025-01-01T00:00:00Z"), 400, "VALIDATION_ERROR", from)
    expectError(await funnel(`?workspaceId=${stranger.workspaceId}`), 404, "WORKSPACE_NOT_FOUND")
  })
})
