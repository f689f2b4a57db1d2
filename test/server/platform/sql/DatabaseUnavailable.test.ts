import { NotFound } from "@edp/domain/errors/ApiErrors"
import {
  catchAllButUnavailable,
  DatabaseUnavailable,
  hideUnavailable,
  resultUnlessUnavailable,
  revealUnavailable
} from "@edp/server/platform/sql/DatabaseUnavailable"
import { Cause, Effect, Exit, Result } from "effect"
import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { duringOutage } from "../../../support/outage.ts"
import { useTestApp } from "../../../support/TestApp.ts"

const unavailable = new DatabaseUnavailable()
const away = (error: DatabaseUnavailable | NotFound = unavailable) => Effect.fail(error)
const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runSync(Effect.exit(effect))

describe("an unavailable database", () => {
  test("stays a failure where results are values", () => {
    const missing = new NotFound({})
    expect(run(resultUnlessUnavailable(away()))).toEqual(Exit.fail(unavailable))
    expect(run(resultUnlessUnavailable(away(missing)))).toEqual(Exit.succeed(Result.fail(missing)))
    expect(run(resultUnlessUnavailable(Effect.succeed(1)))).toEqual(Exit.succeed(Result.succeed(1)))
  })

  test("stays a failure where all others are handled", () => {
    const handled = catchAllButUnavailable(() => Effect.succeed("handled"))
    expect(run(handled(away()))).toEqual(Exit.fail(unavailable))
    expect(run(handled(away(new NotFound({}))))).toEqual(Exit.succeed("handled"))
    expect(run(handled(Effect.die(new Error("a bug"))))).toEqual(Exit.succeed("handled"))
  })

  test("passes code that handles failures and is one again, unlike bugs", () => {
    const adapter = <A, E>(call: Effect.Effect<A, E>) => Effect.orElseSucceed(call, () => "the manufacturer failed")
    expect(run(revealUnavailable(adapter(hideUnavailable(away()))))).toEqual(Exit.fail(unavailable))
    expect(run(revealUnavailable(adapter(away(new NotFound({})))))).toEqual(Exit.succeed("the manufacturer failed"))
    const bug = Cause.die(new Error("a bug"))
    expect(run(revealUnavailable(Effect.failCause(bug)))).toEqual(Exit.failCause(bug))
  })
})

describe("a request during an outage", () => {
  const app = useTestApp({ own: true })

  const call = async (table: string, path: string, body: object) => {
    const { keys } = await app.workspace()
    return duringOutage(app, table, () => app.call("POST", path, { key: keys.SERVER, body }))
  }

  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }

  test("is SERVICE_UNAVAILABLE for any endpoint", async () => {
    expectError(await call("customers", "/v1/customers", { referenceId: "a" }), 502, "SERVICE_UNAVAILABLE")
  })

  test("does not say that an address is wrong", async () => {
    expectError(await call("postal_codes", "/v1/sites", { address }), 502, "SERVICE_UNAVAILABLE")
  })

  test("does not say that a manufacturer is unknown", async () => {
    const body = { destinationType: "MANUFACTURER_COMMAND", manufacturer: "generic", url: "http://127.0.0.1:9/" }
    expectError(await call("manufacturers", "/v1/destinations", body), 502, "SERVICE_UNAVAILABLE")
  })

  test("with an Idempotency-Key stores no response", async () => {
    const { keys } = await app.workspace()
    const options = { key: keys.SERVER, body: { address }, headers: { "idempotency-key": "outage" } }
    const post = () => app.call("POST", "/v1/sites", options)
    expectError(await duringOutage(app, "postal_codes", post), 502, "SERVICE_UNAVAILABLE")
    const repeated = await post()
    expect(repeated.status, repeated.text).toBe(201)
    expect(repeated.headers.get("idempotency-replayed")).toBeNull()
  })
})
