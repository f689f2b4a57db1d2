import { type RaisedAlert } from "@edp/server/alerts/alertOccurrences"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "./arrangeAlerts.ts"
import { raising } from "./raising.ts"

const app = useTestApp()
const { raise, settle } = raising(app)

const arrange = async () => {
  const place = await arrangeAlerts(app)
  const deviceId = await place.device()
  const alert: RaisedAlert = {
    workspaceId: place.workspaceId,
    sourceSystem: "acme",
    type: "HARDWARE_FAULT",
    severity: "CRITICAL",
    title: "Fan stands still",
    deviceId
  }
  const all = async () => (await place.call("GET", "/v1/alerts?perPage=100")).body.data
  return { ...place, deviceId, alert, all }
}

describe("an alert without an external id", () => {
  test("is created once, with its device's fields and site, and counted while it is open", async () => {
    const { alert, all, deviceId, site } = await arrange()
    const [first] = await raise([alert])
    expect(first).toMatchObject({ made: true, alert: { status: "OPEN", occurrenceCount: 1, externalId: null } })
    const [second] = await raise([{ ...alert, title: "Said otherwise", severity: "INFO" }])
    expect(second).toMatchObject({ made: false, alert: { id: first!.alert.id, occurrenceCount: 2 } })
    expect(await all()).toEqual([
      {
        ...first!.alert,
        deviceId,
        siteId: site.id,
        manufacturer: "generic",
        manufacturerDeviceId: `INV-${deviceId}`,
        deviceName: "Roof",
        deviceType: "inverter",
        deviceModel: "Generic inverter",
        deviceSerialNumber: null,
        occurrenceCount: 2,
        lastOccurredAt: second!.alert.lastOccurredAt,
        updatedAt: second!.alert.updatedAt
      }
    ])
    expect(Date.parse(second!.alert.lastOccurredAt!)).toBeGreaterThanOrEqual(Date.parse(first!.alert.createdAt!))
  })

  test("raised several times at once is one alert with that number of occurrences", async () => {
    const { alert, all } = await arrange()
    const raised = await raise([alert, { ...alert, subtype: "INVERTER_FAULT" }, alert])
    expect(raised.map(({ alert }) => alert.occurrenceCount)).toEqual([2, 1, 2])
    expect(raised[0]!.alert.id).toBe(raised[2]!.alert.id)
    expect(await all()).toHaveLength(2)
  })

  test("is distinct by device, site, source, type and subtype", async () => {
    const { alert, all, device, site, workspaceId } = await arrange()
    const { deviceId: _, ...ofSite } = { ...alert, siteId: site.id }
    const different: ReadonlyArray<RaisedAlert> = [
      alert,
      { ...alert, deviceId: await device() },
      ofSite,
      { ...alert, sourceSystem: "edp" },
      { ...alert, type: "SAFETY" },
      { ...alert, subtype: "BATTERY_FAULT" },
      { workspaceId, sourceSystem: "acme", type: "HARDWARE_FAULT", severity: "INFO", title: "Of no place" }
    ]
    for (const one of different) await raise([one])
    const again = await raise(different)
    expect(again.map(({ alert, made }) => [alert.occurrenceCount, made])).toEqual(different.map(() => [2, false]))
    expect(await all()).toHaveLength(different.length)
  })

  test("increases the count of an acknowledged one, and never reopens a resolved or ignored one", async () => {
    const { alert, all, call } = await arrange()
    const [first] = await raise([alert])
    await call("PATCH", `/v1/alerts/${first!.alert.id}/acknowledge`)
    expect((await raise([alert]))[0]).toMatchObject({ made: false, alert: { status: "ACKNOWLEDGED" } })
    await call("PATCH", `/v1/alerts/${first!.alert.id}/resolve`)
    const [second] = await raise([alert])
    expect(second).toMatchObject({ made: true, alert: { status: "OPEN", occurrenceCount: 1 } })
    await call("PATCH", `/v1/alerts/${second!.alert.id}/ignore`)
    expect((await raise([alert]))[0]!.made).toBe(true)
    expect((await all()).map((one: any) => [one.status, one.occurrenceCount])).toEqual([
      ["OPEN", 1],
      ["IGNORED", 1],
      ["RESOLVED", 2]
    ])
  })

  test("increases the count of an equal alert that an application created", async () => {
    const { alert, create, deviceId } = await arrange()
    const { id } = await create({ deviceId, sourceSystem: "acme", type: "HARDWARE_FAULT" })
    expect((await raise([alert]))[0]).toMatchObject({ made: false, alert: { id, occurrenceCount: 2 } })
  })

  test("in another workspace is not affected, and gets no fields of the device", async () => {
    const one = await arrange()
    const other = await arrange()
    const [raised] = await raise([{ ...one.alert, workspaceId: other.workspaceId }])
    expect(raised!.alert).toMatchObject({ workspaceId: other.workspaceId, deviceName: null, siteId: null })
    expect(await one.all()).toEqual([])
    expect((await raise([one.alert]))[0]!.made).toBe(true)
  })
})

