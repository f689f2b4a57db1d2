import type { ServerResponse } from "node:http"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { someAddress } from "../../../support/Seed.ts"
import { type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"
import { StubGeocoder } from "../../../support/peers/stubGeocoder.ts"

const geocoder = new StubGeocoder()
beforeAll(() => geocoder.start())
afterAll(() => geocoder.stop())
const app = useTestApp({
  env: {
    get GEOCODER() {
      return geocoder.url
    }
  }
})
let here: TestWorkspace
beforeEach(async () => {
  here = await app.workspace()
})

const sites = async () => (await app.call("GET", "/v1/sites", { key: here.keys.SERVER })).body.totalItems

/** Requests a site by its name; during the geocoder's request, something happens in the database. */
const post = (meanwhile: () => Promise<unknown>) => {
  geocoder.respond = (response: ServerResponse) => void meanwhile().then(() => geocoder.found(response))
  const headers = { "Idempotency-Key": "lost" }
  return app.call("POST", "/v1/sites", { key: here.keys.SERVER, body: { address: someAddress() }, headers })
}

describe("a request that loses its claim while it waits for another service", () => {
  test("changes nothing, and returns the response of the other run", async () => {
    const reply = await post(() =>
      app.sql(
        (sql) => sql`UPDATE idempotent_answers SET claim = gen_random_uuid(), status = 201,
          headers = '{"content-type": "application/json"}', body = '{"of":"another"}', expires_at = now() + interval '1 hour'
          WHERE status IS NULL`
      )
    )
    expect([reply.status, reply.text, reply.headers.get("idempotency-replayed")]).toEqual([
      201,
      '{"of":"another"}',
      "true"
    ])
    expect(await sites()).toBe(0)
  })

  test("changes nothing while the other run has no response yet, and waits for it", async () => {
    const reply = await post(() =>
      app.sql(
        (sql) => sql`UPDATE idempotent_answers SET claim = gen_random_uuid(), expires_at = now() + interval '1 hour'
          WHERE status IS NULL`
      )
    )
    expectError(reply, 502, "SERVICE_UNAVAILABLE")
    expect(await sites()).toBe(0)
  })

  test("does not block other statements of the service meanwhile", async () => {
    const reply = await post(() => app.call("GET", "/v1/sites", { key: here.keys.SERVER }))
    expect(reply.status, reply.text).toBe(201)
    expect(await sites()).toBe(1)
  })
})
