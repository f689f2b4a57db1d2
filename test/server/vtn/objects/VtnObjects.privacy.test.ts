import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { makeVtn, names } from "../VtnWorld.ts"

const app = useTestApp()

/** Programs and events with the same targets: the rules for both are the same. */
const arrange = async () => {
  const vtn = await makeVtn(app)
  const made: Record<string, { readonly program: any; readonly event: any }> = {}
  for (const [label, targets] of Object.entries({
    open: undefined,
    one: ["group-1"],
    two: ["group-2"],
    both: ["group-2", "group-1"],
    other: ["group-9"]
  })) {
    const program = await vtn.makeProgram({ programName: label, ...(targets && { targets }) })
    const event = await vtn.makeEvent({ programID: program.id, eventName: label, ...(targets && { targets }) })
    made[label] = { program, event }
  }
  return { ...vtn, made }
}

const seen = async (client: { ok: (method: string, path: string) => Promise<any> }, query = "") => {
  const programs = names(await client.ok("GET", `/programs${query}`), "programName")
  const events = names(await client.ok("GET", `/events${query}`), "eventName")
  expect(events).toEqual(programs)
  return programs
}

describe("programs and events", () => {
  test("are all seen by business logic", async () => {
    const { bl } = await arrange()
    expect(await seen(bl)).toEqual(["open", "one", "two", "both", "other"])
  })

  test("without targets are seen by every VEN, also one without a ven", async () => {
    const { enrolled, newVen } = await arrange()
    expect(await seen(await newVen())).toEqual(["open"])
    expect(await seen(await enrolled())).toEqual(["open"])
  })

  test("with targets are seen where a requested target was granted", async () => {
    const { enrolled } = await arrange()
    const ven = await enrolled(["group-1", "group-2"])
    expect(await seen(ven)).toEqual(["open"])
    expect(await seen(ven, "?targets=group-1")).toEqual(["open", "one", "both"])
    expect(await seen(ven, "?targets=group-2")).toEqual(["open", "two", "both"])
    expect(await seen(ven, "?targets=group-1&targets=group-2")).toEqual(["open", "one", "two", "both"])
  })

  test("with targets are not seen by asking for a target that was not granted", async () => {
    const { enrolled, newVen } = await arrange()
    expect(await seen(await enrolled(["group-1"]), "?targets=group-2&targets=group-9")).toEqual(["open"])
    expect(await seen(await enrolled(), "?targets=group-1")).toEqual(["open"])
    expect(await seen(await newVen(), "?targets=group-1")).toEqual(["open"])
  })

  test("are seen by targets that were granted to a resource", async () => {
    const { bl, enrolled } = await arrange()
    const ven = await enrolled(["group-1"])
    const resource = await bl.ok("POST", "/resources", {
      objectType: "BL_RESOURCE_REQUEST",
      clientID: ven.clientId,
      venID: ven.ven.id,
      resourceName: "battery",
      targets: ["group-9"]
    })
    expect(await seen(ven, "?targets=group-9")).toEqual(["open", "other"])
    await bl.ok("DELETE", `/resources/${resource.id}`)
    expect(await seen(ven, "?targets=group-9")).toEqual(["open"])
  })

  test("are no longer seen once a target is taken away", async () => {
    const { bl, enrolled } = await arrange()
    const ven = await enrolled(["group-1"])
    expect(await seen(ven, "?targets=group-1")).toEqual(["open", "one", "both"])
    await bl.ok("PUT", `/vens/${ven.ven.id}`, {
      objectType: "BL_VEN_REQUEST",
      clientID: ven.clientId,
      venName: ven.ven.venName,
      targets: ["group-2"]
    })
    expect(await seen(ven, "?targets=group-1")).toEqual(["open"])
  })

  test("show a VEN the targets alone that it has requested and been granted", async () => {
    const { bl, enrolled, made } = await arrange()
    const ven = await enrolled(["group-1"])
    const { event, program } = made.both!
    const hidden = async (query: string) => {
      const [programs, events] = [await ven.ok("GET", `/programs${query}`), await ven.ok("GET", `/events${query}`)]
      return [
        programs.find(({ id }: any) => id === program.id).targets,
        events.find(({ id }: any) => id === event.id).targets
      ]
    }
    expect(await hidden("?targets=group-1")).toEqual([["group-1"], ["group-1"]])
    expect(await hidden("?targets=group-1&targets=group-2")).toEqual([["group-1"], ["group-1"]])
    expect((await ven.ok("GET", `/events/${event.id}`)).targets).toEqual(["group-1"])
    expect((await bl.ok("GET", `/events/${event.id}`)).targets).toEqual(["group-2", "group-1"])
    const wide = await enrolled(["group-1", "group-2"])
    expect((await wide.ok("GET", `/programs/${program.id}`)).targets).toEqual(["group-2", "group-1"])
    expect((await wide.ok("GET", `/programs/${program.id}?targets=group-2`)).targets).toEqual(["group-2"])
  })

  test("are read by their id where a granted target matches, and do not exist otherwise", async () => {
    const { enrolled, made, newVen } = await arrange()
    const [ven, none] = [await enrolled(["group-1"]), await newVen()]
    const status = async (client: typeof none, label: string, query = "") => {
      const { event, program } = made[label]!
      const one = (await client.call("GET", `/programs/${program.id}${query}`)).status
      expect((await client.call("GET", `/events/${event.id}${query}`)).status).toBe(one)
      return one
    }
    expect(await status(none, "open")).toBe(200)
    expect(await status(none, "one")).toBe(404)
    expect(await status(ven, "one")).toBe(200)
    expect(await status(ven, "one", "?targets=group-2")).toBe(404)
    expect(await status(ven, "both")).toBe(200)
    expect(await status(ven, "two")).toBe(404)
  })

  test("are counted in pages after what a VEN does not see was left out", async () => {
    const { enrolled } = await arrange()
    const ven = await enrolled(["group-1"])
    const [page] = [await ven.ok("GET", "/events?targets=group-1&skip=1&limit=1")]
    expect(names(page, "eventName")).toEqual(["one"])
    expect(names(await ven.ok("GET", "/events?targets=group-1&skip=2&limit=1"), "eventName")).toEqual(["both"])
  })

  test("that another workspace has are seen by nobody here", async () => {
    const { made } = await arrange()
    const elsewhere = await makeVtn(app)
    const ven = await elsewhere.enrolled(["group-1"])
    expect(await seen(ven, "?targets=group-1")).toEqual([])
    expect((await ven.call("GET", `/events/${made.open!.event.id}`)).status).toBe(404)
  })
})

