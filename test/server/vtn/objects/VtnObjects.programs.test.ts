import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { interval, makeVtn, names } from "../VtnWorld.ts"

const app = useTestApp()
const LONG = "x".repeat(129)

const full = {
  programName: "ResTOU",
  intervalPeriod: { start: "2026-01-01T00:00:00Z", duration: "P1Y", randomizeStart: "PT5M" },
  programDescriptions: [{ URL: "https://example.com/restou" }],
  payloadDescriptors: [
    { objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "PRICE", units: "KWH", currency: "USD" },
    { objectType: "REPORT_PAYLOAD_DESCRIPTOR", payloadType: "USAGE", units: "KWH", confidence: 95 }
  ],
  attributes: [{ type: "PROGRAM_LONG_NAME", values: ["Residential time of use"] }],
  targets: ["group-1", "group-2"]
}

describe("a program", () => {
  test("is created with its metadata, read, replaced and deleted", async () => {
    const { bl } = await makeVtn(app)
    const { body: made, status } = await bl.call("POST", "/programs", full)
    expect(status).toBe(201)
    expect(made).toMatchObject({ ...full, objectType: "PROGRAM" })
    expect(made.createdDateTime).toBe(made.modificationDateTime)
    expect(await bl.ok("GET", `/programs/${made.id}`)).toEqual(made)

    const replaced = await bl.ok("PUT", `/programs/${made.id}`, { programName: "ResTOU-2" })
    expect(replaced).toEqual({
      id: made.id,
      objectType: "PROGRAM",
      programName: "ResTOU-2",
      createdDateTime: made.createdDateTime,
      modificationDateTime: replaced.modificationDateTime
    })
    expect(Date.parse(replaced.modificationDateTime)).toBeGreaterThanOrEqual(Date.parse(made.modificationDateTime))

    expect(await bl.ok("DELETE", `/programs/${made.id}`)).toEqual(replaced)
    expect((await bl.call("GET", `/programs/${made.id}`)).status).toBe(404)
    expect((await bl.call("PUT", `/programs/${made.id}`, { programName: "again" })).status).toBe(404)
    expect((await bl.call("DELETE", `/programs/${made.id}`)).status).toBe(404)
  })

  test("has metadata of the server whatever the request says", async () => {
    const { bl } = await makeVtn(app)
    const made = await bl.ok("POST", "/programs", {
      programName: "p",
      id: "mine",
      objectType: "EVENT",
      createdDateTime: "2001-01-01T00:00:00Z",
      modificationDateTime: "2001-01-01T00:00:00Z",
      unknown: true
    })
    expect(made.id).not.toBe("mine")
    expect(made.objectType).toBe("PROGRAM")
    expect(made.createdDateTime).not.toContain("2001")
    expect(made).not.toHaveProperty("unknown")
  })

  test("is refused with the names of all wrong fields", async () => {
    const { bl } = await makeVtn(app)
    const { body, status } = await bl.call("POST", "/programs", {
      programName: "",
      programDescriptions: [{}],
      intervalPeriod: { duration: "an hour" },
      targets: [LONG]
    })
    expect({ status, title: body.title }).toEqual({ status: 400, title: "Bad Request" })
    for (const field of ["programName", "programDescriptions.0.URL", "intervalPeriod.duration", "targets.0"]) {
      expect(body.detail).toContain(`${field}: `)
    }
  })

  test.each([
    ["without a name", {}],
    ["with an empty name", { programName: "" }],
    ["with a name of 129 characters", { programName: LONG }],
    ["with a name that is no text", { programName: 7 }],
    ["with a null name", { programName: null }]
  ])("is refused %s", async (_, body) => {
    const { bl } = await makeVtn(app)
    expect((await bl.call("POST", "/programs", body)).status).toBe(400)
    const { id } = await bl.ok("POST", "/programs", { programName: "kept" })
    expect((await bl.call("PUT", `/programs/${id}`, body)).status).toBe(400)
    expect((await bl.ok("GET", `/programs/${id}`)).programName).toBe("kept")
  })

  test("has a name that no other program of the workspace has", async () => {
    const { bl } = await makeVtn(app)
    await bl.ok("POST", "/programs", { programName: "one" })
    const other = await bl.ok("POST", "/programs", { programName: "two" })
    const refused = await bl.call("POST", "/programs", { programName: "one" })
    expect(refused).toMatchObject({ status: 409, body: { title: "Conflict", status: 409 } })
    expect(refused.body.detail).toContain("programName")
    expect((await bl.call("PUT", `/programs/${other.id}`, { programName: "one" })).status).toBe(409)
    expect((await bl.call("PUT", `/programs/${other.id}`, { programName: "two" })).status).toBe(200)
    const elsewhere = await makeVtn(app)
    await elsewhere.bl.ok("POST", "/programs", { programName: "one" })
  })

  test("that another workspace has does not exist", async () => {
    const [one, other] = [await makeVtn(app), await makeVtn(app)]
    const program = await one.makeProgram()
    expect((await other.bl.call("GET", `/programs/${program.id}`)).status).toBe(404)
    expect((await other.bl.call("DELETE", `/programs/${program.id}`)).status).toBe(404)
    expect(await other.bl.ok("GET", "/programs")).toEqual([])
  })

  test("is written by business logic alone", async () => {
    const { bl, enrolled, makeProgram } = await makeVtn(app)
    const ven = await enrolled()
    const program = await makeProgram()
    for (const [method, path] of [
      ["POST", "/programs"],
      ["PUT", `/programs/${program.id}`],
      ["DELETE", `/programs/${program.id}`]
    ] as const) {
      const { body, status } = await ven.call(method, path, method === "DELETE" ? undefined : { programName: "mine" })
      expect({ status, title: body.title }).toEqual({ status: 403, title: "Forbidden" })
      expect(body.detail).toContain("write_programs")
    }
    expect(await bl.ok("GET", `/programs/${program.id}`)).toEqual(program)
  })

  test("with events is not deleted before them", async () => {
    const { bl, makeEvent, makeProgram } = await makeVtn(app)
    const program = await makeProgram()
    const event = await makeEvent({ programID: program.id })
    expect((await bl.call("DELETE", `/programs/${program.id}`)).status).toBe(409)
    await bl.ok("DELETE", `/events/${event.id}`)
    await bl.ok("DELETE", `/programs/${program.id}`)
  })
})

