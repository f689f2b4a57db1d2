import { describe, expect, test } from "vitest"
import { movableClock } from "../../support/movableClock.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { nobody } from "../devices/arrangeDevices.ts"
import { arrangeDispatches, charge, discharge, MINUTE } from "./arrangeDispatches.ts"

const clock = movableClock(Date.now())
const app = useTestApp({ own: true, clock })
const arrange = () => arrangeDispatches(app, clock)

const battery = (action: object) => ({ battery: action })

describe("POST /v1/programInstances/:id/dispatches", () => {
  test("201 announces a dispatch to the enrolled sites, with the defaults", async () => {
    const { create, home, instance, interval, now, participants } = await arrange()
    const { enrollmentId, siteId } = await home()
    const created = await create({ intervals: [interval(60, 30), interval(90, 15, charge)] })
    expect(created).toMatchObject({
      programInstanceId: instance.id,
      name: "Evening",
      startsAt: new Date(now() + 60 * MINUTE).toISOString(),
      endsAt: new Date(now() + 105 * MINUTE).toISOString(),
      priority: 1,
      randomizeStartSeconds: 0,
      voluntary: true,
      test: false,
      nominatedPowerW: null,
      baseline: { method: "device-metered", parameters: {} },
      status: "scheduled",
      reason: null,
      participants: { notified: 1, opted_out: 0, running: 0, unresponsive: 0, done: 0, failed: 0 }
    })
    expect(await participants(created.id)).toMatchObject([
      { siteId, enrollmentId, state: "notified", heldOut: false, startsAt: null, deviceCount: 0, reasons: [] }
    ])
  })

  test("201 keeps a draft to itself", async () => {
    const { create, home, participants } = await arrange()
    await home()
    const created = await create({ status: "draft" })
    expect(created).toMatchObject({ status: "draft", participants: { notified: 0 } })
    expect(await participants(created.id)).toEqual([])
  })

  test("201 takes times of any offset, and chooses the baseline by the devices", async () => {
    const { create, interval, time } = await arrange()
    const startsAt = time(60).replace("Z", "+00:00")
    const actions = { thermostat: { operatingMode: "cool", coolTarget: 78 }, ...discharge }
    const created = await create({ intervals: [{ ...interval(60, 30, actions), startsAt }] })
    expect(created).toMatchObject({ startsAt: time(60), baseline: { method: "x-of-y" } })
  })

  test("400 VALIDATION_ERROR names every wrong field at once", async () => {
    const { interval, post } = await arrange()
    const intervals = [
      interval(60, 30, { battery: { operatingMode: "burn" }, thermostat: { targetPowerW: 5 } }),
      interval(80, 30, { charger: { targetPowerW: -1 }, vehicle: { operatingMode: "start-charging", speed: 1 } }),
      interval(120, 30, { battery: { operatingMode: "reset" }, thermostat: { operatingMode: "heat" } })
    ]
    const response = await post({ name: "Wrong", intervals })
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.details).toSorted()).toEqual([
      "intervals.0.actions.battery.operatingMode",
      "intervals.0.actions.thermostat.targetPowerW",
      "intervals.1.actions.charger.targetPowerW",
      "intervals.1.actions.vehicle.speed",
      "intervals.1.startsAt",
      "intervals.2.actions.battery.operatingMode",
      "intervals.2.actions.thermostat.heatTarget"
    ])
  })

  const days = 1440
  test.each([
    ["an interval in the past", [[-2, 30]], "intervals.0.startsAt"],
    ["a start more than 366 days ahead", [[367 * days, 30]], "intervals.0.startsAt"],
    [
      "intervals out of order",
      [
        [60, 10],
        [10, 10]
      ],
      "intervals.1.startsAt"
    ],
    [
      "more than 7 days",
      [
        [60, 10],
        [7 * days, 120]
      ],
      "intervals.1.durationSeconds"
    ],
    ["an interval under a minute", [[60, 0.5]], "intervals.0.durationSeconds"]
  ])("400 VALIDATION_ERROR refuses %s", async (_, times, field) => {
    const { interval, post } = await arrange()
    const intervals = times.map(([minutes, lasts]) => interval(minutes!, lasts!))
    const { body, status } = await post({ name: "Wrong", intervals })
    expect([status, Object.keys(body.details)]).toEqual([400, [field]])
  })

  test.each([
    ["an unknown field besides a power", battery({ targetPowerW: 1, speed: 2 }), "intervals.0.actions.battery.speed"],
    ["a power that is no number", battery({ targetPowerW: "much" }), "intervals.0.actions.battery.targetPowerW"],
    ["an interval without actions", {}, "intervals.0.actions"]
  ])("400 VALIDATION_ERROR refuses %s", async (_, actions, field) => {
    const { interval, post } = await arrange()
    const { body, status } = await post({ name: "Wrong", intervals: [interval(60, 30, actions)] })
    expect([status, Object.keys(body.details)]).toEqual([400, [field]])
  })

  test("400 VALIDATION_ERROR refuses a baseline that counts more days than it reads", async () => {
    const { interval, post } = await arrange()
    const baseline = { method: "x-of-y", parameters: { x: 6, y: 5 } }
    const { body } = await post({ name: "Wrong", intervals: [interval(60, 30)], baseline })
    expect(body.details).toHaveProperty(["baseline.parameters.x"])
  })

  test("400 INVALID_STATE refuses an archived instance", async () => {
    const { instance, interval, must, post } = await arrange()
    await must(200, "PATCH", `/v1/programInstances/${instance.id}`, { status: "ARCHIVED" })
    const response = await post({ name: "Late", intervals: [interval(60, 30)] })
    expect([response.status, response.body.code]).toEqual([400, "INVALID_STATE"])
  })

  test("404 NOT_FOUND for an instance that does not exist", async () => {
    const { interval, post } = await arrange()
    expect((await post({ name: "None", intervals: [interval(60, 30)] }, nobody)).status).toBe(404)
  })
})

