import { makeOcppAdapter } from "@edp/adapter-ocpp/ocppAdapter"
import type { OcppVersion } from "@edp/adapter-ocpp/frames"
import { stationTimes } from "@edp/adapter-ocpp/stationTimes"
import { HttpServer } from "effect/http"
import { eventually } from "../../support/eventually.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { boot16, boot201, type Login, rpcStation } from "./platform.ts"

/** The adapter with short pauses. */
export const quickOcpp = makeOcppAdapter({
  ...stationTimes,
  announce: 100,
  checkPending: 100,
  check: 100,
  farewell: 500
})

const now = () => new Date().toISOString()

/** A status of a 1.6 connector, now. */
export const status = (connectorId: number, status: string, errorCode = "NoError") => ({
  connectorId,
  status,
  errorCode,
  timestamp: now()
})

let stations = 0

const responses = {
  SetVariables: ({ setVariableData }: { readonly setVariableData: ReadonlyArray<any> }) => ({
    setVariableResult: setVariableData.map(({ component, variable }) => ({
      attributeStatus: "Accepted",
      component,
      variable
    }))
  })
}

/** Stations that dial an app. */
export const arrangeStations = (app: TestApp) => {
  /** Stations dial the port itself, whatever is in front of the API in this run. */
  const address = async () => {
    const server = await app.run(HttpServer.HttpServer)
    return { url: `ws://127.0.0.1:${(server.address as { readonly port: number }).port}` }
  }

  /** A session whose page asks for the id of the station. */
  const form = async (
    workspace: Pick<Awaited<ReturnType<typeof arrangeConnections>>, "open">,
    fields: object = {},
    key?: string
  ) => {
    const session = await workspace.open(
      { customerInfo: newPerson(), manufacturerFilters: { manufacturers: ["ocpp"] }, tags: ["garage"], ...fields },
      key
    )
    await session.open()
    await session.consent()
    return session
  }

  /** A session whose page shows what to enter at the station. */
  const invite = async () => {
    const workspace = await arrangeConnections(app, undefined as never)
    const session = await form(workspace)
    const stationId = `CP-${++stations}`
    const view = await session.show(session.submitForm({ stationId }))
    if (view.page !== "waiting") throw new Error(`not invited: ${JSON.stringify(view)}`)
    const login: Login = { stationId, password: view.instructions.find(({ secret }) => secret)!.value! }
    return { ...workspace, session, login, view }
  }

  /** A station that was linked, with its devices. */
  const linked = async (version: OcppVersion = "1.6") => {
    const invited = await invite()
    const { login, must, session } = invited
    const station = await rpcStation(await address(), login, `ocpp${version}`, responses)
    if (version === "1.6") {
      await station.call("BootNotification", boot16)
      // At once: the connectors that are known a moment later are those that the page shows.
      await Promise.all([
        station.call("StatusNotification", status(1, "Preparing")),
        station.call("StatusNotification", status(2, "Available"))
      ])
    } else {
      await station.call("BootNotification", boot201)
      await Promise.all(
        [1, 2].map((evseId) =>
          station.call("StatusNotification", {
            evseId,
            connectorId: 1,
            connectorStatus: "Available",
            timestamp: now()
          })
        )
      )
    }
    const view = await eventually("the connectors are known", async () => {
      const page = await session.open()
      return page.page === "system" && page.devices.length === 2 ? page : undefined
    })
    await session.chooseDevices(
      view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
      view.address?.values ?? null
    )
    const detail = await invited.read(session.id)
    const device = (connector: number) => async () => {
      const { data } = await must(200, "GET", "/v1/devices")
      return data.find((one: any) => one.manufacturerDeviceId === `${login.stationId}/${connector}`)
    }
    return { ...invited, station, view, detail, first: device(1), second: device(2) }
  }
  return { address, form, invite, linked }
}
