import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"

const app = useTestApp()
const path = "/dashboard/api/alert-configuration"
const management = ["MANAGEMENT"] as const

describeKeyChecks(app, [
  { method: "GET", path, allowed: management },
  { method: "PUT", path, allowed: management },
  { method: "DELETE", path, allowed: management }
])

const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const noRules = { minimumSeverity: null, types: null, subtypes: null, sourceSystems: null }
const everyRule = {
  minimumSeverity: "WARNING",
  types: { mode: "HIDE", values: ["SENSOR", "UNKNOWN"] },
  subtypes: { mode: "SHOW", values: ["INVERTER_COMMS"] },
  sourceSystems: { mode: "HIDE", values: ["night-watch", "Ähre, 100%"] }
}

/** A workspace, and one more of its organization. */
const arrange = async () => {
  const place = await arrangeAlerts(app)
  const { workspaceId: sibling } = await app.workspace(place.organizationId)
  const manage = (method: string, body?: unknown, query = "") =>
    app.call(method, path + query, { key: place.keys.MANAGEMENT, ...(body === undefined ? {} : { body }) })
  return { ...place, sibling, manage, of: (id: string) => `?workspaceId=${id}` }
}

describe("GET /dashboard/api/alert-configuration", () => {
  test("200 has no rules before anything is saved", async () => {
    const { manage, workspaceId } = await arrange()
    const response = await manage("GET")
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ workspaceId, ...noRules, savedAt: null, savedBy: null })
    expect(response.headers.get("x-ratelimit-limit")).toMatch(/^\d+$/)
    expect(response.headers.get("x-request-id")).toMatch(/.{8,}/)
  })

  test("200 returns the configuration of another workspace of the organization", async () => {
    const { manage, sibling, of, workspaceId } = await arrange()
    await manage("PUT", { minimumSeverity: "CRITICAL" }, of(sibling))
    expect((await manage("GET", undefined, of(sibling))).body).toMatchObject({
      workspaceId: sibling,
      minimumSeverity: "CRITICAL"
    })
    expect((await manage("GET", undefined, of(workspaceId))).body).toMatchObject({ workspaceId, savedAt: null })
  })
})

describe("GET /dashboard/api/alert-configuration/alerts", () => {
  test("200 counts open and acknowledged alerts by the values of rules, hidden ones included", async () => {
    const { keys, manage, of, sibling } = await arrange()
    const { body: site } = await app.call("POST", "/v1/sites", { key: keys.SERVER, body: { address: someAddress() } })
    const alert = { siteId: site.id, title: "Dark", sourceSystem: "watch", severity: "INFO" }
    const raise = async (fields: object) =>
      (await app.call("POST", "/v1/alerts", { key: keys.SERVER, body: { ...alert, ...fields } })).body.id
    await raise({ severity: "CRITICAL", type: "SAFETY" })
    await raise({})
    const move = async (act: string) =>
      app.call("PATCH", `/v1/alerts/${await raise({})}/${act}`, { key: keys.SERVER, body: {} })
    await move("acknowledge")
    await move("resolve")
    await move("ignore")
    await manage("PUT", { minimumSeverity: "WARNING" })
    const groups = (query = "") => app.call("GET", `${path}/alerts${query}`, { key: keys.MANAGEMENT })
    const found = { subtype: null, sourceSystem: "watch" }
    expect((await groups()).body).toEqual({
      groups: [
        { ...found, severity: "INFO", type: "UNKNOWN", count: 2 },
        { ...found, severity: "CRITICAL", type: "SAFETY", count: 1 }
      ],
      total: 3
    })
    expect((await groups(of(sibling))).body).toEqual({ groups: [], total: 0 })
    const stranger = await arrange()
    expectError(await groups(of(stranger.workspaceId)), 404, "WORKSPACE_NOT_FOUND")
  })
})

