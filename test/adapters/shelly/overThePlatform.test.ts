import { deviceTimes } from "@edp/adapter-shelly/deviceTimes"
import { makeShellyAdapter } from "@edp/adapter-shelly/shellyAdapter"
import { HttpServer } from "effect/http"
import { afterEach, describe, expect, test } from "vitest"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { eventually } from "../../support/eventually.ts"
import { dialShelly, plus1pm, pro3em, type ShellyModel } from "../../support/peers/ShellyDevice.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { atEnd, closeAll, quickTimes } from "./platform.ts"

const quickShelly = makeShellyAdapter({ ...deviceTimes, ...quickTimes, check: 100, checkPending: 100, lostAfter: 200 })
const app = useTestApp({ own: true, adapters: [quickShelly] })

afterEach(closeAll)

let macs = 0
const nextMac = () => `08F9E1${String(++macs).padStart(6, "0")}`

const dial = async (path: string, model: ShellyModel) => {
  const server = await app.run(HttpServer.HttpServer)
  const peer = await dialShelly(`ws://127.0.0.1:${(server.address as { readonly port: number }).port}${path}`, model)
  atEnd(() => peer.socket.terminate())
  return peer
}

/** A session whose page asks for the switches. */
const form = async (workspace: Pick<Awaited<ReturnType<typeof arrangeConnections>>, "open">) => {
  const session = await workspace.open({
    customerInfo: newPerson(),
    manufacturerFilters: { manufacturers: ["shelly-websocket"] }
  })
  await session.open()
  await session.consent()
  return session
}

/** A session whose page shows the address. */
const invite = async (chargers = "") => {
  const workspace = await arrangeConnections(app, undefined as never)
  const session = await form(workspace)
  const view = await session.show(session.submitForm({ chargers }))
  if (view.page !== "waiting") throw new Error(`not invited: ${JSON.stringify(view)}`)
  const address = view.instructions.find(({ value }) => value?.startsWith("ws") === true)!
  expect(address.secret).toBe(true)
  return { ...workspace, session, path: new URL(address.value!).pathname }
}

/** A device that was linked. */
const linked = async (model: ShellyModel, chargers = "") => {
  const invited = await invite(chargers)
  const { must, path, session } = invited
  const device = await dial(path, model)
  const view = await eventually("the page shows the devices", async () => {
    const page = await session.open()
    return page.page === "system" && page.devices.length > 0 ? page : undefined
  })
  await session.chooseDevices(
    view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
    view.address?.values ?? null
  )
  const read = async () => {
    const { data } = await must(200, "GET", "/v1/devices")
    return data.find((one: any) => one.manufacturerDeviceId.startsWith(`${model.id}/`))
  }
  const shows = (wanted: object) =>
    eventually("the device", async () => {
      const found = await read()
      return found !== undefined && expect.objectContaining(wanted).asymmetricMatch(found) ? found : undefined
    })
  return { ...invited, device, view, read, shows }
}

const state = (fields: object) => ({ state: expect.objectContaining(fields) })

describe("a Shelly on the platform", () => {
  test("connects while a person waits; the session finishes, and its meter has its state", async () => {
    const model = pro3em(nextMac())
    const { device, shows, view } = await linked(model)
    expect(view.devices.map(({ model, name, serialNumber }) => [name, model, serialNumber])).toEqual([
      ["Main meter", "Shelly Pro3EM", model.info.mac]
    ])
    expect(await shows({ onlineStatus: "online", ...state({ power: -812 }) })).toMatchObject({
      manufacturer: "shelly-websocket",
      type: "meter",
      availableCommands: [],
      state: { importedEnergy: 1834211.57, exportedEnergy: 922817.04 }
    })
    device.change("em:0", { total_act_power: 640.6 })
    await shows(state({ power: 641, importedEnergy: 1834211.57 }))
  })

  test("is offline once it has been away for a while, and online with its next reading", async () => {
    const model = pro3em(nextMac())
    const { device, path, shows } = await linked(model)
    await shows({ onlineStatus: "online" })
    device.socket.terminate()
    await shows({ onlineStatus: "offline" })
    const again = await dial(path, model)
    again.change("em:0", { total_act_power: 5 })
    await shows({ onlineStatus: "online", ...state({ power: 5 }) })
  })

  test("is a charger where the person says that a charging cable hangs at its switch", async () => {
    const { device, shows } = await linked(plus1pm(nextMac()), "0")
    expect(await shows(state({ chargingState: "charging", chargerWattage: 2204.6 }))).toMatchObject({
      type: "charger",
      availableCommands: [{ slug: "charger:set-operating-mode" }]
    })
    device.change("switch:0", { output: false, apower: 0, current: 0 })
    await shows(state({ chargingState: "idle", chargerWattage: 0, lifetimeEnergyCharged: 420110.5 }))
  })

  test("is cut off when its session is ended", async () => {
    const { device, must, path, read, session } = await linked(pro3em(nextMac()))
    await must(204, "DELETE", `/v1/connections/${session.id}`)
    expect(await device.closed).toMatchObject({ code: 1008 })
    await expect(dial(path, pro3em())).rejects.toThrow("HTTP 401")
    expect((await read()).disconnectedAt).not.toBeNull()
  })

  test("asks for numbers of switches, and says what they take", async () => {
    const session = await form(await arrangeConnections(app, undefined as never))
    expect(await session.show(session.submitForm({ chargers: "the big one" }))).toMatchObject({
      page: "form",
      failure: { says: expect.stringContaining("“Switches that supply a charging cable” takes at most 16 numbers") }
    })
  })
})
