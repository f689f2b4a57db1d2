import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { Account } from "@edp/adapter-kit/Account"
import { Accounts } from "@edp/server/accounts/Accounts"
import { Effect, Schema } from "effect"
import type { HttpClientError } from "effect/http"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { observation, report, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { duringOutage } from "../../../support/outage.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeAccounts } from "../arrangeAccounts.ts"

let respond: RequestListener
const seen: Array<{ readonly url: string; readonly headers: Record<string, unknown> }> = []
const cloud = createServer((request, response) => {
  seen.push({ url: request.url!, headers: request.headers })
  respond(request, response)
})
await new Promise<void>((resolve) => cloud.listen(0, "127.0.0.1", resolve))
const { port } = cloud.address() as AddressInfo
const address = `http://127.0.0.1:${port}`
afterAll(() => cloud.close())
beforeEach(() => {
  seen.length = 0
  respond = (_, response) => response.end('{"ok":true}')
})

const settings = Schema.Struct({ baseUrl: Schema.String })
const plain = scriptedAdapter({ slug: "plain", settings })
const limited = scriptedAdapter({
  slug: "limited",
  settings,
  quotas: [{ scope: "account", calls: 10, window: 86_400, headroom: 0.5 }]
})
const shared = scriptedAdapter({
  slug: "shared",
  settings,
  quotas: [{ scope: "manufacturer", calls: 1000, window: "month", headroom: 0 }]
})
const local = scriptedAdapter({ slug: "local" })
const app = useTestApp({
  own: true,
  adapters: [plain, limited, shared, local].map(({ adapter }) => adapter),
  env: {
    EDP_PLAIN_BASE_URL: address,
    EDP_LIMITED_BASE_URL: address,
    EDP_SHARED_BASE_URL: address,
    EDP_DEVICE_NETWORKS: "public"
  }
})

/** Reads an account with one call of its manufacturer. */
const calling = (scripted: typeof plain, path = "/read", base = address) => {
  const person = scripted.account()
  person.account.read = (account) => Effect.as(get(account, `${base}${path}`), report([observation(person.device)]))
  return person
}
const get = ({ http }: Account<any>, url: string): Effect.Effect<string, AdapterError> =>
  http.get(url, { headers: { authorization: "Bearer secret-token" } }).pipe(
    Effect.flatMap((response): Effect.Effect<string, AdapterError | HttpClientError.HttpClientError> => {
      const { status, text } = response
      if (status === 200) return text
      return Effect.fail(AdapterError.of(status === 429 ? "throttled" : "vendor_fault", `Status ${status}`))
    }),
    Effect.catchTag("HttpClientError", ({ message }) => Effect.fail(AdapterError.of("unreachable", message)))
  )

describe("calls of an account", () => {
  test("reach the addresses of the operator's settings, and no other private one", async () => {
    const { account, link, perform, work } = await arrangeAccounts(app, plain)
    const { id } = await link(calling(plain))
    await perform(id)
    expect(seen).toHaveLength(1)
    const other = await link(calling(plain, "/read", `http://127.0.0.2:${port}`), { referenceId: "user-2" })
    await perform(other.id)
    expect(seen).toHaveLength(1)
    expect((await account(other.id)).last_error.message).toContain("may not be called")
    expect(await work(other.id)).toMatchObject({ failures: 1 })
  })

  test("follow no redirects", async () => {
    respond = (_, response) => response.writeHead(302, { location: "/elsewhere" }).end()
    const { link, perform } = await arrangeAccounts(app, plain)
    const { id } = await link(calling(plain))
    await perform(id)
    expect(seen.map(({ url }) => url)).toEqual(["/read"])
  })

  test("read 4 MiB of a response at most", async () => {
    respond = (_, response) => response.end(Buffer.alloc(4 * 1024 * 1024 + 1, "x"))
    const { account, link, perform } = await arrangeAccounts(app, plain)
    const { id } = await link(calling(plain))
    await perform(id)
    expect((await account(id)).last_error.message).toContain("longer than")
  })

  test("that can't be counted while the database is unavailable are not made, and are no failure of the account", async () => {
    const { account, link, perform, work } = await arrangeAccounts(app, limited)
    const { id } = await link(calling(limited))
    await duringOutage(app, "manufacturer_calls", () => perform(id))
    expect([seen, (await account(id)).last_error, await work(id)]).toMatchObject([[], null, { failures: 0 }])
    await perform(id)
    expect(seen).toHaveLength(1)
  })

  test("pause after 429 for as long as Retry-After says, also for commands", async () => {
    respond = (_, response) => response.writeHead(429, { "retry-after": "120" }).end()
    const { accounts, link, perform, work } = await arrangeAccounts(app, plain)
    const { id } = await link(calling(plain))
    await perform(id)
    expect((await work(id)).dueInSeconds).toBeGreaterThan(115)
    expect(await work(id)).toMatchObject({ failures: 0 })
    await perform(id)
    expect(seen).toHaveLength(1)
    const exit = await accounts((service) => Effect.exit(service.withAccount(id, () => Effect.void)))
    expect(JSON.stringify(exit)).toContain("throttled")
  })
})

describe("quotas", () => {
  test("leave the headroom to commands, and postpone readings to the next window", async () => {
    const { account, link, perform, work } = await arrangeAccounts(app, limited)
    const { id } = await link(calling(limited))
    for (let n = 0; n < 7; n++) await perform(id)
    expect(seen).toHaveLength(5)
    const untilMidnight = (86_400_000 - (Date.now() % 86_400_000)) / 1000
    expect((await work(id)).dueInSeconds).toBeGreaterThan(untilMidnight - 60)
    expect(await account(id)).toMatchObject({ status: "connected", last_error: null })
    const command = () =>
      app.run(
        Effect.flatMap(Accounts, (service) =>
          Effect.exit(service.withAccount(id, (one) => get(one, `${address}/command`)))
        )
      )
    for (let n = 0; n < 7; n++) await command()
    expect(seen.filter(({ url }) => url === "/command")).toHaveLength(5)
  })

  test("stretch the interval so that the window lasts", async () => {
    const { link, perform, work } = await arrangeAccounts(app, shared)
    const { id } = await link(calling(shared))
    await perform(id)
    // 2,592,000 seconds of 30 days for 1000 calls of one account.
    const { dueInSeconds } = await work(id)
    expect(dueInSeconds).toBeGreaterThan(2560)
    expect(dueInSeconds).toBeLessThan(2852)
  })

  test("are not counted for manufacturers without any", async () => {
    const { link, perform } = await arrangeAccounts(app, plain)
    const { id } = await link(calling(plain))
    await perform(id)
    const rows = await app.sql((sql) => sql`SELECT 1 FROM manufacturer_calls WHERE manufacturer = 'plain'`)
    expect(rows).toEqual([])
  })
})

describe("a host's connection to a device", () => {
  test("is refused to networks that the operator does not allow", async () => {
    const exit = await app.run(Effect.exit(local.host().dial("127.0.0.1", port)))
    expect(JSON.stringify(exit)).toContain("misconfigured")
  })

  test("is refused to a name that resolves to one", async () => {
    const exit = await app.run(Effect.exit(local.host().dial("localhost", port)))
    expect(JSON.stringify(exit)).toContain("misconfigured")
  })
})

describe("a host's records", () => {
  test("are written by one of two concurrent writers", async () => {
    const { records } = local.host()
    const run = <A>(effect: Effect.Effect<A>) => app.run(effect)
    expect(await run(records.put("station/a", 0, { n: 1 }))).toBe(true)
    expect(await run(records.put("station/a", 0, { n: 2 }))).toBe(false)
    expect(await Promise.all([run(records.put("station/a", 1, 1)), run(records.put("station/a", 1, 2))])).toContain(
      false
    )
    expect(await run(records.get("station/a"))).toMatchObject({ version: 2 })
    await run(records.put("station/b", 0, null))
    await run(records.put("stationary", 0, null))
    expect((await run(records.list("station/", 10))).map(({ key }) => key)).toEqual(["station/a", "station/b"])
    expect((await run(records.list("station/", 10, "station/a"))).map(({ key }) => key)).toEqual(["station/b"])
    await run(records.remove("station/a"))
    expect(await run(records.get("station/a"))).toBeUndefined()
  })
})
