import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { moment, nobody } from "../devices/arrangeDevices.ts"
import { arrangeSchedules, charge, discharge, everyDay, idle, rule } from "./arrangeSchedules.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()
const allowed = ["SERVER", "API"] as const
const arrange = () => arrangeSchedules(app)

describeKeyChecks(app, [
  { method: "GET", path: "/v1/schedules", allowed },
  { method: "POST", path: "/v1/schedules", allowed },
  { method: "POST", path: "/v1/schedules/preview", allowed },
  { method: "GET", path: "/v1/schedules/any", allowed },
  { method: "PATCH", path: "/v1/schedules/any", allowed },
  { method: "DELETE", path: "/v1/schedules/any", allowed },
  { method: "GET", path: "/v1/devices/any/schedules", allowed: [...allowed, "SCOPED"] },
  { method: "POST", path: "/v1/devices/any/schedules", allowed }
])

const night = rule("22:00", "06:00", charge)

describe("POST /v1/schedules", () => {
  test("201 with the defaults of a device: its type and the time zone of its site", async () => {
    const { battery, post, read, site, workspaceId } = await arrange()
    const deviceId = await battery({ siteId: (await site({ timezone: "Europe/Berlin" })).id })
    const { body, status } = await post({ name: "Nights", target: { deviceId }, rules: [night] })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      workspaceId,
      name: "Nights",
      target: { deviceId },
      deviceType: "battery",
      timezone: "Europe/Berlin",
      defaultMode: null,
      rules: [night],
      enabled: true,
      nextTransitionAt: moment,
      createdAt: moment,
      updatedAt: moment
    })
    expect(new Date(body.nextTransitionAt).getTime()).toBeGreaterThan(Date.now())
    expect(await read(body.id)).toEqual(body)
  })

  test("201 with the workspace's time zone for a tag, and for a device whose site has none", async () => {
    const { battery, post, site, workspaceId } = await arrange()
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'America/St_Johns' WHERE id = ${workspaceId}`)
    const deviceId = await battery({ siteId: (await site()).id })
    const bodies = [{ target: { tag: "pilot" }, deviceType: "battery" }, { target: { deviceId } }]
    for (const body of bodies) {
      const response = await post({ name: "Nights", rules: [night], ...body })
      expect([response.status, response.body.timezone]).toEqual([201, "America/St_Johns"])
    }
  })

  test("201 stores days in order, each once, and modes without defaults", async () => {
    const { create } = await arrange()
    const mode = { operatingMode: "charge", maximumBatteryReserve: 80, minimumBatteryReserve: 10 }
    const body = await create({
      target: { tag: "pilot" },
      rules: [rule("01:00", "02:00", mode, [5, 1, 5])],
      defaultMode: idle
    })
    expect(body.rules).toEqual([rule("01:00", "02:00", mode, [1, 5])])
    expect(body.defaultMode).toEqual(idle)
  })

  test("201 without a next transition if it is paused, or no mode ever follows another", async () => {
    const { create } = await arrange()
    const paused = await create({ target: { tag: "a" }, rules: [night], enabled: false })
    const constant = await create({ target: { tag: "b" }, rules: [night], defaultMode: charge })
    expect([paused.nextTransitionAt, constant.nextTransitionAt]).toEqual([null, null])
  })

  test("201 a new schedule of a device replaces the enabled one, a paused one does not", async () => {
    const { battery, create, read } = await arrange()
    const target = { deviceId: await battery() }
    const first = await create({ target, rules: [night] })
    const paused = await create({ target, rules: [night], enabled: false })
    expect((await read(first.id)).enabled).toBe(true)
    const second = await create({ target, rules: [night] })
    expect(await read(first.id)).toMatchObject({ enabled: false, nextTransitionAt: null, updatedAt: moment })
    expect([(await read(paused.id)).enabled, (await read(second.id)).enabled]).toEqual([false, true])
  })

  test("201 ten at the same time for one device leave exactly one enabled", async () => {
    const { battery, call, create } = await arrange()
    const target = { deviceId: await battery() }
    await atOnce(10, () => create({ target, rules: [night] }))
    const { body } = await call("GET", `/v1/devices/${target.deviceId}/schedules?enabled=true`)
    expect(body.totalItems).toBe(1)
  })

  test("400 VALIDATION_ERROR names every wrong field of modes and rules at once", async () => {
    const { post } = await arrange()
    const response = await post({
      name: "Nights",
      target: { tag: "pilot" },
      deviceType: "thermostat",
      defaultMode: { operatingMode: "idle" },
      rules: [
        rule("06:00", "09:00", { operatingMode: "heat" }),
        rule("08:30", "10:00", { operatingMode: "auto", heatTarget: 75, coolTarget: 70 }, [1]),
        rule("12:00", "13:00", { operatingMode: "off", fan: "on" })
      ]
    })
    expectError(response, 400, "VALIDATION_ERROR", {
      "defaultMode.operatingMode": expect.any(String),
      "rules.0.mode.heatTarget": expect.any(String),
      "rules.1": "Overlaps rules.0: both hold on Monday at 08:30",
      "rules.1.mode.heatTarget": "Must be below coolTarget",
      "rules.2.mode.fan": "Is not known here"
    })
  })

  test("400 VALIDATION_ERROR names the first common minute of rules that overlap past midnight and past Saturday", async () => {
    const { post } = await arrange()
    const rules = [
      rule("00:00", "01:00", idle, [0]),
      rule("23:00", "00:30", charge, [6]),
      rule("22:00", "23:30", discharge, [5, 6])
    ]
    expectError(
      await post({ name: "Nights", target: { tag: "pilot" }, deviceType: "battery", rules }),
      400,
      "VALIDATION_ERROR",
      {
        "rules.1": "Overlaps rules.0: both hold on Sunday at 00:00",
        "rules.2": "Overlaps rules.1: both hold on Saturday at 23:00"
      }
    )
  })

  test.each([
    ["a time that does not exist", { rules: [rule("24:00", "06:00", charge)] }, "rules.0.startTime"],
    ["a day that does not exist", { rules: [rule("22:00", "06:00", charge, [7])] }, "rules.0.daysOfWeek.0"],
    ["no day", { rules: [rule("22:00", "06:00", charge, [])] }, "rules.0.daysOfWeek"],
    ["more than 100 rules", { rules: Array.from({ length: 101 }, () => night) }, "rules"],
    ["a mode that is no object", { defaultMode: "idle" }, "defaultMode"],
    ["an unknown time zone", { timezone: "Europe/Nowhere" }, "timezone"],
    ["a type without operating modes", { deviceType: "inverter" }, "deviceType"],
    ["no target", { target: {} }, "target"],
    ["two targets", { target: { tag: "pilot", deviceId: nobody } }, "target"]
  ])("400 VALIDATION_ERROR for %s", async (_, wrong, field) => {
    const { post } = await arrange()
    const body = { name: "Nights", target: { tag: "pilot" }, deviceType: "battery", rules: [night], ...wrong }
    expectError(await post(body), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("400 VALIDATION_ERROR for a type that is not the device's, and without a type for a tag", async () => {
    const { battery, post } = await arrange()
    const body = { name: "Nights", rules: [rule("22:00", "06:00", { operatingMode: "start-charging" })] }
    const other = await post({ ...body, target: { deviceId: await battery() }, deviceType: "charger" })
    expectError(other, 400, "VALIDATION_ERROR", { deviceType: "Must be battery, the device's" })
    expectError(await post({ ...body, target: { tag: "pilot" } }), 400, "VALIDATION_ERROR", {
      deviceType: "Is required"
    })
  })

  test("400 VALIDATION_ERROR for a mode beyond the device's limits", async () => {
    const { device, post } = await arrange()
    const deviceId = await device({
      type: "thermostat",
      commands: ["thermostat:set-operating-mode"],
      staticState: { allowedModes: ["heat", "off"], allowedFanModes: [], maxHeatSetpoint: 75 }
    })
    const rules = [
      rule("06:00", "09:00", { operatingMode: "heat", heatTarget: 80 }),
      rule("09:00", "17:00", { operatingMode: "cool", coolTarget: 80 })
    ]
    expectError(await post({ name: "Warm", target: { deviceId }, rules }), 400, "VALIDATION_ERROR", {
      "rules.0.mode.heatTarget": expect.stringContaining("75"),
      "rules.1.mode.operatingMode": expect.stringContaining("heat, off")
    })
  })

  test("201 with a target power for a device that takes it, and 400 VALIDATION_ERROR for any other", async () => {
    const { battery, post } = await arrange()
    const rules = [rule("06:00", "09:00", { ...charge, targetPowerW: 2000 })]
    const able = await battery({ staticState: { capacity: 10_000, takesTargetPower: true } })
    expect(await post({ name: "Nights", target: { deviceId: able }, rules })).toMatchObject({
      status: 201,
      body: { rules: [{ mode: { operatingMode: "charge", targetPowerW: 2000 } }] }
    })
    const simple = await post({ name: "Nights", target: { deviceId: await battery() }, rules })
    expectError(simple, 400, "VALIDATION_ERROR", {
      "rules.0.mode.targetPowerW": "Must be absent: this device takes no power"
    })
  })

  test("400 VALIDATION_ERROR for a collection of sites", async () => {
    const { call, post } = await arrange()
    const { body } = await call("POST", "/v1/collections", { name: "Sites", collectionType: "SITE", criteria: {} })
    const response = await post({
      name: "Nights",
      target: { collectionId: body.id },
      deviceType: "battery",
      rules: [night]
    })
    expectError(response, 400, "VALIDATION_ERROR", { "target.collectionId": "Must be a collection of devices" })
  })

  test("400 INVALID_STATE for a device that takes no operating mode", async () => {
    const { device, post } = await arrange()
    const devices = [
      await device({ type: "battery", commands: ["battery:set-reserve"] }),
      await device({ type: "meter" })
    ]
    for (const deviceId of devices) {
      expectError(await post({ name: "Nights", target: { deviceId }, rules: [night] }), 400, "INVALID_STATE")
    }
  })

  test("404 DEVICE_NOT_FOUND and COLLECTION_NOT_FOUND, also for those of another workspace", async () => {
    const { post } = await arrange()
    const other = await arrange()
    const { body } = await other.call("POST", "/v1/collections", {
      name: "Ours",
      collectionType: "DEVICE",
      criteria: {}
    })
    const fields = { name: "Nights", deviceType: "battery", rules: [night] }
    for (const deviceId of [nobody, await other.battery()]) {
      expectError(await post({ ...fields, target: { deviceId } }), 404, "DEVICE_NOT_FOUND")
    }
    for (const collectionId of [nobody, body.id]) {
      expectError(await post({ ...fields, target: { collectionId } }), 404, "COLLECTION_NOT_FOUND")
    }
  })
})

describe("GET /v1/schedules", () => {
  test("200 lists newest first, by filters and pages", async () => {
    const { battery, call, create } = await arrange()
    const deviceId = await battery()
    const { body: collection } = await call("POST", "/v1/collections", {
      name: "All",
      collectionType: "DEVICE",
      criteria: {}
    })
    const byDevice = await create({ target: { deviceId }, rules: [night] })
    const byTag = await create({ target: { tag: "pilot" }, rules: [night], enabled: false })
    const byCollection = await create({
      target: { collectionId: collection.id },
      deviceType: "vehicle",
      rules: [rule("01:00", "02:00", { operatingMode: "start-charging" })]
    })
    const list = async (search: string) => {
      const { body } = await call("GET", `/v1/schedules${search}`)
      return [body.totalItems, body.data.map(({ id }: { id: string }) => id)]
    }
    expect(await list("")).toEqual([3, [byCollection.id, byTag.id, byDevice.id]])
    expect(await list("?perPage=2&page=2")).toEqual([3, [byDevice.id]])
    expect(await list(`?deviceId=${deviceId}`)).toEqual([1, [byDevice.id]])
    expect(await list("?tag=pilot,other")).toEqual([1, [byTag.id]])
    expect(await list(`?collectionId=${collection.id}`)).toEqual([1, [byCollection.id]])
    expect(await list("?deviceType=vehicle&deviceType=charger")).toEqual([1, [byCollection.id]])
    expect(await list("?enabled=false")).toEqual([1, [byTag.id]])
  })

  test("400 VALIDATION_ERROR for an unknown parameter and a page out of range", async () => {
    const { call } = await arrange()
    expectError(await call("GET", "/v1/schedules?type=battery&perPage=101"), 400, "VALIDATION_ERROR", {
      type: expect.any(String),
      perPage: expect.any(String)
    })
  })
})

describe("PATCH /v1/schedules/:id", () => {
  test("200 pauses and resumes", async () => {
    const { call, create } = await arrange()
    const { id, nextTransitionAt } = await create({ target: { tag: "pilot" }, rules: [night] })
    const paused = await call("PATCH", `/v1/schedules/${id}`, { enabled: false })
    expect(paused).toMatchObject({ status: 200, body: { enabled: false, nextTransitionAt: null } })
    const resumed = await call("PATCH", `/v1/schedules/${id}`, { enabled: true })
    expect(resumed).toMatchObject({ status: 200, body: { enabled: true, nextTransitionAt } })
  })

  test("200 resuming a schedule of a device pauses the other one", async () => {
    const { battery, call, create, read } = await arrange()
    const target = { deviceId: await battery() }
    const first = await create({ target, rules: [night] })
    const second = await create({ target, rules: [night] })
    expect((await call("PATCH", `/v1/schedules/${first.id}`, { enabled: true })).body.enabled).toBe(true)
    expect((await read(second.id)).enabled).toBe(false)
  })

  test("200 merges the default mode, replaces rules, and moves the next transition with the time zone", async () => {
    const { call, create } = await arrange()
    const mode = { operatingMode: "charge", maximumBatteryReserve: 80 }
    const { id, nextTransitionAt } = await create({ target: { tag: "pilot" }, rules: [night], defaultMode: mode })
    const patch = (body: object) => call("PATCH", `/v1/schedules/${id}`, body)
    const merged = await patch({ defaultMode: { operatingMode: "discharge", maximumBatteryReserve: null } })
    expect(merged.body).toMatchObject({ defaultMode: { operatingMode: "discharge" }, rules: [night] })
    expect(merged.body.defaultMode).not.toHaveProperty("maximumBatteryReserve")
    const moved = await patch({ timezone: "Asia/Kathmandu" })
    expect(moved.body.timezone).toBe("Asia/Kathmandu")
    expect(moved.body.nextTransitionAt).not.toBe(nextTransitionAt)
    expect((await patch({ rules: [], defaultMode: null })).body).toMatchObject({
      rules: [],
      defaultMode: null,
      nextTransitionAt: null
    })
  })

  test("200 a change of nothing leaves updatedAt", async () => {
    const { call, create } = await arrange()
    const { id, ...before } = await create({ target: { tag: "pilot" }, rules: [night], defaultMode: idle })
    const same = { name: before.name, timezone: "utc", rules: before.rules, defaultMode: {}, target: before.target }
    const { body } = await call("PATCH", `/v1/schedules/${id}`, { ...same, timezone: before.timezone, enabled: true })
    expect(body).toEqual({ id, ...before })
  })

  test("400 VALIDATION_ERROR for another target or type, and for modes and rules as at creation", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ target: { tag: "pilot" }, rules: [night] })
    const patch = (body: object) => call("PATCH", `/v1/schedules/${id}`, body)
    expectError(await patch({ target: { tag: "other" }, deviceType: "charger" }), 400, "VALIDATION_ERROR", {
      target: expect.any(String),
      deviceType: "Is fixed: must be battery"
    })
    expectError(
      await patch({ rules: [night, rule("05:00", "07:00", idle)], defaultMode: { operatingMode: "eco" } }),
      400,
      "VALIDATION_ERROR",
      {
        "rules.1": expect.stringContaining("rules.0"),
        "defaultMode.operatingMode": expect.any(String)
      }
    )
  })

  test("404 SCHEDULE_NOT_FOUND for one of another workspace, as for GET and DELETE", async () => {
    const { call } = await arrange()
    const { id } = await (await arrange()).create({ target: { tag: "pilot" }, rules: [night] })
    for (const method of ["GET", "PATCH", "DELETE"]) {
      expectError(
        await call(method, `/v1/schedules/${id}`, method === "PATCH" ? {} : undefined),
        404,
        "SCHEDULE_NOT_FOUND"
      )
    }
  })
})

describe("DELETE /v1/schedules/:id", () => {
  test("204, then 404 SCHEDULE_NOT_FOUND", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ target: { tag: "pilot" }, rules: [night] })
    expect((await call("DELETE", `/v1/schedules/${id}`)).status).toBe(204)
    expectError(await call("DELETE", `/v1/schedules/${id}`), 404, "SCHEDULE_NOT_FOUND")
  })

  test("schedules go with their device, deleted or removed from the workspace", async () => {
    const { battery, call, create } = await arrange()
    for (const direct of [true, false]) {
      const deviceId = await battery({ direct })
      const { id } = await create({ target: { deviceId }, rules: [night] })
      expect((await call("DELETE", `/v1/devices/${deviceId}`)).status).toBe(204)
      expectError(await call("GET", `/v1/schedules/${id}`), 404, "SCHEDULE_NOT_FOUND")
    }
  })
})

describe("/v1/devices/:id/schedules", () => {
  test("201 creates with the device as the target, 200 lists the device's own", async () => {
    const { battery, call, create } = await arrange()
    const deviceId = await battery({ tags: ["pilot"] })
    await create({ target: { tag: "pilot" }, rules: [night] })
    const path = `/v1/devices/${deviceId}/schedules`
    const made = await call("POST", path, { name: "Own", rules: [night], defaultMode: idle })
    expect(made).toMatchObject({ status: 201, body: { target: { deviceId }, deviceType: "battery", timezone: "UTC" } })
    expect((await call("GET", path)).body).toEqual({
      data: [made.body],
      page: 1,
      perPage: 10,
      totalItems: 1,
      totalPages: 1
    })
    expect((await call("GET", `${path}?enabled=false`)).body.totalItems).toBe(0)
  })

  test("a SCOPED key reads those of its user's devices: 403 FORBIDDEN for others, 401 for writing", async () => {
    const { battery, call, create } = await arrange()
    const [own, foreign] = [await battery({ referenceId: "user-1" }), await battery({ referenceId: "user-2" })]
    await create({ target: { deviceId: own }, rules: [night] })
    const path = (id: string) => `/v1/devices/${id}/schedules`
    expect((await call("GET", path(own), undefined, "SCOPED")).body.totalItems).toBe(1)
    expectError(await call("GET", path(foreign), undefined, "SCOPED"), 403, "FORBIDDEN")
    expectError(await call("POST", path(own), { name: "Own", rules: [] }, "SCOPED"), 401, "UNAUTHENTICATED")
  })

  test("404 DEVICE_NOT_FOUND, 400 VALIDATION_ERROR and INVALID_STATE as for schedules", async () => {
    const { battery, call, device } = await arrange()
    const foreign = await (await arrange()).battery()
    for (const id of [nobody, foreign]) {
      expectError(await call("GET", `/v1/devices/${id}/schedules`), 404, "DEVICE_NOT_FOUND")
      expectError(await call("POST", `/v1/devices/${id}/schedules`, { name: "A", rules: [] }), 404, "DEVICE_NOT_FOUND")
    }
    const wrong = { name: "A", rules: [rule("01:00", "02:00", { operatingMode: "heat" })] }
    expectError(await call("POST", `/v1/devices/${await battery()}/schedules`, wrong), 400, "VALIDATION_ERROR", {
      "rules.0.mode.operatingMode": expect.any(String)
    })
    const meter = await device({ type: "meter" })
    expectError(await call("POST", `/v1/devices/${meter}/schedules`, { name: "A", rules: [] }), 400, "INVALID_STATE")
  })
})

describe("POST /v1/schedules/preview", () => {
  test("200 the next 100 transitions through a change of the clock, and nothing is stored", async () => {
    const { call } = await arrange()
    const { body, status } = await call("POST", "/v1/schedules/preview", {
      deviceType: "battery",
      timezone: "America/New_York",
      defaultMode: idle,
      rules: [rule("02:30", "05:00", charge)],
      from: "2026-03-07T12:00:00-05:00"
    })
    expect(status).toBe(200)
    expect([body.timezone, body.transitions.length]).toEqual(["America/New_York", 100])
    expect(body.transitions.slice(0, 3)).toEqual([
      { at: "2026-03-08T07:00:00.000Z", localTime: "2026-03-08T03:00:00-04:00", mode: charge, rule: 0 },
      { at: "2026-03-08T09:00:00.000Z", localTime: "2026-03-08T05:00:00-04:00", mode: idle, rule: null },
      { at: "2026-03-09T06:30:00.000Z", localTime: "2026-03-09T02:30:00-04:00", mode: charge, rule: 0 }
    ])
    expect((await call("GET", "/v1/schedules")).body.totalItems).toBe(0)
  })

  test("200 takes the body of a creation, with its defaults and its errors", async () => {
    const { battery, call, create } = await arrange()
    const deviceId = await battery()
    const body = { name: "Nights", target: { deviceId }, rules: [night], defaultMode: idle }
    const { body: preview } = await call("POST", "/v1/schedules/preview", body)
    expect(preview.transitions[0].at).toBe((await create(body)).nextTransitionAt)
    const wrong = await call("POST", "/v1/schedules/preview", { ...body, target: { deviceId: nobody } })
    expectError(wrong, 404, "DEVICE_NOT_FOUND")
    expectError(await call("POST", "/v1/schedules/preview", { rules: [] }), 400, "VALIDATION_ERROR", {
      deviceType: "Is required"
    })
  })

  test("200 without transitions if no mode ever follows another; 400 outside of the years it is computed for", async () => {
    const { call } = await arrange()
    const body = { deviceType: "battery", rules: [rule("00:00", "00:00", charge, everyDay)] }
    expect((await call("POST", "/v1/schedules/preview", body)).body).toEqual({ timezone: "UTC", transitions: [] })
    for (const from of ["1969-12-31T23:59:59Z", "2200-01-01T00:00:00Z"]) {
      expectError(await call("POST", "/v1/schedules/preview", { ...body, from }), 400, "VALIDATION_ERROR", {
        from: expect.any(String)
      })
    }
  })
})
