import { readsOne } from "@edp/domain/auth/middleware"
import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, formatRoute } from "./endpoints.ts"
import { requestBodies } from "./requestBodies.ts"
import { servedOperations } from "./servedDocument.ts"
import { seedWorld, type World } from "./world.ts"
import { worldPath } from "./worldPath.ts"

const app = useTestApp()
let world: World
let served: ReadonlyMap<string, any>
beforeAll(async () => {
  world = await seedWorld(app, "repetition")
  served = await servedOperations(app.url)
})

const named = (endpoints: ReadonlyArray<Endpoint>) =>
  endpoints.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) }))

const documentedAs = ({ method, documented }: Endpoint) => served.get(`${method} ${documented}`)

/** Whether the document says so; of the operators' endpoints, which are in none, whether it holds for endpoints of that kind. */
const takes = (endpoint: Endpoint, header: string) =>
  documentedAs(endpoint)?.parameters.some(({ name }: { readonly name: string }) => name === header) ??
  !(header === "Idempotency-Key" && endpoint.returnsSecret)

const makePath = (endpoint: Endpoint) => worldPath(endpoint, world)

const keyFor = ({ allowed }: Endpoint) => world.keys[allowed[0]!]

describe.each(named(endpoints.filter(({ method }) => method === "POST")))("$route", ({ endpoint }) => {
  const send = async (name: string) => {
    const path = makePath(endpoint)
    const body = endpoint.payload && requestBodies[formatRoute({ ...endpoint, path: endpoint.documented })]!(world)
    const options = { key: keyFor(endpoint), body, headers: { "Idempotency-Key": name } }
    return [await app.call("POST", path, options), await app.call("POST", path, options)] as const
  }

  test("repeated with its Idempotency-Key returns the same response, or refuses the header if the document lacks it", async () => {
    const [first, again] = await send(formatRoute(endpoint))
    if (!takes(endpoint, "Idempotency-Key")) {
      for (const refused of [first, again]) {
        expectError(refused, 400, "VALIDATION_ERROR", { idempotencyKey: expect.stringMatching(/secret/) })
      }
      return
    }
    expect(first.status, first.text).toBeLessThan(300)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect([first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true"
    ])
    const documented = documentedAs(endpoint)?.responses[first.status].headers
    if (documented !== undefined) expect(Object.keys(documented)).toContain("Idempotency-Replayed")
  })
})

test("only responses with a secret are not stored", () => {
  const refusing = endpoints.filter((one) => one.method === "POST" && !takes(one, "Idempotency-Key")).map(formatRoute)
  expect(refusing).toEqual([
    "POST /v1/api-keys",
    "POST /v1/api-keys/:id/rotate",
    "POST /v1/destinations",
    "POST /v1/destinations/:id/activate",
    "POST /v1/destinations/:id/rotate-secret"
  ])
})

describe.each(named(endpoints.filter(readsOne)))("$route", ({ endpoint }) => {
  test("responds 304 to its own ETag, as documented", async () => {
    const options = { key: keyFor(endpoint) }
    const first = await app.call("GET", makePath(endpoint), options)
    expect(first.status, first.text).toBe(200)
    const headers = { "If-None-Match": first.headers.get("etag")! }
    const again = await app.call("GET", makePath(endpoint), { ...options, headers })
    expect([again.status, again.text]).toEqual([304, ""])
    expect(takes(endpoint, "If-None-Match")).toBe(true)
    const documented = documentedAs(endpoint)?.responses
    if (documented === undefined) return
    expect(documented["304"].headers).toHaveProperty("ETag")
    expect(documented["200"].headers).toHaveProperty("ETag")
  })
})

/** The writes of keys that browsers may have. */
const writesForPages = ["POST /v1/connections", "POST /v1/devices/:id/commands"]

describe.each(named(endpoints))("$route", ({ endpoint, route }) => {
  test("allows cross-origin requests only if it reads under /v1 or is in the table", async () => {
    const isRead = endpoint.method === "GET" && endpoint.path.startsWith("/v1/")
    const isForPages = isRead || writesForPages.includes(route)
    const headers = { Origin: "https://app.example.com", "Access-Control-Request-Method": endpoint.method }
    const reply = await app.call("OPTIONS", makePath(endpoint), { headers })
    expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual(
      isForPages ? [204, "*"] : [404, null]
    )
  })
})
