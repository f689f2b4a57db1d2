import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Accounts } from "@edp/server/accounts/Accounts"
import { mqttAdapter } from "@edp/adapter-mqtt/mqttAdapter"
import { Effect, Logger } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { commandTo } from "./onBroker.ts"

const PASSWORD = "right-4711"

const sensor = (id: string) =>
  JSON.stringify({
    dev: { ids: [id], name: `Meter ${id}`, mf: "Acme", mdl: "M1" },
    avty_t: `${id}/online`,
    stat_t: `${id}/power`,
    unit_of_meas: "kW",
    dev_cla: "power"
  })

describeMosquitto("an MQTT broker on the platform", () => {
  const app = useTestApp({ own: true, adapters: [mqttAdapter], env: { EDP_MQTT_REPORT_SECONDS: "1" } })
  let broker: MosquittoBroker

  beforeAll(async () => {
    broker = await startMosquitto({ users: { ada: PASSWORD } })
    for (const id of ["m1", "m2"]) {
      await broker.publish(`homeassistant/sensor/${id}/config`, sensor(id), { retain: true })
    }
    await broker.publish(
      "homeassistant/switch/m2/config",
      JSON.stringify({ dev: { ids: ["m2"] }, cmd_t: "m2/set", stat_t: "m2/state" }),
      { retain: true }
    )
  })
  afterAll(() => broker?.close())

  const form = (password: string) => ({
    host: "127.0.0.1",
    port: String(broker.port),
    tls: "no",
    username: "ada",
    password,
    discoveryPrefix: "homeassistant",
    zigbeeTopic: "",
    tasmota: "no",
    sensorRole: "meter",
    chargers: "m2",
    temperatureUnit: "none"
  })

  /** A session in which a person named the broker, at the second try, and chose all of its devices. */
  const linked = async () => {
    const workspace = await arrangeConnections(app, undefined as never)
    const session = await workspace.open({
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["mqtt"] }
    })
    await session.open()
    await session.consent()
    const refused = await session.show(session.submitForm(form("wrong-0815")))
    const view = await session.show(session.submitForm(form(PASSWORD)))
    if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
    await session.chooseDevices(
      view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
      view.address?.values ?? null
    )
    const device = async (id: string) => {
      const { data } = await workspace.must(200, "GET", "/v1/devices")
      return data.find((one: any) => one.manufacturerDeviceId === `${id}@127.0.0.1:${broker.port}`)
    }
    return { ...workspace, refused, view, device, detail: await workspace.read(session.id) }
  }

  const work = () => app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))

  it("is linked by its form, its devices report, later ones join, and a new password ends the permission", async () => {
    const { detail, device, refused, view } = await linked()
    expect(refused).toMatchObject({ page: "form", failure: { says: "The broker refuses the user name or password" } })
    expect(JSON.stringify(refused)).not.toContain("0815")
    expect(detail).toMatchObject({ status: "SUCCESS" })
    expect(view.devices.map(({ name, type }) => [name, type])).toEqual([
      ["Meter m1", "meter"],
      ["Meter m2", "charger"]
    ])

    await work()
    await eventually("a reading", async () => {
      await broker.publish("m1/power", "0.815")
      return (await device("m1"))?.state?.power === 815 ? true : undefined
    })
    expect(await device("m1")).toMatchObject({
      manufacturer: "mqtt",
      model: "M1",
      onlineStatus: "online",
      interventions: []
    })

    await broker.publish("homeassistant/sensor/m3/config", sensor("m3"), { retain: true })
    await eventually("the third device", async () => await device("m3"))

    const [account] = await app.sql<{ id: string }>(
      (sql) => sql`SELECT account_id AS id FROM devices WHERE manufacturer_device_id = ${`m2@127.0.0.1:${broker.port}`}`
    )
    const seen = await broker.receive("m2/set")
    await app.run(
      Effect.flatMap(Accounts, ({ withAccount }) =>
        withAccount(account!.id, (one, { sendCommand }) =>
          sendCommand!(
            one,
            commandTo(`m2@127.0.0.1:${broker.port}`, "charger:set-operating-mode", { operatingMode: "start-charging" })
          )
        )
      )
    )
    expect(seen.lines()).toEqual(["m2/set ON"])
    seen.end()

    await broker.setPassword("ada", "another-one")
    await broker.stop()
    await broker.start()
    await eventually("the account fails", async () => {
      await app.sql(
        (sql) => sql`UPDATE account_work SET due_at = now()
        WHERE account_id = ${account!.id} AND claim IS NULL AND due_at < 'infinity' RETURNING 1`
      )
      await work()
      return (await device("m1")).disconnectedAt === null ? undefined : true
    })
    expect((await device("m1")).interventions).toMatchObject([{ code: "sign_in_again" }])
  })
})
