import { homeAssistantAdapter } from "@edp/adapter-home-assistant/homeAssistantAdapter"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Accounts } from "@edp/server/accounts/Accounts"
import { Effect, Logger } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import type { HomeAssistantServer } from "../../support/peers/HomeAssistantServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { commandTo } from "../mqtt/onBroker.ts"
import { form, startCasa } from "./casa.ts"

describe("a Home Assistant instance on the platform", () => {
  const app = useTestApp({
    own: true,
    adapters: [homeAssistantAdapter],
    env: { EDP_HOME_ASSISTANT_REPORT_SECONDS: "1" }
  })
  let peer: HomeAssistantServer
  beforeAll(async () => void (peer = await startCasa()))
  afterAll(() => peer?.close())

  const work = () => app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))

  it("is linked by its form, reports, takes a command, returns after a lost connection, and ends with its token", async () => {
    const workspace = await arrangeConnections(app, undefined as never)
    const session = await workspace.open({
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["home-assistant"] }
    })
    await session.open()
    await session.consent()
    const refused = await session.show(session.submitForm(form(peer.port, { token: "wrong-0815" })))
    expect(refused).toMatchObject({ page: "form", failure: { says: "Home Assistant refuses the access token" } })
    expect(JSON.stringify(refused)).not.toContain("0815")
    const view = await session.show(session.submitForm(form(peer.port)))
    if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
    await session.chooseDevices(
      view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
      view.address?.values ?? null
    )
    expect(await workspace.read(session.id)).toMatchObject({ status: "SUCCESS" })
    const device = async (name: string) => {
      const { data } = await workspace.must(200, "GET", "/v1/devices")
      return data.find((one: any) => one.name === name)
    }

    await work()
    await eventually("a reading", async () => ((await device("Grid"))?.state?.power === -800 ? true : undefined))
    expect(await device("Grid")).toMatchObject({ manufacturer: "home-assistant", onlineStatus: "online" })

    const [account] = await app.sql<{ id: string }>(
      (sql) => sql`SELECT DISTINCT account_id AS id FROM devices WHERE account_id IS NOT NULL`
    )
    const charger = await device("Garage")
    await app.run(
      Effect.flatMap(Accounts, ({ withAccount }) =>
        withAccount(account!.id, (one, { sendCommand }) =>
          sendCommand!(
            one,
            commandTo(charger.manufacturerDeviceId, "charger:set-operating-mode", { operatingMode: "start-charging" })
          )
        )
      )
    )
    expect(peer.state("switch.wallbox")?.state).toBe("on")

    const workNow = async () => {
      await app.sql(
        (sql) => sql`UPDATE account_work SET due_at = now()
        WHERE account_id = ${account!.id} AND claim IS NULL AND due_at < 'infinity' RETURNING 1`
      )
      await work()
    }
    peer.drop()
    peer.set("sensor.grid_power", "0.815")
    await eventually("the reading after the connection was lost", async () => {
      await workNow()
      return (await device("Grid"))?.state?.power === 815 ? true : undefined
    })

    peer.setToken("another-one")
    peer.drop()
    await eventually("the account fails", async () => {
      await workNow()
      return (await device("Grid")).disconnectedAt === null ? undefined : true
    })
    expect((await device("Grid")).interventions).toMatchObject([{ code: "sign_in_again" }])
  })
})
