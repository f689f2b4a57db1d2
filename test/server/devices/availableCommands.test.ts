import { inputSchemas } from "@edp/domain/commands/commandInputs"
import { commandSlugs } from "@edp/domain/devices/DeviceType"
import { availableCommands } from "@edp/server/devices/availableCommands"
import { expect, onTestFinished, test } from "vitest"
import { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { TestApp, useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "./arrangeDevices.ts"

const app = useTestApp()
const arrange = () => arrangeDevices(app)

const staticState = { allowedModes: ["heat", "off"], allowedFanModes: ["unknown"], minHeatSetpoint: 50 }

test("each command of a device has the schema of its input and the limits of the device, alone and in lists", async () => {
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
  expect((await get("/v1/devices")).body.data).toEqual([body])
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
