import { ConnectSessions } from "@edp/server/connections/sessions/ConnectSessions"
import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, redirectUrl } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters, env: { EDP_SCOPED_KEY_TTL: "90 days" } })
const arrange = () => arrangeConnections(app, maker)
const expire = (id: string) => app.sql((sql) => sql`UPDATE connect_sessions SET expires_at = now() WHERE id = ${id}`)
const clearExpired = () => app.run(Effect.flatMap(ConnectSessions, (sessions) => sessions.clearExpired))
const stored = async (id: string): Promise<any> =>
  (await app.sql<object>((sql) => sql`SELECT * FROM connect_sessions WHERE id = ${id}`))[0]

beforeEach(() => {
  maker.failing = {}
})

describe("a session whose time is over", () => {
  test("is EXPIRED in every response, before the job has come by", async () => {
    const { create, must, open, read } = await arrange()
    const [byId, byList, byPage] = [await create(), await create(), await open({ redirectUrl })]
    await byPage.open()
    for (const { id } of [byId, byList, byPage]) await expire(id)
    expect(await byPage.open()).toMatchObject({
      page: "error",
      error: "expired",
      canRetry: false,
      returnUrl: `${redirectUrl}&error=expired&connect_session_id=${byPage.id}`
    })
    expect(await read(byId.id)).toMatchObject({ status: "EXPIRED", lastError: { code: "expired" } })
    const { data } = await must(200, "GET", "/v1/connections")
    expect(data.map(({ status }: { status: string }) => status)).toEqual(["EXPIRED", "EXPIRED", "EXPIRED"])
    for (const form of [byPage.submitCustomer({}), byPage.consent(), byPage.retry(), byPage.cancel()]) {
      expect(await byPage.show(form)).toMatchObject({ error: "expired" })
    }
  })

  test("can no more be finished, also after an error", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    await session.callback(maker.deny(session.authorizationUrl))
    await expire(session.id)
    const account = maker.account("a")
    expect(await session.callback(maker.approve(session.authorizationUrl, account))).toMatchObject({
      view: { page: "returned" }
    })
    expect(await session.open()).toMatchObject({ error: "expired" })
    expect((await read(session.id)).status).toBe("EXPIRED")
  })

  test("is ended by the job, which ends the permission of an account that nobody finished", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const account = maker.account("a")
    await session.callback(maker.approve(session.authorizationUrl, account))
    await expire(session.id)
    await clearExpired()
    expect((await read(session.id)).status).toBe("EXPIRED")
    expect(maker.revoked).toContain(account.externalId)
    expect(await app.sql((sql) => sql`SELECT id FROM accounts WHERE external_id = ${account.externalId}`)).toEqual([])
    expect(await app.sql((sql) => sql`SELECT id FROM connect_authorizations WHERE session_id = ${session.id}`)).toEqual(
      []
    )
  })

  test("stays SUCCESS if it was, and keeps no personal data and no key", async () => {
    const { connect, read } = await arrange()
    const { detail, open } = await connect({ redirectUrl })
    await expire(detail.id)
    expect((await open()).page).toBe("done")
    await clearExpired()
    expect(await read(detail.id)).toMatchObject({
      status: "SUCCESS",
      deviceIds: detail.deviceIds,
      accountId: detail.accountId
    })
    expect(await stored(detail.id)).toMatchObject({
      customer_info: null,
      place: null,
      discovered: null,
      sealed_key: null
    })
    expect(await open()).toMatchObject({ page: "done", canReturn: true })
  })

  test("is not touched before its time", async () => {
    const { open, read } = await arrange()
    const session = await open({ customerInfo: { firstName: "Ada" } })
    await clearExpired()
    expect((await read(session.id)).status).toBe("PENDING")
    expect(await session.open()).toMatchObject({ form: { values: { firstName: "Ada" } } })
  })
})

describe("a sign-in that was lost between the callback and the end", () => {
  /** As after a crash: the code was taken, and nobody works on it. */
  const lose = async (id: string) =>
    app.sql(
      (sql) =>
        sql`UPDATE connect_authorizations SET redeemed_at = now() - interval '3 minutes' WHERE session_id = ${id}`
    )

  test("leaves a session that can be tried again", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    await lose(session.id)
    expect(await session.open()).toMatchObject({ page: "error", error: "server_error", canRetry: true })
    const again = await session.retry()
    if (again.kind !== "redirect") throw new Error("no sign-in")
    const account = maker.account("a")
    expect((await session.show(session.callback(maker.approve(again.url, account)))).page).toBe("system")
    expect((await read(session.id)).status).toBe("ENTERING_SYSTEM_INFO")
  })

  test("goes on by itself where the account was stored", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer()
    await session.callback(maker.approve(session.authorizationUrl, maker.account("a")))
    await app.sql(
      (sql) => sql`UPDATE connect_sessions SET status = 'AUTHORIZING_MANUFACTURER', discovered = NULL,
        transitions = transitions - -1 WHERE id = ${session.id}`
    )
    expect((await session.open()).page).toBe("waiting")
    await lose(session.id)
    expect((await session.open()).page).toBe("system")
  })
})

test("a scoped key expires after EDP_SCOPED_KEY_TTL", async () => {
  const { connect } = await arrange()
  const { detail } = await connect()
  const [key] = (await app.sql<{ expires_at: Date; created_at: Date }>(
    (sql) => sql`SELECT expires_at, created_at FROM api_keys WHERE name = ${`Connect session ${detail.id}`}`
  )) as [{ expires_at: Date; created_at: Date }]
  const days = (key.expires_at.getTime() - key.created_at.getTime()) / 86_400_000
  expect(days).toBeCloseTo(90, 2)
})