describe("PUT /dashboard/api/alert-configuration", () => {
  test("200 saves every rule, with the owner of the key", async () => {
    const { manage, workspaceId } = await arrange()
    const { status, body } = await manage("PUT", everyRule)
    expect([status, body]).toEqual([200, { workspaceId, ...everyRule, savedAt: moment, savedBy: "owner-1" }])
    expect((await manage("GET")).body).toEqual(body)
  })

  test("200 replaces all rules: a missing or null rule is removed", async () => {
    const { manage } = await arrange()
    await manage("PUT", everyRule)
    const saved = (await manage("PUT", { minimumSeverity: "INFO", types: null })).body
    expect(saved).toMatchObject({ ...noRules, minimumSeverity: "INFO" })
    expect((await manage("PUT", {})).body).toMatchObject({ ...noRules, savedAt: moment })
    expect((await manage("GET")).body).toMatchObject({ ...noRules, savedAt: moment })
  })

  test("200 counts repeated values once", async () => {
    const { manage } = await arrange()
    const { body } = await manage("PUT", { types: { mode: "SHOW", values: ["SENSOR", "SAFETY", "SENSOR"] } })
    expect(body.types).toEqual({ mode: "SHOW", values: ["SENSOR", "SAFETY"] })
  })

  test("200 ignores read-only fields", async () => {
    const { manage, sibling, workspaceId } = await arrange()
    const forged = { workspaceId: sibling, savedAt: "2000-01-01T00:00:00.000Z", savedBy: "forged", minSeverity: "INFO" }
    const { body } = await manage("PUT", forged)
    expect(body).toEqual({ workspaceId, ...noRules, savedAt: moment, savedBy: "owner-1" })
    expect(body.savedAt).not.toBe(forged.savedAt)
  })

  const rule = "Must be"
  test.each<[string, unknown, Record<string, string>]>([
    ["an invalid severity", { minimumSeverity: "FATAL" }, { minimumSeverity: rule }],
    ["an invalid type", { types: { mode: "HIDE", values: ["SENSOR", "NOPE"] } }, { "types.values.1": rule }],
    ["an invalid mode", { subtypes: { mode: "ONLY", values: ["LOW_SOE"] } }, { "subtypes.mode": rule }],
    ["no value", { types: { mode: "SHOW", values: [] } }, { "types.values": "Must be 1 to 100 values" }],
    [
      "too many values",
      { sourceSystems: { mode: "SHOW", values: Array.from({ length: 101 }, (_, n) => `s${n}`) } },
      { "sourceSystems.values": "Must be 1 to 100 values" }
    ],
    ["a rule without its parts", { sourceSystems: {} }, { "sourceSystems.mode": "Is", "sourceSystems.values": "Is" }],
    ["a list for a rule", { types: ["SENSOR"] }, { types: "Must be null, or an object with mode and values" }],
    ["an empty source system", { sourceSystems: { mode: "HIDE", values: [""] } }, { "sourceSystems.values.0": rule }],
    ["NUL", { sourceSystems: { mode: "HIDE", values: ["a\0b"] } }, { "sourceSystems.values.0": "Must not" }],
    ["a long one", { sourceSystems: { mode: "HIDE", values: ["x".repeat(256)] } }, { "sourceSystems.values.0": rule }],
    ["several at once", { minimumSeverity: 1, types: 2 }, { minimumSeverity: rule, types: rule }],
    ["a list for a body", [], { body: rule }],
    ["a body that is no JSON", "{bad", { body: rule }]
  ])("400 VALIDATION_ERROR for %s, and nothing is saved", async (_, body, details) => {
    const { manage } = await arrange()
    const expected = Object.fromEntries(
      Object.entries(details).map(([field, words]) => [field, expect.stringContaining(words)])
    )
    expectError(await manage("PUT", body), 400, "VALIDATION_ERROR", expected)
    expect((await manage("GET")).body.savedAt).toBeNull()
  })

  test("400 VALIDATION_ERROR without a body", async () => {
    expectError(await (await arrange()).manage("PUT"), 400, "VALIDATION_ERROR", { body: expect.any(String) })
  })
})

