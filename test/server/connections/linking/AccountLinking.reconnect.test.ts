import { beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, redirectUrl } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)

beforeEach(() => {
  maker.failing = {}
})

/** A connected account whose permission is lost. */
const arrangeLost = async () => {
  const arranged = await arrange()
  const connected = await arranged.connect({ referenceId: "user-1", tags: ["pilot"] })
  const { accountId } = connected.detail
  await app.sql((sql) => sql`UPDATE accounts SET status = 'failed' WHERE id = ${accountId}`)
  await app.sql((sql) => sql`UPDATE devices SET disconnected_at = now() WHERE account_id = ${accountId}`)
  return { ...arranged, account: connected.account, detail: connected.detail, accountId }
}

describe("a session with reconnect", () => {
  test.each(["session", "account"] as const)(
    "by %s goes straight to the manufacturer and keeps devices, customer and site",
    async (by) => {
      const { account, accountId, detail, must, open, read } = await arrangeLost()
      const session = await open({ reconnect: by === "session" ? detail.id : accountId, redirectUrl })
      expect(session.session).toMatchObject({
        manufacturer: "fakecloud",
        referenceId: "user-1",
        customerId: detail.customerId,
        siteId: detail.siteId,
        tags: ["pilot"]
      })
      expect(await session.open()).toMatchObject({
        page: "consent",
        canChooseAnother: false,
        reconnects: true,
        progress: { step: 1, of: 1 }
      })
      const end = await leaves(session.callback(maker.approve(await leaves(session.consent()), account)))
      expect(end).toContain("service_scoped_token=")
      const after = await read(session.id)
      expect(after).toMatchObject({ status: "SUCCESS", accountId })
      expect([...after.deviceIds].sort()).toEqual([...detail.deviceIds].sort())
      expect(after.transitions.map(({ status }: { status: string }) => status)).toEqual([
        "PENDING",
        "STARTED",
        "SELECTING_MANUFACTURER",
        "AUTHORIZING_MANUFACTURER",
        "ENTERING_SYSTEM_INFO",
        "SUCCESS"
      ])
      for (const id of detail.deviceIds) {
        expect((await must(200, "GET", `/v1/devices/${id}`)).disconnectedAt).toBeNull()
      }
    }
  )

  test("does not add the devices that the person left out", async () => {
    const { connect, open, read, must } = await arrange()
    const account = maker.account("a")
    const { detail } = await connect({}, account)
    const grown = { ...account, devices: [...account.devices, { manufacturerDeviceId: `${account.externalId}-new` }] }
    const session = await open({ reconnect: detail.id })
    await session.open()
    await session.callback(maker.approve(await leaves(session.consent()), grown))
    expect((await read(session.id)).deviceIds).toEqual(detail.deviceIds)
    expect((await must(200, "GET", "/v1/devices")).totalItems).toBe(1)
  })

  test("refuses another account, and changes nothing", async () => {
    const { accountId, detail, must, open, read } = await arrangeLost()
    const session = await open({ reconnect: accountId })
    await session.open()
    const other = maker.account("z")
    const view = await session.show(session.callback(maker.approve(await leaves(session.consent()), other)))
    expect(view).toMatchObject({ page: "error", error: "account_mismatch", canRetry: true })
    expect(maker.revoked).toContain(other.externalId)
    expect(await read(session.id)).toMatchObject({ status: "ERROR", accountId: null, deviceIds: [] })
    expect((await must(200, "GET", "/v1/devices")).data.map(({ id }: { id: string }) => id).sort()).toEqual(
      [...detail.deviceIds].sort()
    )
    const [{ status }] = (await app.sql<{ status: string }>(
      (sql) => sql`SELECT status FROM accounts WHERE id = ${accountId}`
    )) as [{ status: string }]
    expect(status).toBe("failed")
  })

  test("works headless", async () => {
    const { account, accountId, create, read } = await arrangeLost()
    const session = await create({ mode: "headless", reconnect: accountId, redirectUrl })
    const any = await (await arrangeConnections(app, maker)).open()
    expect(await leaves(any.callback(maker.approve(session.url, account)))).toContain("service_scoped_token=")
    expect(await read(session.id)).toMatchObject({ status: "SUCCESS", accountId })
  })

  test("is refused for a session without an account, and with what the account determines", async () => {
    const { accountId, call, create, customer, detail, site } = await arrangeLost()
    const { id: pending } = await create()
    const post = (body: object) => call("POST", "/v1/connections", body)
    const some = expect.any(String)
    expectError(await post({ reconnect: pending }), 400, "VALIDATION_ERROR", { reconnect: some })
    const { id: customerId } = await customer()
    const { id: siteId } = await site()
    expectError(await post({ reconnect: accountId, customerId, siteId, customerInfo: {} }), 400, "VALIDATION_ERROR", {
      customerId: some,
      siteId: some,
      customerInfo: some
    })
    const elsewhere = { manufacturers: ["simulator"] }
    expectError(
      await post({ reconnect: detail.id, referenceId: "user-2", manufacturerFilters: elsewhere }),
      400,
      "VALIDATION_ERROR",
      { referenceId: some, "manufacturerFilters.manufacturers": some }
    )
  })

  test("is for a CONNECT key's own sessions only", async () => {
    const { accountId, call, connect, detail, keys } = await arrangeLost()
    const post = (reconnect: string) => call("POST", "/v1/connections", { reconnect }, keys.CONNECT)
    expectError(await post(detail.id), 403, "FORBIDDEN")
    expectError(await post(accountId), 404, "NOT_FOUND")
    const own = await connect({}, maker.account("own"), keys.CONNECT)
    expect((await post(own.detail.id)).status).toBe(201)
  })
})

describe("an account whose permission was lost", () => {
  test("goes on under its id when the person connects it anew, without reconnect", async () => {
    const { account, accountId, connect, detail } = await arrangeLost()
    const again = await connect({ referenceId: "user-1" }, account)
    expect(again.detail.accountId).toBe(accountId)
    expect([...again.detail.deviceIds].sort()).toEqual([...detail.deviceIds].sort())
  })
})
