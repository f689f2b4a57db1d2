import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Accounts } from "@edp/server/accounts/Accounts"
import { Effect, Exit, Logger } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { oidcAdapter } from "../../../support/oidcAdapter.ts"
import { OidcServer } from "../../../support/peers/OidcServer.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { TestApp, type TestWorkspace } from "../../../support/TestApp.ts"
import { denyAt, formsIn, type Page, signInAt, UserAgent } from "../../../support/UserAgent.ts"
import { atOnce } from "../../../support/races.ts"

/** The address in links, which the test's browsers resolve to the app. */
const PUBLIC_URL = "http://localhost:3999"
const BACK = "http://localhost:4999/connected"

const provider = new OidcServer()
let app: TestApp

const startApp = async (databaseUrl?: string) => {
  const started = new TestApp()
  await started.start({
    adapters: [oidcAdapter],
    env: { EDP_PUBLIC_URL: PUBLIC_URL, EDP_OIDC_ISSUER: provider.issuer },
    ...(databaseUrl !== undefined && { databaseUrl: () => databaseUrl })
  })
  return started
}

beforeAll(() => provider.start())
afterAll(() => provider.stop())
beforeEach(() => {
  provider.tokenRequests.length = 0
  provider.pageRequests.length = 0
  provider.tokenFaults.length = 0
  provider.beforeToken = () => Promise.resolve()
})

/** A browser of a person, which stops where it has left the platform for good. */
const browser = (at: TestApp = app) => new UserAgent((url) => url.startsWith(BACK), { [PUBLIC_URL]: at.url })

const customerInfo = {
  firstName: "Ada",
  lastName: "Okafor",
  email: "ada@example.com",
  location: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
}

let people = 0
const newPerson = () => `person-${(people += 1)}`

