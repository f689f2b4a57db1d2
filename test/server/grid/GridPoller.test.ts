import { describe, expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "./arrangeGrid.ts"

// Connections are due in all workspaces at once, and the clock is the file's own.
const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })
const vtnNow = useFakeVtn()
const arrange = () => arrangeGrid(app, clock, vtnNow())

const discharge = { battery: { operatingMode: "discharge" } }
const simple = [{ payloadType: "SIMPLE", minimum: 1, actions: discharge }]

describe("a connection to a VTN", () => {
  test("registers its VEN, reads programs and events by pages, and names its targets", async () => {
    const { connect, list, must, poll } = await arrange()
    const vtn = vtnNow()
    for (let n = 0; n < 120; n++) vtn.program({ programName: `program ${n}` })
    const { id } = await connect({ targets: ["zone-7", "zone-8"] })
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({ status: "connecting", venId: null })
    await poll()
    const ven = vtn.vens[0]!
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({
      status: "connected",
      lastError: null,
      venId: ven.id
    })
    expect(ven.venName).toBe("example-ven")
    const pages = vtn.requests.filter(({ path }) => path === "/programs")
    expect(pages.map(({ query }) => [query.get("skip"), query.getAll("targets")])).toEqual(
      ["0", "50", "100"].map((skip) => [skip, ["zone-7", "zone-8"]])
    )
    expect(await list(id, "programs", "&page=2")).toHaveLength(20)
    await poll()
    expect(vtn.vens).toHaveLength(1)
    expect(vtn.requests.filter(({ path }) => path === "/auth/token")).toHaveLength(1)
  })

  test("renews a token that the VTN has ended, and one whose time is over", async () => {
    const { connect, must, poll } = await arrange()
    const vtn = vtnNow()
    const { id } = await connect()
    await poll()
    const before = vtn.tokens
    vtn.tokens += 5
    await poll()
    expect(vtn.tokens).toBe(before + 6)
    await poll(3600)
    expect(vtn.tokens).toBe(before + 7)
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({ status: "connected" })
  })

  test("calls a VTN that asks for no token without one", async () => {
    const { connect, list, poll } = await arrange()
    const vtn = vtnNow()
    const program = vtn.program({ programName: "prices" })
    vtn.respond = ({ authorization, path }) =>
      authorization !== undefined || path === "/auth/token"
        ? { status: 500, body: {} }
        : { status: 200, body: path === "/programs" ? [program] : [] }
    const { id } = await connect({ clientId: null, clientSecret: null })
    await poll()
    expect((await list(id, "programs")).map(({ name }) => name)).toEqual(["prices"])
    expect(vtn.vens).toEqual([])
  })

  test("that fails says why, is asked less often, and recovers", async () => {
    const { connect, must, poll } = await arrange()
    const vtn = vtnNow()
    const { id } = await connect()
    vtn.respond = ({ path }) =>
      path === "/events"
        ? { status: 503, body: { title: "Service Unavailable", detail: "Maintenance until noon", status: 503 } }
        : undefined
    await poll()
    const failing = await must(200, "GET", `/v1/grid-connections/${id}`)
    expect(failing).toMatchObject({
      status: "failing",
      lastPolledAt: null,
      lastError: "/events answered 503: Service Unavailable: Maintenance until noon"
    })
    await poll()
    await poll()
    const [row] = await app.sql<{ readonly wait: number }>(
      (sql) => sql`SELECT extract(epoch FROM poll_at - now())::float8 AS wait FROM grid_connections WHERE id = ${id}`
    )
    expect(row!.wait).toBeGreaterThan(200)
    expect((await must(200, "GET", `/v1/grid-connections/${id}`)).failingSince).toBe(failing.failingSince)
    vtn.respond = () => undefined
    await poll()
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({
      status: "connected",
      lastError: null,
      failingSince: null
    })
  })

  test.each([
    ["no JSON", "<html>"],
    ["no list", { programs: [] }],
    ["a broken connection", undefined]
  ])("survives %s of the VTN", async (_, body) => {
    const { connect, must, poll } = await arrange()
    const { id } = await connect()
    vtnNow().respond = ({ path }) => (path === "/programs" ? { status: body === undefined ? 0 : 200, body } : undefined)
    await poll()
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({ status: "failing" })
  })

  test("takes what can be read of a list, names what can't, and ends no dispatch for it", async () => {
    const { connect, dispatches, event, followed, home, list, must, poll } = await arrange()
    const vtn = vtnNow()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    event(program.vtnProgramId, "SIMPLE", [1], 10)
    await poll()
    const [kept] = vtn.events.splice(0)
    event(program.vtnProgramId, "SIMPLE", [2], 200)
    vtn.event(program.vtnProgramId, { intervals: [{ id: "one", payloads: [] }] })
    await poll()
    const { lastError, status } = await must(200, "GET", `/v1/grid-connections/${id}`)
    expect(status).toBe("connected")
    expect(lastError).toMatch(/^1 of the events can't be read, such as event intervals\.0\.id: Must be an integer$/)
    expect(await list(id, "events")).toHaveLength(2)
    expect((await dispatches()).map((each) => each.status)).toEqual(["scheduled", "scheduled"])
    vtn.events.splice(1)
    vtn.events.push(kept!)
    await poll()
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({ lastError: null })
  })

  test("stops at a VTN that repeats its pages without end", async () => {
    const { connect, list, poll } = await arrange()
    const vtn = vtnNow()
    const programs = Array.from({ length: 50 }, (_, n) => vtn.program({ programName: `program ${n}` }))
    vtn.respond = ({ path }) => (path === "/programs" ? { status: 200, body: programs } : undefined)
    const { id } = await connect()
    await poll()
    expect(vtn.requests.filter(({ path }) => path === "/programs")).toHaveLength(2)
    expect(await list(id, "programs")).toHaveLength(50)
  })

  test("that is paused is not asked, and its dispatches stay", async () => {
    const { connect, dispatches, event, followed, must, poll } = await arrange()
    const { id } = await connect()
    const program = await followed(simple, id)
    event(program.vtnProgramId, "SIMPLE", [1], 10)
    await poll()
    await must(200, "PATCH", `/v1/grid-connections/${id}`, { enabled: false })
    const asked = vtnNow().requests.length
    vtnNow().events.length = 0
    await poll()
    expect(vtnNow().requests).toHaveLength(asked)
    expect((await dispatches()).map(({ status }) => status)).toEqual(["scheduled"])
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({ status: "paused" })
  })
})

describe("an event", () => {
  test("becomes a dispatch by the rules of its program, and commands the enrolled devices", async () => {
    const { connect, dispatches, event, followed, home, issued, list, poll, runAfter } = await arrange()
    const { deviceId } = await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    event(program.vtnProgramId, "SIMPLE", [1, 0, 2], 10, "PT30M", { eventName: "Hot evening" })
    await poll()
    const [dispatch] = await dispatches()
    expect(dispatch).toMatchObject({ name: "Hot evening", status: "scheduled" })
    expect(dispatch.intervals.map((each: any) => each.durationSeconds)).toEqual([1800, 1800])
    expect(await list(id, "events")).toMatchObject([
      {
        status: "upcoming",
        outcomes: [{ payloadType: "SIMPLE", outcome: "dispatched", detail: null }],
        dispatchIds: [dispatch.id]
      }
    ])
    await runAfter(10)
    expect((await issued()).map((command) => [command.deviceId, command.input.operatingMode])).toEqual([
      [deviceId, "discharge"]
    ])
  })

  test("shares a power among the enrolled devices", async () => {
    const { connect, dispatches, event, followed, home, poll } = await arrange()
    for (let n = 0; n < 4; n++) await home()
    const { id } = await connect()
    const program = await followed([{ payloadType: "DISPATCH_SETPOINT", share: "battery" }], id)
    event(program.vtnProgramId, "DISPATCH_SETPOINT", [-10, 4], 10)
    await poll()
    const [{ intervals }] = (await dispatches()) as [any]
    expect(intervals.map(({ actions }: any) => actions)).toEqual([
      { battery: { targetPowerW: 2500 } },
      { battery: { targetPowerW: -1000 } }
    ])
  })

  test("leaves to the other devices what one can't do, and counts those that take the command", async () => {
    const { connect, dispatches, event, followed, home, poll } = await arrange()
    await home({ staticState: { maxDischargeRate: 1000, maxChargeRate: 3000 } })
    await home({ staticState: { maxDischargeRate: 5000, maxChargeRate: 5000 } })
    await home()
    await home({ commands: ["battery:set-reserve"] })
    const { id } = await connect()
    const program = await followed([{ payloadType: "DISPATCH_SETPOINT", share: "battery" }], id)
    event(program.vtnProgramId, "DISPATCH_SETPOINT", [-10, 6], 10)
    await poll()
    const [{ intervals }] = (await dispatches()) as [any]
    expect(intervals.map(({ actions }: any) => actions)).toEqual([
      { battery: { targetPowerW: 4500 } },
      { battery: { targetPowerW: -2000 } }
    ])
  })

  test("without a rule, an instance or a device commands nothing, and says so", async () => {
    const { connect, dispatches, event, followed, list, must, poll } = await arrange()
    const { id } = await connect()
    const program = await followed([{ payloadType: "DISPATCH_SETPOINT", share: "battery" }], id)
    event(program.vtnProgramId, "SIMPLE", [3], 10)
    event(program.vtnProgramId, "DISPATCH_SETPOINT", [3], 100)
    event(program.vtnProgramId, "PRICE", [0.4], 200)
    await poll()
    expect((await list(id, "events")).map(({ outcomes }) => outcomes[0].outcome)).toEqual([
      "signal",
      "no_device",
      "no_rule"
    ])
    await must(200, "PATCH", `/v1/grid-programs/${program.id}`, { programInstanceId: null })
    expect((await list(id, "events")).map(({ outcomes }) => outcomes[0].outcome)).toEqual([
      "signal",
      "no_program_instance",
      "no_rule"
    ])
    expect(await dispatches()).toEqual([])
  })

  test("is followed as soon as rules for it are stored", async () => {
    const { connect, dispatches, event, followed, home, must, poll } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed([], id)
    event(program.vtnProgramId, "SIMPLE", [1], 10)
    await poll()
    expect(await dispatches()).toEqual([])
    await must(200, "PATCH", `/v1/grid-programs/${program.id}`, { rules: simple })
    expect((await dispatches()).map(({ status }) => status)).toEqual(["scheduled"])
  })

  test("that has not changed keeps its dispatch, however often the VTN is polled", async () => {
    const { connect, dispatches, event, followed, home, issued, poll, runAfter } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    event(program.vtnProgramId, "SIMPLE", [1, 2], 1)
    await poll()
    await runAfter(1)
    for (let n = 0; n < 20; n++) await poll(120)
    await runAfter(0)
    expect(await dispatches()).toHaveLength(1)
    expect(await issued()).toHaveLength(1)
  })

  test("that is updated in the middle is followed from then on", async () => {
    const { connect, dispatches, event, followed, home, poll, runAfter } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    const { id: eventId, intervalPeriod } = event(program.vtnProgramId, "SIMPLE", [1], 1)
    await poll()
    await runAfter(20)
    vtnNow().update(eventId, { intervalPeriod: { ...intervalPeriod, duration: "PT2H" } })
    await poll()
    const [renewed, former] = await dispatches()
    expect(former).toMatchObject({ status: "cancelled", reason: "The event of the VTN has changed" })
    expect(Date.parse(renewed.endsAt)).toBe(Date.parse(intervalPeriod.start) + 2 * 3_600_000)
    expect(Date.parse(renewed.startsAt)).toBe(clock.currentTimeMillisUnsafe())
  })

  test("that the VTN deletes ends at once", async () => {
    const { connect, dispatches, event, followed, home, list, poll, runAfter } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    const { id: eventId } = event(program.vtnProgramId, "SIMPLE", [1], 1)
    await poll()
    await runAfter(20)
    vtnNow().remove(eventId)
    await poll()
    expect(await dispatches()).toMatchObject([{ status: "cancelled", reason: "The VTN has ended its event" }])
    expect(await list(id, "events", "&status=deleted")).toHaveLength(1)
  })

  test("with a higher priority takes its time from another one, and gives it back when it is deleted", async () => {
    const { connect, dispatches, event, followed, home, list, must, poll } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(
      [...simple, { payloadType: "CONTROL_LEVEL_OFFSET", actions: { battery: { operatingMode: "charge" } } }],
      id
    )
    event(program.vtnProgramId, "SIMPLE", [1], 60, "PT3H", { priority: 2 })
    const over = event(program.vtnProgramId, "CONTROL_LEVEL_OFFSET", [-1], 120, "PT1H", { priority: 1 })
    await poll()
    const planned = (await dispatches()).map(({ intervals, status }) => [
      status,
      ...intervals.map((each: any) => [
        Math.round((Date.parse(each.startsAt) - clock.currentTimeMillisUnsafe()) / 60_000),
        each.durationSeconds / 60
      ])
    ])
    expect(planned.toSorted((one, other) => one.length - other.length)).toEqual([
      ["scheduled", [120, 60]],
      ["scheduled", [60, 60], [180, 60]]
    ])
    const { segments } = await must(200, "GET", `/v1/grid-connections/${id}/timeline`)
    expect(segments.map(({ payloads }: any) => payloads[0].type)).toEqual(["SIMPLE", "CONTROL_LEVEL_OFFSET", "SIMPLE"])
    vtnNow().remove(over.id)
    await poll()
    const live = (await dispatches()).filter(({ status }) => status === "scheduled")
    expect(live.map(({ intervals }) => intervals.map((each: any) => each.durationSeconds))).toEqual([[10_800]])
    expect((await list(id, "events"))[0].status).toBe("deleted")
  })

  test("has the units that it states itself, else those of its program", async () => {
    const { connect, event, list, must, poll } = await arrange()
    const { id } = await connect()
    const descriptor = (payloadType: string, units: string) => ({
      objectType: "EVENT_PAYLOAD_DESCRIPTOR",
      payloadType,
      units
    })
    const program = vtnNow().program({
      payloadDescriptors: [descriptor("DISPATCH_SETPOINT", "KW"), descriptor("PRICE", "KWH")]
    })
    event(program.id, "DISPATCH_SETPOINT", [3], 10)
    event(program.id, "DISPATCH_SETPOINT", [3], 100, "PT1H", {
      payloadDescriptors: [descriptor("DISPATCH_SETPOINT", "W")]
    })
    event(vtnNow().program().id, "SIMPLE", [1], 200)
    await poll()
    const units = (rows: ReadonlyArray<any>) => rows.map(({ payloads }) => payloads[0].units)
    const events = await list(id, "events")
    expect(units(events.flatMap(({ intervals }) => intervals)).toSorted()).toEqual(["KW", "W", null])
    expect(units((await must(200, "GET", `/v1/grid-connections/${id}/timeline`)).segments)).toEqual(["KW", "W", null])
  })

  test("without an end is dispatched day by day", async () => {
    const { connect, dispatches, event, followed, home, poll } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    event(program.vtnProgramId, "SIMPLE", [1], 10, "P9999Y")
    await poll()
    const days = async () => (await dispatches()).map(({ intervals }) => intervals[0].durationSeconds / 3600)
    expect(await days()).toEqual([24, 24])
    await poll(24 * 3600)
    expect(await days()).toEqual([24, 24, 24])
    for (let hours = 0; hours < 10 * 24; hours += 9) await poll(9 * 3600)
    expect(await days()).toEqual(Array.from({ length: 14 }, () => 24))
    expect((await dispatches()).filter(({ status }) => status === "cancelled")).toEqual([])
  })

  test("begins within its random start", async () => {
    const { connect, dispatches, event, followed, home, poll } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    const start = new Date(clock.currentTimeMillisUnsafe() + 600_000).toISOString()
    event(program.vtnProgramId, "SIMPLE", [1], 10, "PT1H", {
      intervalPeriod: { start, duration: "PT1H", randomizeStart: "PT5M" }
    })
    await poll()
    expect(await dispatches()).toMatchObject([{ startsAt: start, randomizeStartSeconds: 300 }])
  })

  test("ends with its connection", async () => {
    const { call, connect, dispatches, event, followed, home, poll } = await arrange()
    await home()
    const { id } = await connect()
    const program = await followed(simple, id)
    event(program.vtnProgramId, "SIMPLE", [1], 10)
    await poll()
    expect((await call("DELETE", `/v1/grid-connections/${id}`)).status).toBe(204)
    expect(await dispatches()).toMatchObject([{ status: "cancelled", reason: "The connection to the VTN was removed" }])
  })
})
