import { ConnectFlow } from "@edp/server/connections/flow/ConnectFlow"
import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, newPerson, redirectUrl, visitor } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)
const callback = (parameters: Readonly<Record<string, string>>) =>
  app.run(Effect.flatMap(ConnectFlow, (flow) => flow.callback(visitor, parameters)))

beforeEach(() => {
  maker.failing = {}
  maker.beforeExchange = async () => {}
})

describe("a headless session", () => {
  test("connects all devices of the account when the person returns, and leads to the redirectUrl with a key", async () => {
    const { create, headless, must, read } = await arrange()
    const person = newPerson()
    const session = await create(headless({ customerInfo: person, referenceId: "user-1" }))
    const parameters = maker.approve(session.url, maker.account("a", "b"))
    const end = await leaves(callback(parameters))
    const { searchParams } = new URL(end)
    expect(searchParams.get("connect_session_id")).toBe(session.id)
    const key = searchParams.get("service_scoped_token")!
    expect((await app.call("GET", "/v1/devices", { key })).body.totalItems).toBe(2)
    const detail = await read(session.id)
    expect(detail.transitions.map(({ status }: { status: string }) => status)).toEqual([
      "PENDING",
      "AUTHORIZING_MANUFACTURER",
      "SUCCESS"
    ])
    expect(detail.consent).toBeNull()
    const customer = await must(200, "GET", `/v1/customers/${detail.customerId}`)
    expect(customer).toMatchObject({ referenceId: "user-1", email: person.email, connectedSiteIds: [detail.siteId] })
    // The same return again connects nothing anew.
    expect(await callback(parameters)).toMatchObject({ view: { page: "returned" } })
    expect((await read(session.id)).deviceIds).toHaveLength(2)
  })

  test("uses the customer's site, or the given one", async () => {
    const { create, customer, headless, must, read, site } = await arrange()
    const { id: customerId } = await customer()
    const [{ id: first }, { id: second }] = [await site(), await site()]
    for (const id of [first, second]) await must(200, "PUT", `/v1/sites/${id}/customers/${customerId}`)
    const newest = await create(headless({ customerId, referenceId: "n" }))
    await callback(maker.approve(newest.url, maker.account("a")))
    expect(await read(newest.id)).toMatchObject({ status: "SUCCESS", customerId, siteId: second })
    const given = await create(headless({ customerId, siteId: first, referenceId: "g" }))
    await callback(maker.approve(given.url, maker.account("a")))
    expect(await read(given.id)).toMatchObject({ status: "SUCCESS", customerId, siteId: first })
  })

  test("leads to the redirectUrl with an error, and the same page of the manufacturer works after a denial", async () => {
    const { create, headless, read } = await arrange()
    const session = await create(headless({ customerInfo: newPerson() }))
    const denied = await leaves(callback(maker.deny(session.url)))
    expect(denied).toBe(`${redirectUrl}&error=access_denied&connect_session_id=${session.id}`)
    expect((await read(session.id)).status).toBe("ERROR")
    expect(await leaves(callback(maker.approve(session.url, maker.account("a"))))).toContain("service_scoped_token=")
    expect((await read(session.id)).status).toBe("SUCCESS")
  })

  test("leads there with no_devices, device_incompatible and duplicate_connection, too", async () => {
    const { connect, create, headless, read } = await arrange()
    const end = async (account: Parameters<typeof maker.approve>[1]) => {
      const session = await create(headless({ customerInfo: newPerson() }))
      const url = new URL(await leaves(callback(maker.approve(session.url, account))))
      return [url.searchParams.get("error"), (await read(session.id)).status]
    }
    const old = { manufacturerDeviceId: "old", incompatible: "Too old" }
    expect(await end({ externalId: "none", devices: [] })).toEqual(["no_devices", "ERROR"])
    expect(await end({ externalId: "old", devices: [old] })).toEqual(["device_incompatible", "ERROR"])
    const { account } = await connect()
    expect(await end(account)).toEqual(["duplicate_connection", "DUPLICATE_CONNECTION"])
  })

  test("leads a second return nowhere while the first is at work", async () => {
    const { create, headless } = await arrange()
    const session = await create(headless({ customerInfo: newPerson() }))
    const parameters = maker.approve(session.url, maker.account("a"))
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    maker.beforeExchange = () => {
      reached.resolve()
      return gate.promise
    }
    const first = callback(parameters)
    await reached.promise
    expect(await callback(parameters)).toMatchObject({ kind: "view", view: { page: "returned", continueUrl: null } })
    gate.resolve()
    expect(await leaves(first)).toContain("service_scoped_token=")
  })

  test("is expired when the person returns too late", async () => {
    const { create, headless, read } = await arrange()
    const session = await create(headless({ customerInfo: newPerson() }))
    await app.sql((sql) => sql`UPDATE connect_sessions SET expires_at = now() WHERE id = ${session.id}`)
    const late = await leaves(callback(maker.approve(session.url, maker.account("a"))))
    expect(new URL(late).searchParams.get("error")).toBe("expired")
    expect((await read(session.id)).status).toBe("EXPIRED")
  })
})
