import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "./arrangeGrid.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })
const vtnNow = useFakeVtn()
const arrange = () => arrangeGrid(app, clock, vtnNow())

const given = { name: "Utility", vtnUrl: "https://vtn.example.com/openadr3/3.1.0", venName: "ven" }

describe("connections", () => {
  test.each([
    [{ ...given, vtnUrl: "ftp://vtn.example.com" }, "vtnUrl"],
    [{ ...given, vtnUrl: "https://vtn.example.com/?x=1" }, "vtnUrl"],
    [{ ...given, tokenUrl: "nowhere" }, "tokenUrl"],
    [{ ...given, clientId: "ven" }, "clientSecret"],
    [{ ...given, clientSecret: "secret" }, "clientId"],
    [{ ...given, pollSeconds: 5 }, "pollSeconds"],
    [{ ...given, venName: "" }, "venName"],
    [{ ...given, targets: [""] }, "targets.0"],
    [{ ...given, name: undefined }, "name"]
  ])("are refused with the wrong field: %j", async (body, field) => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/grid-connections", body)
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("never show their secret, and keep it only for the address and the ID that it was given for", async () => {
    const { call, connect, must } = await arrange()
    const created = await connect()
    expect(JSON.stringify(created)).not.toContain(vtnNow().client.secret)
    const path = `/v1/grid-connections/${created.id}`
    expect(await must(200, "PATCH", path, { name: "Renamed" })).toMatchObject({ name: "Renamed", clientId: "ven-42" })
    const moved = await call("PATCH", path, { vtnUrl: "https://other.example.com/openadr3" })
    expectError(moved, 400, "VALIDATION_ERROR", { clientSecret: "Is required with clientId" })
    expect(
      await must(200, "PATCH", path, { vtnUrl: "https://other.example.com/openadr3", clientSecret: "new" })
    ).toMatchObject({
      vtnUrl: "https://other.example.com/openadr3"
    })
    expect(await must(200, "PATCH", path, { clientId: null })).toMatchObject({ clientId: null })
    const [row] = await app.sql<{ readonly sealed: Uint8Array | null }>(
      (sql) => sql`SELECT sealed_secret AS sealed FROM grid_connections WHERE id = ${created.id}`
    )
    expect(row!.sealed).toBeNull()
  })

  test("are at most 20 in a workspace", async () => {
    const { call, connect, must } = await arrange()
    for (let n = 0; n < 20; n++) await connect({ enabled: false })
    expectError(await call("POST", "/v1/grid-connections", given), 400, "INVALID_STATE")
    const page = await must(200, "GET", "/v1/grid-connections?status=paused&perPage=5")
    expect([page.data.length, page.totalItems]).toEqual([5, 20])
    expect((await must(200, "GET", "/v1/grid-connections?status=connected")).totalItems).toBe(0)
  })

  test("that belong to one workspace do not exist for another", async () => {
    const { connect, followed, poll } = await arrange()
    const { id } = await connect()
    const program = await followed([], id)
    await poll()
    const { call } = await arrange()
    for (const path of ["", "/programs", "/events", "/timeline", "/reports"]) {
      expectError(await call("GET", `/v1/grid-connections/${id}${path}`), 404, "NOT_FOUND")
    }
    expectError(await call("PATCH", `/v1/grid-connections/${id}`, { name: "mine" }), 404, "NOT_FOUND")
    expectError(await call("DELETE", `/v1/grid-connections/${id}`), 404, "NOT_FOUND")
    expectError(await call("PATCH", `/v1/grid-programs/${program.id}`, { rules: [] }), 404, "NOT_FOUND")
  })
})

describe("rules of a program", () => {
  test.each([
    [{ payloadType: "SIMPLE" }, "rules.0"],
    [{ payloadType: "SIMPLE", share: "battery" }, "rules.0"],
    [{ payloadType: "DISPATCH_SETPOINT_RELATIVE", share: "charger" }, "rules.0"],
    [{ payloadType: "SIMPLE", chargeState: "charge" }, "rules.0"],
    [
      { payloadType: "SIMPLE", minimum: 2, maximum: 1, actions: { battery: { operatingMode: "idle" } } },
      "rules.0.minimum"
    ],
    [
      { payloadType: "SIMPLE", actions: { battery: { operatingMode: "explode" } } },
      "rules.0.actions.battery.operatingMode"
    ],
    [{ payloadType: "SIMPLE", actions: { thermostat: { targetPowerW: 5 } } }, "rules.0.actions.thermostat.targetPowerW"]
  ])("are refused with the wrong field: %j", async (rule, field) => {
    const { call, connect, followed } = await arrange()
    const { id } = await connect()
    const program = await followed([], id)
    const response = await call("PATCH", `/v1/grid-programs/${program.id}`, { rules: [rule] })
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("need a program instance of the workspace", async () => {
    const { call, connect, followed } = await arrange()
    const { id } = await connect()
    const program = await followed([], id)
    const other = await arrange()
    const response = await call("PATCH", `/v1/grid-programs/${program.id}`, { programInstanceId: other.instance.id })
    expectError(response, 400, "VALIDATION_ERROR", { programInstanceId: expect.any(String) })
  })
})

describe("a program instance", () => {
  const terms = {
    programName: "summer-peak",
    programDescriptions: [{ URL: "https://utility.example.com/summer-peak" }],
    attributes: [
      { type: "PROGRAM_LONG_NAME", values: ["Summer peak of the town"] },
      { type: "RETAILER_NAME", values: ["Town Power"] },
      { type: "X_TIER", values: [2, true] }
    ],
    payloadDescriptors: [
      { objectType: "EVENT_PAYLOAD_DESCRIPTOR", payloadType: "PRICE", units: "KWH", currency: "USD" },
      { objectType: "REPORT_PAYLOAD_DESCRIPTOR", payloadType: "USAGE", readingType: "DIRECT_READ", units: "KWH" }
    ]
  }

  test("tells the programs of VTNs that it follows with their terms, as of the last poll and while it follows them", async () => {
    const { connect, instance, list, must, poll } = await arrange()
    const { id, name } = await connect()
    const program = vtnNow().program(terms)
    vtnNow().program({ programName: "of nobody" })
    await poll()
    const followed = () => must(200, "GET", `/v1/programInstances/${instance.id}/grid-programs`)
    expect(await followed()).toMatchObject({ data: [], totalItems: 0 })

    const known = (await list(id, "programs")).find(({ vtnProgramId }) => vtnProgramId === program.id)
    const change = (body: object) => must(200, "PATCH", `/v1/grid-programs/${known.id}`, body)
    await change({ programInstanceId: instance.id })
    const page = await followed()
    expect(page.totalItems).toBe(1)
    expect(page.data[0]).toMatchObject({
      id: known.id,
      connectionId: id,
      connectionName: name,
      vtnProgramId: program.id,
      name: "summer-peak",
      descriptionUrls: ["https://utility.example.com/summer-peak"],
      attributes: terms.attributes,
      payloadDescriptors: [
        { payloadType: "PRICE", of: "events", units: "KWH", currency: "USD", readingType: null },
        { payloadType: "USAGE", of: "reports", units: "KWH", currency: null, readingType: "DIRECT_READ" }
      ],
      removedAt: null
    })

    Object.assign(program, { programName: "late summer", attributes: [], programDescriptions: null })
    await poll()
    expect((await followed()).data[0]).toMatchObject({
      name: "late summer",
      attributes: [],
      descriptionUrls: [],
      programInstanceId: instance.id
    })
    vtnNow().programs.length = 0
    await poll()
    expect((await followed()).data[0].removedAt).not.toBeNull()
    await change({ programInstanceId: null })
    expect(await followed()).toMatchObject({ data: [], totalItems: 0 })
  })

  test("that is another workspace's does not exist, and its followed programs are not shown", async () => {
    const { instance } = await arrange()
    const { call } = await arrange()
    expectError(await call("GET", `/v1/programInstances/${instance.id}/grid-programs`), 404, "NOT_FOUND")
  })

  test("ends to follow a program with the connection to its VTN", async () => {
    const { call, connect, followed, instance, must } = await arrange()
    const { id } = await connect()
    await followed([], id)
    const path = `/v1/programInstances/${instance.id}/grid-programs`
    expect((await must(200, "GET", path)).totalItems).toBe(1)
    expect((await call("DELETE", `/v1/grid-connections/${id}`)).status).toBe(204)
    expect((await must(200, "GET", path)).totalItems).toBe(0)
  })
})

describe("a timeline", () => {
  test("is of a bounded time", async () => {
    const { call, connect } = await arrange()
    const { id } = await connect()
    const path = `/v1/grid-connections/${id}/timeline`
    for (const [query, field] of [
      ["?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
      ["?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z", "to"],
      ["?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z", "to"]
    ] as const) {
      expectError(await call("GET", `${path}${query}`), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
    }
  })
})
