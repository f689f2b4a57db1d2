import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { Effect, Logger } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"
import { moment, nobody } from "../../devices/arrangeDevices.ts"
import { arrangeDirect } from "../../readings/ingest/arrangeDirect.ts"
import { commandSweeps } from "../arrangeConfirmations.ts"

const app = useTestApp({ own: true })

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())
beforeEach(() => {
  receiver.received.length = 0
  receiver.respond((response) => response.writeHead(202).end())
})

const state = { chargingState: "idle", charge: 5000, chargePercentage: 50, whConsumed: null }

const arrange = async (type: "battery" | "vehicle" = "battery") => {
  const place = await arrangeDirect(app)
  const { id: deviceId } = await place.device(type)
  const must = async (status: number, method: string, path: string, body?: unknown, key = place.keys.SERVER) => {
    const reply = await app.call(method, path, { key, ...(body !== undefined && { body }) })
    expect({ status: reply.status, body: reply.body }).toMatchObject({ status })
    return reply.body
  }
  const send = (type: string, input: object, more: object = {}) =>
    must(201, "POST", `/v1/devices/${deviceId}/commands`, { type, input, ...more })
  const reserve = (chargePercentage: number, more: object = {}) =>
    send("battery:set-reserve", { chargePercentage }, more)
  const read = (id: string) => must(200, "GET", `/v1/commands/${id}`)
  /** The commands that the manufacturer takes. */
  const polled = async (query = "status=pending"): Promise<ReadonlyArray<any>> =>
    (await must(200, "GET", `/devices/${deviceId}/commands?${query}`, undefined, place.key)).data
  const take = async (query?: string) => (await polled(query)).map(({ id }) => id as string)
  const result = (commandId: string, body: object, key = place.key) =>
    app.call("POST", `/devices/${deviceId}/commands/${commandId}/result`, { key, body })
  /** Lets the runner work on everything that is due. */
  const perform = async () => {
    await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the device's work ends", async () => {
      const [row] = await app.sql<any>((sql) => sql`SELECT claim FROM device_work WHERE device_id = ${deviceId}`)
      return row?.claim === null ? true : undefined
    })
  }
  const becomeDue = async () => {
    await app.sql((sql) => sql`UPDATE commands SET due_at = now() WHERE device_id = ${deviceId} RETURNING 1`)
    await app.sql((sql) => sql`UPDATE device_work SET due_at = now() WHERE device_id = ${deviceId} RETURNING 1`)
  }
  const expire = (id: string) =>
    app.sql((sql) => sql`UPDATE commands SET deadline = now() - interval '1 second' WHERE id = ${id} RETURNING 1`)
  const destination = () =>
    must(201, "POST", "/v1/destinations", {
      destinationType: "MANUFACTURER_COMMAND",
      url: `${receiver.url}/commands`,
      manufacturer: "generic"
    })
  const events = async (type: string) => (await must(200, "GET", `/v1/events?type=${type}`)).data
  return {
    ...place,
    ...commandSweeps(app),
    becomeDue,
    destination,
    deviceId,
    events,
    expire,
    must,
    perform,
    polled,
    read,
    reserve,
    result,
    send,
    take
  }
}

const statuses = ({ transitions }: any) => transitions.map(({ status }: { status: string }) => status)

