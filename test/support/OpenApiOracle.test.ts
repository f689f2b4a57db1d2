import { describe, expect, it } from "vitest"
import { openApiOracle } from "./OpenApiOracle.ts"

const json = (schema: unknown) => ({ content: { "application/json": { schema } } })
const site = { $ref: "#/components/schemas/Site" }

const document = {
  openapi: "3.1.0",
  paths: {
    "/v1/sites/{id}": {
      get: {
        responses: {
          200: json(site),
          404: json({ $ref: "#/components/schemas/Error" }),
          401: { $ref: "#/components/responses/Unknown" }
        }
      },
      delete: { responses: { 204: {} } }
    },
    "/v1/sites/bulk": {
      post: { responses: { 200: json({ type: "array", items: site }) } },
      get: { responses: { 429: { headers: { "Retry-After": { required: true } }, ...json({}) } } }
    }
  },
  webhooks: { SITE_CREATED: { post: { requestBody: json({ $ref: "#/components/schemas/SiteCreated" }) } } },
  components: {
    headers: { "X-Request-Id": { required: true } },
    responses: {
      Unknown: { headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } }, ...json({ type: "null" }) }
    },
    schemas: {
      Site: {
        type: "object",
        required: ["id", "createdAt"],
        properties: {
          id: { type: "string" },
          createdAt: { type: "string", format: "date-time" },
          name: { type: ["string", "null"] }
        },
        additionalProperties: false
      },
      Error: { type: "object", required: ["code"], properties: { code: { enum: ["SITE_NOT_FOUND"] } } },
      SiteCreated: {
        type: "object",
        required: ["type", "sequence"],
        properties: { type: { type: "string" }, sequence: { type: "integer", minimum: 1 }, site }
      }
    }
  }
}

const oracle = openApiOracle(document)
const reply = { "content-type": "application/json; charset=utf-8" }
const good = { id: "c1", createdAt: "2026-01-02T03:04:05.678Z", name: null }
const check = (method: string, path: string, status: number, body: unknown, headers: Record<string, string> = reply) =>
  oracle.check(method, path, status, headers, body === undefined ? "" : JSON.stringify(body))

describe("the oracle", () => {
  it("accepts what the document allows", () => {
    check("GET", "/v1/sites/c1?include=weather", 200, good)
    check("GET", "/v1/sites/c1", 401, null, { ...reply, "X-Request-Id": "r1" })
    check("get", "/v1/sites/c1", 404, { code: "SITE_NOT_FOUND" })
    check("DELETE", "/v1/sites/c1", 204, undefined, {})
    check("HEAD", "/v1/sites/c1", 200, undefined)
    check("POST", "/v1/sites/bulk", 200, [good, good])
    oracle.check("GET", "/v1/sites/c1", 200, new Headers(reply), JSON.stringify(good))
    expect(oracle.findOperation("GET", "/v1/sites/c1")).toBe("/v1/sites/{id}")
  })

  it("takes a written-out segment before a parameter, and another template when that lacks the method", () => {
    expect(oracle.findOperation("POST", "/v1/sites/bulk")).toBe("/v1/sites/bulk")
    expect(oracle.findOperation("DELETE", "/v1/sites/bulk")).toBe("/v1/sites/{id}")
    expect(oracle.findOperation("GET", "/v1/sites/c1/devices")).toBeUndefined()
  })

  const refused: ReadonlyArray<readonly [why: string, answered: Parameters<typeof check>]> = [
    ["the operation is not documented", ["GET", "/v1/nothing", 200, good]],
    ["the operation is not documented", ["PUT", "/v1/sites/c1", 200, good]],
    ["the status is not documented", ["GET", "/v1/sites/c1", 500, good]],
    ["the body is not JSON", ["GET", "/v1/sites/c1", 200, undefined]],
    [
      "the content type text/html is not documented",
      ["GET", "/v1/sites/c1", 200, good, { "Content-Type": "text/html" }]
    ],
    ["the content type (none) is not documented", ["GET", "/v1/sites/c1", 200, good, {}]],
    ["a body is not documented", ["DELETE", "/v1/sites/c1", 204, good]],
    ["a body is not documented", ["HEAD", "/v1/sites/c1", 200, good]],
    ["the header Retry-After is missing", ["GET", "/v1/sites/bulk", 429, {}]],
    ["the header X-Request-Id is missing", ["GET", "/v1/sites/c1", 401, null]],
    ["the body must be null", ["GET", "/v1/sites/c1", 401, {}, { ...reply, "X-Request-Id": "r1" }]],
    ["the body must have required property 'createdAt'", ["GET", "/v1/sites/c1", 200, { id: "c1" }]],
    ["/createdAt must match format", ["GET", "/v1/sites/c1", 200, { ...good, createdAt: "yesterday" }]],
    ["/name must be string,null", ["GET", "/v1/sites/c1", 200, { ...good, name: 1 }]],
    ["must NOT have additional properties", ["GET", "/v1/sites/c1", 200, { ...good, secret: 1 }]],
    ["/1 must have required property 'id'", ["POST", "/v1/sites/bulk", 200, [good, {}]]],
    ["/code must be equal to one of", ["GET", "/v1/sites/c1", 404, { code: "NOT_FOUND" }]]
  ]

  it("accepts a webhook that the document allows", () => {
    oracle.checkWebhook(JSON.stringify({ type: "SITE_CREATED", sequence: 1, site: good }))
  })

  it.each([
    ["SITE_LOST is not documented", { type: "SITE_LOST", sequence: 1 }],
    ["undefined is not documented", null],
    ["/sequence must be >= 1", { type: "SITE_CREATED", sequence: 0 }],
    ["/site must have required property 'createdAt'", { type: "SITE_CREATED", sequence: 1, site: { id: "c1" } }]
  ])("refuses a webhook because %s", (why, body) => {
    expect(() => oracle.checkWebhook(JSON.stringify(body))).toThrow(why)
  })

  it.each(refused)("refuses because %s: %j", (why, answered) => {
    expect(() => check(...answered)).toThrow(why)
  })
})