describe("GET /v1/programInstances/:id/dispatches", () => {
  test("200 lists the newest first, by status, kind and time", async () => {
    const { create, get, instance, interval, time } = await arrange()
    const one = await create({ intervals: [interval(60, 30)] })
    const two = await create({ intervals: [interval(600, 30)], test: true })
    const three = await create({ status: "draft" })
    const list = async (query: string) =>
      (await get(`/v1/programInstances/${instance.id}/dispatches?${query}`)).body.data.map(
        ({ id }: { readonly id: string }) => id
      )
    expect(await list("")).toEqual([three.id, two.id, one.id])
    expect(await list("status=draft,cancelled")).toEqual([three.id])
    expect(await list("test=true")).toEqual([two.id])
    expect(await list(`from=${time(91)}`)).toEqual([two.id])
    expect(await list(`to=${time(60)}`)).toEqual([three.id])
  })

  test("404 NOT_FOUND for an instance that does not exist", async () => {
    const { get } = await arrange()
    expect((await get(`/v1/programInstances/${nobody}/dispatches`)).status).toBe(404)
  })
})

describe("PATCH /v1/dispatches/:id", () => {
  test("200 changes a scheduled dispatch, and keeps the rest", async () => {
    const { create, interval, must } = await arrange()
    const created = await create({ baseline: { method: "x-of-y", parameters: { x: 3, y: 5 } }, nominatedPowerW: 5000 })
    const body = {
      name: "Later",
      intervals: [interval(120, 30)],
      baseline: { method: "x-of-y", parameters: { y: 8 } },
      nominatedPowerW: null
    }
    const changed = await must(200, "PATCH", `/v1/dispatches/${created.id}`, body)
    expect(changed).toMatchObject({
      name: "Later",
      startsAt: body.intervals[0]!.startsAt,
      priority: 1,
      nominatedPowerW: null,
      baseline: { method: "x-of-y", parameters: { x: 3, y: 8 } }
    })
  })

  test("200 leaves updatedAt as it is if nothing changes", async () => {
    const { create, must } = await arrange()
    const created = await create()
    clock.move(1000)
    const body = { name: "Evening", status: "scheduled", intervals: created.intervals }
    expect(await must(200, "PATCH", `/v1/dispatches/${created.id}`, body)).toEqual(created)
  })

  test("200 announces a draft, to the sites that are enrolled by then", async () => {
    const { create, home, must } = await arrange()
    const created = await create({ status: "draft" })
    await home()
    const scheduled = await must(200, "PATCH", `/v1/dispatches/${created.id}`, { status: "scheduled" })
    expect(scheduled).toMatchObject({ status: "scheduled", participants: { notified: 1 } })
  })

  test("400 VALIDATION_ERROR announces no draft whose start has passed", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ status: "draft" })
    clock.move(10 * MINUTE)
    const { body } = await call("PATCH", `/v1/dispatches/${id}`, { status: "scheduled" })
    expect(Object.keys(body.details)).toEqual(["intervals.0.startsAt"])
    expect((await call("PATCH", `/v1/dispatches/${id}`, { name: "Still a draft" })).status).toBe(200)
  })

  test("400 INVALID_STATE makes no draft of a scheduled dispatch, and changes none that has begun or ended", async () => {
    const { call, cancel, create, runAfter } = await arrange()
    const patch = async (id: string, body: object) => {
      const response = await call("PATCH", `/v1/dispatches/${id}`, body)
      expect([response.status, response.body.code]).toEqual([400, "INVALID_STATE"])
    }
    const { id } = await create()
    await patch(id, { status: "draft" })
    clock.move(MINUTE)
    await patch(id, { name: "Late" })
    await runAfter()
    await patch(id, { name: "Late" })
    await cancel(id)
    await patch(id, { name: "Late" })
  })
})

