import { Publications } from "@edp/server/vtn/publications/Publications"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { movableClock } from "../../../support/movableClock.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDispatches } from "../../dispatches/arrangeDispatches.ts"
import { openAdrClient } from "../VtnWorld.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })

const publishDue = () =>
  app.run(
    Effect.flatMap(Publications, ({ publishSome }) =>
      Effect.repeat(publishSome, { while: (found: number) => found > 0 })
    ) as never
  )

const simple = { payloadType: "SIMPLE", level: 2 }

const arrange = async () => {
  const world = await arrangeDispatches(app, clock)
  const [{ organizationId }] = (await app.sql(
    (sql) => sql`SELECT organization_id AS "organizationId" FROM workspaces WHERE id = ${world.workspaceId}`
  )) as [{ organizationId: string }]
  const owner = { organizationId, workspaceId: world.workspaceId }
  const bl = await openAdrClient(app, owner, "OPENADR_BL")
  const ven = await openAdrClient(app, owner, "OPENADR_VEN")
  const path = `/v1/programInstances/${world.instance.id}/openadr-publication`
  const publish = async (fields: object = {}) => {
    const { body, status } = await world.call("PUT", path, { signal: simple, ...fields })
    expect({ body, status }).toMatchObject({ status: 200 })
    return body
  }
  const events = async (query = "") => {
    await publishDue()
    return ven.ok("GET", `/events${query}`)
  }
  return { ...world, bl, ven, path, publish, events }
}

describe("a published program instance", () => {
  test("is a program of its name with its targets, until the publication ends", async () => {
    const { bl, call, path, publish, ven } = await arrange()
    expectError(await call("GET", path), 404, "NOT_FOUND")
    const publication = await publish({ programName: "Evening peak", targets: ["feeder-7"] })
    expect((await call("GET", path)).body).toEqual(publication)
    const program = await bl.ok("GET", `/programs/${publication.openAdrProgramId}`)
    expect(program).toMatchObject({ programName: "Evening peak", targets: ["feeder-7"] })
    expect(await ven.ok("GET", "/programs")).toEqual([])
    await publish({ programName: "Renamed" })
    expect(await ven.ok("GET", "/programs")).toMatchObject([{ id: program.id, programName: "Renamed" }])
    expect((await call("DELETE", path)).status).toBe(204)
    expect(await bl.ok("GET", "/programs")).toEqual([])
    expectError(await call("DELETE", path), 404, "NOT_FOUND")
  })

  test("is not published under the name of another program, nor with a wrong signal", async () => {
    const { bl, call, path } = await arrange()
    await bl.ok("POST", "/programs", { programName: "taken" })
    expectError(await call("PUT", path, { programName: "taken", signal: simple }), 400, "DUPLICATE_NAME")
    for (const signal of [undefined, {}, { payloadType: "SIMPLE", level: 4 }, { payloadType: "DISPATCH_SETPOINT" }]) {
      const refused = await call("PUT", path, { signal })
      expect(refused).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } })
      expect(Object.keys(refused.body.details).some((field) => field.startsWith("signal"))).toBe(true)
    }
    expectError(await call("GET", path), 404, "NOT_FOUND")
  })

  test("is changed here alone, not by clients of OpenADR", async () => {
    const { bl, create, events, publish } = await arrange()
    const { openAdrProgramId } = await publish()
    await create()
    const [event] = await events()
    for (const [method, path, body] of [
      ["PUT", `/programs/${openAdrProgramId}`, { programName: "mine" }],
      ["DELETE", `/programs/${openAdrProgramId}`, undefined],
      ["PUT", `/events/${event.id}`, { programID: openAdrProgramId }],
      ["DELETE", `/events/${event.id}`, undefined]
    ] as const) {
      expect((await bl.call(method, path, body)).status).toBe(403)
    }
  })

  test("with an event of a client keeps its program until that event is gone", async () => {
    const { bl, call, path, publish } = await arrange()
    const { openAdrProgramId } = await publish()
    const event = await bl.ok("POST", "/events", { programID: openAdrProgramId })
    expectError(await call("DELETE", path), 400, "INVALID_STATE")
    await bl.ok("DELETE", `/events/${event.id}`)
    expect((await call("DELETE", path)).status).toBe(204)
  })

  test("is found in no other workspace", async () => {
    const [one, other] = [await arrange(), await arrange()]
    await one.publish()
    expectError(await other.call("GET", one.path), 404, "NOT_FOUND")
    expectError(await other.call("PUT", one.path, { signal: simple }), 404, "NOT_FOUND")
    expectError(await other.call("DELETE", one.path), 404, "NOT_FOUND")
    expect(await other.bl.ok("GET", "/programs")).toEqual([])
  })
})

