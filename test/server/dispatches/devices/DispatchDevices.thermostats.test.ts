import { CommandIssuer } from "@edp/server/commands/issuing/CommandIssuer"
import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { movableClock } from "../../../support/movableClock.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDispatches, MINUTE } from "../arrangeDispatches.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })

const cool = { thermostat: { operatingMode: "cool", coolTarget: 80 } }
const off = { thermostat: { operatingMode: "off" } }
const settings = { operatingMode: "auto", heatTarget: 66, coolTarget: 74 }

/** An enrolled home with a thermostat that has reported its settings. */
const arrange = async () => {
  const place = await arrangeDispatches(app, clock)
  const siteId: string = (await place.site()).id
  await place.enroll(siteId)
  const deviceId = await place.device(siteId, "thermostat")
  const state = { ambientTemperature: 75, fanMode: "auto", ...settings }
  await place.report(deviceId, { at: new Date(place.now()), state })
  const inputs = async () => (await place.issued(deviceId)).map(({ input }) => input)
  return { ...place, siteId, deviceId, inputs }
}

test("a thermostat gets its settings from before back by a command, which is followed until it is completed", async () => {
  const { create, deviceId, inputs, interval, issued, live, runAfter, settle } = await arrange()
  await create({ intervals: [interval(1, 30, cool)] })
  await runAfter(1)
  expect(await issued()).toMatchObject([{ input: cool.thermostat, revertAfter: null }])
  await settle(deviceId, "completed")
  await runAfter(30)
  expect(await inputs()).toEqual([cool.thermostat, settings])
  expect(await live()).toEqual([deviceId])
  await settle(deviceId, "failed", "unreachable")
  await runAfter(1)
  expect(await inputs()).toEqual([cool.thermostat, settings, settings])
  await settle(deviceId, "completed")
  await runAfter(1)
  expect(await live()).toEqual([])
  expect(await inputs()).toHaveLength(3)
})

test("a thermostat has its own settings between two intervals", async () => {
  const { create, deviceId, inputs, interval, runAfter, settle } = await arrange()
  await create({ intervals: [interval(1, 10, cool), interval(21, 10, off)] })
  await runAfter(1)
  await settle(deviceId, "completed")
  await runAfter(10)
  await settle(deviceId, "completed")
  await runAfter(1)
  await runAfter(9)
  await settle(deviceId, "completed")
  await runAfter(10)
  expect(await inputs()).toEqual([cool.thermostat, settings, off.thermostat, settings])
})

test("a thermostat of several dispatches gets the settings from before the first one back, after the last", async () => {
  const { create, deviceId, inputs, interval, live, runAfter, settle } = await arrange()
  await create({ priority: 5, intervals: [interval(1, 10, cool)] })
  await create({ priority: 0, intervals: [interval(6, 20, off)] })
  await runAfter(1)
  await settle(deviceId, "completed")
  await runAfter(5)
  await settle(deviceId, "completed")
  await runAfter(5)
  expect(await inputs()).toEqual([cool.thermostat, off.thermostat])
  await runAfter(15)
  await settle(deviceId, "completed")
  await runAfter(1)
  expect(await inputs()).toEqual([cool.thermostat, off.thermostat, settings])
  expect(await live()).toEqual([])
})

test("a thermostat whose settings are not known gets no command", async () => {
  const { create, device, interval, issued, participant, runAfter, siteId } = await arrange()
  const unknown = await device(siteId, "thermostat")
  const { id } = await create({ intervals: [interval(1, 30, cool)] })
  await runAfter(1)
  expect(await issued(unknown)).toEqual([])
  expect((await participant(id, siteId)).reasons).toMatchObject([{ deviceId: unknown, code: "settings_unknown" }])
})

test("a thermostat keeps the mode that a user has given it since", async () => {
  const { create, deviceId, inputs, interval, live, runAfter, settle, workspaceId } = await arrange()
  await create({ intervals: [interval(1, 30, cool)] })
  await runAfter(1)
  await settle(deviceId, "completed")
  clock.move(MINUTE)
  const [command] = await app.run(
    Effect.flatMap(CommandIssuer, ({ issue }) =>
      issue([
        {
          workspaceId,
          deviceId,
          type: "thermostat:set-operating-mode",
          input: { operatingMode: "eco" },
          source: "user",
          sourceId: null,
          batchId: null,
          scheduledFor: null,
          notBefore: null,
          expiresAt: new Date(clock.currentTimeMillisUnsafe() + MINUTE),
          revertAfter: null
        }
      ])
    )
  )
  await app.run(
    Effect.flatMap(CommandOutcomes, ({ record }) =>
      record([{ id: command!.id, status: "completed", reason: null, output: null, upstream: null }])
    )
  )
  await runAfter(29)
  await runAfter(1)
  expect(await inputs()).toEqual([cool.thermostat])
  expect(await live()).toEqual([])
})

test("a thermostat that is opted out before its command is delivered is left as it is", async () => {
  const { create, inputs, interval, issued, live, optOut, runAfter, siteId } = await arrange()
  const { id } = await create({ intervals: [interval(1, 30, cool)] })
  await runAfter(1)
  await optOut(id, siteId)
  expect(await issued()).toMatchObject([{ status: "failed", reason: "cancelled" }])
  expect(await inputs()).toHaveLength(1)
  expect(await live()).toEqual([])
})