describe("a command for a direct device with a destination", () => {
  test("is posted to the manufacturer, and completed by its result", async () => {
    const { destination, events, perform, read, reserve, result } = await arrange()
    await destination()
    const { id } = await reserve(30)
    await perform()
    expect(receiver.received.map(({ event }) => event.data.command.id)).toEqual([id])
    expect(await read(id)).toMatchObject({ status: "delivered", upstream: { statusCode: 202 } })
    const reply = await result(id, { status: "completed", output: { steps: 2 }, upstream: { requestId: "r-1" } })
    expect(reply).toMatchObject({
      status: 200,
      body: {
        id,
        status: "completed",
        executedAt: moment,
        output: { steps: 2 },
        upstream: { statusCode: null, errorCode: null, errorMessage: null, requestId: "r-1" }
      }
    })
    expect(statuses(reply.body)).toEqual(["pending", "delivered", "completed"])
    expect(await read(id)).toEqual(reply.body)
    expect(await events("COMMAND_SUCCEEDED")).toHaveLength(1)
  })

  test.each(["", "/v1"])(
    "is completed by an output in the form of its type alone, reported to %s/devices",
    async (path) => {
      const { deviceId, key, must, read, send, take } = await arrange("vehicle")
      const { id } = await send("vehicle:check-pairing-status", {})
      await take()
      const report = (body: object) =>
        app.call("POST", `${path}/devices/${deviceId}/commands/${id}/result`, {
          key,
          body: { status: "completed", ...body }
        })
      expectError(await report({ output: { paired: "yes" } }), 400, "VALIDATION_ERROR", {
        "output.paired": "Must be true or false",
        "output.required": "Is required"
      })
      expectError(await report({}), 400, "VALIDATION_ERROR", {
        output: "Is required with completed: the result of vehicle:check-pairing-status"
      })
      expect(await read(id)).toMatchObject({ status: "delivered", output: null })
      const output = { paired: true, required: false }
      expect((await report({ output: { ...output, note: "more" } })).body).toMatchObject({
        status: "completed",
        output
      })
      expect(await must(200, "GET", `/v1/commands/${id}`)).toMatchObject({ output })
    }
  )

  test("is settled by a result that comes before the response to the POST", async () => {
    const { destination, perform, read, reserve, result } = await arrange()
    await destination()
    const { id } = await reserve(30)
    receiver.respond((response) => {
      void result(id, { status: "failed", reason: "asleep" }).then(() => response.writeHead(202).end())
    })
    await perform()
    const command = await read(id)
    expect(command).toMatchObject({ status: "failed", reason: "asleep", upstream: { statusCode: 202 } })
    expect(statuses(command)).toEqual(["pending", "failed"])
  })

  test("is repeated after a 503 with the same id, and fails after a 422", async () => {
    const { becomeDue, destination, perform, read, reserve } = await arrange()
    await destination()
    const { id } = await reserve(30)
    receiver.respond((response) => response.writeHead(503).end())
    await perform()
    expect(await read(id)).toMatchObject({ status: "pending", upstream: { statusCode: 503 } })
    receiver.respond((response) => response.writeHead(422).end("no such reserve"))
    await becomeDue()
    await perform()
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([id]))
    expect(await read(id)).toMatchObject({
      status: "failed",
      reason: "refused",
      upstream: { statusCode: 422, errorMessage: "no such reserve" }
    })
  })

  test("is confirmed by the next telemetry, without a result", async () => {
    const { confirm, deviceId, destination, perform, push, read, reserve } = await arrange()
    await destination()
    const { id } = await reserve(30)
    await perform()
    await push(deviceId, { state: { ...state, backupReserve: 30 } })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed" })
  })
})

