import { Schedules } from "@edp/server/schedules/Schedules"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { at, arrangeSchedules, charge, discharge, idle, rule } from "./arrangeSchedules.ts"

// Transitions are due in all workspaces at once, so this file has its own app.
const app = useTestApp({ own: true })
const arrange = () => arrangeSchedules(app)

const MINUTES = 60_000

/** Creates a schedule of a device at a time of the past. */
const createAt = (time: string, workspaceId: string, deviceId: string, body: object): Promise<any> =>
  app.run(
    at(time)(
      Effect.flatMap(Schedules, (schedules) =>
        schedules.createOfDevice({ type: "SERVER", workspaceId } as never, deviceId, body as never)
      )
    )
  )

const weekdays = [1, 2, 3, 4, 5]
const weekend = [0, 6]

describe("a week of a schedule", () => {
  /** Charges in the hours in which clocks change, discharges on the evenings of workdays, and idles otherwise. */
  const rules = [
    rule("22:00", "02:30", charge),
    rule("17:00", "20:30", discharge, weekdays),
    rule("09:00", "10:00", idle, weekend)
  ]

  const runWeek = async (timezone: string, from: string) => {
    const place = await arrange()
    const deviceId = await place.battery()
    await createAt(from, place.workspaceId, deviceId, { name: "Week", timezone, rules, defaultMode: idle })
    const begin = Date.parse(from)
    for (let minute = 0; minute < 7 * 1440 + 120; minute += 10) await place.runAt(begin + minute * MINUTES)
    return (await place.issuedModes()).map((one) => one.replace(":00.000Z", "Z"))
  }

  test("in which clocks go forward issues exactly the expected commands", async () => {
    expect(await runWeek("Europe/Berlin", "2026-03-25T23:00:00Z")).toEqual([
      "2026-03-26T01:30Z idle",
      "2026-03-26T16:00Z discharge",
      "2026-03-26T19:30Z idle",
      "2026-03-26T21:00Z charge",
      "2026-03-27T01:30Z idle",
      "2026-03-27T16:00Z discharge",
      "2026-03-27T19:30Z idle",
      "2026-03-27T21:00Z charge",
      "2026-03-28T01:30Z idle",
      "2026-03-28T21:00Z charge",
      // 02:30 is skipped: clocks show 03:00 after 01:59.
      "2026-03-29T01:00Z idle",
      "2026-03-29T20:00Z charge",
      "2026-03-30T00:30Z idle",
      "2026-03-30T15:00Z discharge",
      "2026-03-30T18:30Z idle",
      "2026-03-30T20:00Z charge",
      "2026-03-31T00:30Z idle",
      "2026-03-31T15:00Z discharge",
      "2026-03-31T18:30Z idle",
      "2026-03-31T20:00Z charge",
      "2026-04-01T00:30Z idle",
      "2026-04-01T15:00Z discharge",
      "2026-04-01T18:30Z idle",
      "2026-04-01T20:00Z charge",
      "2026-04-02T00:30Z idle"
    ])
  })

  test("in which clocks go back issues exactly the expected commands", async () => {
    expect(await runWeek("Europe/Berlin", "2026-10-21T22:00:00Z")).toEqual([
      "2026-10-22T00:30Z idle",
      "2026-10-22T15:00Z discharge",
      "2026-10-22T18:30Z idle",
      "2026-10-22T20:00Z charge",
      "2026-10-23T00:30Z idle",
      "2026-10-23T15:00Z discharge",
      "2026-10-23T18:30Z idle",
      "2026-10-23T20:00Z charge",
      "2026-10-24T00:30Z idle",
      "2026-10-24T20:00Z charge",
      // 02:30 comes twice; the first one counts.
      "2026-10-25T00:30Z idle",
      "2026-10-25T21:00Z charge",
      "2026-10-26T01:30Z idle",
      "2026-10-26T16:00Z discharge",
      "2026-10-26T19:30Z idle",
      "2026-10-26T21:00Z charge",
      "2026-10-27T01:30Z idle",
      "2026-10-27T16:00Z discharge",
      "2026-10-27T19:30Z idle",
      "2026-10-27T21:00Z charge",
      "2026-10-28T01:30Z idle",
      "2026-10-28T16:00Z discharge",
      "2026-10-28T19:30Z idle",
      "2026-10-28T21:00Z charge"
    ])
  })
})