describe("reports", () => {
  const content = (eventID: string, fields: object = {}) => ({
    eventID,
    clientName: "ven-1",
    reportName: "usage",
    payloadDescriptors: [{ objectType: "REPORT_PAYLOAD_DESCRIPTOR", payloadType: "USAGE", units: "KWH" }],
    resources: [
      {
        resourceName: "AGGREGATED_REPORT",
        intervalPeriod: { start: "2026-03-01T12:00:00Z", duration: "PT1H" },
        intervals: [{ id: 0, payloads: [{ type: "USAGE", values: [1.5] }] }]
      }
    ],
    ...fields
  })

  test("are created, read, replaced and deleted by the VEN that they are of", async () => {
    const { enrolled, makeEvent } = await makeVtn(app)
    const ven = await enrolled()
    const event = await makeEvent()
    const { body: made, status } = await ven.call("POST", "/reports", content(event.id))
    expect(status).toBe(201)
    expect(made).toMatchObject({ objectType: "REPORT", clientID: ven.clientId, ...content(event.id) })
    expect(await ven.ok("GET", `/reports/${made.id}`)).toEqual(made)
    const replaced = await ven.ok("PUT", `/reports/${made.id}`, content(event.id, { reportName: "mended" }))
    expect(replaced).toMatchObject({ reportName: "mended", clientID: ven.clientId })
    expect(await ven.ok("DELETE", `/reports/${made.id}`)).toEqual(replaced)
    expect((await ven.call("GET", `/reports/${made.id}`)).status).toBe(404)
  })

  test("are written by VENs alone, and read by business logic", async () => {
    const { bl, enrolled, makeEvent } = await makeVtn(app)
    const ven = await enrolled()
    const event = await makeEvent()
    const refused = await bl.call("POST", "/reports", content(event.id))
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.body.detail).toContain("write_reports")
    const made = await ven.ok("POST", "/reports", content(event.id))
    expect(await bl.ok("GET", `/reports/${made.id}`)).toEqual(made)
    expect((await bl.call("PUT", `/reports/${made.id}`, content(event.id))).status).toBe(403)
    expect((await bl.call("DELETE", `/reports/${made.id}`)).status).toBe(403)
  })

  test("are seen, changed and deleted by no other VEN", async () => {
    const { enrolled, makeEvent, newVen } = await makeVtn(app)
    const [ven, other, none] = [await enrolled(), await enrolled(), await newVen()]
    const event = await makeEvent()
    const made = await ven.ok("POST", "/reports", content(event.id))
    for (const stranger of [other, none]) {
      expect(await stranger.ok("GET", "/reports")).toEqual([])
      expect((await stranger.call("GET", `/reports/${made.id}`)).status).toBe(404)
      expect((await stranger.call("PUT", `/reports/${made.id}`, content(event.id))).status).toBe(404)
      expect((await stranger.call("DELETE", `/reports/${made.id}`)).status).toBe(404)
    }
  })

  test("are of events that the VEN sees", async () => {
    const { enrolled, makeEvent } = await makeVtn(app)
    const [ven, other] = [await enrolled(["group-1"]), await enrolled(["group-2"])]
    const event = await makeEvent({ targets: ["group-1"] })
    await ven.ok("POST", "/reports", content(event.id))
    for (const eventID of [event.id, "missing"]) {
      const refused = await other.call("POST", "/reports", content(eventID))
      expect(refused).toMatchObject({ status: 409 })
      expect(refused.body.detail).toContain("eventID")
    }
  })

  test("are filtered by program, event and client name, and by all of them", async () => {
    const { bl, enrolled, makeEvent } = await makeVtn(app)
    const ven = await enrolled()
    const [one, two] = [await makeEvent(), await makeEvent()]
    const a = await ven.ok("POST", "/reports", content(one.id))
    const b = await ven.ok("POST", "/reports", content(two.id))
    const c = await ven.ok("POST", "/reports", content(two.id, { clientName: "ven-2" }))
    const listed = async (query: string) => names(await bl.ok("GET", `/reports?${query}`), "id")
    expect(await listed("")).toEqual([a.id, b.id, c.id])
    expect(await listed(`programID=${one.programID}`)).toEqual([a.id])
    expect(await listed(`eventID=${two.id}`)).toEqual([b.id, c.id])
    expect(await listed("clientName=ven-2")).toEqual([c.id])
    expect(await listed(`eventID=${two.id}&clientName=ven-1`)).toEqual([b.id])
    expect(await listed(`eventID=${one.id}&programID=${two.programID}`)).toEqual([])
    expect(await listed("skip=2")).toEqual([c.id])
  })

  test("stay when their event is deleted", async () => {
    const { bl, enrolled, makeEvent } = await makeVtn(app)
    const ven = await enrolled()
    const event = await makeEvent()
    const made = await ven.ok("POST", "/reports", content(event.id))
    await bl.ok("DELETE", `/events/${event.id}`)
    expect(await bl.ok("GET", `/reports?eventID=${event.id}`)).toEqual([made])
  })

  test.each([
    ["clientName", { clientName: "" }],
    ["clientName", { clientName: "x".repeat(129) }],
    ["reportName", { reportName: "x".repeat(1001) }],
    ["resources.0.resourceName", { resources: [{ resourceName: "x".repeat(129), intervals: [] }] }],
    ["eventID", { eventID: "" }],
    ["resources", { resources: undefined }],
    ["resources.0.intervals", { resources: [{ resourceName: "battery" }] }],
    [
      "payloadDescriptors.0.confidence",
      {
        payloadDescriptors: [{ objectType: "REPORT_PAYLOAD_DESCRIPTOR", payloadType: "USAGE", confidence: 101 }]
      }
    ]
  ])("are refused with a wrong %s", async (field, fields) => {
    const { enrolled, makeEvent } = await makeVtn(app)
    const ven = await enrolled()
    const event = await makeEvent()
    const { body, status } = await ven.call("POST", "/reports", content(event.id, fields))
    expect(status).toBe(400)
    expect(body.detail).toContain(`${field}: `)
  })
})
