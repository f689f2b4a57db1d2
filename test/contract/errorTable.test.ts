import { errorCodes } from "@edp/domain/errors/ErrorCode"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { type TestResponse, TestApp, type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { type Code, errorTable, everywhere, listedErrors, notAnswered } from "./errorTable.ts"
import { refusals } from "./refusals.ts"
import { servedOperations } from "./servedDocument.ts"
import { seedWorld, type World } from "./world.ts"

const app = useTestApp()
const named = (code: Code) => `${errorTable.find(([, one]) => one === code)![0]} ${code}`

/** The response is the code's own: its status, and a body of code, message and the code's extra field, and nothing else. */
const expectCode = (reply: TestResponse, code: Code) => {
  const [status, , extraField] = errorTable.find(([, one]) => one === code)! as readonly [number, Code, string?]
  const extra = extraField === undefined ? {} : { [extraField]: expect.anything() }
  expect({ status: reply.status, body: reply.body }).toEqual({
    status,
    body: { code, message: expect.stringMatching(/^\w.{5,}$/), ...extra }
  })
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/)
  expect(reply.headers.get("x-request-id")).toMatch(/.{8,}/)
  return reply.body
}

describe("the table", () => {
  test("equals the contract's table", () => {
    const own = Object.entries(errorCodes).map(([code, { status }]) => `${status} ${code}`)
    expect(own.sort()).toEqual(errorTable.map(([, code]) => named(code)).sort())
  })

  const listCodes = (operation: unknown, document: any): ReadonlySet<string> => {
    const text = JSON.stringify((operation as any).responses)
    return new Set(
      [...text.matchAll(/(?:schemas|responses)\/([A-Z_]+)"/g)]
        .map(([, code]) => code!)
        .filter((code) => code in document)
    )
  }

  test("has a test for exactly the codes in the served document", async () => {
    const operations = [...(await servedOperations(app.url)).values()]
    const documented = new Set(operations.flatMap((operation) => [...listCodes(operation, errorCodes)]))
    const proved = new Set<string>([...Object.keys(refusals), ...provedBelow])
    expect([...proved].sort()).toEqual([...documented].sort())
    expect(errorTable.map(([, code]) => code).filter((code) => !proved.has(code))).toEqual(notAnswered)
  })

  test("gives the manufacturers' endpoints exactly the errors of the specification", async () => {
    const operations = await servedOperations(app.url)
    for (const [route, codes] of Object.entries(listedErrors)) {
      expect([...listCodes(operations.get(route), errorCodes)].sort()).toEqual([...codes, ...everywhere].sort())
    }
  })
})

const provedBelow = [
  "LOCATION_SERVICE_ERROR",
  "UNKNOWN_ERROR",
  "SERVICE_UNAVAILABLE"
] as const satisfies ReadonlyArray<Code>

describe("the caller's mistakes", () => {
  let world: World
  let stranger: World
  beforeAll(async () => {
    world = await seedWorld(app, "own")
    stranger = await seedWorld(app, "stranger")
  })

  for (const [code, refuse] of Object.entries(refusals)) {
    test(named(code as Code), async () => {
      const body = expectCode(await refuse({ app, world, stranger }), code as Code)
      if (code === "PARAMETER_MISMATCH") expect(body.mismatchedFields).toEqual(["siteId", "serialNumber", "name"])
      if (code === "VALIDATION_ERROR") expect(Object.keys(body.details).sort()).toEqual(["sourceSystem", "title"])
      if (code === "RATE_LIMITED") expect(body.retryAfter).toBeGreaterThan(0)
    })
  }
})

/** An app of one test alone, which may break it. */
const withApp = async (env: Record<string, string>, use: (app: TestApp, workspace: TestWorkspace) => Promise<void>) => {
  const broken = new TestApp()
  await broken.start({ env })
  try {
    await use(broken, await broken.workspace())
  } finally {
    await broken.stop()
  }
}

describe("failures of the service", () => {
  test(named("LOCATION_SERVICE_ERROR"), async () => {
    const geocoder = `http://127.0.0.1:${await freePort()}`
    await withApp({ GEOCODER: geocoder }, async (broken, { keys }) => {
      const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
      expectCode(
        await broken.call("POST", "/v1/sites", { key: keys.SERVER, body: { address } }),
        "LOCATION_SERVICE_ERROR"
      )
      expect((await broken.call("GET", "/v1/sites", { key: keys.SERVER })).body.totalItems).toBe(0)
    })
  })

  test(named("UNKNOWN_ERROR"), async () => {
    await withApp({}, async (broken, { keys }) => {
      await broken.sql((sql) => sql`ALTER TABLE sites RENAME TO sites_elsewhere`)
      const reply = await broken.call("GET", "/v1/sites", { key: keys.SERVER })
      expectCode(reply, "UNKNOWN_ERROR")
      const message = `An unexpected error occurred; quote request id ${reply.headers.get("x-request-id")}`
      expect(reply.body).toEqual({ code: "UNKNOWN_ERROR", message })
      expect(JSON.stringify([...reply.headers])).not.toMatch(/sites|relation|select|\.ts/i)
    })
  })

  describePostgres("without its database", () => {
    let postgres: PostgresServer
    const served = new TestApp()
    beforeAll(async () => {
      postgres = await startPostgres({ fsync: false })
      await served.start({ databaseUrl: () => postgres.url })
    })
    afterAll(async () => {
      await served.stop()
      await postgres.stop()
    })

    test(named("SERVICE_UNAVAILABLE"), async () => {
      const { keys } = await served.workspace()
      const read = () => served.call("GET", "/v1/sites", { key: keys.SERVER })
      expect((await read()).status).toBe(200)
      await postgres.kill9()
      for (const path of ["/v1/sites", "/v1/devices", "/v1/alerts", "/v1/workspaces", "/v1/manufacturers"]) {
        expectCode(await served.call("GET", path, { key: keys.SERVER }), "SERVICE_UNAVAILABLE")
      }
      const body = { readings: [{ deviceId: "c0000000000000000000000000", state: { power: 1 } }] }
      expectCode(
        await served.call("POST", "/devices/telemetry", { key: keys.MANUFACTURER, body }),
        "SERVICE_UNAVAILABLE"
      )
      expect((await served.call("GET", "/health/ready")).status).toBe(503)
      expect((await served.call("GET", "/health/live")).status).toBe(200)

      await postgres.restart()
      await eventually("the service goes on by itself", async () => ((await read()).status === 200 ? true : undefined))
      expect((await served.call("GET", "/health/ready")).status).toBe(200)
    })
  })
})