describe("an announced dispatch", () => {
  test("is an event with a payload for each interval, updated with it and deleted when it is cancelled", async () => {
    const { call, cancel, create, events, interval, publish } = await arrange()
    const { openAdrProgramId } = await publish()
    const dispatch = await create({
      name: "Evening",
      priority: 3,
      randomizeStartSeconds: 300,
      intervals: [interval(60, 30), interval(90, 60)]
    })
    const [event] = await events()
    expect(event).toMatchObject({
      programID: openAdrProgramId,
      eventName: "Evening",
      priority: 3,
      intervalPeriod: { start: dispatch.startsAt, duration: "PT30M", randomizeStart: "PT5M" },
      intervals: [
        {
          id: 0,
          intervalPeriod: { start: dispatch.startsAt, duration: "PT30M" },
          payloads: [{ type: "SIMPLE", values: [2] }]
        },
        { id: 1, intervalPeriod: { duration: "PT1H" }, payloads: [{ type: "SIMPLE", values: [2] }] }
      ]
    })
    expect((await call("PATCH", `/v1/dispatches/${dispatch.id}`, { name: "Night" })).status).toBe(200)
    expect(await events()).toMatchObject([{ id: event.id, eventName: "Night" }])
    const unchanged = await events()
    expect(await events()).toEqual(unchanged)
    await cancel(dispatch.id)
    expect(await events()).toEqual([])
  })

  test("shows the power of a type of device in kW as it is drawn, and none where it asks for none", async () => {
    const { create, events, interval, publish } = await arrange()
    await publish({ signal: { payloadType: "DISPATCH_SETPOINT", deviceType: "battery" } })
    await create({
      intervals: [
        interval(60, 30, { battery: { targetPowerW: 2500 } }),
        interval(90, 30, { battery: { targetPowerW: -1000 } }),
        interval(120, 30)
      ]
    })
    const [{ intervals, payloadDescriptors }] = await events()
    expect(payloadDescriptors).toMatchObject([{ payloadType: "DISPATCH_SETPOINT", units: "KW" }])
    expect(intervals.map(({ payloads }: any) => payloads)).toEqual([
      [{ type: "DISPATCH_SETPOINT", values: [-2.5] }],
      [{ type: "DISPATCH_SETPOINT", values: [1] }],
      []
    ])
  })

  test("is no event while it is a draft, or before its instance is published", async () => {
    const { call, create, events, publish } = await arrange()
    const draft = await create({ status: "draft" })
    expect(await events()).toEqual([])
    await publish()
    expect(await events()).toEqual([])
    await call("PATCH", `/v1/dispatches/${draft.id}`, { status: "scheduled" })
    expect(await events()).toHaveLength(1)
  })

  test("that can't be published delays no other, of its instance or of another workspace", async () => {
    const [world, other] = [await arrange(), await arrange()]
    await world.publish()
    await other.publish()
    const dispatches = [await world.create({ name: "one" }), await world.create({ name: "two" })]
    await other.create({ name: "three" })
    await app.sql(
      (sql) => sql`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''it is refused''; END'`
    )
    await app.sql((sql) =>
      sql.unsafe(`CREATE TRIGGER refusing BEFORE INSERT ON vtn_published_dispatches FOR EACH ROW
        WHEN (NEW.dispatch_id = '${dispatches[0].id}') EXECUTE FUNCTION refuse()`)
    )
    const names = (events: any) => events.map(({ eventName }: any) => eventName).toSorted()
    try {
      expect(names(await world.events())).toEqual(["two"])
      expect(names(await other.events())).toEqual(["three"])
    } finally {
      await app.sql((sql) => sql.unsafe("DROP TRIGGER refusing ON vtn_published_dispatches"))
    }
    await app.sql((sql) => sql`UPDATE failing_work SET retry_at = now() RETURNING 1`)
    expect(names(await world.events())).toEqual(["one", "two"])
  })

  test("gets the signal and the targets of a changed publication", async () => {
    const { create, events, publish } = await arrange()
    await publish()
    await create()
    const [before] = await events()
    await publish({ signal: { payloadType: "CONTROL_LEVEL_OFFSET", level: -3 } })
    const [after] = await events()
    expect(after.id).toBe(before.id)
    expect(after.intervals[0].payloads).toEqual([{ type: "CONTROL_LEVEL_OFFSET", values: [-3] }])
    await publish({ targets: ["feeder-7"] })
    expect(await events()).toEqual([])
  })

  test("has the reports of VENs, which stay when it is cancelled", async () => {
    const { bl, call, cancel, create, events, publish, ven } = await arrange()
    await publish()
    const dispatch = await create()
    const [event] = await events()
    await bl.ok("POST", "/vens", {
      objectType: "BL_VEN_REQUEST",
      clientID: ven.clientId,
      venName: "aggregator",
      targets: ["t"]
    })
    const resources = [
      { resourceName: "batteries", intervals: [{ id: 0, payloads: [{ type: "USAGE", values: [1.5] }] }] }
    ]
    await ven.ok("POST", "/reports", { eventID: event.id, clientName: "v", resources })
    await cancel(dispatch.id)
    await publishDue()
    const report = {
      source: "VEN",
      clientId: ven.clientId,
      venName: "aggregator",
      eventId: event.id,
      reportName: null,
      resources
    }
    for (const path of [`/v1/dispatches/${dispatch.id}/ven-reports`, "/v1/openadr/reports"]) {
      expect((await call("GET", path)).body).toMatchObject({ data: [report], totalItems: 1 })
    }
    expect((await call("GET", "/v1/openadr/vens")).body).toMatchObject({
      data: [{ venName: "aggregator", clientId: ven.clientId, targets: ["t"], resourceCount: 0 }],
      totalItems: 1
    })
    expectError(await call("GET", "/v1/dispatches/missing/ven-reports"), 404, "NOT_FOUND")
  })
})