describe("an alert with an external id", () => {
  test("is updated and counted when it is raised again, and keeps its status", async () => {
    const { alert, all, call } = await arrange()
    const named = { ...alert, externalId: "F-17" }
    const [first] = await raise([named])
    expect(first).toMatchObject({ made: true, alert: { externalId: "F-17", occurrenceCount: 1, status: "OPEN" } })
    await call("PATCH", `/v1/alerts/${first!.alert.id}/resolve`)
    const [second] = await raise([{ ...named, title: "Fan is slow", severity: "WARNING", subtype: "INVERTER_FAULT" }])
    expect(second).toMatchObject({
      made: false,
      alert: {
        id: first!.alert.id,
        createdAt: first!.alert.createdAt,
        title: "Fan is slow",
        severity: "WARNING",
        subtype: "INVERTER_FAULT",
        occurrenceCount: 2,
        status: "RESOLVED"
      }
    })
    expect(await all()).toEqual([second!.alert])
  })

  test("is unique to its source system and workspace", async () => {
    const one = await arrange()
    const other = await arrange()
    const named = { ...one.alert, externalId: "F-17" }
    const raised = await raise([
      named,
      { ...named, sourceSystem: "other" },
      { ...other.alert, externalId: "F-17" },
      { ...named, externalId: "F-18" }
    ])
    expect(raised.map(({ made }) => made)).toEqual([true, true, true, true])
    expect(new Set(raised.map(({ alert }) => alert.id)).size).toBe(4)
  })

  test("is counted when an equal alert is raised without one, while it is open", async () => {
    const { alert } = await arrange()
    const [named] = await raise([{ ...alert, externalId: "F-17" }])
    const [unnamed] = await raise([alert])
    expect(unnamed).toMatchObject({ made: false, alert: { id: named!.alert.id, occurrenceCount: 2 } })
  })
})

describe("settling", () => {
  test("resolves open and acknowledged alerts, and no ignored ones or others", async () => {
    const { alert, all, call, deviceId } = await arrange()
    const [open, ignored, other] = await raise([
      alert,
      { ...alert, subtype: "BATTERY_FAULT" },
      { ...alert, sourceSystem: "other" }
    ])
    await call("PATCH", `/v1/alerts/${ignored!.alert.id}/ignore`)
    await call("PATCH", `/v1/alerts/${open!.alert.id}/acknowledge`, { snoozeUntil: "2090-01-01T00:00:00Z" })
    const settled = await settle([{ deviceId, sourceSystem: "acme", type: "HARDWARE_FAULT" }], "acme")
    expect(settled).toMatchObject([{ id: open!.alert.id, status: "RESOLVED", resolvedBy: "acme", snoozedUntil: null }])
    const statuses = new Map((await all()).map((one: any) => [one.id, one.status]))
    expect(statuses).toEqual(
      new Map([
        [open!.alert.id, "RESOLVED"],
        [ignored!.alert.id, "IGNORED"],
        [other!.alert.id, "OPEN"]
      ])
    )
    expect(await settle([{ deviceId, sourceSystem: "acme", type: "HARDWARE_FAULT" }], "acme")).toEqual([])
  })
})