describe("the list of programs", () => {
  test("has pages of at most 50, in order of creation", async () => {
    const { bl } = await makeVtn(app)
    for (let n = 0; n < 52; n++) await bl.ok("POST", "/programs", { programName: `p-${String(n).padStart(2, "0")}` })
    expect(await bl.ok("GET", "/programs")).toHaveLength(50)
    const second = await bl.ok("GET", "/programs?skip=50")
    expect(names(second, "programName")).toEqual(["p-50", "p-51"])
    expect(names(await bl.ok("GET", "/programs?skip=3&limit=2"), "programName")).toEqual(["p-03", "p-04"])
    expect(await bl.ok("GET", "/programs?limit=0")).toEqual([])
    expect(await bl.ok("GET", "/programs?skip=100")).toEqual([])
  })

  test.each(["limit=51", "limit=-1", "limit=x", "limit=", "skip=-1", "skip=1.5", "targets="])(
    "refuses %s",
    async (query) => {
      const { bl } = await makeVtn(app)
      const { body, status } = await bl.call("GET", `/programs?${query}`)
      expect(status).toBe(400)
      expect(body.detail).toContain(query.split("=")[0])
    }
  )

  test("is filtered by every target that is given", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const one = await makeProgram({ targets: ["a", "b"] })
    const two = await makeProgram({ targets: ["b"] })
    await makeProgram()
    const listed = async (query: string) => names(await bl.ok("GET", `/programs?${query}`), "id")
    expect(await listed("targets=b")).toEqual([one.id, two.id])
    expect(await listed("targets=a&targets=b")).toEqual([one.id])
    expect(await listed("targets=c")).toEqual([])
    expect(await listed("somethingElse=1")).toHaveLength(3)
  })
})

