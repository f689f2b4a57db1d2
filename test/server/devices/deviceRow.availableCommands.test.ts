import { inputSchemas } from "@edp/domain/commands/commandInputs"
import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { availableCommands } from "@edp/server/devices/deviceRow"
import { expect, onTestFinished, test } from "vitest"
import { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { TestApp, useTestApp } from "../../support/TestApp.ts"
import { withBriefCommands } from "./withBriefCommands.ts"
import { arrangeDevices } from "./arrangeDevices.ts"

const app = useTestApp()
const arrange = () => arrangeDevices(app)

const staticState = { allowedModes: ["heat", "off"], allowedFanModes: ["unknown"], minHeatSetpoint: 50 }

test("each command of a device has the schema of its input and the limits of the device, in lists if they are asked for", async () => {
  const { device, get } = await arrange()
  const commands = ["thermostat:set-operating-mode", "thermostat:set-fan-mode", "thermostat:pause-schedule"] as const
  const id = await device({ type: "thermostat", staticState, commands })
  const { body } = await get(`/v1/devices/${id}`)
  expect(body.availableCommands).toEqual(
    commands.map((slug) => ({
      slug,
      description: expect.stringMatching(/./),
      inputSchema: inputSchemas[slug],
      confirmWithin: 300,
      ...(slug === "thermostat:set-operating-mode" && {
        limits: { operatingMode: { enum: ["heat", "off"] }, heatTarget: { minimum: 50 } }
      })
    }))
  )
  expect((await get("/v1/devices?include=commandDetails")).body.data).toEqual([body])
  const [listed] = (await get("/v1/devices")).body.data
  expect(listed).toEqual(withBriefCommands(body))
})

test("every list of devices has the commands' details if they are asked for, and otherwise slug and description", async () => {
  const { call, device, site } = await arrange()
  const { id: siteId } = await site()
  const { id: customer } = (await call("POST", "/v1/customers", { siteIds: [siteId] })).body
  const id = await device({ siteId, type: "thermostat", staticState, commands: ["thermostat:set-fan-mode"] })
  await device({ siteId })
  const collection = { collectionType: "DEVICE", criteria: { attribute: "type", operator: "eq", value: "thermostat" } }
  const { id: collectionId } = (await call("POST", "/v1/collections", { name: "all", dynamic: true, ...collection }))
    .body
  const first = await call("GET", "/v1/devices?perPage=1")
  const cursor = first.headers.get("x-next-cursor")
  const whole = (await call("GET", `/v1/devices/${id}`)).body
  expect(whole.availableCommands[0]).toHaveProperty("inputSchema")
  const list = async (include: string) => [
    (await call("GET", `/v1/devices?type=thermostat&${include}`)).body.data,
    (await call("GET", `/v1/devices?perPage=1&cursor=${cursor}&${include}`)).body.data,
    (await call("GET", `/v1/sites/${siteId}/devices?page=2&perPage=1&${include}`)).body.data,
    (await call("GET", `/v1/collections/${collectionId}/members?${include}`)).body.data,
    (await call("POST", `/v1/collections/preview?${include}`, collection)).body.data,
    (await call("GET", `/v1/customers/${customer}?include=devices&${include}`)).body.devices.slice(1)
  ]
  expect(await list("include=commandDetails")).toEqual(Array.from({ length: 6 }, () => [whole]))
  expect(await list("")).toEqual(Array.from({ length: 6 }, () => [withBriefCommands(whole)]))
})

test("devices of one manufacturer share the entries that have no limits", () => {
  const [first, second] = [1, 2].map(() => availableCommands(commandSlugs, 60, { capacity: 5000 }))
  expect(first!.every((entry, at) => entry === second![at] && Object.isFrozen(entry))).toBe(true)
  expect(availableCommands(["battery:set-reserve"], 61, null)[0]).toMatchObject({ confirmWithin: 61 })
})

test("a forced mode is part of the device while it holds, alone and in lists", async () => {
  const { device, get } = await arrange()
  const id = await device({ type: "battery", staticState: { capacity: 10_000 } })
  expect((await get(`/v1/devices/${id}`)).body).not.toHaveProperty("forcedMode")
  const forcedMode = { mode: "charge", until: "2026-03-01T13:00:00.000Z", then: "restore", source: "user" }
  await app.sql((sql) => sql`UPDATE devices SET forced_mode = ${JSON.stringify(forcedMode)}::jsonb WHERE id = ${id}`)
  const { body } = await get(`/v1/devices/${id}`)
  expect(body.forcedMode).toEqual(forcedMode)
  expect((await get("/v1/devices")).body.data).toEqual([body])
})

/** The time in which devices of each manufacturer confirm a command, in a service with these settings. */
const readConfirmWithin = async (env: Readonly<Record<string, string>>) => {
  const own = new TestApp()
  onTestFinished(() => own.stop())
  await own.start({ env, adapters: [scriptedAdapter({ slug: "scripted" }).adapter] })
  const { device, get } = await arrangeDevices(own)
  const given = { type: "battery", staticState: { capacity: 10_000 }, commands: ["battery:set-reserve"] } as const
  const read = async (manufacturer: string) => {
    const id = await device({ ...given, manufacturer })
    return (await get(`/v1/devices/${id}`)).body.availableCommands[0].confirmWithin
  }
  return { scripted: await read("scripted"), generic: await read("generic") }
}

test("a command is confirmed in the time of the adapter, and without one in a third of the time-out", async () => {
  expect(await readConfirmWithin({ EDP_COMMAND_TIMEOUT: "5 minutes" })).toEqual({ scripted: 60, generic: 100 })
})
