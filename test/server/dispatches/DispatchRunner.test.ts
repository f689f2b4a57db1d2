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

describe("the participants", () => {
  test("are determined anew at the start", async () => {
    const { create, home, issued, participants, runAfter, unenroll } = await arrange()
    const left = await home()
    const { id } = await create()
    await unenroll(left.enrollmentId)
    const joined = await home()
    await runAfter(1)
    expect((await participants(id)).map(({ siteId }) => siteId)).toEqual([joined.siteId])
    expect((await issued()).map(({ deviceId }) => deviceId)).toEqual([joined.deviceId])
  })

  test("take part with devices of their enrollments' manufacturers and of types with an action", async () => {
    const { create, device, enroll, issued, participant, runAfter, site } = await arrange()
    const siteId = (await site()).id
    await enroll(siteId, { slugs: ["generic"] })
    const other = (await site()).id
    await enroll(other)
    const taking = await device(siteId)
    await device(siteId, "battery", { manufacturer: "simulator" })
    await device(siteId, "charger")
    await device(other, "charger")
    await device(siteId, "battery", { disconnectedAt: new Date() })
    const { id } = await create()
    await runAfter(1)
    expect((await issued()).map(({ deviceId }) => deviceId)).toEqual([taking])
    expect(await participant(id, siteId)).toMatchObject({ state: "running", deviceCount: 1 })
    expect(await participant(id, other)).toMatchObject({ state: "failed", reasons: [{ code: "no_device" }] })
  })

  test("begin at random within the given time, and end together", async () => {
    const { create, home, issued, modes, participants, read, runAfter } = await arrange()
    for (const _ of Array.from({ length: 8 })) await home()
    const created = await create({ randomizeStartSeconds: 1200 })
    await runAfter(1)
    const begin = Date.parse(created.startsAt)
    const commands = await issued()
    const starts = new Map((await participants(created.id)).map((one) => [one.siteId, Date.parse(one.startsAt)]))
    expect(new Set(starts.values()).size).toBeGreaterThan(1)
    for (const { revertAfter, scheduledFor } of commands) {
      const at = scheduledFor?.getTime() ?? begin
      expect([...starts.values()]).toContain(at)
      expect(at + revertAfter! * 1000).toBe(Date.parse(created.endsAt))
    }
    expect(await read(created.id)).toMatchObject({ status: "running" })
    expect((await participants(created.id)).filter(({ state }) => state === "notified").length).toBeGreaterThan(4)
    await runAfter(20)
    expect((await read(created.id)).participants).toMatchObject({ notified: 0, running: 8 })
    expect(await modes()).toHaveLength(8)
  })

  test("are partly held out for a baseline of hold-out, and these get no command", async () => {
    const { create, home, issued, participants, runAfter } = await arrange()
    for (const _ of Array.from({ length: 10 })) await home()
    const { id } = await create({ baseline: { method: "hold-out", parameters: { share: 0.3 } } })
    await runAfter(1)
    const heldOut = (await participants(id)).filter((one) => one.heldOut)
    expect(heldOut).toHaveLength(3)
    for (const one of heldOut) {
      expect(one).toMatchObject({ state: "notified", reasons: [{ code: "held_out" }], deviceCount: 0 })
    }
    expect(await issued()).toHaveLength(7)
    await runAfter(60)
    expect((await participants(id)).filter(({ state }) => state === "done")).toHaveLength(10)
  })
})

describe("a site that leaves a running dispatch", () => {
  test("by opting out gets no further command, and its settings back at once", async () => {
    const { create, home, interval, live, modes, optOut, participant, restore, runAfter, settle } = await arrange()
    const [out, stays] = [await home(), await home()]
    const { id } = await create({ intervals: [interval(1, 10), interval(11, 10, charge)] })
    await runAfter(1)
    await settle(stays.deviceId, "completed")
    // Not delivered yet: it is cancelled in the transaction that responds.
    expect((await optOut(id, out.siteId)).body).toMatchObject({ state: "opted_out" })
    expect(await modes(out.deviceId)).toEqual(["discharge failed"])
    expect(await live()).toEqual([stays.deviceId])
    await settle(stays.deviceId, "delivered")
    await optOut(id, stays.siteId)
    await restore(stays.deviceId)
    await runAfter(10)
    expect(await modes(stays.deviceId)).toEqual(["discharge completed"])
    expect(await live()).toEqual([])
    await runAfter(10)
    expect((await participant(id, stays.siteId)).state).toBe("opted_out")
  })

  test("by unenrolling does so within the next run", async () => {
    const { create, home, issued, live, participant, runAfter, unenroll } = await arrange()
    const { enrollmentId, siteId } = await home()
    const { id } = await create()
    await runAfter(1)
    await unenroll(enrollmentId)
    await runAfter()
    expect(await issued()).toMatchObject([{ status: "failed", reason: "cancelled" }])
    expect(await participant(id, siteId)).toMatchObject({ state: "opted_out", reasons: [{ code: "not_enrolled" }] })
    expect(await live()).toEqual([])
  })

  test("with the whole dispatch, when it is cancelled", async () => {
    const { cancel, create, home, issued, live, read, restore, runAfter, settle } = await arrange()
    const [one, other] = [await home(), await home()]
    const { id } = await create()
    await runAfter(1)
    await settle(one.deviceId, "delivered")
    await cancel(id)
    await runAfter()
    expect((await issued(other.deviceId))[0]).toMatchObject({ status: "failed", reason: "cancelled" })
    expect(await live()).toEqual([one.deviceId])
    await restore(one.deviceId)
    await runAfter(1)
    expect(await live()).toEqual([])
    expect(await read(id)).toMatchObject({ status: "cancelled", participants: { done: 2 } })
  })
})

