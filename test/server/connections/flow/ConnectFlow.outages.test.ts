import { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import { describe, expect, test } from "vitest"
import { duringOutage } from "../../../support/outage.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)

/** A session on the page that asks which devices to connect. */
const arrangeChoice = async () => {
  const scene = await arrange()
  const session = await scene.toManufacturer()
  await session.callback(maker.approve(session.authorizationUrl, maker.account("a", "b")))
  const view = await session.open()
  if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
  const ids = view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
  return { ...scene, session, choose: () => session.chooseDevices(ids, view.address?.values ?? null) }
}

describe("an outage of the database", () => {
  test("while devices are listed is no failure of the manufacturer", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const parameters = maker.approve(session.authorizationUrl, maker.account("a"))
    const returned = duringOutage(app, "account_work", () => session.callback(parameters))
    await expect(returned).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await read(session.id)).toMatchObject({ status: "AUTHORIZING_MANUFACTURER", lastError: null })
    await app.sql(
      (sql) => sql`UPDATE connect_authorizations SET redeemed_at = redeemed_at - interval '5 minutes'
        WHERE session_id = ${session.id}`
    )
    expect(await session.open()).toMatchObject({ page: "system" })
  })

  test("while an address is located is no wrong address", async () => {
    const { choose, read, session } = await arrangeChoice()
    await expect(duringOutage(app, "postal_codes", choose)).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await read(session.id)).toMatchObject({ status: "ENTERING_SYSTEM_INFO", lastError: null })
    await choose()
    expect(await read(session.id)).toMatchObject({ status: "SUCCESS" })
  })

  test("while devices are connected leaves the choice", async () => {
    const { choose, read, session } = await arrangeChoice()
    await expect(duringOutage(app, "customers", choose)).rejects.toBeInstanceOf(DatabaseUnavailable)
    expect(await read(session.id)).toMatchObject({ status: "ENTERING_SYSTEM_INFO", lastError: null })
    await choose()
    expect(await read(session.id)).toMatchObject({ status: "SUCCESS" })
  })
})
