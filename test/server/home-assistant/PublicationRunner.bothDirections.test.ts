import { homeAssistantAdapter } from "@edp/adapter-home-assistant/homeAssistantAdapter"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Effect, Logger } from "effect"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { form, startCasa } from "../../adapters/home-assistant/casa.ts"
import { eventually } from "../../support/eventually.ts"
import type { HomeAssistantServer } from "../../support/peers/HomeAssistantServer.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newPerson } from "../connections/arrangeConnections.ts"
import { arrangePublications, PASSWORD, USER } from "./arrangePublications.ts"

describeMosquitto("devices that come from a Home Assistant", () => {
  const app = useTestApp({
    own: true,
    adapters: [homeAssistantAdapter],
    env: { EDP_HOME_ASSISTANT_REPORT_SECONDS: "1" }
  })
  let broker: MosquittoBroker
  let peer: HomeAssistantServer
  const ends: Array<() => Promise<unknown>> = []
  beforeAll(async () => {
    broker = await startMosquitto({ users: { [USER]: PASSWORD } })
    peer = await startCasa()
  })
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })
  afterAll(async () => {
    await peer?.close()
    await broker?.close()
  })

  /** A workspace whose resident has linked the instance, with all of its devices. */
  const arrange = async () => {
    const workspace = await arrangeConnections(app, undefined as never)
    const session = await workspace.open({
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["home-assistant"] }
    })
    await session.open()
    await session.consent()
    const view = await session.show(session.submitForm(form(peer.port)))
    if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
    const linked = view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    await session.chooseDevices(linked, view.address?.values ?? null)
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    const place = await arrangePublications(app, broker, workspace)
    ends.push(place.end)
    return { ...place, linked }
  }

  it("are published to no Home Assistant, and counted", async () => {
    const place = await arrange()
    const own = await place.sample("meter")
    const publication = await place.connected()
    ends.push(() => place.remove(publication.id))
    expect(Object.keys(place.configs(publication.id))).toEqual([own])
    expect(await place.read(publication.id)).toMatchObject({
      devices: 1,
      devicesLeftOut: 0,
      devicesFromHomeAssistant: place.linked.length
    })
  })

  it("stay unpublished when they report, also by a tag that they have", async () => {
    const place = await arrange()
    const own = await place.sample("meter", { tags: ["home"] })
    const { data } = (await place.call("GET", "/v1/devices?manufacturer=home-assistant")).body
    await place.call("PUT", `/v1/devices/${data[0].id}/tags`, { tags: ["home"] })
    const publication = await place.connected({ tag: "home" })
    ends.push(() => place.remove(publication.id))
    expect(await place.read(publication.id)).toMatchObject({ devices: 1, devicesFromHomeAssistant: 1 })
    await place.call("PATCH", `/v1/devices/${data[0].id}`, { name: "Renamed" })
    await place.report(own, { power: 1 })
    await eventually("the own device", () => (place.state(publication.id, own)?.power === 1 ? true : undefined))
    expect(Object.keys(place.configs(publication.id))).toEqual([own])
  })
})
