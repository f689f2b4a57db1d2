import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Accounts } from "@edp/server/accounts/Accounts"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { teslaAdapter } from "@edp/adapter-tesla/teslaAdapter"
import { Cause, Effect, Exit, Logger } from "effect"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { TeslaServer } from "../../support/peers/TeslaServer.ts"
import { TestApp, type TestWorkspace } from "../../support/TestApp.ts"
import { UserAgent } from "../../support/UserAgent.ts"

const PUBLIC_URL = "http://localhost:3998"
const BACK = "http://localhost:4998/connected"
const SITE = "2251799813"
const VIN = "5YJ3E1EA7KF000001"

const tesla = new TeslaServer()
const app = new TestApp()
beforeAll(async () => {
  await tesla.start()
  const { authUrl, baseUrl, clientId, clientSecret, commandBaseUrl, tokenUrl } = tesla.settings()
  await app.start({
    adapters: [teslaAdapter],
    env: {
      EDP_PUBLIC_URL: PUBLIC_URL,
      EDP_TESLA_CLIENT_ID: clientId,
      EDP_TESLA_CLIENT_SECRET: clientSecret,
      EDP_TESLA_BASE_URL: baseUrl,
      EDP_TESLA_AUTH_URL: authUrl,
      EDP_TESLA_TOKEN_URL: tokenUrl,
      EDP_TESLA_COMMAND_BASE_URL: commandBaseUrl
    }
  })
})
afterAll(async () => {
  await app.stop()
  await tesla.stop()
})
beforeEach(() => tesla.reset())