describe("POST /v1/dispatches/:id/cancel", () => {
  test("200 ends a draft, a scheduled and a running dispatch, with a reason", async () => {
    const { cancel, create, home, runAfter } = await arrange()
    await home()
    const draft = await create({ status: "draft" })
    const running = await create()
    await runAfter(1)
    const scheduled = await create()
    for (const { id } of [draft, scheduled, running]) {
      expect((await cancel(id, { reason: "Enough" })).body).toMatchObject({ status: "cancelled", reason: "Enough" })
    }
    await runAfter()
    expect((await cancel(scheduled.id)).status).toBe(400)
  })

  test("400 INVALID_STATE for one that has ended, 404 for none", async () => {
    const { cancel, create, runAfter } = await arrange()
    const { id } = await create()
    await runAfter(1)
    await runAfter(60)
    const response = await cancel(id)
    expect([response.status, response.body.code]).toEqual([400, "INVALID_STATE"])
    expect((await cancel(nobody)).status).toBe(404)
  })
})

describe("POST /v1/dispatches/:id/participants/:siteId/opt-out", () => {
  test("200 leaves the site out, and twice changes nothing", async () => {
    const { create, home, issued, optOut, runAfter } = await arrange()
    const { siteId } = await home()
    const { id } = await create()
    const out = await optOut(id, siteId, { reason: "Guests" })
    expect(out.body).toMatchObject({
      state: "opted_out",
      reasons: [{ deviceId: null, code: "opted_out", message: "Guests" }]
    })
    clock.move(1000)
    expect((await optOut(id, siteId)).body).toEqual(out.body)
    await runAfter(1)
    expect(await issued()).toEqual([])
  })

  test("concurrent opt-outs get their own responses, and revert the devices of their sites alone", async () => {
    const { create, home, modes, optOut, participant, runAfter, site } = await arrange()
    const homes = [await home(), await home(), await home(), await home()]
    const stranger: string = (await site()).id
    const { id } = await create()
    const fixed = await create({ voluntary: false, priority: 9 })
    await runAfter(1)
    const leaving = homes.slice(1)
    const responses = await Promise.all([
      ...leaving.map(({ siteId }) => optOut(id, siteId, { reason: siteId })),
      optOut(id, leaving[0]!.siteId, { reason: leaving[0]!.siteId }),
      optOut(id, stranger),
      optOut(fixed.id, homes[0]!.siteId),
      optOut(nobody, homes[0]!.siteId)
    ])
    const shown = responses.map(({ body }) => body.code ?? body.reasons[0].message)
    expect(shown).toEqual([
      ...leaving.map(({ siteId }) => siteId),
      leaving[0]!.siteId,
      "SITE_NOT_FOUND",
      "INVALID_STATE",
      "NOT_FOUND"
    ])
    expect((await participant(id, homes[0]!.siteId)).state).not.toBe("opted_out")
    expect(await modes(homes[0]!.deviceId)).toEqual(["discharge pending"])
    for (const { deviceId } of leaving) expect((await modes(deviceId))[0]).toBe("discharge failed")
  })

  test("400 INVALID_STATE if the dispatch is not voluntary, or has ended", async () => {
    const { cancel, create, home, optOut } = await arrange()
    const { siteId } = await home()
    const fixed = await create({ voluntary: false })
    const ended = await create()
    await cancel(ended.id)
    for (const { id } of [fixed, ended]) {
      const response = await optOut(id, siteId)
      expect([response.status, response.body.code]).toEqual([400, "INVALID_STATE"])
    }
  })

  test("404 SITE_NOT_FOUND for a site that takes no part, NOT_FOUND for no dispatch", async () => {
    const { create, home, optOut, site } = await arrange()
    const { siteId } = await home()
    const { id } = await create()
    expect((await optOut(id, (await site()).id)).body.code).toBe("SITE_NOT_FOUND")
    expect((await optOut(nobody, siteId)).body.code).toBe("NOT_FOUND")
  })
})

describe("GET /v1/dispatches/:id/participants", () => {
  test("200 lists the sites by id, by state and by site", async () => {
    const { create, get, home, optOut } = await arrange()
    const homes = [await home(), await home(), await home()]
    const { id } = await create()
    await optOut(id, homes[1]!.siteId)
    const list = async (query: string) =>
      (await get(`/v1/dispatches/${id}/participants?${query}`)).body.data.map(
        ({ siteId }: { readonly siteId: string }) => siteId
      )
    expect(await list("")).toEqual(homes.map(({ siteId }) => siteId))
    expect(await list("state=opted_out")).toEqual([homes[1]!.siteId])
    expect(await list(`siteId=${homes[0]!.siteId},${homes[2]!.siteId}`)).toEqual([homes[0]!.siteId, homes[2]!.siteId])
    expect(await list("perPage=1&page=2")).toEqual([homes[1]!.siteId])
  })

  test("404 NOT_FOUND for a dispatch that does not exist", async () => {
    const { get } = await arrange()
    expect((await get(`/v1/dispatches/${nobody}/participants`)).status).toBe(404)
    expect((await get(`/v1/dispatches/${nobody}`)).status).toBe(404)
  })
})