describe("a transition", () => {
  const night = rule("22:00", "06:00", charge)

  test("issues the command of its mode once, and announces the next one", async () => {
    const { battery, create, issued, read, runAt, setDue, workspaceId } = await arrange()
    const deviceId = await battery()
    const { id } = await create({ target: { deviceId }, rules: [night], defaultMode: idle })
    await setDue(id, "2026-06-01T22:00:00Z")
    await runAt("2026-06-01T21:59:59.999Z")
    expect(await issued()).toEqual([])
    await runAt("2026-06-01T22:00:00Z")
    await runAt("2026-06-01T22:00:01Z")
    expect(await issued()).toEqual([
      { deviceId, issuedAt: new Date("2026-06-01T22:00:00Z"), input: charge, source: "schedule", sourceId: id }
    ])
    expect(await read(id)).toMatchObject({ workspaceId, nextTransitionAt: "2026-06-02T06:00:00.000Z" })
  })

  test("that was missed is made up once, with the mode that holds now", async () => {
    const { battery, create, issuedModes, read, runAt, setDue } = await arrange()
    const { id } = await create({ target: { deviceId: await battery() }, rules: [night], defaultMode: idle })
    await setDue(id, "2026-06-01T22:00:00Z")
    await runAt("2026-06-05T12:34:56Z")
    await runAt("2026-06-05T12:34:57Z")
    expect(await issuedModes()).toEqual(["2026-06-05T12:34:56.000Z idle"])
    expect((await read(id)).nextTransitionAt).toBe("2026-06-05T22:00:00.000Z")
  })

  test("that was missed issues nothing if no mode holds now", async () => {
    const { battery, create, issuedModes, read, runAt, setDue } = await arrange()
    const { id } = await create({ target: { deviceId: await battery() }, rules: [night] })
    await setDue(id, "2026-06-01T22:00:00Z")
    await runAt("2026-06-02T12:00:00Z")
    expect(await issuedModes()).toEqual([])
    expect((await read(id)).nextTransitionAt).toBe("2026-06-02T22:00:00.000Z")
  })

  test("that is due stays due when the schedule is changed before its command is issued", async () => {
    const { battery, call, create, issuedModes, runAt, setDue } = await arrange()
    const { id } = await create({ target: { deviceId: await battery() }, rules: [night], defaultMode: idle })
    await setDue(id, "2026-06-01T22:00:00Z")
    await call("PATCH", `/v1/schedules/${id}`, { rules: [rule("21:00", "07:00", discharge)] })
    await runAt("2026-06-01T22:00:01Z")
    expect(await issuedModes()).toEqual(["2026-06-01T22:00:01.000Z discharge"])
  })

  test("never comes while its schedule is paused", async () => {
    const { battery, call, create, issuedModes, runAt, setDue } = await arrange()
    const { id } = await create({ target: { deviceId: await battery() }, rules: [night], defaultMode: idle })
    await setDue(id, "2026-06-01T22:00:00Z")
    await call("PATCH", `/v1/schedules/${id}`, { enabled: false })
    await runAt("2026-06-01T23:00:00Z")
    expect(await issuedModes()).toEqual([])
  })

  test("issues nothing to a device that is disconnected or does not take the mode, and goes on to the others", async () => {
    const { battery, create, device, issued, read, runAt, setDue } = await arrange()
    const tags = ["fleet"]
    const able = await battery({ tags })
    await battery({ tags, disconnectedAt: new Date("2026-05-01T00:00:00Z") })
    await device({ type: "battery", tags, commands: ["battery:set-reserve"] })
    await device({ type: "charger", tags, commands: ["charger:set-operating-mode"] })
    const { id } = await create({ target: { tag: "fleet" }, rules: [night], defaultMode: idle })
    await setDue(id, "2026-06-01T22:00:00Z")
    await runAt("2026-06-01T22:00:00Z")
    expect((await issued()).map(({ deviceId }) => deviceId)).toEqual([able])
    expect((await read(id)).nextTransitionAt).toBe("2026-06-02T06:00:00.000Z")
  })

  test("stays due if its schedule can't be run, and holds up no other", async () => {
    const { battery, create, issued, read, runAt, setDue } = await arrange()
    const devices = [await battery(), await battery(), await battery()]
    const made = []
    for (const deviceId of devices) made.push(await create({ target: { deviceId }, rules: [night], defaultMode: idle }))
    for (const { id } of made) await setDue(id, "2026-06-01T22:00:00Z")
    const broken = made[1].id
    await app.sql((sql) => sql`UPDATE schedules SET timezone = 'Europe/Nowhere' WHERE id = ${broken}`)
    await runAt("2026-06-01T22:00:00Z")
    expect((await issued()).map(({ deviceId }) => deviceId)).toEqual([devices[0], devices[2]])
    expect((await read(broken)).nextTransitionAt).toBe("2026-06-01T22:00:00.000Z")
    await app.sql((sql) => sql`DELETE FROM schedules WHERE id = ${broken}`)
  })
})
