import { Accounts } from "@edp/server/accounts/Accounts"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import { observation, report, scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "./arrangeAccounts.ts"
import { atOnce, gate } from "../../support/races.ts"

const scripted = scriptedAdapter()
const app = useTestApp({ own: true, adapters: [scripted.adapter] })
const arrange = () => arrangeAccounts(app, scripted)
const HOUR = 3_600_000

const makeDue = (id: string) =>
  app.sql((sql) => sql`UPDATE accounts SET refresh_at = now() - interval '1 second' WHERE id = ${id} RETURNING 1`)
const expire = (id: string) =>
  app.sql((sql) => sql`UPDATE accounts SET refresh_at = now(), expires_at = now() WHERE id = ${id} RETURNING 1`)

const lost = AdapterError.of("grant_lost", "The permission was withdrawn", {
  upstream: { statusCode: 400, errorCode: "invalid_grant", errorMessage: "withdrawn", requestId: null }
})

describe("credentials", () => {
  test("are stored encrypted", async () => {
    const { account, link } = await arrange()
    const { id } = await link()
    const { sealed_credentials: sealed } = await account(id)
    expect(Buffer.from(sealed).toString("latin1")).not.toContain("secret")
  })

  test("are renewed before they expire: a tenth of their life, and a minute at least", async () => {
    const { account, link } = await arrange()
    const { id } = await link(scripted.account(), { expiresAt: Date.now() + 10 * HOUR })
    const { expires_at: end, refresh_at: at } = await account(id)
    const before = (end.getTime() - at.getTime()) / HOUR
    expect(before).toBeGreaterThanOrEqual(0.99)
    expect(before).toBeLessThan(1.51)
  })

  test("are renewed by the work on the account, and the next reading uses the new ones", async () => {
    const { account, link, perform } = await arrange()
    const person = scripted.account()
    const tokens: Array<string> = []
    person.account.read = ({ credentials }) =>
      Effect.sync(() => {
        tokens.push(credentials.token)
        return report([observation(person.device)])
      })
    const { id } = await link(person, { expiresAt: Date.now() + HOUR })
    await perform(id)
    await makeDue(id)
    await perform(id)
    await perform(id)
    expect(tokens).toEqual(["secret-token", "secret-token+", "secret-token+"])
    expect((await account(id)).refresh_at.getTime()).toBeGreaterThan(Date.now())
  })

  test("are renewed once if the manufacturer refuses the token before its end, and the call is repeated", async () => {
    const { link, perform, work } = await arrange()
    const person = scripted.account()
    const tokens: Array<string> = []
    person.account.read = ({ credentials }) =>
      Effect.suspend(() => {
        tokens.push(credentials.token)
        return credentials.token.endsWith("+")
          ? Effect.succeed(report([observation(person.device)]))
          : Effect.fail(AdapterError.of("token_refused", "The token is not accepted"))
      })
    const { id } = await link(person)
    await perform(id)
    expect(tokens).toEqual(["secret-token", "secret-token+"])
    expect(await work(id)).toMatchObject({ failures: 0, refreshing: false })
  })

  test("are stored in one attempt where the database refuses them: repeating is for an unreachable one", async () => {
    const { link, perform } = await arrange()
    const { id } = await link(scripted.account(), { expiresAt: Date.now() + HOUR })
    await perform(id)
    // A sequence counts the attempts that are rolled back, too.
    await app.sql((sql) => sql`CREATE SEQUENCE refusals`)
    await app.sql(
      (sql) => sql`CREATE FUNCTION refuse_renewal() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM nextval(''refusals''); RAISE EXCEPTION ''refused''; END'`
    )
    await app.sql(
      (sql) => sql`CREATE TRIGGER refused BEFORE UPDATE OF sealed_credentials ON accounts
        FOR EACH ROW EXECUTE FUNCTION refuse_renewal()`
    )
    await makeDue(id)
    await perform(id).catch(() => {})
    await app.sql((sql) => sql`DROP TRIGGER refused ON accounts`)
    const [row] = await app.sql<{ attempts: number }>((sql) => sql`SELECT last_value::int AS attempts FROM refusals`)
    expect(row!.attempts).toBe(1)
  })

  test("stay when the manufacturer does not respond to a refresh; it is tried again", async () => {
    const { account, link, perform, work } = await arrange()
    const person = scripted.account()
    const works = person.account.refresh
    person.account.refresh = () => Effect.fail(AdapterError.of("vendor_fault", "Status 503"))
    const { id } = await link(person, { expiresAt: Date.now() + HOUR })
    await makeDue(id)
    await perform(id)
    expect(await account(id)).toMatchObject({ status: "connected", generation: 2 })
    expect(await work(id)).toMatchObject({ failures: 1 })
    person.account.refresh = works
    await perform(id)
    expect(await account(id)).toMatchObject({ status: "connected", generation: 3 })
  })
})

describe("an account whose refresh is refused", () => {
  const fails = async () => {
    const arranged = await arrange()
    const person = scripted.account()
    person.account.refresh = () => Effect.fail(lost)
    const linked = await arranged.link(person, { expiresAt: Date.now() + HOUR })
    await makeDue(linked.id)
    await arranged.perform(linked.id)
    return { ...linked, ...arranged, person }
  }

  test("fails: its events, its devices, an obstacle that says what to do, one alert, and no further reading", async () => {
    const { account, alerts, device, deviceId, events, id, work } = await fails()
    expect(await account(id)).toMatchObject({ status: "failed", last_error: { failure: "grant_lost" } })
    expect((await events("CONNECTION_FAILED"))[0].data).toMatchObject({
      session: null,
      account: { id, manufacturer: "scripted", referenceId: "user-1" },
      error: { code: "invalid_grant", message: "The permission was withdrawn" }
    })
    expect(await events("DEVICE_DISCONNECTED")).toHaveLength(1)
    expect(await device(deviceId)).toMatchObject({
      disconnectedAt: expect.any(String),
      interventions: [{ code: "sign_in_again", blocks: ["telemetry"], actor: "owner" }]
    })
    expect(await alerts()).toMatchObject([{ type: "CONFIGURATION", sourceSystem: "scripted", status: "OPEN" }])
    expect(await work(id)).toMatchObject({ dueInSeconds: null, claim: null })
  })

  test("goes on under its id, with its devices, when the person signs in again", async () => {
    const { account, alerts, begin, device, deviceId, events, finish, id, person, perform } = await fails()
    const again = await begin(person)
    expect(await finish(again, person, { reconnect: id })).toEqual({ accountId: id, deviceIds: [deviceId] })
    expect(await account(id)).toMatchObject({ status: "connected", last_error: null })
    expect(await account(again)).toBeUndefined()
    expect(await device(deviceId)).toMatchObject({ disconnectedAt: null, interventions: [] })
    expect(await events("DEVICE_CONNECTED")).toHaveLength(2)
    expect(await events("DEVICE_DISCOVERED")).toHaveLength(1)
    expect(await alerts()).toMatchObject([{ status: "RESOLVED" }])
    await perform(id)
    expect((await device(deviceId)).state).toMatchObject({ power: 100 })
  })

  test("is no connected account of the reference", async () => {
    const { accounts, id, workspaceId } = await fails()
    const found = await accounts((service) =>
      service.connectedNames({ workspaceId, manufacturer: "scripted", referenceId: "user-1" })
    )
    expect(found).toEqual([])
    expect((await app.sql<any>((sql) => sql`SELECT status FROM accounts WHERE id = ${id}`))[0].status).toBe("failed")
  })

  test("is connected again by a worker that was stopped with the new credentials not yet stored", async () => {
    const { account, alerts, device, link, perform, work } = await arrange()
    const person = scripted.account()
    const { entered, open, wait } = gate()
    let attempts = 0
    // The first refresh hangs while the manufacturer has already made the old credentials void.
    person.account.refresh = ({ credentials }) =>
      Effect.suspend(() => {
        attempts++
        if (attempts > 1) return Effect.fail(lost)
        return Effect.as(wait, { credentials: { ...credentials, token: "rotated" }, expiresAt: Date.now() + HOUR })
      })
    const { deviceId, id } = await link(person, { expiresAt: Date.now() + HOUR })
    await makeDue(id)
    const first = perform(id)
    await entered
    expect(await work(id)).toMatchObject({ refreshing: true })
    // Its lease ends, and another worker tries the old credentials.
    await app.sql((sql) => sql`UPDATE account_work SET claim = NULL WHERE account_id = ${id} RETURNING 1`)
    await perform(id)
    expect(await account(id)).toMatchObject({ status: "failed" })
    open()
    await first
    await expect.poll(async () => (await account(id)).status).toBe("connected")
    expect(await device(deviceId)).toMatchObject({ disconnectedAt: null, interventions: [] })
    expect(await alerts()).toMatchObject([{ status: "RESOLVED" }])
    expect((await work(id)).dueInSeconds).toBeLessThan(1)
  })
})

describe("a command's access", () => {
  const use = (id: string) =>
    app.run(
      Effect.flatMap(Accounts, ({ withAccount }) =>
        Effect.exit(withAccount(id, ({ credentials }) => Effect.succeed((credentials as { token: string }).token)))
      )
    )

  test("gets valid credentials as they are, and renews those that have expired once for all callers", async () => {
    const { link } = await arrange()
    const { id } = await link(scripted.account(), { expiresAt: Date.now() + HOUR })
    expect(await use(id)).toEqual(Exit.succeed("secret-token"))
    await expire(id)
    const [before, overlaps] = [scripted.counts.refresh, scripted.overlaps()]
    const tokens = await atOnce(20, () => use(id))
    expect(tokens).toEqual(tokens.map(() => Exit.succeed("secret-token+")))
    expect(scripted.counts.refresh - before).toBe(1)
    expect(scripted.overlaps()).toBe(overlaps)
  })

  test("waits for another worker's refresh", async () => {
    const { link, perform } = await arrange()
    const person = scripted.account()
    const { entered, open, wait } = gate()
    const renew = person.account.refresh
    person.account.refresh = (account) => Effect.andThen(wait, renew(account))
    const { id } = await link(person, { expiresAt: Date.now() + HOUR })
    await expire(id)
    const overlaps = scripted.overlaps()
    const working = perform(id)
    await entered
    const token = use(id)
    open()
    expect(await token).toEqual(Exit.succeed("secret-token+"))
    await working
    expect(scripted.overlaps()).toBe(overlaps)
  })

  test("is refused for an account that is not connected", async () => {
    const { accounts, link, workspaceId } = await arrange()
    const { id } = await link()
    await accounts((service) => service.disconnect(workspaceId, id))
    const exit = await use(id)
    expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("grant_lost")
  })
})

test("a worker whose claim was taken over writes nothing but readings, and releases nothing", async () => {
  const { device, link, perform, work } = await arrange()
  const person = scripted.account()
  const { entered, open, wait } = gate()
  person.account.read = () => Effect.as(wait, report([observation(person.device, { staticState: { note: "old" } })]))
  const { deviceId, id } = await link(person)
  const working = perform(id)
  await entered
  const other = "00000000-0000-4000-8000-000000000000"
  await app.sql((sql) => sql`UPDATE account_work SET claim = ${other}::uuid WHERE account_id = ${id} RETURNING 1`)
  open()
  await expect.poll(async () => (await device(deviceId)).state.power).toBe(100)
  expect(await device(deviceId)).not.toHaveProperty("staticState")
  expect((await work(id)).claim).toBe(other)
  await app.sql((sql) => sql`UPDATE account_work SET claim = NULL WHERE account_id = ${id} RETURNING 1`)
  await working
})