describe("the state of a direct device", () => {
  const battery = (more: object) => ({ state: { ...state, ...more } })
  const thermostat = (more: object) => ({
    state: { ambientTemperature: 70, operatingMode: "off", fanMode: "auto", ...more }
  })

  test("that was so before the manufacturer took the command proves nothing, whenever the runner has looked at it", async () => {
    const { becomeDue, confirm, deviceId, perform, push, read, reserve, take } = await arrange()
    await push(deviceId, battery({ backupReserve: 20 }))
    const { id } = await reserve(30)
    await perform()
    await push(deviceId, battery({ backupReserve: 30 }))
    await take()
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await push(deviceId, battery({ backupReserve: 30 }))
    await becomeDue()
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed" })
  })

  test.each([
    ["battery:set-reserve", { chargePercentage: 21 }, battery({ backupReserve: 20 })],
    ["battery:set-reserve", { chargePercentage: 40.5 }, battery({ backupReserve: 40 })],
    [
      "thermostat:set-operating-mode",
      { operatingMode: "heat", heatTarget: 68.5 },
      thermostat({ operatingMode: "heat", heatTarget: 68 })
    ]
  ])("does not complete %s %j if it stays as it was", async (type, input, shown) => {
    const { confirm, device, key, must, push, read } = await arrange()
    const { id: deviceId } = await device(type.startsWith("battery") ? "battery" : "thermostat")
    await push(deviceId, shown)
    const { id } = await must(201, "POST", `/v1/devices/${deviceId}/commands`, { type, input })
    await must(200, "GET", `/devices/${deviceId}/commands?status=pending`, undefined, key)
    await push(deviceId, shown)
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test.each([
    ["battery:set-reserve", { chargePercentage: 40 }, battery({ backupReserve: 77 })],
    ["battery:set-operating-mode", { operatingMode: "charge" }, battery({ chargingState: "discharging" })],
    ["thermostat:set-operating-mode", { operatingMode: "cool", coolTarget: 74 }, thermostat({})]
  ])(
    "that shows the contrary of %s %j after confirmWithin fails it with contradicted_by_state",
    async (type, input, shown) => {
      const { confirm, device, events, key, must, push, read } = await arrange()
      const { availableCommands, id: deviceId } = await device(type.startsWith("battery") ? "battery" : "thermostat")
      const { confirmWithin } = availableCommands.find(({ slug }: { slug: string }) => slug === type)
      const { id } = await must(201, "POST", `/v1/devices/${deviceId}/commands`, { type, input })
      await must(200, "GET", `/devices/${deviceId}/commands?status=pending`, undefined, key)
      await push(deviceId, shown)
      await confirm()
      expect(await read(id)).toMatchObject({ status: "delivered" })
      await app.sql(
        (sql) => sql`UPDATE commands SET due_at = now(), handed_at = handed_at - ${confirmWithin} * interval '1 second',
        delivered_at = delivered_at - ${confirmWithin} * interval '1 second' WHERE id = ${id} RETURNING 1`
      )
      await push(deviceId, shown)
      await confirm()
      expect(await read(id)).toMatchObject({ status: "failed", reason: "contradicted_by_state" })
      expect(await events("COMMAND_FAILED")).toHaveLength(1)
    }
  )
})

describe("a completed command of a direct device that does nothing", () => {
  const discharge = async (push: (id: string, body: unknown) => Promise<unknown>, place: any) => {
    await push(place.deviceId, { state: { ...state, gridPower: 400 } })
    const { id } = await place.send("battery:set-operating-mode", { operatingMode: "discharge" })
    await place.take()
    await place.result(id, { status: "completed" })
    return id as string
  }
  const look = async ({
    becomeDue,
    confirm
  }: {
    becomeDue: () => Promise<unknown>
    confirm: () => Promise<unknown>
  }) => {
    await becomeDue()
    await confirm()
  }

  test("has a note with the reason, by its first state after the completion", async () => {
    const place = await arrange()
    const id = await discharge(place.push, place)
    await look(place)
    expect(await place.read(id)).not.toHaveProperty("note")
    await place.push(place.deviceId, { state: { ...state, backupReserve: 50 } })
    await look(place)
    const note = {
      code: "battery_at_reserve",
      sentence: "The battery was idle at 50 %, and discharging stops at 50 %."
    }
    expect(await place.read(id)).toMatchObject({ status: "completed", note })
    await place.push(place.deviceId, { state: { ...state, chargingState: "discharging" } })
    await look(place)
    expect(await place.read(id)).toMatchObject({ note })
  })

  test("has none once a state has shown that it does it", async () => {
    const place = await arrange()
    const id = await discharge(place.push, place)
    await place.push(place.deviceId, { state: { ...state, chargingState: "discharging" } })
    await look(place)
    await place.push(place.deviceId, { state: { ...state, backupReserve: 50 } })
    await look(place)
    expect(await place.read(id)).not.toHaveProperty("note")
  })

  test("has a note without a reason if its state gives none a minute after the completion", async () => {
    const place = await arrange()
    const id = await discharge(place.push, place)
    await place.push(place.deviceId, { state: { ...state, gridPower: 400 } })
    await look(place)
    expect(await place.read(id)).not.toHaveProperty("note")
    await app.sql(
      (sql) => sql`UPDATE commands SET issued_at = issued_at - interval '2 minutes',
        executed_at = executed_at - interval '2 minutes' WHERE id = ${id} RETURNING 1`
    )
    await look(place)
    expect(await place.read(id)).toMatchObject({ note: { code: "no_effect_shown" } })
  })
})

describe("a direct device that shows the target already", () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const shown = { ...state, backupReserve: 40 }

  test.each([
    ["4 minutes ago gets no command", 4, { status: "completed", reason: "already_so" }],
    ["14 minutes ago gets it", 14, { status: "pending" }]
  ])("%s", async (_, minutes, expected) => {
    const { deviceId, perform, push, read, reserve } = await arrange()
    await push(deviceId, { state: shown, timestamp: minutesAgo(minutes) })
    const { id } = await reserve(40)
    await perform()
    expect(await read(id)).toMatchObject(expected)
  })

  test("gets it if an earlier command may have changed the target since", async () => {
    const { deviceId, perform, push, read, reserve, take } = await arrange()
    await push(deviceId, { state: shown })
    await reserve(20)
    await take()
    const { id } = await reserve(40)
    await perform()
    expect(await read(id)).toMatchObject({ status: "pending" })
    expect(await take()).toContain(id)
  })

  test("gets no command if its reading has confirmed the earlier one", async () => {
    const { confirm, deviceId, perform, push, read, reserve, take } = await arrange()
    const first = await reserve(40)
    await take()
    await push(deviceId, { state: shown })
    await confirm()
    expect(await read(first.id)).toMatchObject({ status: "completed" })
    const { id } = await reserve(40)
    await perform()
    expect(await read(id)).toMatchObject({ status: "completed", reason: "already_so" })
  })
})

describe("200 GET /devices/:id/commands", () => {
  test("returns waiting commands, oldest first, which become delivered, and again until their result", async () => {
    const { polled, read, reserve, result, send, take } = await arrange()
    const one = await reserve(30)
    const other = await send("battery:set-operating-mode", { operatingMode: "charge" })
    const found = await polled()
    expect(found.map(({ id }) => id)).toEqual([one.id, other.id])
    expect(found.map(({ status }) => status)).toEqual(["delivered", "delivered"])
    expect(await read(one.id)).toEqual(found[0])
    expect(await polled()).toEqual(found)
    await result(one.id, { status: "completed" })
    expect(await take()).toEqual([other.id])
  })

  test("returns nothing that has timed out, and scheduled commands only when they are due", async () => {
    const { becomeDue, expire, perform, reserve, take } = await arrange()
    const { id } = await reserve(30)
    const later = await reserve(40, { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await take()).toEqual([id])
    await expire(id)
    expect(await take()).toEqual([])
    await becomeDue()
    await perform()
    expect(await take()).toEqual([later.id])
  })

  test("still returns commands that the runner has looked at in vain, as there is no destination", async () => {
    const { perform, read, reserve, take } = await arrange()
    const { id } = await reserve(30)
    await perform()
    expect(await read(id)).toMatchObject({ status: "pending" })
    expect(await take()).toEqual([id])
    await perform()
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test("does not return a command that is just being posted to a destination", async () => {
    const { destination, perform, reserve, take } = await arrange()
    await destination()
    await reserve(30)
    let meanwhile: ReadonlyArray<string> | undefined
    receiver.respond((response) => {
      void take().then((ids) => {
        meanwhile = ids
        response.writeHead(202).end()
      })
    })
    await perform()
    expect(meanwhile).toEqual([])
  })

  test("returns the commands of schedules and dispatches once they were judged", async () => {
    const { perform, reserve, take } = await arrange()
    const { id } = await reserve(30)
    await app.sql((sql) => sql`UPDATE commands SET source = 'schedule' WHERE id = ${id} RETURNING 1`)
    expect(await take()).toEqual([])
    await perform()
    expect(await take()).toEqual([id])
  })

  test("pages by number and by cursor, and delivers only what it returns", async () => {
    const { deviceId, key, must, read, reserve, send } = await arrange()
    const one = await reserve(30)
    const other = await send("battery:set-operating-mode", { operatingMode: "idle" })
    const path = `/devices/${deviceId}/commands?status=pending&perPage=1`
    const first = await app.call("GET", path, { key })
    expect(first.body).toMatchObject({ data: [{ id: one.id }], page: 1, perPage: 1, totalItems: 2, totalPages: 2 })
    expect(await read(other.id)).toMatchObject({ status: "pending" })
    const cursor = first.headers.get("x-next-cursor")
    const next = await app.call("GET", `${path}&cursor=${cursor}`, { key })
    expect(next.body).toMatchObject({ data: [{ id: other.id, status: "delivered" }], perPage: 1 })
    expect(next.headers.get("x-next-cursor")).toBeNull()
    expect((await must(200, "GET", `${path}&page=2`, undefined, key)).data).toMatchObject([{ id: other.id }])
  })

  test("begins a forced mode with the delivery", async () => {
    const { deviceId, must, send, take } = await arrange()
    await send("battery:set-operating-mode", { operatingMode: "charge" }, { revertAfter: 3600 })
    await take()
    const { forcedMode } = await must(200, "GET", `/v1/devices/${deviceId}`)
    expect(forcedMode).toMatchObject({ mode: "charge", source: "user" })
  })

  test("ends a forced stop of a charger that has charged before by starting it again, as a command", async () => {
    const { device, key, must } = await arrange()
    const { id } = await device("charger")
    const charging = { chargingState: "charging", chargerWattage: 7000 }
    await must(200, "POST", `/devices/${id}/telemetry`, { state: charging }, key)
    const body = { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" }, revertAfter: 60 }
    await must(201, "POST", `/v1/devices/${id}/commands`, body)
    expect((await must(200, "GET", `/devices/${id}/commands?status=pending`, undefined, key)).data).toHaveLength(1)
    await must(200, "POST", `/devices/${id}/telemetry`, { state: { chargingState: "idle", chargerWattage: 0 } }, key)
    await app.sql((sql) => sql`UPDATE forced_modes SET due_at = now() WHERE device_id = ${id} RETURNING 1`)
    await app.sql((sql) => sql`UPDATE device_work SET due_at = now() WHERE device_id = ${id} RETURNING 1`)
    await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the mode ends", async () => {
      const { forcedMode } = await must(200, "GET", `/v1/devices/${id}`)
      return forcedMode === undefined ? true : undefined
    })
    const { data } = await must(200, "GET", `/v1/devices/${id}/commands`)
    expect(data[0]).toMatchObject({ status: "pending", input: { operatingMode: "start-charging" } })
  })
})

describe("POST /devices/:id/commands/:commandId/result", () => {
  test("200 for the same result again, which changes nothing; 400 INVALID_STATE for another one", async () => {
    const { events, polled, reserve, result } = await arrange()
    const { id } = await reserve(30)
    await polled()
    const first = await result(id, { status: "failed" })
    expect(first).toMatchObject({ status: 200, body: { status: "failed", reason: "refused", output: null } })
    expect((await result(id, { status: "failed", reason: "refused" })).body).toEqual(first.body)
    expectError(await result(id, { status: "failed", reason: "asleep" }), 400, "INVALID_STATE")
    expectError(await result(id, { status: "completed" }), 400, "INVALID_STATE")
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
  })

  test("200 with the late result after the time-out, which keeps the status", async () => {
    const { events, expire, polled, reserve, result, timeOut } = await arrange()
    const { id } = await reserve(30)
    await polled()
    await expire(id)
    await timeOut()
    const late = await result(id, { status: "failed", reason: "unreachable" })
    expect(late).toMatchObject({
      status: 200,
      body: {
        status: "failed",
        reason: "timeout",
        lateResult: { status: "failed", reason: "unreachable", at: moment }
      }
    })
    expect((await result(id, { status: "failed", reason: "unreachable" })).body).toEqual(late.body)
    expectError(await result(id, { status: "completed" }), 400, "INVALID_STATE")
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
  })

  test("200 under /v1, too, where GET is the workspace's list", async () => {
    const { deviceId, key, polled, reserve } = await arrange()
    const { id } = await reserve(30)
    await polled()
    const path = `/v1/devices/${deviceId}/commands`
    const reply = await app.call("POST", `${path}/${id}/result`, { key, body: { status: "completed" } })
    expect(reply).toMatchObject({ status: 200, body: { status: "completed" } })
    expectError(await app.call("GET", path, { key }), 401, "UNAUTHENTICATED")
  })

  test("400 INVALID_STATE for a scheduled command that is not due", async () => {
    const { reserve, result } = await arrange()
    const { id } = await reserve(30, { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() })
    expectError(await result(id, { status: "completed" }), 400, "INVALID_STATE")
  })

  test("400 INVALID_STATE for a command that was cancelled", async () => {
    const { must, reserve, result } = await arrange()
    const { id } = await reserve(30)
    await must(200, "POST", `/v1/commands/${id}/cancel`)
    expectError(await result(id, { status: "completed" }), 400, "INVALID_STATE")
  })

  test.each([
    ["a reason of the platform's own", { status: "failed", reason: "timeout" }, "reason"],
    ["a reason for a success", { status: "completed", reason: "refused" }, "reason"],
    ["an unknown status", { status: "done" }, "status"],
    ["an impossible status code", { status: "completed", upstream: { statusCode: 42 } }, "upstream.statusCode"]
  ])("400 VALIDATION_ERROR %s", async (_, body, field) => {
    const { reserve, result } = await arrange()
    const reply = await result((await reserve(30)).id, body)
    expectError(reply, 400, "VALIDATION_ERROR", { [field]: expect.stringMatching(/^Must /) })
  })

  test("404 NOT_FOUND for a command that does not exist, or is another device's", async () => {
    const { device, key, reserve, result } = await arrange()
    expectError(await result(nobody, { status: "completed" }), 404, "NOT_FOUND")
    const { id } = await reserve(30)
    const other = await device("battery")
    const path = `/devices/${other.id}/commands/${id}/result`
    expectError(await app.call("POST", path, { key, body: { status: "completed" } }), 404, "NOT_FOUND")
  })
})

describe("both", () => {
  test("404 DEVICE_NOT_FOUND, 403 MANUFACTURER_NOT_ALLOWED, 403 DEVICE_NOT_OEM_DIRECT, 404 DEVICE_NOT_ASSOCIATED, in this order", async () => {
    const place = await arrange()
    const foreign = await arrange()
    const simulated = (await app.key(place, "MANUFACTURER", { scope: ["simulator"] })).key
    const { id } = await place.reserve(30)
    const bothFail = async (deviceId: string, key: string, status: number, code: string) => {
      const path = `/devices/${deviceId}/commands`
      expectError(await app.call("GET", `${path}?status=pending`, { key }), status, code)
      const body = { status: "completed" }
      expectError(await app.call("POST", `${path}/${id}/result`, { key, body }), status, code)
    }
    await bothFail(nobody, place.key, 404, "DEVICE_NOT_FOUND")
    await bothFail(place.deviceId, foreign.key, 404, "DEVICE_NOT_FOUND")
    await bothFail(place.deviceId, simulated, 403, "MANUFACTURER_NOT_ALLOWED")
    await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${place.deviceId} RETURNING 1`)
    await bothFail(place.deviceId, place.key, 403, "DEVICE_NOT_OEM_DIRECT")
    await app.sql((sql) => sql`UPDATE devices SET direct = true WHERE id = ${place.deviceId} RETURNING 1`)
    await place.remove(place.deviceId)
    await bothFail(place.deviceId, place.key, 404, "DEVICE_NOT_ASSOCIATED")
  })
})