describe("DELETE /dashboard/api/alert-configuration", () => {
  test("204 restores the state before the first save", async () => {
    const { manage, workspaceId } = await arrange()
    await manage("PUT", everyRule)
    const { status, text } = await manage("DELETE")
    expect([status, text]).toEqual([204, ""])
    expect((await manage("GET")).body).toEqual({ workspaceId, ...noRules, savedAt: null, savedBy: null })
  })

  test("204 deletes that of another workspace of the organization, and not its own", async () => {
    const { manage, sibling, of } = await arrange()
    await manage("PUT", everyRule)
    await manage("PUT", everyRule, of(sibling))
    expect((await manage("DELETE", undefined, of(sibling))).status).toBe(204)
    expect((await manage("GET", undefined, of(sibling))).body.savedAt).toBeNull()
    expect((await manage("GET")).body.savedAt).toEqual(moment)
  })

  test("404 NOT_FOUND if nothing is saved", async () => {
    const { manage } = await arrange()
    expectError(await manage("DELETE"), 404, "NOT_FOUND")
    await manage("PUT", {})
    expect((await manage("DELETE")).status).toBe(204)
    expectError(await manage("DELETE"), 404, "NOT_FOUND")
  })
})

describe.each([["GET"], ["PUT"], ["DELETE"]])("%s /dashboard/api/alert-configuration", (method) => {
  const requestBody = method === "PUT" ? everyRule : undefined

  test("404 WORKSPACE_NOT_FOUND for a workspace of another organization as for an unknown one", async () => {
    const { manage, of } = await arrange()
    const stranger = await arrange()
    await stranger.manage("PUT", everyRule)
    const before = (await stranger.manage("GET")).body
    for (const id of [stranger.workspaceId, nobody, "x"]) {
      expectError(await manage(method, requestBody, of(id)), 404, "WORKSPACE_NOT_FOUND")
    }
    expect((await stranger.manage("GET")).body).toEqual(before)
  })

  test("400 VALIDATION_ERROR for a parameter that is unknown, empty or repeated", async () => {
    const { manage, workspaceId } = await arrange()
    const wrong = (field: string) => ({ [field]: expect.any(String) })
    expectError(await manage(method, requestBody, "?workspace=x"), 400, "VALIDATION_ERROR", wrong("workspace"))
    expectError(await manage(method, requestBody, "?workspaceId="), 400, "VALIDATION_ERROR", wrong("workspaceId"))
    const twice = `?workspaceId=${workspaceId}&workspaceId=${workspaceId}`
    expectError(await manage(method, requestBody, twice), 400, "VALIDATION_ERROR", wrong("workspaceId"))
  })
})

describe("the operators' endpoints", () => {
  test("are in no OpenAPI document and not under /v1", async () => {
    const { keys } = await arrange()
    expect((await app.call("GET", "/v1/docs/swagger.json")).text).not.toContain("/dashboard/api")
    for (const elsewhere of ["/v1/alert-configuration", `/v1${path}`, "/alert-configuration"]) {
      expectError(await app.call("GET", elsewhere, { key: keys.MANAGEMENT }), 404, "NOT_FOUND")
    }
  })

  test("are 404 NOT_FOUND before authentication for another path or method", async () => {
    expectError(await app.call("GET", "/dashboard/api/nothing"), 404, "NOT_FOUND")
    const response = await app.call("POST", path)
    expectError(response, 404, "NOT_FOUND")
    expect(response.headers.get("allow")).toBe("DELETE, GET, HEAD, PUT")
  })

  test("cannot be called by pages of other origins", async () => {
    const { keys } = await arrange()
    const headers = { Origin: "https://elsewhere.example" }
    const response = await app.call("GET", path, { key: keys.MANAGEMENT, headers })
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null])
  })

  test("reject a body above 1 MiB", async () => {
    const { manage } = await arrange()
    const huge = { sourceSystems: { mode: "HIDE", values: ["x".repeat(1024 * 1024)] } }
    expectError(await manage("PUT", huge), 400, "VALIDATION_ERROR", { body: "Must be at most 1 MiB" })
  })
})
