import { beforeEach, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../../support/describeKeyChecks.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const path = "/dashboard/api/connected-accounts"

beforeEach(() => {
  maker.failing = {}
})

describeKeyChecks(app, [{ method: "GET", path, allowed: ["MANAGEMENT"] }])

const arrange = async () => {
  const arranged = await arrangeConnections(app, maker)
  const accounts = async (query = "") =>
    (await app.call("GET", `${path}${query}`, { key: arranged.keys.MANAGEMENT })).body
  return { ...arranged, accounts }
}

describe("GET /dashboard/api/connected-accounts", () => {
  test("lists an account with its person, session, devices and credentials, and leaves unfinished ones out", async () => {
    const { accounts, connect, toManufacturer } = await arrange()
    const { detail } = await connect()
    const unfinished = await toManufacturer()
    await unfinished.callback(maker.approve(unfinished.authorizationUrl, maker.account("c")))
    const { data, totalItems } = await accounts()
    expect(totalItems).toBe(1)
    expect(data[0]).toMatchObject({
      id: detail.accountId,
      manufacturer: "fakecloud",
      status: "connected",
      customer: { id: detail.customerId, name: "Ada Okafor" },
      siteId: detail.siteId,
      sessionId: detail.id,
      lastError: null,
      deviceCount: 2,
      connectedDeviceCount: 2,
      interventionCount: 0,
      disconnectedAt: null
    })
    expect(data[0].devices.map((device: { id: string }) => device.id).toSorted()).toEqual(detail.deviceIds.toSorted())
    expect(JSON.stringify(data)).not.toMatch(/token|sealed/i)
  })

  test("shows what a person has to do, and counts it", async () => {
    const { accounts, connect } = await arrange()
    const { detail } = await connect()
    const obstacle = {
      code: "key_not_paired",
      blocks: ["telemetry"],
      title: "Pair the key",
      steps: ["Open the app"],
      actor: "owner"
    }
    const id = detail.deviceIds[1]
    await app.sql(
      (sql) => sql`UPDATE devices SET interventions = ${JSON.stringify([obstacle])}::jsonb WHERE id = ${id}`
    )
    await app.sql(
      (sql) =>
        sql`UPDATE accounts SET status = 'failed', last_error = ${JSON.stringify({
          failure: "grant_lost",
          message: "The permission was withdrawn",
          at: "2026-03-01T12:00:00.000Z"
        })}::jsonb WHERE id = ${detail.accountId}`
    )
    const [account] = (await accounts("?status=failed")).data
    expect(account).toMatchObject({ interventionCount: 1, lastError: { failure: "grant_lost" } })
    expect(account.devices[0]).toMatchObject({ id, interventions: [obstacle] })
    expect((await accounts("?status=connected")).totalItems).toBe(0)
  })

  test("keeps a disconnected account without a session to disconnect, and filters by manufacturer", async () => {
    const { accounts, connect, must } = await arrange()
    const { detail } = await connect()
    await must(204, "DELETE", `/v1/connections/${detail.id}`)
    const { data } = await accounts("?manufacturer=fakecloud")
    expect(data).toMatchObject([
      { status: "disconnected", sessionId: null, connectedDeviceCount: 0, credentialsExpireAt: null }
    ])
    expect((await accounts("?manufacturer=other")).totalItems).toBe(0)
    expect((await (await arrange()).accounts()).totalItems).toBe(0)
  })
})