describe("an event", () => {
  const content = {
    eventName: "price event",
    duration: "PT4H",
    priority: 1,
    targets: ["group-1"],
    reportDescriptors: [{ payloadType: "USAGE", reportIntervals: "INTERVALS", aggregate: true }],
    payloadDescriptors: [{ objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "PRICE", units: "KWH" }],
    intervalPeriod: { start: "2026-03-01T12:00:00Z", duration: "PT1H" },
    intervals: [
      interval(0),
      { id: 1, payloads: [{ type: "CURVE", values: [{ x: 1, y: 2.5 }, "text", true, 3] }] },
      { id: 2, intervalPeriod: { start: "2026-03-01T15:00:00Z", duration: "PT30M" }, payloads: [] }
    ]
  }

  test("is created, read, replaced and deleted", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const program = await makeProgram()
    const { body: made, status } = await bl.call("POST", "/events", { programID: program.id, ...content })
    expect(status).toBe(201)
    expect(made).toMatchObject({ programID: program.id, ...content, objectType: "EVENT" })
    expect(await bl.ok("GET", `/events/${made.id}`)).toEqual(made)
    const replaced = await bl.ok("PUT", `/events/${made.id}`, { programID: program.id, eventName: "over" })
    expect(replaced).not.toHaveProperty("intervals")
    expect(replaced).not.toHaveProperty("targets")
    expect(await bl.ok("DELETE", `/events/${made.id}`)).toEqual(replaced)
    expect((await bl.call("GET", `/events/${made.id}`)).status).toBe(404)
  })

  test("may send null for what it leaves out", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const { id } = await makeProgram()
    const made = await bl.ok("POST", "/events", {
      programID: id,
      eventName: null,
      priority: null,
      targets: null,
      intervals: [{ id: 0, intervalPeriod: null, payloads: [] }]
    })
    expect(made).toMatchObject({ programID: id, intervals: [{ id: 0, payloads: [] }] })
    expect(made).not.toHaveProperty("eventName")
  })

  test("may have the name of another", async () => {
    const { bl, makeProgram } = await makeVtn(app)
    const programID = (await makeProgram()).id
    const [one, two] = [
      await bl.ok("POST", "/events", { programID, eventName: "same" }),
      await bl.ok("POST", "/events", { programID, eventName: "same" })
    ]
    expect(names(await bl.ok("GET", "/events"), "id")).toEqual([one.id, two.id])
  })

  test.each([
    ["0001-01-01", "0001-01-01T00:00:00Z"],
    ["0001-01-01T00:00:00", "0001-01-01T00:00:00Z"],
    ["2026-12-01", "2026-12-01T00:00:00Z"],
    ["2026-12-01t12:30:00z", "2026-12-01T12:30:00Z"],
    ["2026-12-01T12:30:00.5", "2026-12-01T12:30:00.5Z"],
    ["2026-12-01T12:30:00+02:00", "2026-12-01T12:30:00+02:00"]
  ])("that starts at %s is shown with a start of RFC 3339", async (start, shown) => {
    const { bl, makeProgram } = await makeVtn(app)
    const programID = (await makeProgram()).id
    const intervalPeriod = { start, duration: "PT1H" }
    const made = await bl.ok("POST", "/events", {
      programID,
      intervalPeriod,
      intervals: [{ id: 0, intervalPeriod, payloads: [{ type: "note", values: [start] }] }]
    })
    expect(made).toMatchObject({
      intervalPeriod: { start: shown },
      intervals: [{ intervalPeriod: { start: shown }, payloads: [{ values: [start] }] }]
    })
  })

  test("belongs to a program that exists", async () => {
    const { bl, makeEvent, makeProgram } = await makeVtn(app)
    const elsewhere = await (await makeVtn(app)).makeProgram()
    for (const programID of ["missing", elsewhere.id]) {
      const refused = await bl.call("POST", "/events", { programID })
      expect(refused).toMatchObject({ status: 409 })
      expect(refused.body.detail).toContain("programID")
    }
    const event = await makeEvent()
    expect((await bl.call("PUT", `/events/${event.id}`, { programID: "missing" })).status).toBe(409)
    const other = await makeProgram()
    expect((await bl.ok("PUT", `/events/${event.id}`, { programID: other.id })).programID).toBe(other.id)
  })

  test.each([
    ["programID", { programID: undefined }],
    ["programID", { programID: "not an id" }],
    ["eventName", { eventName: "n".repeat(1001) }],
    ["eventName", { eventName: 5 }],
    ["priority", { priority: -1 }],
    ["priority", { priority: 1.5 }],
    ["duration", { duration: "1 hour" }],
    ["intervalPeriod.start", { intervalPeriod: { start: "yesterday" } }],
    ["intervals.0.payloads", { intervals: [{ id: 0 }] }],
    ["intervals.0.id", { intervals: [{ id: "first", payloads: [] }] }],
    ["reportDescriptors.0.payloadType", { reportDescriptors: [{}] }]
  ])("is refused with a wrong %s", async (field, fields) => {
    const { bl, makeProgram } = await makeVtn(app)
    const { id } = await makeProgram()
    const { body, status } = await bl.call("POST", "/events", { programID: id, ...fields })
    expect(status).toBe(400)
    expect(body.detail).toContain(`${field}: `)
  })

  test("is written by business logic alone", async () => {
    const { enrolled, makeEvent } = await makeVtn(app)
    const ven = await enrolled()
    const event = await makeEvent()
    expect((await ven.call("POST", "/events", { programID: event.programID })).status).toBe(403)
    expect((await ven.call("PUT", `/events/${event.id}`, { programID: event.programID })).status).toBe(403)
    expect((await ven.call("DELETE", `/events/${event.id}`)).status).toBe(403)
  })
})

