import { Accounts } from "@edp/server/accounts/Accounts"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections } from "../../server/connections/arrangeConnections.ts"
import { quickOcpp, arrangeStations, status } from "./linkedStation.ts"
import { closeAll, openLine } from "./platform.ts"

const app = useTestApp({ own: true, adapters: [quickOcpp] })
const { address, form, invite, linked } = arrangeStations(app)

afterEach(closeAll)

const now = () => new Date().toISOString()

const readState = (device: () => Promise<any>, holds: (state: any) => boolean) =>
  eventually("the state", async () => {
    const found = await device()
    return found !== undefined && holds(found.state) ? found : undefined
  })

describe("a station on the platform", () => {
  test("connects while a person waits; the session finishes, and its connectors are devices with their states", async () => {
    const { detail, events, first, second, station, view } = await linked()
    expect(view.devices.map(({ model, name, serialNumber }) => [name, model, serialNumber])).toEqual([
      ["Vendor Wallbox 11, connector 1", "Wallbox 11", "SN-1"],
      ["Vendor Wallbox 11, connector 2", "Wallbox 11", "SN-1"]
    ])
    expect(detail).toMatchObject({ status: "SUCCESS", deviceIds: [expect.any(String), expect.any(String)] })
    expect(await readState(first, ({ isPluggedIn }) => isPluggedIn === true)).toMatchObject({
      manufacturer: "ocpp",
      type: "charger",
      tags: ["garage"],
      onlineStatus: "online",
      availableCommands: [expect.objectContaining({ slug: "charger:set-operating-mode" })],
      state: { chargingState: "idle" }
    })
    await readState(second, ({ isPluggedIn }) => isPluggedIn === false)
    await station.call("StatusNotification", status(2, "Charging"))
    expect((await second()).state).toMatchObject({ chargingState: "charging", isPluggedIn: true })
    expect((await events("DEVICE_CONNECTED")).length).toBe(2)
  })

  test("shows the settings of the product that the person chose", async () => {
    const session = await form(await arrangeConnections(app, undefined as never))
    const view = await session.show(session.submitForm({ product: "Autel AC Compact", stationId: "AE-77" }))
    if (view.page !== "waiting") throw new Error(`not invited: ${JSON.stringify(view)}`)
    expect(view.instructions.map(({ value }) => value)).toEqual([
      null,
      null,
      expect.stringMatching(/^ws:\/\/.*\/ocpp$/),
      "AE-77",
      expect.stringMatching(/^[0-9a-f]{32}$/),
      ...Array.from({ length: 5 }, () => null)
    ])
    expect(await session.open()).toEqual(view)
    const other = await form(await arrangeConnections(app, undefined as never))
    expect(await other.show(other.submitForm({ product: "Toaster" }))).toMatchObject({
      page: "form",
      form: { problems: { product: "invalid_choice" } }
    })
  })

  test("raises alerts of its device, and resolves them", async () => {
    const { first, must, station } = await linked()
    await readState(first, (state) => state.isPluggedIn === true)
    await station.call("StatusNotification", status(1, "Faulted", "GroundFailure"))
    const open = async () => (await must(200, "GET", "/v1/alerts")).data
    expect(await open()).toMatchObject([{ type: "SAFETY", status: "OPEN", deviceId: (await first()).id }])
    await station.call("StatusNotification", status(1, "Available"))
    expect(await open()).toMatchObject([{ type: "SAFETY", status: "RESOLVED" }])
  })

  test("brings a connector that is added later into the workspace", async () => {
    const { login, must, station } = await linked()
    await station.call("StatusNotification", status(3, "Available"))
    await eventually("the device", async () => {
      const { data } = await must(200, "GET", "/v1/devices")
      return data.some((one: any) => one.manufacturerDeviceId === `${login.stationId}/3`) ? true : undefined
    })
  })

  test("takes a command of the platform, and starts and stops", async () => {
    const { first, login, station } = await linked()
    const { id, manufacturerDeviceId } = await readState(first, (state) => state.isPluggedIn === true)
    const [{ account_id: accountId }] = (await app.sql<{ account_id: string }>(
      (sql) => sql`SELECT account_id FROM devices WHERE id = ${id}`
    )) as [{ account_id: string }]
    const send = (operatingMode: string) =>
      app.run(
        Effect.flatMap(Accounts, ({ withAccount }) =>
          withAccount(accountId, (account, { sendCommand }) =>
            sendCommand!(account, {
              id: `command-${operatingMode}`,
              device: { id, manufacturerDeviceId, type: "charger" },
              type: "charger:set-operating-mode",
              input: { operatingMode },
              revertAfter: null,
              state: null,
              snapshot: null,
              takenSince: [],
              saveSnapshot: () => Effect.void
            })
          )
        )
      )
    expect(await send("start-charging")).toMatchObject({ status: "accepted" })
    expect(station.asked("RemoteStartTransaction")).toEqual([{ connectorId: 1, idTag: "EDP" }])
    const { transactionId } = await station.call("StartTransaction", {
      connectorId: 1,
      idTag: "EDP",
      meterStart: 0,
      timestamp: now()
    })
    await station.call("StatusNotification", status(1, "Charging"))
    expect(await send("stop-charging")).toMatchObject({ status: "accepted" })
    expect(station.asked("RemoteStopTransaction")).toEqual([{ transactionId }])
    expect(login.stationId).toBe(manufacturerDeviceId.split("/")[0])
  })

  test("is cut off when its session is ended, and its devices are disconnected", async () => {
    const { first, login, must, session, station } = await linked()
    const closed = new Promise((resolve) => station.client.once("close", resolve))
    await must(204, "DELETE", `/v1/connections/${session.id}`)
    expect(await closed).toMatchObject({ code: 1008 })
    await expect(openLine(await address(), login)).rejects.toThrow("HTTP 401")
    expect((await first()).disconnectedAt).not.toBeNull()
  })

  describe("that a person is linking", () => {
    const refused = { page: "form", failure: { says: expect.stringContaining("is connected or being connected") } }
    const enter = (session: Awaited<ReturnType<typeof form>>, { stationId }: { readonly stationId: string }) =>
      session.show(session.submitForm({ stationId }))

    test("has its id kept for that link, whatever workspace another one is of, until it ends", async () => {
      const { login, must, open, session } = await invite()
      const second = await form(await arrangeConnections(app, undefined as never))
      expect(await enter(second, login)).toMatchObject(refused)
      expect(await enter(await form({ open }, { referenceId: "another" }), login)).toMatchObject(refused)
      const line = await openLine(await address(), login)
      line.socket.close()
      await must(204, "DELETE", `/v1/connections/${session.id}`)
      expect(await enter(second, login)).toMatchObject({ page: "waiting" })
      await expect(openLine(await address(), login)).rejects.toThrow("HTTP 401")
    })

    test("has its id given to another link of the same user, except where anybody can make links", async () => {
      const { keys, login, open, session } = await invite()
      const { referenceId } = session.session
      expect(await enter(await form({ open }, { referenceId }, keys.CONNECT), login)).toMatchObject(refused)
      expect(await enter(await form({ open }, { referenceId }), login)).toMatchObject({ page: "waiting" })
    })

    test("is refused with the same message once it is connected", async () => {
      const { login } = await linked()
      const other = await arrangeConnections(app, undefined as never)
      expect(await enter(await form(other), login)).toMatchObject(refused)
    })
  })

  test("is refused where nobody waits for it, and other paths of the port take no upgrade", async () => {
    const { login } = await invite()
    const at = await address()
    await expect(openLine(at, { ...login, stationId: "nobody" })).rejects.toThrow("HTTP 401")
    await expect(openLine(at, { ...login, password: "0".repeat(32) })).rejects.toThrow("HTTP 401")
    await expect(openLine({ url: `${at.url}/v1/devices` }, login)).rejects.toThrow("HTTP 404")
    expect((await fetch(`${at.url.replace("ws", "http")}/ocpp/${login.stationId}`)).status).toBe(404)
  })
})
