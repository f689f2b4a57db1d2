import { beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, redirectUrl } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)

beforeEach(() => {
  maker.failing = {}
})

describe("a callback", () => {
  test.each([{}, { state: "" }, { state: "guess", code: "code" }, { code: "code" }, { state: "x".repeat(10_000) }])(
    "with the parameters %j is refused",
    async (parameters) => {
      const { open } = await arrange()
      const session = await open()
      expect(await session.callback(parameters as never)).toMatchObject({ kind: "view", view: { page: "unknown" } })
    }
  )

  test("that is replayed redeems nothing again", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const [account, other] = [maker.account("a"), maker.account("b")]
    const parameters = maker.approve(session.authorizationUrl, account)
    const first = await session.show(session.callback(parameters))
    expect(await session.callback(parameters)).toMatchObject({ view: { page: "returned" } })
    // A new code under the used state is not exchanged.
    const { code } = maker.approve(session.authorizationUrl, other)
    expect(await session.callback({ ...parameters, code: code! })).toMatchObject({ view: { page: "returned" } })
    expect(await session.open()).toEqual(first)
    expect((await read(session.id)).transitions.at(-1).status).toBe("ENTERING_SYSTEM_INFO")
  })

  test("with another person's code is refused by PKCE", async () => {
    const { read, toManufacturer } = await arrange()
    const [victim, attacker] = [await toManufacturer(), await toManufacturer()]
    const stolen = maker.approve(victim.authorizationUrl, maker.account("a"))
    const own = maker.approve(attacker.authorizationUrl, maker.account("b"))
    const view = await attacker.show(attacker.callback({ state: own.state!, code: stolen.code! }))
    expect(view).toMatchObject({ page: "error", error: "access_denied" })
    expect((await read(attacker.id)).accountId).toBeNull()
    // The victim's own callback still works.
    expect((await victim.show(victim.callback(stolen))).page).toBe("system")
  })

  test("with another session's state goes on in that session alone", async () => {
    const { open, read, toManufacturer } = await arrange()
    const [one, other] = [await toManufacturer(), await open()]
    const parameters = maker.approve(one.authorizationUrl, maker.account("a"))
    expect(await other.callback(parameters)).toMatchObject({ kind: "redirect", url: `/connect/${one.token}` })
    expect((await read(one.id)).status).toBe("ENTERING_SYSTEM_INFO")
    expect((await read(other.id)).status).toBe("PENDING")
  })

  test("from another authorization server is refused, and the right one still counts", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer()
    const parameters = maker.approve(session.authorizationUrl, maker.account("a"))
    const foreign = await session.callback({ ...parameters, iss: "https://evil.example" })
    expect(foreign).toMatchObject({ view: { page: "unknown" } })
    expect((await session.show(session.callback({ ...parameters, iss: "https://fakecloud.example" }))).page).toBe(
      "system"
    )
  })

  test("leads nowhere but to the session's page or its own redirectUrl", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer({ redirectUrl })
    const parameters = maker.approve(session.authorizationUrl, maker.account("a"))
    const extra = { redirect_uri: "https://evil.example", redirectUrl: "https://evil.example", next: "//evil.example" }
    expect(await session.callback({ ...parameters, ...extra })).toEqual({
      kind: "redirect",
      url: `/connect/${session.token}`,
      external: false
    })
  })
})

describe("the stored session", () => {
  test("has neither the link's token, nor a state, nor a verifier, nor a key in plain text", async () => {
    const { connect, toManufacturer } = await arrange()
    const waiting = await toManufacturer()
    const { result, token } = await connect({ redirectUrl })
    const key = new URL((result as { url: string }).url).searchParams.get("service_scoped_token")!
    const { searchParams } = new URL(waiting.authorizationUrl)
    const rows = await app.sql<{ text: string }>(
      (sql) => sql`SELECT row_to_json(s)::text AS text FROM connect_sessions s
        UNION ALL SELECT row_to_json(a)::text FROM connect_authorizations a
        UNION ALL SELECT row_to_json(k)::text FROM api_keys k`
    )
    const stored = rows.map(({ text }) => text).join("\n")
    expect(rows.length).toBeGreaterThan(2)
    for (const secret of [token, waiting.token, key, searchParams.get("state")!]) {
      expect(stored).not.toContain(secret)
      expect(stored).not.toContain(Buffer.from(secret).toString("hex"))
    }
  })

  test("gives each sign-in a state and a verifier of its own", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer()
    const second = await leaves(session.consent())
    const [a, b] = [new URL(session.authorizationUrl), new URL(second)].map((url) => url.searchParams)
    expect(a!.get("state")).not.toBe(b!.get("state"))
    expect(a!.get("code_challenge")).not.toBe(b!.get("code_challenge"))
    // Both tabs work; the first return wins.
    expect(
      (await session.show(session.callback(maker.approve(session.authorizationUrl, maker.account("a"))))).page
    ).toBe("system")
    expect(await session.callback(maker.approve(second, maker.account("b")))).toMatchObject({
      view: { page: "returned" }
    })
    expect((await session.open()).page).toBe("system")
  })
})