describe("several dispatches on one device", () => {
  test("hold it by their priority, also of different instances, and the outranked one goes on afterwards", async () => {
    const { create, enroll, home, interval, modes, participant, programs, restore, runAfter, settle } = await arrange()
    const { deviceId, siteId } = await home()
    const other = await programs.instance()
    await enroll(siteId, { instanceId: other.id })
    const low = await create({ priority: 5, intervals: [interval(1, 60)] })
    await create({ priority: 0, intervals: [interval(11, 10, charge)] }, other.id)
    await runAfter(1)
    await settle(deviceId, "completed")
    await runAfter(10)
    expect(await modes()).toEqual(["discharge completed", "charge pending"])
    expect((await participant(low.id, siteId)).reasons).toMatchObject([{ deviceId, code: "outranked" }])
    await settle(deviceId, "completed")
    await runAfter(10)
    expect(await modes()).toEqual(["discharge completed", "charge completed", "discharge pending"])
    expect((await participant(low.id, siteId)).reasons).toEqual([])
    await settle(deviceId, "completed")
    await runAfter(40)
    await restore(deviceId)
    await runAfter(1)
    expect(await modes()).toHaveLength(3)
  })

  test("give it to the one that was created earlier, if their priorities are equal", async () => {
    const { create, home, interval, issued, participant, runAfter } = await arrange()
    const { siteId } = await home()
    const first = await create({ intervals: [interval(2, 10)] })
    const second = await create({ intervals: [interval(1, 10, charge)] })
    await runAfter(1)
    await runAfter(1)
    expect((await issued()).map(({ sourceId }) => sourceId)).toEqual([second.id, first.id])
    expect((await participant(second.id, siteId)).reasons).toMatchObject([{ code: "outranked" }])
    await runAfter(1)
    expect(await issued()).toHaveLength(2)
  })

  test("leave it to one that can command it", async () => {
    const { create, home, interval, issued, modes, runAfter } = await arrange()
    const { deviceId } = await home({
      staticState: { maxDischargeRate: 4000 },
      commands: ["battery:set-operating-mode"]
    })
    await create({
      priority: 0,
      intervals: [interval(1, 30, { battery: { operatingMode: "discharge", targetPowerW: 9 } })]
    })
    const able = await create({ priority: 7, intervals: [interval(1, 30, charge)] })
    await runAfter(1)
    expect(await modes(deviceId)).toEqual(["charge pending"])
    expect((await issued())[0]!.sourceId).toBe(able.id)
  })
})

describe("a device that can't take its first command", () => {
  test("is asked once before its random start, whatever else holds it", async () => {
    const { create, home, interval, modes, participant, runAfter } = await arrange()
    const { deviceId, siteId } = await home({ staticState: { maxDischargeRate: 4000 } })
    const power = { battery: { operatingMode: "discharge", targetPowerW: 9 } }
    await create({ priority: 7, intervals: [interval(1, 30, charge)] })
    await create({ priority: 9, intervals: [interval(1, 30)] })
    const ahead = await create({ priority: 0, intervals: [interval(2, 30, power)], randomizeStartSeconds: 3600 })
    await runAfter(1)
    await runAfter(1)
    await runAfter(5)
    expect(await modes(deviceId)).toEqual(["charge pending"])
    expect((await participant(ahead.id, siteId)).state).not.toBe("running")
  })
})