/** An account whose owner has signed in, by a link that leads straight to Tesla. */
const connect = async ({ keys }: TestWorkspace) => {
  const { body, status } = await app.call("POST", "/v1/connections", {
    key: keys.SERVER,
    body: {
      mode: "headless",
      redirectUrl: BACK,
      referenceId: "owner",
      manufacturerFilters: { manufacturers: ["tesla"] },
      customerInfo: {
        firstName: "Ada",
        lastName: "Okafor",
        email: "ada@example.com",
        location: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
      }
    }
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const page = await new UserAgent((url) => url.startsWith(BACK), { [PUBLIC_URL]: app.url }).open(body.url)
  expect(new URL(page.url).searchParams.get("error")).toBeNull()
  const [row] = await app.sql<{ readonly id: string }>(
    (sql) => sql`SELECT account_id AS id FROM connect_sessions WHERE id = ${body.id}`
  )
  return { accountId: row!.id, sessionId: body.id as string }
}

const devices = async ({ keys }: TestWorkspace) => {
  const { body } = await app.call("GET", "/v1/devices", { key: keys.SERVER })
  return new Map<string, any>(body.data.map((device: any) => [device.manufacturerDeviceId, device]))
}

const quiet = Effect.provide(Logger.layer([]))

/** Makes an account due and works until nothing of it is under way. */
const work = async (accountId: string) => {
  await app.sql(
    (sql) => sql`UPDATE account_work SET due_at = now(), read_at = now() WHERE account_id = ${accountId}
      AND due_at < 'infinity' RETURNING 1`
  )
  await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(quiet))
  await eventually("the work ends", async () => {
    const [row] = await app.sql<{ readonly claim: string | null }>(
      (sql) => sql`SELECT claim FROM account_work WHERE account_id = ${accountId}`
    )
    return row?.claim === null ? true : undefined
  })
}

const send = (accountId: string, deviceId: string, reserve: number) =>
  app.run(
    Effect.exit(
      Effect.flatMap(Accounts, ({ withAccount }) =>
        withAccount(accountId, (account, { sendCommand }) =>
          sendCommand!(account, {
            id: "command-1",
            device: { id: deviceId, manufacturerDeviceId: `${SITE}:battery`, type: "battery" },
            type: "battery:set-reserve",
            input: { chargePercentage: reserve },
            revertAfter: null,
            state: null,
            snapshot: null,
            takenSince: [],
            saveSnapshot: () => Effect.void
          })
        )
      ).pipe(quiet)
    )
  )

const failure = (exit: Exit.Exit<unknown, unknown>) =>
  (Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined) as AdapterError | undefined

test("an owner's site and vehicle are connected, read, and take commands", async () => {
  const workspace = await app.workspace()
  const { accountId } = await connect(workspace)
  await work(accountId)
  const found = await eventually("readings", async () => {
    const all = await devices(workspace)
    return [...all.values()].every(({ state }) => state !== null) ? all : undefined
  })
  expect([...found.keys()].toSorted()).toEqual([
    `${SITE}:battery`,
    `${SITE}:solar`,
    `${SITE}:wall-connector:TWC-1`,
    VIN
  ])
  expect(found.get(`${SITE}:battery`)).toMatchObject({
    model: "Powerwall 2",
    state: { chargeRate: 2100, gridPower: -280, backupReserve: 20 },
    staticState: { capacity: 27_000 }
  })
  expect(found.get(VIN)).toMatchObject({
    model: "Model 3",
    state: { chargePercentage: 61 },
    staticState: { keyPaired: true }
  })
  const battery = found.get(`${SITE}:battery`)
  expect(Exit.isSuccess(await send(accountId, battery.id, 35))).toBe(true)
  await work(accountId)
  await eventually("the new reserve", async () =>
    (await devices(workspace)).get(`${SITE}:battery`).state.backupReserve === 35 ? true : undefined
  )
})

test("an access token that ends early is renewed once, for polling and commands alike", async () => {
  const workspace = await app.workspace()
  const { accountId } = await connect(workspace)
  tesla.tokenCalls.length = 0
  tesla.expireAccessTokens()
  await work(accountId)
  expect(tesla.tokenCalls.map((form) => form.get("grant_type"))).toEqual(["refresh_token"])
  tesla.expireAccessTokens()
  const battery = (await devices(workspace)).get(`${SITE}:battery`)
  const results = await Promise.all(Array.from({ length: 8 }, () => send(accountId, battery.id, 40)))
  expect(results.filter(Exit.isSuccess).length).toBeGreaterThan(0)
  expect(tesla.tokenCalls).toHaveLength(2)
  const used = tesla.tokenCalls.map((form) => form.get("refresh_token"))
  expect(new Set(used).size).toBe(2)
})

test("too many calls pause the account until Tesla allows more", async () => {
  const workspace = await app.workspace()
  const { accountId } = await connect(workspace)
  tesla.respondOnce("live_status", {
    status: 429,
    body: "",
    headers: { "ratelimit-realtime-remaining": "0", "ratelimit-realtime-reset": "120" }
  })
  await work(accountId)
  tesla.calls.length = 0
  const battery = (await devices(workspace)).get(`${SITE}:battery`)
  const refused = failure(await send(accountId, battery.id, 50))
  expect(refused).toMatchObject({ failure: "throttled" })
  expect(refused!.retryAt! - Date.now()).toBeGreaterThan(60_000)
  expect(tesla.calls).toEqual([])
})

test("a permission that the owner has ended fails the connection and asks for a new sign-in", async () => {
  const workspace = await app.workspace()
  const { accountId } = await connect(workspace)
  await work(accountId)
  tesla.endGrants()
  await work(accountId)
  const { body } = await app.call("GET", "/v1/events?type=CONNECTION_FAILED", { key: workspace.keys.SERVER })
  expect(body.data).toMatchObject([{ data: { error: { code: "login_required" } } }])
  const { interventions } = (await devices(workspace)).get(VIN)
  expect(interventions).toMatchObject([{ code: "sign_in_again", actor: "owner" }])
})

test("disconnecting revokes the refresh token", async () => {
  const workspace = await app.workspace()
  const { sessionId } = await connect(workspace)
  const { status } = await app.call("DELETE", `/v1/connections/${sessionId}`, { key: workspace.keys.SERVER })
  expect(status).toBe(204)
  await eventually("a revocation", async () => (tesla.revoked() > 0 ? true : undefined))
})
