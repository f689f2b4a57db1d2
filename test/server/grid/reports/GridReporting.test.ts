import { describe, expect, test } from "vitest"
import { movableClock } from "../../../support/movableClock.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "../arrangeGrid.ts"

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
// At a quarter of an hour, so that intervals are those of the metrics.
const clock = movableClock(Math.ceil(Date.now() / QUARTER) * QUARTER)
const app = useTestApp({ own: true, clock })
const vtnNow = useFakeVtn()
const arrange = () => arrangeGrid(app, clock, vtnNow())

/** A followed program, and the meter of an enrolled site that imports 2 kW. */
const arrangeReports = async () => {
  const world = await arrange()
  const { connect, device, enroll, followed, must, now, poll, report, site } = world
  const siteId = (await site()).id
  await enroll(siteId)
  const meter = await device(siteId, "meter")
  const { id } = await connect()
  const program = await followed([], id)
  /** Readings each minute for some time, by which the clock moves. */
  const measure = async (minutes: number, power: number) => {
    const readings = Array.from({ length: minutes + 1 }, (_, n) => ({
      at: new Date(now() + n * MINUTE),
      state: { power }
    }))
    await report(meter, ...readings)
    clock.move(minutes * MINUTE)
  }
  const reports = async () =>
    (await world.list(id, "reports")).map(({ detail, payloadType, status }) => [payloadType, status, detail])
  return { ...world, id, must, poll, program, siteId, measure, reports }
}

const ask = (payloadType: string, more: object = {}) => ({ reportDescriptors: [{ payloadType, ...more }] })