describe("the state of a site", () => {
  test("is unresponsive while no device has answered in time, and recovers with the first that does", async () => {
    const { create, device, home, interval, participant, read, runAfter, settle } = await arrange()
    const { deviceId, siteId } = await home()
    const second = await device(siteId)
    const { id } = await create({ intervals: [interval(1, 10), interval(11, 10, charge)] })
    await runAfter(1)
    await settle(deviceId, "failed", "unreachable")
    await runAfter()
    expect((await participant(id, siteId)).state).toBe("running")
    await settle(second, "failed", "asleep")
    await runAfter()
    expect(await participant(id, siteId)).toMatchObject({
      state: "unresponsive",
      reasons: [
        { deviceId, code: "unreachable", message: "The device or its manufacturer can't be reached" },
        { deviceId: second, code: "asleep" }
      ]
    })
    expect((await read(id)).participants).toMatchObject({ unresponsive: 1 })
    await runAfter(10)
    await settle(second, "completed")
    await runAfter()
    expect((await participant(id, siteId)).state).toBe("running")
    await runAfter(10)
    expect((await participant(id, siteId)).state).toBe("done")
  })

  test("recovers with a late result", async () => {
    const { create, home, issued, participant, runAfter, settle } = await arrange()
    const { deviceId, siteId } = await home()
    const { id } = await create()
    await runAfter(1)
    await settle(deviceId, "failed", "timeout")
    await runAfter()
    expect((await participant(id, siteId)).state).toBe("unresponsive")
    const [command] = await issued()
    await app.sql(
      (sql) => sql`UPDATE commands SET late_result = '{"status":"completed","reason":null,"at":"2026-01-01T00:00:00Z"}'
        WHERE id = ${command!.id} RETURNING 1`
    )
    await runAfter()
    expect(await participant(id, siteId)).toMatchObject({ state: "running", reasons: [] })
  })

  test("is failed if every device refuses or can't take the command", async () => {
    const { create, device, home, participant, runAfter, settle } = await arrange()
    const { deviceId, siteId } = await home()
    await device(siteId, "battery", { commands: ["battery:set-reserve"] })
    const { id } = await create()
    await runAfter(1)
    await settle(deviceId, "failed", "refused")
    await runAfter()
    const { reasons, state } = await participant(id, siteId)
    expect([state, reasons.map(({ code }: any) => code).toSorted()]).toEqual(["failed", ["not_able", "refused"]])
    await runAfter(60)
    expect((await participant(id, siteId)).state).toBe("failed")
  })
})

describe("a power", () => {
  test("is asked of the devices that take one; the others get the mode alone, with a reason", async () => {
    const { create, device, enroll, interval, issued, participant, runAfter, settle, site } = await arrange()
    const siteId = (await site()).id
    await enroll(siteId)
    const taking = await device(siteId, "battery", { staticState: { takesTargetPower: true, maxDischargeRate: 4000 } })
    const plain = await device(siteId)
    const { id } = await create({ intervals: [interval(1, 30, { battery: { targetPowerW: 6000 } })] })
    await runAfter(1)
    const inputs = new Map((await issued()).map(({ deviceId, input }) => [deviceId, input]))
    const mode = { operatingMode: "discharge", enableGridInteraction: true }
    expect(inputs.get(taking)).toEqual({ ...mode, targetPowerW: 4000 })
    expect(inputs.get(plain)).toEqual(mode)
    await settle(plain, "completed")
    await runAfter()
    expect((await participant(id, siteId)).reasons).toMatchObject([{ deviceId: plain, code: "power_not_supported" }])
  })
})

describe("an interval of a minute", () => {
  test("is commanded, although the runner takes a moment", async () => {
    const { create, home, interval, issued, runAfter } = await arrange()
    await home()
    await create({ intervals: [interval(1, 1), interval(2, 1, charge)] })
    await runAfter(1.05)
    await runAfter(1)
    expect((await issued()).map(({ input, revertAfter }) => [input.operatingMode, revertAfter])).toEqual([
      ["discharge", 117],
      ["charge", 60]
    ])
  })
})

describe("after an outage", () => {
  test("the interval that holds now is made up once", async () => {
    const { create, home, interval, modes, runAfter } = await arrange()
    await home()
    await create({ intervals: [interval(1, 10), interval(11, 10, charge)] })
    await runAfter(15)
    await runAfter()
    expect(await modes()).toEqual(["charge pending"])
  })

  test("a late mode that would last less than a minute is not issued", async () => {
    const { create, home, interval, issued, participant, read, runAfter } = await arrange()
    const { siteId } = await home()
    const { id } = await create({ intervals: [interval(1, 10)] })
    await runAfter(10.5)
    expect(await issued()).toEqual([])
    expect(await read(id)).toMatchObject({ status: "running" })
    await runAfter(1)
    expect(await read(id)).toMatchObject({ status: "completed" })
    expect(await participant(id, siteId)).toMatchObject({ state: "failed", reasons: [{ code: "missed" }] })
  })

  test("that has lasted for a whole dispatch, it is completed and moves nothing", async () => {
    const { create, home, issued, participant, read, runAfter } = await arrange()
    const { siteId } = await home()
    const { id } = await create()
    await runAfter(120)
    expect(await read(id)).toMatchObject({ status: "completed", reason: expect.stringContaining("not running") })
    expect(await participant(id, siteId)).toMatchObject({ state: "failed", reasons: [{ code: "missed" }] })
    expect(await issued()).toEqual([])
  })
})
