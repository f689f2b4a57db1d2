import { describe, expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDispatches, charge, discharge } from "./arrangeDispatches.ts"

// Dispatches are due in all workspaces at once, and the clock is the file's own.
const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })
const arrange = () => arrangeDispatches(app, clock)

describe("a dispatch of one interval", () => {
  test("announces itself, commands the devices at its start, and ends with their settings back", async () => {
    const { create, home, issued, live, participant, read, restore, runAfter, settle } = await arrange()
    const { deviceId, siteId } = await home()
    const { id } = await create()
    expect(await read(id)).toMatchObject({ status: "scheduled", participants: { notified: 1 } })
    await runAfter()
    expect(await issued()).toEqual([])
    await runAfter(1)
    const [command] = await issued()
    expect(command).toMatchObject({
      deviceId,
      input: discharge.battery,
      sourceId: id,
      revertAfter: 3600,
      scheduledFor: null
    })
    expect(await read(id)).toMatchObject({ status: "running", participants: { running: 1 } })
    expect(await participant(id, siteId)).toMatchObject({ state: "running", deviceCount: 1, reasons: [] })
    await settle(deviceId, "delivered")
    await settle(deviceId, "completed")
    await runAfter(59)
    expect(await read(id)).toMatchObject({ status: "running" })
    await runAfter(1)
    expect(await read(id)).toMatchObject({ status: "completed", reason: null, participants: { done: 1, running: 0 } })
    expect(await live()).toEqual([deviceId])
    await restore(deviceId)
    await runAfter(1)
    expect(await live()).toEqual([])
    expect(await issued()).toHaveLength(1)
  })
})

describe("a dispatch of several intervals", () => {
  test("changes the mode at each boundary, and leaves the devices alone between two intervals", async () => {
    const { create, home, interval, issued, modes, restore, runAfter, settle } = await arrange()
    const { deviceId } = await home()
    await create({ intervals: [interval(1, 10, discharge), interval(11, 10, charge), interval(31, 10, discharge)] })
    await runAfter(1)
    await settle(deviceId, "completed")
    await runAfter(10)
    expect(await modes()).toEqual(["discharge completed", "charge pending"])
    // The next interval follows at once, so the mode lasts until it has replaced it.
    expect((await issued()).map(({ revertAfter }) => revertAfter)).toEqual([660, 600])
    await settle(deviceId, "completed")
    await runAfter(10)
    await restore(deviceId)
    await runAfter(10)
    expect(await modes()).toEqual(["discharge completed", "charge completed", "discharge pending"])
  })
})
