import { beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)

beforeEach(() => {
  maker.failing = {}
})

const referenceId = "user-1"
const local = (slug: string) => ({
  referenceId,
  customerInfo: newPerson(),
  manufacturerFilters: { manufacturers: [slug] }
})

describe("a person with a connected account", () => {
  test("is shown its name with the consent, and connects another one", async () => {
    const { connect, open, toManufacturer } = await arrange()
    const first = await connect({ referenceId })
    expect(await (await open(local("fakecloud"))).open()).toMatchObject({
      page: "consent",
      connected: [first.account.externalId]
    })
    // It names nothing of other manufacturers and references.
    expect(await (await open(local("fakelocal"))).open()).toMatchObject({ page: "consent", connected: [] })
    expect(await (await open({ ...local("fakecloud"), referenceId: "user-2" })).open()).toMatchObject({ connected: [] })
    const second = await connect({ referenceId })
    expect(second.detail).toMatchObject({ status: "SUCCESS", customerId: first.detail.customerId })
    expect(second.detail.accountId).not.toBe(first.detail.accountId)
    const third = await toManufacturer({ referenceId })
    await third.callback(maker.approve(third.authorizationUrl, second.account))
    expect(await third.open()).toMatchObject({ page: "error", error: "duplicate_connection", canRetry: false })
  })

  test("is not shown it in a session of a CONNECT key, which discloses nothing before the account is known", async () => {
    const { connect, headless, keys, must, open, read, workspaceId } = await arrange()
    const { account } = await connect({ referenceId })
    const body = { connectRedirects: ["https://example.com"] }
    await must(200, "PATCH", `/v1/workspaces/${workspaceId}`, body, keys.MANAGEMENT)
    const session = await open(local("fakecloud"), keys.CONNECT)
    expect(await session.open()).toMatchObject({ page: "consent", connected: [] })
    expect((await read(session.id)).status).toBe("SELECTING_MANUFACTURER")
    await must(201, "POST", "/v1/connections", headless({ referenceId, customerInfo: newPerson() }), keys.CONNECT)
    expect(account.devices).toHaveLength(2)
  })

  test("connects a second local device, and not the same one again", async () => {
    const { open, read } = await arrange()
    const link = async (host: string) => {
      const session = await open(local("fakelocal"))
      await session.open()
      await session.consent()
      const view = await session.show(session.submitForm({ host }))
      if (view.page === "system") {
        await session.chooseDevices(
          view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
          view.address?.values ?? null
        )
      }
      return (await read(session.id)).status
    }
    expect(await link("one.local")).toBe("SUCCESS")
    expect(await link("two.local")).toBe("SUCCESS")
    expect(await link("one.local")).toBe("DUPLICATE_CONNECTION")
  })

  test("connects an account whose permission was lost once more as the same account", async () => {
    const { connect } = await arrange()
    const first = await connect({ referenceId })
    await app.sql((sql) => sql`UPDATE accounts SET status = 'failed' WHERE id = ${first.detail.accountId}`)
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = now() WHERE account_id = ${first.detail.accountId}`)
    const again = await connect({ referenceId }, first.account)
    expect(again.detail).toMatchObject({ status: "SUCCESS", accountId: first.detail.accountId })
  })
})

describe("devices that another account has connected", () => {
  const sharing = (
    account: { readonly devices: ReadonlyArray<{ readonly manufacturerDeviceId: string }> },
    own: string
  ) => ({
    externalId: `sharing-${own}`,
    devices: [...account.devices, { manufacturerDeviceId: own }]
  })

  test("are shown as such, and the others can be chosen", async () => {
    const { connect, read, toManufacturer } = await arrange()
    const { account, detail } = await connect({ referenceId })
    const session = await toManufacturer({ referenceId })
    await session.callback(maker.approve(session.authorizationUrl, sharing(account, "own-1")))
    const view = await session.open()
    expect(view).toMatchObject({
      page: "system",
      devices: [
        { isTaken: true, selected: false },
        { isTaken: true, selected: false },
        { manufacturerDeviceId: "own-1", isTaken: false, selected: true }
      ]
    })
    const [taken] = account.devices
    const address = view.page === "system" ? view.address!.values : {}
    expect(await session.show(session.chooseDevices([taken!.manufacturerDeviceId], address))).toMatchObject({
      page: "system",
      problem: "select_one"
    })
    await session.chooseDevices(["own-1"], address)
    const after = await read(session.id)
    expect(after.status).toBe("SUCCESS")
    expect(detail.deviceIds).not.toContain(after.deviceIds[0])
  })

  test("end the session as a duplicate if the account has no others", async () => {
    const { connect, read, toManufacturer } = await arrange()
    const { account } = await connect({ referenceId })
    const session = await toManufacturer({ referenceId: "user-2" })
    const other = { ...account, externalId: "another-account-of-the-same-devices" }
    await session.callback(maker.approve(session.authorizationUrl, other))
    expect(await session.open()).toMatchObject({ page: "error", error: "duplicate_connection", canRetry: false })
    expect((await read(session.id)).status).toBe("DUPLICATE_CONNECTION")
    // The permission that nothing uses is ended.
    expect(maker.revoked).toContain(other.externalId)
  })

  test("are left out of a headless session, which connects the others", async () => {
    const { connect, create, headless, open, read } = await arrange()
    const { account } = await connect({ referenceId })
    const session = await create(headless({ customerInfo: newPerson() }))
    const pages = await open()
    await pages.callback(maker.approve(session.url, sharing(account, "own-2")))
    const after = await read(session.id)
    expect(after).toMatchObject({ status: "SUCCESS", deviceIds: [expect.any(String)] })
  })
})

describe("POST /v1/connections in headless mode", () => {
  test("409 DUPLICATE_CONNECTION while an account of the reference is connected, 201 with additional: true", async () => {
    const { call, connect, headless, keys } = await arrange()
    await connect({ referenceId })
    const post = (fields: object, key = keys.SERVER) =>
      call("POST", "/v1/connections", headless({ referenceId, customerInfo: newPerson(), ...fields }), key)
    for (const key of [keys.SERVER, keys.API]) {
      expectError(await post({}, key), 409, "DUPLICATE_CONNECTION")
      expectError(await post({ additional: false }, key), 409, "DUPLICATE_CONNECTION")
      expect((await post({ additional: true }, key)).status).toBe(201)
    }
  })

  test("400 VALIDATION_ERROR for additional: true with reconnect, which is of a connected account, and for no boolean", async () => {
    const { call, connect } = await arrange()
    const { detail } = await connect({ referenceId })
    const reconnect = await call("POST", "/v1/connections", { reconnect: detail.id, additional: true })
    expectError(reconnect, 400, "VALIDATION_ERROR", { additional: expect.stringContaining("reconnect") })
    const text = await call("POST", "/v1/connections", { additional: "yes" })
    expectError(text, 400, "VALIDATION_ERROR", { additional: expect.any(String) })
  })
})