describe("a report", () => {
  test("on usage goes back once, for each interval and resource, after the readings have settled", async () => {
    const { event, measure, poll, program, reports, siteId } = await arrangeReports()
    const vtn = vtnNow()
    const { id: eventId } = event(program.vtnProgramId, "PRICE", [0.2, 0.4], 0, "PT15M", ask("USAGE"))
    await poll()
    await measure(30, 2000)
    await poll()
    expect(vtn.reports).toEqual([])
    await poll(120)
    await poll(60)
    expect(await reports()).toEqual([["USAGE", "sent", null]])
    expect(vtn.reports).toHaveLength(1)
    const [stored] = vtn.reports
    expect(stored).toMatchObject({
      eventID: eventId,
      clientName: "example-ven",
      payloadDescriptors: [
        { objectType: "REPORT_PAYLOAD_DESCRIPTOR", payloadType: "USAGE", readingType: "DIRECT_READ", units: "KWH" },
        { payloadType: "DATA_QUALITY" }
      ]
    })
    const [resource] = stored!["resources"]
    expect(resource.resourceName).toBe(siteId)
    expect(
      resource.intervals.map(({ id, intervalPeriod, payloads }: any) => [
        id,
        intervalPeriod.duration,
        payloads[0].values[0]
      ])
    ).toEqual([
      [0, "PT15M", 0.5],
      [1, "PT15M", 0.5]
    ])
    expect(resource.intervals[0].payloads[1]).toEqual({ type: "DATA_QUALITY", values: ["OK"] })
  })

  test("says that readings are missing, and never 0", async () => {
    const { event, poll, program } = await arrangeReports()
    event(program.vtnProgramId, "PRICE", [0.2], 0, "PT15M", ask("DEMAND", { aggregate: true }))
    await poll()
    await poll(20 * 60)
    const [stored] = vtnNow().reports
    expect(stored!["resources"]).toMatchObject([
      { resourceName: "AGGREGATED_REPORT", intervals: [{ payloads: [{ type: "DATA_QUALITY", values: ["MISSING"] }] }] }
    ])
    expect(stored!["resources"][0].intervals[0].payloads).toHaveLength(1)
  })

  test("on the operating state regards what devices were to do in each interval", async () => {
    const { connect, event, followed, home, poll, runAfter, settle, site, enroll } = await arrange()
    const { deviceId, siteId } = await home()
    const idle = (await site()).id
    await enroll(idle)
    const { id } = await connect()
    const modes = ["discharge", "charge"]
    const program = await followed(
      modes.map((operatingMode, at) => ({
        payloadType: "SIMPLE",
        minimum: at + 1,
        maximum: at + 1,
        actions: { battery: { operatingMode } }
      })),
      id
    )
    event(program.vtnProgramId, "SIMPLE", [1, 0, 2], 0, "PT15M", ask("OPERATING_STATE"))
    await poll()
    await runAfter()
    await settle(deviceId, "completed")
    for (let n = 0; n < 4; n++) await runAfter(15)
    await poll()
    const states = vtnNow().reports[0]!["resources"].map(({ intervals, resourceName }: any) => [
      resourceName,
      ...intervals.map(({ payloads }: any) => payloads[0].values[0])
    ])
    expect(Object.fromEntries(states.map(([name, ...rest]: any) => [name, rest]))).toEqual({
      [siteId]: ["RUNNING_CURTAILED", "NORMAL", "RUNNING_HEIGHTENED"],
      [idle]: ["ERROR", "NORMAL", "ERROR"]
    })
  })

  test("is sent when the VTN is back, also after a day", async () => {
    const { event, measure, poll, program, reports } = await arrangeReports()
    const vtn = vtnNow()
    event(
      program.vtnProgramId,
      "PRICE",
      [0.2, 0.3],
      0,
      "PT15M",
      ask("USAGE", { startInterval: 1, numIntervals: 1, repeat: -1 })
    )
    await poll()
    await measure(30, 1000)
    vtn.respond = () => ({ status: 0, body: "" })
    await poll(120)
    await poll(24 * 3600)
    expect(vtn.reports).toEqual([])
    vtn.respond = () => undefined
    await poll()
    expect(vtn.reports.map((report) => report["resources"][0].intervals[0].payloads[0])).toEqual([
      { type: "USAGE", values: [0.25] },
      { type: "USAGE", values: [0.25] }
    ])
    expect((await reports()).map(([, status]) => status)).toEqual(["sent", "sent"])
  })

  test("is looked for at the VTN after its response was lost, and not sent again", async () => {
    const { event, poll, program, reports } = await arrangeReports()
    const vtn = vtnNow()
    event(program.vtnProgramId, "PRICE", [0.2], 0, "PT15M", ask("USAGE"))
    await poll()
    let lost: object | undefined
    vtn.respond = ({ body, method, path }) => {
      if (method !== "POST" || path !== "/reports") return undefined
      lost = body
      return { status: 0, body: "" }
    }
    await poll(20 * 60)
    expect(await reports()).toMatchObject([["USAGE", "due", expect.any(String)]])
    vtn.respond = () => undefined
    vtn.reports.push({
      id: "report-lost",
      createdDateTime: "2026-01-01T00:00:00Z",
      modificationDateTime: "2026-01-01T00:00:00Z",
      objectType: "REPORT",
      clientID: "ven-42",
      ...(lost as object)
    })
    await poll(60)
    expect(vtn.reports).toHaveLength(1)
    expect(await reports()).toEqual([["USAGE", "sent", null]])
  })

  test("that the VTN refuses is not sent again, and says why", async () => {
    const { event, id, must, poll, program, reports } = await arrangeReports()
    const vtn = vtnNow()
    event(program.vtnProgramId, "PRICE", [0.2], 0, "PT15M", ask("USAGE"))
    await poll()
    vtn.respond = ({ method, path }) =>
      method === "POST" && path === "/reports"
        ? { status: 403, body: { title: "Forbidden", detail: "No reports for this program", status: 403 } }
        : undefined
    await poll(20 * 60)
    const refused = "/reports answered 403: Forbidden: No reports for this program"
    expect(await reports()).toEqual([["USAGE", "refused", refused]])
    expect(await must(200, "GET", `/v1/grid-connections/${id}`)).toMatchObject({
      status: "connected",
      lastError: `A report was refused: ${refused}`
    })
    const asked = vtn.requests.length
    await poll(60)
    expect(vtn.requests.slice(asked).filter(({ path }) => path === "/reports")).toEqual([])
  })

  test("that the platform can't make is listed with the reason", async () => {
    const { event, poll, program, reports } = await arrangeReports()
    event(program.vtnProgramId, "PRICE", [0.2], 0, "PT15M", {
      reportDescriptors: [{ payloadType: "USAGE_FORECAST" }, { payloadType: "USAGE", historical: false }]
    })
    await poll()
    expect((await reports()).toSorted()).toEqual([
      ["USAGE", "not_reportable", "The platform makes no forecasts"],
      ["USAGE_FORECAST", "not_reportable", "The platform does not measure USAGE_FORECAST"]
    ])
  })
})
