import { expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeScopes } from "../vtn/enrolled-sites/arrangeScopes.ts"
import { makeVtn } from "../vtn/VtnWorld.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })

const HOUR = 3_600_000
const at = (hours: number) => new Date(clock.currentTimeMillisUnsafe() + hours * HOUR).toISOString()
const simple = (level: number) => [{ id: 0, payloads: [{ type: "SIMPLE", values: [level] }] }]

const arrange = async () => {
  const vtn = await makeVtn(app)
  const get = async (path: string) => {
    const response = await app.call("GET", path, { key: vtn.keys.MANAGEMENT })
    expect(response.status, response.text).toBe(200)
    return response.body
  }
  const event = (programID: string, eventName: string, start: number, duration: string, fields: object = {}) =>
    vtn.bl.ok("POST", "/events", {
      programID,
      eventName,
      intervalPeriod: { start: at(start), duration },
      intervals: simple(1),
      ...fields
    })
  return {
    ...vtn,
    event,
    server: () => get("/dashboard/api/openadr"),
    clients: () => get("/dashboard/api/openadr/clients")
  }
}

const arrangeScoped = async () => {
  const { createKey, enrolled, instance, keys } = await arrangeScopes(app)
  const { customerId, enrollmentId } = await enrolled()
  return {
    customerId,
    enrollmentId,
    instanceId: instance.id,
    makeKey: async (scope: object | null): Promise<string> => (await createKey({ scope })).body.id,
    get: async (path: string) => (await app.call("GET", path, { key: keys.MANAGEMENT })).body
  }
}

test("clients are listed with their vens, resources, last request and last report, and those of other workspaces are not", async () => {
  const { bl, clients, enrolled, makeEvent, newVen } = await arrange()
  await (await makeVtn(app)).enrolled()
  const { totalItems: made } = await clients()
  const idle = await newVen()
  const { ok, ...ven } = await enrolled(["feeder-7"])
  const { id: eventID } = await makeEvent()
  for (const resourceName of ["garage", "attic"]) {
    await ok("POST", "/resources", { objectType: "VEN_RESOURCE_REQUEST", venID: ven.ven.id, resourceName })
  }
  await ok("POST", "/reports", { eventID, clientName: "meters", resources: [] })
  const { data, totalItems } = await clients()
  expect(totalItems).toBe(made + 2)
  expect(data.map(({ id }: { readonly id: string }) => id)).toEqual(
    expect.arrayContaining([bl.clientId, idle.clientId, ven.clientId])
  )
  const client = (id: string) => data.find((each: { readonly id: string }) => each.id === id)
  expect(client(bl.clientId)).toMatchObject({ type: "OPENADR_BL", status: "ACTIVE", ven: null, lastReportAt: null })
  expect(client(idle.clientId)).toMatchObject({ type: "OPENADR_VEN", ven: null, lastReportAt: null })
  expect(client(ven.clientId)).toMatchObject({
    ven: { venName: ven.ven.venName, targets: ["feeder-7"], resourceCount: 2, resources: ["attic", "garage"] }
  })
  expect(Date.parse(client(ven.clientId).lastReportAt)).toBeGreaterThan(clock.currentTimeMillisUnsafe() - HOUR)
})

test("one of the events of a program that last now governs, with its payloads; later and ended ones are told apart", async () => {
  const { event, makeProgram, server } = await arrange()
  const program = await makeProgram({
    programName: "Evening peak",
    payloadDescriptors: [{ objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "SIMPLE", units: "LEVEL" }]
  })
  await event(program.id, "ended", -3, "PT1H")
  await event(program.id, "minor", -1, "PT3H", { priority: 5 })
  const major = await event(program.id, "major", -0.5, "PT1H", {
    priority: 1,
    targets: ["feeder-7"],
    intervals: simple(2)
  })
  await event(program.id, "later", 4, "PT1H")
  const { eventCount, events, programs, timeline } = await server()
  expect(eventCount).toBe(3)
  expect(programs).toEqual([{ id: program.id, name: "Evening peak" }])
  expect(events.map(({ name, state }: any) => `${name}: ${state}`)).toEqual([
    "major: governing",
    "minor: overruled",
    "later: upcoming"
  ])
  expect(events[0]).toMatchObject({
    programName: "Evening peak",
    dispatchId: null,
    priority: 1,
    targets: ["feeder-7"],
    startsAt: at(-0.5),
    endsAt: at(0.5),
    intervalCount: 1,
    payloads: [{ type: "SIMPLE", values: [2], units: "LEVEL" }]
  })
  expect(timeline.segments.map(({ eventId }: any) => eventId)).toEqual([major.id, events[1].id, events[2].id])
  expect(timeline.segments.map(({ startsAt }: any) => startsAt)).toEqual([at(0), at(0.5), at(4)])
})

test("an event without a time is untimed, and one that lasts without an end has none", async () => {
  const { bl, event, makeProgram, server } = await arrange()
  const program = await makeProgram()
  await bl.ok("POST", "/events", { programID: program.id, eventName: "timeless" })
  await event(program.id, "endless", -1, "P9999Y")
  const { events } = await server()
  expect(events).toMatchObject([
    { name: "endless", state: "governing", endsAt: null },
    { name: "timeless", state: "untimed", startsAt: null, endsAt: null, payloads: [] }
  ])
})

test("a workspace without anything has empty lists, and other keys than MANAGEMENT ones are refused", async () => {
  const { keys } = await app.workspace()
  for (const path of ["/dashboard/api/openadr", "/dashboard/api/openadr/clients"]) {
    expect((await app.call("GET", path, { key: keys.SERVER })).status).toBe(401)
  }
  const { body } = await app.call("GET", "/dashboard/api/openadr", { key: keys.MANAGEMENT })
  expect(body).toMatchObject({ programs: [], events: [], eventCount: 0 })
})

test("clients are listed with the enrollments whose sites they see", async () => {
  const { customerId, enrollmentId, get, instanceId, makeKey } = await arrangeScoped()
  const none = await makeKey(null)
  const ofCustomer = await makeKey({ customerId })
  const ofInstance = await makeKey({ programInstanceId: instanceId })
  const named = await makeKey({ enrollmentIds: [enrollmentId] })
  const { data } = await get("/dashboard/api/openadr/clients")
  const scope = (id: string) => data.find((each: { readonly id: string }) => each.id === id).scope
  expect(scope(none)).toBeNull()
  expect(scope(ofCustomer)).toEqual({ customerId, programInstanceId: null, enrollmentCount: 0 })
  expect(scope(ofInstance)).toEqual({ customerId: null, programInstanceId: instanceId, enrollmentCount: 0 })
  expect(scope(named)).toEqual({ customerId: null, programInstanceId: null, enrollmentCount: 1 })
})
