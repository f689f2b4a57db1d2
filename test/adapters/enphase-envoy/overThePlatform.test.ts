import { enphaseAdapter } from "@edp/adapter-enphase-envoy/enphaseAdapter"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Accounts } from "@edp/server/accounts/Accounts"
import { Effect, Logger } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { EnlightenServer } from "../../support/peers/EnlightenServer.ts"
import { EnphaseGateway } from "../../support/peers/EnphaseGateway.ts"
import { otherCertificate } from "../../support/peers/localhostCertificate.ts"
import { TestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { commandTo } from "../mqtt/onBroker.ts"
import { firmware8 } from "./generations.ts"
import { form, now } from "./startGateway.ts"

const gateway = new EnphaseGateway(firmware8)
const cloud = new EnlightenServer(now)
const app = new TestApp()
beforeAll(async () => {
  await gateway.start()
  cloud.own(gateway)
  await cloud.start()
  const { loginUrl, tokenUrl } = cloud.settings()
  await app.start({
    adapters: [enphaseAdapter],
    env: { EDP_ENPHASE_LOGIN_URL: loginUrl!, EDP_ENPHASE_TOKEN_URL: tokenUrl! }
  })
})
afterAll(async () => {
  await app.stop()
  await gateway.stop()
  await cloud.stop()
})

const measureNow = () => {
  for (const reading of gateway.pages["/ivp/meters/readings"]) reading.timestamp = Math.floor(now() / 1000)
}

it("a gateway is linked by its form, read, takes commands, gets new tokens, is refused with another certificate, and ends with its sign-in", async () => {
  const workspace = await arrangeConnections(app, undefined as never)
  const session = await workspace.open({
    customerInfo: newPerson(),
    manufacturerFilters: { manufacturers: ["enphase"] }
  })
  await session.open()
  await session.consent()
  const login = { username: cloud.user.name, password: cloud.user.password }
  const refused = await session.show(session.submitForm(form(gateway, { ...login, password: "wrong-0815" })))
  expect(refused).toMatchObject({
    page: "form",
    failure: { says: "Enlighten refuses the user name or the password" }
  })
  expect(JSON.stringify(refused)).not.toContain("0815")
  const view = await session.show(session.submitForm(form(gateway, login)))
  if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
  await session.chooseDevices(
    view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
    view.address?.values ?? null
  )
  expect(await workspace.read(session.id)).toMatchObject({ status: "SUCCESS" })

  const device = async (name: string) => {
    const { data } = await workspace.must(200, "GET", "/v1/devices")
    return data.find((one: any) => one.name === `Enphase ${name}`)
  }
  const [account] = await app.sql<{ id: string }>(
    (sql) => sql`SELECT DISTINCT account_id AS id FROM devices WHERE account_id IS NOT NULL`
  )
  const work = async () => {
    measureNow()
    await app.sql(
      (sql) => sql`UPDATE account_work SET due_at = now(), read_at = now()
        WHERE account_id = ${account!.id} AND claim IS NULL AND due_at < 'infinity' RETURNING 1`
    )
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the work ends", async () => {
      const [row] = await app.sql<{ readonly claim: string | null }>(
        (sql) => sql`SELECT claim FROM account_work WHERE account_id = ${account!.id}`
      )
      return row?.claim === null ? true : undefined
    })
  }
  await work()
  await eventually("a reading", async () => ((await device("grid"))?.state?.power === 1755 ? true : undefined))
  expect(await device("battery")).toMatchObject({
    manufacturer: "enphase",
    onlineStatus: "online",
    staticState: { capacity: 10_000, maxChargeRate: 7680 },
    state: { chargePercentage: 46, chargeRate: 1024, backupReserve: 20 }
  })

  const battery = await device("battery")
  const send = (chargePercentage: number) =>
    app.run(
      Effect.flatMap(Accounts, ({ withAccount }) =>
        withAccount(account!.id, (one, { sendCommand }) =>
          sendCommand!(one, {
            ...commandTo(battery.manufacturerDeviceId, "battery:set-reserve", { chargePercentage }),
            device: { id: battery.id, manufacturerDeviceId: battery.manufacturerDeviceId, type: "battery" }
          })
        )
      ).pipe(Effect.provide(Logger.layer([])))
    )
  await send(35)
  expect(gateway.storage["reserved_soc"]).toBe(35)

  // Both a command and a reading get a new token where the old one has ended.
  gateway.tokens.clear()
  const given = cloud.given.length
  await send(40)
  expect(gateway.storage["reserved_soc"]).toBe(40)
  gateway.tokens.clear()
  await work()
  await eventually("the new reserve", async () =>
    (await device("battery")).state.backupReserve === 40 ? true : undefined
  )
  expect(cloud.given).toHaveLength(given + 2)

  // Another certificate is refused, and an alert has the words of the adapter.
  const { port } = gateway
  await gateway.stop()
  await gateway.start(otherCertificate, port)
  gateway.lines.splice(0)
  await work()
  expect(gateway.lines).toEqual([])
  const alerts = async () => (await workspace.must(200, "GET", "/v1/alerts")).data as ReadonlyArray<any>
  await eventually("an alert", async () =>
    (await alerts()).some(({ description, status, title }) =>
      status === "OPEN" && `${title} ${description}`.includes("has another fingerprint") ? true : undefined
    )
      ? true
      : undefined
  )
  await gateway.stop()
  await gateway.start(undefined, port)
  await work()
  await eventually("the alert ends", async () =>
    (await alerts()).every(({ status }) => status !== "OPEN") ? true : undefined
  )

  gateway.tokens.clear()
  cloud.user.password = "another-one"
  await work()
  await eventually("the account fails", async () =>
    (await device("battery")).disconnectedAt === null ? undefined : true
  )
  expect((await device("battery")).interventions).toMatchObject([{ code: "sign_in_again" }])
})