describe("the list of events", () => {
  test("is ordered by priority, then by creation; events without a priority come last", async () => {
    const { bl, makeEvent, makeProgram } = await makeVtn(app)
    const programID = (await makeProgram()).id
    for (const [eventName, priority] of [
      ["none", undefined],
      ["second", 2],
      ["first", 0],
      ["second too", 2],
      ["none too", null]
    ] as const) {
      await makeEvent({ programID, eventName, priority })
    }
    expect(names(await bl.ok("GET", "/events"), "eventName")).toEqual([
      "first",
      "second",
      "second too",
      "none",
      "none too"
    ])
  })

  test("is filtered by program, by targets and by both", async () => {
    const { bl, makeEvent, makeProgram } = await makeVtn(app)
    const [one, two] = [(await makeProgram()).id, (await makeProgram()).id]
    const a = await makeEvent({ programID: one, targets: ["t"] })
    const b = await makeEvent({ programID: one })
    const c = await makeEvent({ programID: two, targets: ["t"] })
    const listed = async (query: string) => names(await bl.ok("GET", `/events?${query}`), "id")
    expect(await listed(`programID=${one}`)).toEqual([a.id, b.id])
    expect(await listed("targets=t")).toEqual([a.id, c.id])
    expect(await listed(`targets=t&programID=${two}`)).toEqual([c.id])
    expect(await listed("programID=missing")).toEqual([])
    expect((await bl.call("GET", "/events?programID=")).status).toBe(400)
  })

  test("leaves out events that have transpired with active=true", async () => {
    const { bl, makeEvent, makeProgram } = await makeVtn(app)
    const programID = (await makeProgram()).id
    const hour = 3_600_000
    const at = (offset: number) => new Date(Date.now() + offset).toISOString()
    const make = (eventName: string, fields: object) => makeEvent({ programID, eventName, ...fields })
    await make("past", { intervalPeriod: { start: at(-3 * hour), duration: "PT1H" }, intervals: [interval()] })
    await make("running", {
      intervalPeriod: { start: at(-hour), duration: "PT1H" },
      intervals: [interval(0), interval(1)]
    })
    await make("future", { intervalPeriod: { start: at(hour), duration: "PT1H" }, intervals: [interval()] })
    await make("endless", { intervalPeriod: { start: at(-hour), duration: "P9999Y" }, intervals: [interval()] })
    await make("timeless", { intervals: [interval()] })
    await make("past without intervals", { intervalPeriod: { start: at(-2 * hour), duration: "PT1H" } })
    await make("repeated", {
      duration: "PT8H",
      intervalPeriod: { start: at(-4 * hour), duration: "PT1H" },
      intervals: [interval()]
    })
    await make("may begin late", {
      intervalPeriod: { start: at(-hour - 60_000), duration: "PT1H", randomizeStart: "PT30M" },
      intervals: [interval()]
    })
    const active = ["running", "future", "endless", "timeless", "repeated", "may begin late"]
    expect(names(await bl.ok("GET", "/events?active=true"), "eventName")).toEqual(active)
    expect(await bl.ok("GET", "/events?active=false")).toHaveLength(8)
    expect(names(await bl.ok("GET", "/events?active=true&limit=2&skip=1"), "eventName")).toEqual(active.slice(1, 3))
    expect((await bl.call("GET", "/events?active=yes")).status).toBe(400)
  })
})
