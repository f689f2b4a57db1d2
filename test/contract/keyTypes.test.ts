import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { beforeAll, describe, expect, test } from "vitest"
import { type BrowserSession, signIn } from "../support/browserSession.ts"
import { type TestResponse, type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { documentedEndpoints, endpoints, fillPath, listMethods, formatRoute } from "./endpoints.ts"
import { keyTypeTable } from "./keyTypeTable.ts"
import { servedOperations } from "./servedDocument.ts"

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })
let place: TestWorkspace
let browser: BrowserSession
beforeAll(async () => {
  place = await app.workspace()
  browser = await signIn(app, place.keys.MANAGEMENT)
})

/** Ids of nothing that exists: these tests check who may call, and no call may change anything. */
const unknownId = "c0000000000000000000000000"
const unknownParams = {
  id: unknownId,
  customerId: unknownId,
  deviceId: unknownId,
  commandId: unknownId,
  memberId: unknownId,
  slug: "-",
  tag: "-"
}
const makePath = ({ path }: { readonly path: string }) => fillPath(path, unknownParams)

const unauthenticated = ({ status, body }: TestResponse) =>
  expect({ status, body }).toEqual({ status: 401, body: { code: "UNAUTHENTICATED", message: expect.any(String) } })

const sorted = (names: Iterable<string>) => [...names].sort()

test("the contract and the table list the same routes", () => {
  expect(sorted(endpoints.map(formatRoute))).toEqual(sorted(Object.keys(keyTypeTable)))
})

test("the served document lists exactly the contract's routes", async () => {
  const documented = documentedEndpoints.map(({ method, path }) => formatRoute({ method, path }))
  expect(sorted((await servedOperations(app.url)).keys())).toEqual(sorted(documented))
})

test("the served document states the key types of every route", async () => {
  const served = await servedOperations(app.url)
  for (const [route, operation] of served) {
    expect([route, sorted(operation["x-allowed-key-types"])]).toEqual([route, sorted(keyTypeTable[route] ?? [])])
  }
})

describe.each(endpoints)("$method $path", (endpoint) => {
  const { method } = endpoint
  const path = makePath(endpoint)
  const allowed = keyTypeTable[formatRoute(endpoint)] ?? []
  const body = endpoint.payload === undefined ? {} : { body: {} }

  test("is annotated with the key types of the table", () => {
    expect(sorted(endpoint.allowed)).toEqual(sorted(allowed))
  })

  test("401 without a key", async () => unauthenticated(await app.call(method, path, body)))

  for (const type of apiKeyTypes) {
    if (allowed.includes(type)) {
      test(`a ${type} key may call it`, async () => {
        const response = await app.call(method, path, { key: place.keys[type], ...body })
        expect([401, 429]).not.toContain(response.status)
        expect(response.status, response.text).toBeLessThan(500)
      })
    } else {
      test(`401 with a ${type} key`, async () =>
        unauthenticated(await app.call(method, path, { key: place.keys[type], ...body })))
    }
  }

  const sessionType = (["MANAGEMENT", "SERVER"] as const).find((type) => allowed.includes(type))
  if (sessionType === undefined) {
    test("401 with a session", async () => unauthenticated(await browser.call(method, path, body)))
  } else {
    test(`a session gets the response of a ${sessionType} key`, async () => {
      const { status, body: answered } = await browser.call(method, path, body)
      const same = await app.call(method, path, { key: place.keys[sessionType], ...body })
      expect({ status, code: answered?.code }).toEqual({ status: same.status, code: same.body?.code })
    })
    if (method !== "GET") {
      test("403 with a session without its CSRF token", async () => {
        const response = await app.call(method, path, { ...body, headers: { cookie: browser.cookie } })
        expect([response.status, response.body.code]).toEqual([403, "FORBIDDEN"])
      })
    }
  }

  if (method === "GET") {
    test("HEAD responds like GET without the body, with every key type", async () => {
      for (const key of [undefined, ...Object.values(place.keys)]) {
        const credentials = key === undefined ? {} : { key }
        const head = await app.call("HEAD", path, credentials)
        expect(head.status).toBe((await app.call("GET", path, credentials)).status)
        expect(head.text).toBe("")
      }
    })
  }
})

const paths = [...new Set(endpoints.map(makePath))]

test.each(paths)(
  "any other method on %s is 404 before authentication, and the response lists the allowed methods",
  async (path) => {
    const known = listMethods(path)
    const others = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !known.has(method))
    for (const method of others) {
      for (const key of [undefined, ...Object.values(place.keys)]) {
        const response = await app.call(method, path, key === undefined ? {} : { key })
        expect({ method, status: response.status, code: response.body?.code }).toEqual({
          method,
          status: 404,
          code: "NOT_FOUND"
        })
        expect(response.headers.get("allow")).toBe(sorted(known).join(", "))
      }
    }
  }
)

describe("outside the contract", () => {
  test.each(["/health/live", "/health/ready", "/v1/docs", "/v1/docs/swagger.json"])("%s needs no key", async (path) => {
    expect((await app.call("GET", path)).status).toBe(200)
  })

  test("/metrics is for MANAGEMENT keys", async () => {
    unauthenticated(await app.call("GET", "/metrics"))
    for (const type of apiKeyTypes) {
      const response = await app.call("GET", "/metrics", { key: place.keys[type] })
      if (type === "MANAGEMENT") expect(response.status).toBe(200)
      else unauthenticated(response)
    }
  })

  test("/metrics also accepts the key as a bearer token, and nothing else does", async () => {
    const bearing = (path: string, authorization: string) => app.call("GET", path, { headers: { authorization } })
    const { MANAGEMENT, SERVER } = place.keys
    for (const scheme of ["Bearer", "bearer", "BEARER "]) {
      expect((await bearing("/metrics", `${scheme} ${MANAGEMENT}`)).status).toBe(200)
    }
    for (const header of [
      `Bearer ${SERVER}`,
      `Basic ${MANAGEMENT}`,
      MANAGEMENT,
      "Bearer",
      `Bearer ${MANAGEMENT} more`
    ]) {
      unauthenticated(await bearing("/metrics", header))
    }
    unauthenticated(await bearing("/v1/organizations", `Bearer ${MANAGEMENT}`))
    const other = { key: SERVER, headers: { authorization: `Bearer ${MANAGEMENT}` } }
    unauthenticated(await app.call("GET", "/metrics", other))
  })
})
