import { CommandIssuer, type NewCommand } from "@edp/server/commands/issuing/CommandIssuer"
import { CommandReverts } from "@edp/server/commands/forced-modes/CommandReverts"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Exit, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { eventually } from "../../../support/eventually.ts"
import { acceptedCommand, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "../../readings/ingest/arrangeDirect.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { gate } from "../../../support/races.ts"

const dispatchId = "cdispatch0000000000000000"
const otherId = "cdispatch0000000000000001"
const before = { mode: "self-consumption" }

/** Commands of a dispatch, as its runner issues them and takes them back. */
const dispatching = (app: TestApp, workspaceId: string, deviceId: string) => ({
  issue: async (input: object = { operatingMode: "discharge" }, more: Partial<NewCommand> = {}) => {
    const command: NewCommand = {
      workspaceId,
      deviceId,
      type: "battery:set-operating-mode",
      input: { ...input },
      source: "dispatch",
      sourceId: dispatchId,
      batchId: null,
      scheduledFor: null,
      notBefore: null,
      expiresAt: new Date(Date.now() + 900_000),
      revertAfter: 3600,
      ...more
    }
    const [issued] = await app.run(Effect.flatMap(CommandIssuer, ({ issue }) => issue([command])))
    return issued!
  },
  revert: (sourceId = dispatchId) =>
    app.run(Effect.flatMap(CommandReverts, ({ revert }) => revert([deviceId], sourceId)))
})

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

const arrange = async () => {
  const place = await arrangeCommands(app, scripted, {
    send: (request) => Effect.as(request.saveSnapshot(before), acceptedCommand)
  })
  return { ...place, ...dispatching(app, place.workspaceId, place.deviceId) }
}

describe("reverting a source's commands", () => {
  test("cancels those that are not delivered, with their events, and leaves nothing open", async () => {
    const { events, issue, perform, read, revert, sent } = await arrange()
    const waiting = await issue()
    const later = await issue(undefined, { scheduledFor: new Date(Date.now() + 3_600_000) })
    expect(await revert()).toEqual([])
    for (const { id } of [waiting, later]) {
      expect(await read(id)).toMatchObject({ status: "failed", reason: "cancelled" })
    }
    expect(await events("COMMAND_FAILED")).toHaveLength(2)
    await perform()
    expect(sent()).toEqual([])
    expect(await revert()).toEqual([])
    expect(await events("COMMAND_FAILED")).toHaveLength(2)
  })

  test("restores the settings from before its forced mode, and is open until then", async () => {
    const { deviceId, forcedMode, issue, perform, person, read, restored, revert, work } = await arrange()
    const { id } = await issue()
    await perform()
    expect(await forcedMode()).toMatchObject({ mode: "discharge", source: "dispatch" })
    expect(await revert()).toEqual([deviceId])
    person.account.restore = () => Effect.fail(AdapterError.of("unreachable", "Away"))
    await perform()
    expect(await revert()).toEqual([deviceId])
    // The pause of the failed attempt is kept.
    expect((await work()).due_at.getTime()).toBeGreaterThan(Date.now())
    person.account.restore = () => Effect.succeed(acceptedCommand)
    await app.sql((sql) => sql`UPDATE forced_modes SET due_at = now() WHERE device_id = ${deviceId} RETURNING 1`)
    await app.sql((sql) => sql`UPDATE device_work SET due_at = now() WHERE device_id = ${deviceId} RETURNING 1`)
    await perform()
    expect(restored()).toEqual([before, before])
    expect(await forcedMode()).toBeUndefined()
    expect(await revert()).toEqual([])
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test("restores what a failed attempt had changed", async () => {
    const { deviceId, issue, perform, person, read, restored, revert } = await arrange()
    person.account.send = (request) =>
      Effect.andThen(request.saveSnapshot(before), Effect.fail(AdapterError.of("unreachable", "Away")))
    const { id } = await issue()
    await perform()
    expect(await revert()).toEqual([deviceId])
    expect(await read(id)).toMatchObject({ status: "failed", reason: "cancelled" })
    await perform()
    expect(restored()).toEqual([before])
    expect(await revert()).toEqual([])
  })

  test("leaves the commands and modes of other dispatches and of callers alone", async () => {
    const { forcedMode, issue, mode, perform, read, restored, revert } = await arrange()
    await issue()
    await perform()
    const { id } = await mode("charge")
    await perform()
    const { id: waiting } = await issue(undefined, {
      sourceId: otherId,
      scheduledFor: new Date(Date.now() + 3_600_000)
    })
    expect(await revert()).toEqual([])
    await perform()
    expect(await forcedMode()).toMatchObject({ mode: "charge", source: "user" })
    expect(await read(id)).toMatchObject({ status: "delivered" })
    expect(await read(waiting)).toMatchObject({ status: "scheduled" })
    expect(restored()).toEqual([])
  })

  test("waits for a command that a worker has leased, and ends the mode that it begins", async () => {
    const { deviceId, forcedMode, issue, perform, person, read, restored, revert } = await arrange()
    const call = gate()
    person.account.send = (request) =>
      request.saveSnapshot(before).pipe(Effect.andThen(call.wait), Effect.as(acceptedCommand))
    const { id } = await issue()
    const working = perform()
    await call.entered
    expect(await revert()).toEqual([deviceId])
    expect(await read(id)).toMatchObject({ status: "pending" })
    call.open()
    await working
    expect(await forcedMode()).toMatchObject({ mode: "discharge" })
    expect(await revert()).toEqual([deviceId])
    await perform()
    expect(restored()).toEqual([before])
    expect(await forcedMode()).toBeUndefined()
    expect(await revert()).toEqual([])
  })

  test("gives back the settings from before the first mode when a second command is leased", async () => {
    const { deviceId, issue, perform, person, restored, revert } = await arrange()
    await issue()
    await perform()
    const call = gate()
    person.account.send = () => Effect.as(call.wait, acceptedCommand)
    await issue({ operatingMode: "idle" })
    const working = perform()
    await call.entered
    expect(await revert()).toEqual([deviceId])
    call.open()
    await working
    expect(await revert()).toEqual([deviceId])
    await perform()
    expect(restored()).toEqual([before])
    expect(await revert()).toEqual([])
  })

  test("joins the transaction of its caller", async () => {
    const { issue, perform, deviceId, forcedMode, read, revert } = await arrange()
    await issue()
    await perform()
    const { id } = await issue({ operatingMode: "idle" })
    const undone = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { revert } = yield* CommandReverts
      return yield* sql.withTransaction(Effect.andThen(revert([deviceId], dispatchId), Effect.fail("undone")))
    })
    expect(Exit.isFailure(await app.run(Effect.exit(undone)))).toBe(true)
    expect(await read(id)).toMatchObject({ status: "pending" })
    expect(await forcedMode()).toMatchObject({ mode: "discharge" })
    expect(await revert()).toEqual([deviceId])
  })

  test("ends the mode of a direct device by a reset command, which the next revert leaves alone", async () => {
    const place = await arrangeDirect(app)
    const { id: deviceId } = await place.device("battery")
    const { issue, revert } = dispatching(app, place.workspaceId, deviceId)
    const taken = async () =>
      (await app.call("GET", `/devices/${deviceId}/commands?status=pending`, { key: place.key })).body
        .data as ReadonlyArray<any>
    const step = async () => {
      await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
      await eventually("the device's work ends", async () => {
        const [row] = await app.sql<any>((sql) => sql`SELECT claim FROM device_work WHERE device_id = ${deviceId}`)
        return row?.claim === null ? true : undefined
      })
    }
    await issue()
    await step()
    const [first] = await taken()
    await app.call("POST", `/devices/${deviceId}/commands/${first.id}/result`, {
      key: place.key,
      body: { status: "completed" }
    })
    expect(await revert()).toEqual([deviceId])
    await step()
    expect(await revert()).toEqual([])
    await step()
    expect(await taken()).toMatchObject([
      { input: { operatingMode: "reset" }, source: "dispatch", status: "delivered" }
    ])
  })
})

describePostgres("reverting while workers die", () => {
  const databases = useDatabases()
  const own = scriptedAdapter({ commands: batteryCommands })
  const first = useTestApp({ databaseUrl: () => databases.url, adapters: [own.adapter] })
  const second = useTestApp({ databaseUrl: () => databases.url, adapters: [own.adapter] })

  test("is finished by another instance when the first one dies after the settings were restored", async () => {
    const place = await arrangeCommands(first, own, {
      send: (request) => Effect.as(request.saveSnapshot(before), acceptedCommand)
    })
    const { deviceId, perform, person, restored } = place
    const { issue, revert } = dispatching(first, place.workspaceId, deviceId)
    await issue()
    await perform()
    expect(await revert()).toEqual([deviceId])
    person.account.restore = () => Effect.interrupt
    await first.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the first instance restores", () => (restored().length > 0 ? true : undefined))
    person.account.restore = () => Effect.succeed(acceptedCommand)
    const another = dispatching(second, place.workspaceId, deviceId)
    expect(await another.revert()).toEqual([deviceId])
    await second.sql(
      (sql) => sql`UPDATE device_work SET lease_until = clock_timestamp(), avoided_by = NULL
        WHERE device_id = ${deviceId} RETURNING 1`
    )
    await second.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the second instance restores", async () =>
      (await another.revert()).length === 0 ? true : undefined
    )
    expect(restored()).toEqual([before, before])
  })
})