const begin = async ({ keys }: TestWorkspace, more: object = {}, at: TestApp = app) => {
  const { body, status } = await at.call("POST", "/v1/connections", {
    key: keys.SERVER,
    body: {
      referenceId: `user-${Math.random()}`,
      redirectUrl: BACK,
      manufacturerFilters: { manufacturers: ["oidc"] },
      customerInfo,
      ...more
    }
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { readonly id: string; readonly url: string }
}

const session = async ({ keys }: TestWorkspace, id: string, at: TestApp = app) =>
  (await at.call("GET", `/v1/connections/${id}`, { key: keys.SERVER })).body

const isAtProvider = ({ url }: Page) => url.startsWith(provider.issuer)

const buttonFor = (page: Page, name: string, value: string) =>
  formsIn(page).find(({ fields, action }) => fields[name] === value || action.endsWith(`/${name}`)) ?? formsIn(page)[0]

/** Gives consent on the platform's page and arrives at the provider's login form. */
const consentAt = async (agent: UserAgent, url: string): Promise<Page> => {
  const page = await agent.open(url)
  const asked = await agent.submit(page, { granted: "yes" }, buttonFor(page, "consent", "yes"))
  expect(isAtProvider(asked), `${asked.url}: ${asked.html.slice(0, 300)}`).toBe(true)
  return asked
}

/** Signs in and gives consent at the provider, whose redirect leads to the platform. */
const signIn = async (agent: UserAgent, page: Page, person: string): Promise<Page> => {
  let current = page
  for (let step = 0; step < 4 && isAtProvider(current); step += 1)
    current = await agent.submit(current, /name="login"/.test(current.html) ? { login: person, password: "any" } : {})
  return current
}

/** The whole flow: pages, login, consent, devices. Returns the address that the person ends at. */
const connect = async (workspace: TestWorkspace, person: string, more: object = {}, at: TestApp = app) => {
  const begun = await begin(workspace, more, at)
  const agent = browser(at)
  let page = await signIn(agent, await consentAt(agent, begun.url), person)
  if (!page.url.startsWith(BACK)) {
    const devices = formsIn(page).find(({ action }) => action.endsWith("/devices"))
    expect(devices, `${page.url}: ${page.html.slice(0, 2000)}`).toBeDefined()
    page = await agent.submit(page, { device: `meter-of-${person}` }, devices)
  }
  return { agent, id: begun.id, url: begun.url, page }
}

const findAccount = async (sessionId: string, at: TestApp = app): Promise<string> => {
  const [row] = await at.sql<{ readonly id: string }>(
    (sql) => sql`SELECT account_id AS id FROM connect_sessions WHERE id = ${sessionId}`
  )
  return row!.id
}

const withoutLogs = Effect.provide(Logger.layer([]))

/** Makes the access token of an account end at once, as its users see it. */
const expire = (accountId: string, at: TestApp = app) =>
  at.sql(
    (sql) => sql`UPDATE accounts SET expires_at = now() - interval '1 minute', refresh_at = now() - interval '1 minute'
      WHERE id = ${accountId} RETURNING 1`
  )

/** A call of a user of the account, such as a command. */
const use = (accountId: string, at: TestApp = app) =>
  at.run(
    Effect.exit(
      Effect.flatMap(Accounts, ({ withAccount }) =>
        withAccount(accountId, (account, { readDevices }) => readDevices!(account, []))
      ).pipe(withoutLogs)
    )
  )

const refreshes = () =>
  provider.tokenRequests.filter(({ parameters }) => parameters.get("grant_type") === "refresh_token")

describe("a connection through a certified provider", () => {
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  test("leads from the link over the provider's own forms to a connected device that is read", async () => {
    const workspace = await app.workspace()
    const person = newPerson()
    const { id, page } = await connect(workspace, person)
    expect(page.url).toContain(BACK)
    const back = new URL(page.url).searchParams
    expect(back.get("connect_session_id")).toBe(id)
    const scoped = back.get("service_scoped_token")!
    expect(await session(workspace, id)).toMatchObject({ status: "SUCCESS" })
    const devices = await app.call("GET", "/v1/devices", { key: scoped })
    expect(devices.body.data).toMatchObject([{ manufacturerDeviceId: `meter-of-${person}`, type: "meter" }])
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(withoutLogs))
    await eventually("a reading", async () => {
      const { body } = await app.call("GET", `/v1/devices/${devices.body.data[0].id}`, { key: workspace.keys.SERVER })
      return body.state?.power === 1200 ? true : undefined
    })
  })

  test("sends a code with the verifier of its own session, and no token to the browser", async () => {
    const { agent } = await connect(await app.workspace(), newPerson())
    const [exchange] = provider.tokenRequests
    const challenge = provider.pageRequests.find(({ path }) => path === "/auth")!.parameters
    expect(challenge.get("code_challenge_method")).toBe("S256")
    expect(exchange!.parameters.get("code_verifier")).toMatch(/^[\w-]{43,}$/)
    expect(agent.visited.join("\n")).not.toMatch(/access_token|refresh_token|code_verifier/)
  })

  test("ends as denied when the person cancels at the provider, and can be tried again", async () => {
    const workspace = await app.workspace()
    const person = newPerson()
    const begun = await begin(workspace)
    const agent = browser()
    const asked = await consentAt(agent, begun.url)
    await denyAt(agent, agent.visited.findLast((url) => url.startsWith(`${provider.issuer}/auth`)) ?? asked.url)
    expect(await session(workspace, begun.id)).toMatchObject({ status: "ERROR", lastError: { code: "access_denied" } })
    expect(provider.tokenRequests).toEqual([])
    const again = await agent.open(begun.url)
    const retry = formsIn(again).find(({ action }) => action.endsWith("/retry"))
    const asked2 = await agent.submit(again, {}, retry)
    const page = await signIn(agent, asked2, person)
    expect(page.status, page.html.slice(0, 300)).toBe(200)
    expect((await session(workspace, begun.id)).status).toBe("ENTERING_SYSTEM_INFO")
  })

  test("fails for a while when the provider is down after the login, and informs the person", async () => {
    const workspace = await app.workspace()
    const begun = await begin(workspace)
    const agent = browser()
    provider.tokenFaults.push((response) => void response.socket?.destroy())
    const page = await signIn(agent, await consentAt(agent, begun.url), newPerson())
    expect(page.status).toBe(200)
    expect(await session(workspace, begun.id)).toMatchObject({
      status: "ERROR",
      lastError: { code: "manufacturer_unavailable" }
    })
  })

  test("finishes in another browser, and the first page follows", async () => {
    const workspace = await app.workspace()
    const begun = await begin(workspace)
    const first = browser()
    const asked = await consentAt(first, begun.url)
    const second = browser()
    const authorizationUrl = first.visited.findLast((url) => url.startsWith(`${provider.issuer}/auth?`))!
    await signInAt(second, authorizationUrl, newPerson())
    expect((await session(workspace, begun.id)).status).toBe("ENTERING_SYSTEM_INFO")
    expect(isAtProvider(asked)).toBe(true)
    expect(formsIn(await first.open(begun.url)).some(({ action }) => action.endsWith("/devices"))).toBe(true)
  })

  describe("an attacker", () => {
    /** A callback that the provider has made for a session, not delivered yet. */
    const interceptedCallback = async (workspace: TestWorkspace) => {
      const begun = await begin(workspace)
      const agent = new UserAgent((url) => url.startsWith(`${PUBLIC_URL}/oauth/callback`), { [PUBLIC_URL]: app.url })
      const page = await signIn(agent, await consentAt(agent, begun.url), newPerson())
      return { agent, begun, callback: new URL(page.url) }
    }

    test("cannot use a callback twice", async () => {
      const workspace = await app.workspace()
      const { agent, begun, callback } = await interceptedCallback(workspace)
      const own = browser()
      await own.open(callback.href)
      expect(provider.tokenRequests).toHaveLength(1)
      const { status } = await session(workspace, begun.id)
      await own.open(callback.href)
      await agent.open(begun.url)
      expect(provider.tokenRequests).toHaveLength(1)
      expect((await session(workspace, begun.id)).status).toBe(status)
    })

    test("cannot use it twenty times at once: one code is exchanged", async () => {
      const workspace = await app.workspace()
      const { begun, callback } = await interceptedCallback(workspace)
      await atOnce(20, () => browser().open(callback.href))
      expect(provider.tokenRequests).toHaveLength(1)
      expect((await session(workspace, begun.id)).status).toBe("ENTERING_SYSTEM_INFO")
    })

    test("cannot invent a state", async () => {
      const workspace = await app.workspace()
      const { begun, callback } = await interceptedCallback(workspace)
      callback.searchParams.set("state", "s".repeat(43))
      const page = await browser().open(callback.href)
      expect(page.status).toBe(404)
      expect(provider.tokenRequests).toEqual([])
      expect((await session(workspace, begun.id)).status).toBe("AUTHORIZING_MANUFACTURER")
    })

    test("cannot bring a callback into a browser that has begun another session", async () => {
      const workspace = await app.workspace()
      const { begun, callback } = await interceptedCallback(workspace)
      const victim = browser()
      await consentAt(victim, (await begin(workspace)).url)
      const page = await victim.open(callback.href)
      expect(page.status).toBe(404)
      expect(provider.tokenRequests).toEqual([])
      expect((await session(workspace, begun.id)).status).toBe("AUTHORIZING_MANUFACTURER")
    })

    test("cannot inject the code of another session: the verifier does not fit", async () => {
      const workspace = await app.workspace()
      const one = await interceptedCallback(workspace)
      const other = await interceptedCallback(workspace)
      const mixed = new URL(one.callback)
      mixed.searchParams.set("code", other.callback.searchParams.get("code")!)
      await browser().open(mixed.href)
      expect(await session(workspace, one.begun.id)).toMatchObject({
        status: "ERROR",
        lastError: { code: "access_denied" }
      })
      expect((await session(workspace, other.begun.id)).status).toBe("AUTHORIZING_MANUFACTURER")
    })

    test("cannot mix up issuers: the code of another one is sent to nobody", async () => {
      const workspace = await app.workspace()
      const { begun, callback } = await interceptedCallback(workspace)
      callback.searchParams.set("iss", "https://attacker.example")
      await browser().open(callback.href)
      expect(provider.tokenRequests).toEqual([])
      expect((await session(workspace, begun.id)).status).not.toBe("ENTERING_SYSTEM_INFO")
      callback.searchParams.delete("iss")
      await browser().open(callback.href)
      expect(provider.tokenRequests).toEqual([])
    })

    test("cannot lead the person or the code elsewhere", async () => {
      const workspace = await app.workspace()
      const { begun, callback } = await interceptedCallback(workspace)
      for (const name of ["redirect_uri", "redirectUrl", "next", "url"])
        callback.searchParams.set(name, "https://attacker.example")
      const agent = browser()
      await agent.open(callback.href)
      expect(agent.visited.map((visited) => new URL(visited, PUBLIC_URL).host)).not.toContain("attacker.example")
      expect((await session(workspace, begun.id)).status).toBe("ENTERING_SYSTEM_INFO")
      const { status } = await app.call("POST", "/v1/connections", {
        key: workspace.keys.SERVER,
        body: { redirectUrl: "javascript:alert(1)" }
      })
      expect(status).toBe(400)
    })

    test("finds neither links nor the platform's address in Referer", async () => {
      const workspace = await app.workspace()
      const { agent, url } = await connect(workspace, newPerson())
      const token = url.split("/").at(-1)!
      const referers = provider.pageRequests.map(({ referer }) => referer ?? "")
      expect(referers.some((referer) => referer.includes(provider.issuer))).toBe(true)
      expect(referers.join()).not.toContain(token)
      expect(referers.join()).not.toContain(PUBLIC_URL)
      expect(agent.visited.filter((one) => one.startsWith(provider.issuer)).join()).not.toContain(token)
    })
  })

  describe("renews its tokens", () => {
    test("once, whatever number of users ask at once, and again at the next end", async () => {
      const { id } = await connect(await app.workspace(), newPerson())
      const accountId = await findAccount(id)
      await expire(accountId)
      const results = await atOnce(20, () => use(accountId))
      expect(results.every(Exit.isSuccess)).toBe(true)
      expect(refreshes()).toHaveLength(1)
      await expire(accountId)
      expect(Exit.isSuccess(await use(accountId))).toBe(true)
      expect(refreshes()).toHaveLength(2)
      const tokens = refreshes().map(({ parameters }) => parameters.get("refresh_token"))
      expect(new Set(tokens).size).toBe(2)
    })

    test("after an outage of the provider", async () => {
      const { id } = await connect(await app.workspace(), newPerson())
      const accountId = await findAccount(id)
      await expire(accountId)
      await provider.goDown()
      const during = await use(accountId)
      await provider.comeBack()
      expect(Exit.isFailure(during)).toBe(true)
      expect(Exit.isSuccess(await use(accountId))).toBe(true)
    })

    test("not any more once the person has ended the permission: the connection fails", async () => {
      const workspace = await app.workspace()
      const { id } = await connect(workspace, newPerson())
      const accountId = await findAccount(id)
      await expire(accountId)
      provider.tokenFaults.push(
        (response) =>
          void response
            .writeHead(400, { "content-type": "application/json" })
            .end(JSON.stringify({ error: "invalid_grant" }))
      )
      expect(Exit.isFailure(await use(accountId))).toBe(true)
      const failed = await eventually("the event", async () => {
        const { body } = await app.call("GET", "/v1/events?type=CONNECTION_FAILED", { key: workspace.keys.SERVER })
        return body.data.length > 0 ? body.data : undefined
      })
      expect(failed).toHaveLength(1)
      expect(JSON.stringify(failed)).not.toContain(refreshes().at(-1)!.parameters.get("refresh_token"))
    })

    test("and revokes them when it is disconnected", async () => {
      const workspace = await app.workspace()
      const { id } = await connect(workspace, newPerson())
      await app.call("DELETE", `/v1/connections/${id}`, { key: workspace.keys.SERVER })
      await eventually("a revocation", async () =>
        provider.pageRequests.some(({ path }) => path === "/token/revocation") ? true : undefined
      )
    })
  })
})

describePostgres("two instances", () => {
  const databases = useDatabases()

  test("renew an account's tokens once", async () => {
    const one = await startApp(databases.url)
    const two = await startApp(databases.url)
    const { id } = await connect(await one.workspace(), newPerson(), {}, one)
    const accountId = await findAccount(id, one)
    for (let round = 1; round <= 3; round += 1) {
      await expire(accountId, one)
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => use(accountId, index % 2 === 0 ? one : two))
      )
      expect(results.every(Exit.isSuccess)).toBe(true)
      expect(refreshes()).toHaveLength(round)
    }
    await one.stop()
    await two.stop()
  })
})
