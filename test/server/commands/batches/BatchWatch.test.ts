import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { nobody } from "../../devices/arrangeDevices.ts"
import { arrangeBatches } from "../arrangeBatches.ts"

const app = useTestApp()

/** A batch for some batteries, with the ids of its commands. */
const arrange = async (count: number, body: object = {}) => {
  const place = await arrangeBatches(app)
  const deviceIds = await place.batteries(count)
  const { id } = await place.created({ deviceIds, ...body })
  const ids = (await place.commands(id)).map((command) => command.id as string)
  const act = (verb: "cancel" | "retry-failed") => place.call("POST", `/v1/batch-commands/${id}/${verb}`)
  return { ...place, deviceIds, id, ids, act }
}

describe("the progress of a batch", () => {
  test("counts commands by status and by reason until all have ended", async () => {
    const { id, ids, settle, show } = await arrange(4)
    expect(await show(id)).toMatchObject({ status: "pending", total: 4, counts: { pending: 4 } })
    await settle(ids[0]!, "delivered")
    expect(await show(id)).toMatchObject({ status: "running", counts: { pending: 3, delivered: 1 } })
    await settle(ids[0]!, "completed")
    await settle(ids[1]!, "failed", "refused")
    await settle(ids[2]!, "failed", "refused")
    await settle(ids[3]!, "completed", "already_so")
    expect(await show(id)).toMatchObject({
      status: "completed",
      counts: { pending: 0, scheduled: 0, delivered: 0, completed: 2, failed: 2 },
      reasons: { already_so: 1, refused: 2 }
    })
  })

  test("is in the list, newest first, of its workspace alone", async () => {
    const { battery, call, created, id } = await arrange(2)
    const other = await arrange(1)
    const { id: second } = await created({ deviceIds: [await battery()] })
    const { data, totalItems } = (await call("GET", "/v1/batch-commands")).body
    expect([data.map((batch: { id: string }) => batch.id), totalItems]).toEqual([[second, id], 2])
    expect(data[1]).toMatchObject({ total: 2, counts: { pending: 2 } })
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/cancel"],
      ["POST", "/retry-failed"]
    ] as const) {
      expectError(await other.call(method, `/v1/batch-commands/${id}${path}`), 404, "NOT_FOUND")
      expectError(await call(method, `/v1/batch-commands/${nobody}${path}`), 404, "NOT_FOUND")
    }
  })

  test("no longer counts the commands of deleted devices", async () => {
    const { call, deviceIds, id, show } = await arrange(2)
    await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${deviceIds[0]!}`)
    expect((await call("DELETE", `/v1/devices/${deviceIds[0]}`)).status).toBe(204)
    expect(await show(id)).toMatchObject({ total: 1, counts: { pending: 1 } })
  })
})

describe("cancelling a batch", () => {
  test("fails its undelivered commands; leased ones go on, and are cancelled if they come back", async () => {
    const { act, eventTypes, id, ids, settle, show, sweep } = await arrange(4)
    await settle(ids[0]!, "delivered")
    await settle(ids[1]!, "completed")
    await app.sql((sql) => sql`UPDATE commands SET in_hand = true WHERE id = ${ids[2]!}`)
    expect(await act("cancel")).toMatchObject({
      status: 200,
      body: { status: "cancelled", counts: { pending: 1, delivered: 1, completed: 1, failed: 1 }, aborted: false }
    })
    await sweep()
    expect((await show(id)).counts.pending).toBe(1)
    await app.sql((sql) => sql`UPDATE commands SET in_hand = false WHERE id = ${ids[2]!}`)
    await sweep()
    expect(await show(id)).toMatchObject({ counts: { pending: 0, delivered: 1, failed: 2 }, reasons: { cancelled: 2 } })
    expect((await eventTypes()).filter((type) => type === "COMMAND_FAILED")).toHaveLength(2)
    await settle(ids[0]!, "completed")
    expect(await show(id)).toMatchObject({ status: "cancelled", counts: { completed: 2 } })
  })

  test("goes on after a crash that came before its commands were cancelled", async () => {
    const { id, show, sweep } = await arrange(3)
    await app.sql((sql) => sql`UPDATE batch_commands SET cancelled_at = now(), watched = true WHERE id = ${id}`)
    await sweep()
    expect(await show(id)).toMatchObject({ status: "cancelled", reasons: { cancelled: 3 } })
  })

  test("is refused once it has ended", async () => {
    const { act, id, ids, settle, show } = await arrange(1)
    await settle(ids[0]!, "completed")
    expectError(await act("cancel"), 400, "INVALID_STATE")
    expect((await show(id)).status).toBe("completed")
    const other = await arrange(1)
    await other.act("cancel")
    expectError(await other.act("cancel"), 400, "INVALID_STATE")
  })
})

describe("abortWhen", () => {
  const abortWhen = { failedPercent: 50, afterAtLeast: 4 }
  const watched = async (id: string) =>
    (await app.sql((sql) => sql<{ watched: boolean }>`SELECT watched FROM batch_commands WHERE id = ${id}`))[0]!.watched

  test("cancels the rest once the share of enough finished commands has failed", async () => {
    const { id, ids, settle, show, sweep } = await arrange(6, { abortWhen })
    await settle(ids[0]!, "failed", "refused")
    await settle(ids[1]!, "failed", "asleep")
    await settle(ids[2]!, "completed")
    await sweep()
    expect(await show(id)).toMatchObject({ status: "running", aborted: false })
    await settle(ids[3]!, "completed")
    await sweep()
    expect(await show(id)).toMatchObject({
      status: "cancelled",
      aborted: true,
      abortWhen,
      counts: { pending: 0, completed: 2, failed: 4 },
      reasons: { asleep: 1, cancelled: 2, refused: 1 }
    })
    expect(await watched(id)).toBe(false)
  })

  test("does not count overridden and cancelled commands", async () => {
    const { call, deviceIds, id, ids, show, sweep } = await arrange(6, { abortWhen })
    for (const deviceId of deviceIds.slice(0, 4)) {
      await call("POST", `/v1/devices/${deviceId}/commands`, {
        type: "battery:set-reserve",
        input: { chargePercentage: 5 }
      })
    }
    expect((await call("POST", `/v1/commands/${ids[4]}/cancel`)).status).toBe(200)
    await sweep()
    expect(await show(id)).toMatchObject({
      status: "running",
      aborted: false,
      reasons: { cancelled: 1, overridden: 4 }
    })
    expect(await watched(id)).toBe(true)
  })

  test("is watched until every command was delivered", async () => {
    const { id, ids, settle, show, sweep } = await arrange(2, { abortWhen: { failedPercent: 100, afterAtLeast: 2 } })
    await settle(ids[0]!, "delivered")
    await sweep()
    expect(await watched(id)).toBe(true)
    await settle(ids[1]!, "delivered")
    await sweep()
    expect(await watched(id)).toBe(false)
    await settle(ids[0]!, "failed", "refused")
    await settle(ids[1]!, "failed", "refused")
    await sweep()
    expect(await show(id)).toMatchObject({ status: "completed", aborted: false })
  })
})

describe("retrying the failed commands of a batch", () => {
  test("stores a new batch for their devices with the same fields, beginning at once", async () => {
    const { act, call, commands, id, ids, settle } = await arrange(4, {
      maxPerMinute: 600,
      abortWhen: { failedPercent: 90, afterAtLeast: 10 }
    })
    expectError(await act("retry-failed"), 400, "INVALID_STATE")
    const stored = await commands(id)
    await settle(ids[0]!, "failed", "unreachable")
    await settle(ids[1]!, "completed")
    await settle(ids[2]!, "failed", "overridden")
    await settle(ids[3]!, "failed", "refused")
    const { body: retry, status } = await act("retry-failed")
    expect([status, retry]).toEqual([
      202,
      expect.objectContaining({
        retryOf: id,
        total: 2,
        maxPerMinute: 600,
        abortWhen: { failedPercent: 90, afterAtLeast: 10 },
        input: { chargePercentage: 30 }
      })
    ])
    expect((await commands(retry.id)).map(({ deviceId }) => deviceId).toSorted()).toEqual(
      [stored[0].deviceId, stored[3].deviceId].toSorted()
    )
    expect((await call("GET", `/v1/batch-commands/${retry.id}`)).body).toEqual(retry)
  })

  test("repeats what was cancelled, and skips devices that have left meanwhile", async () => {
    const { act, deviceIds } = await arrange(2)
    await act("cancel")
    await app.sql((sql) => sql`UPDATE devices SET disconnected_at = now() WHERE id = ${deviceIds[0]!}`)
    expect((await act("retry-failed")).body).toMatchObject({
      status: "pending",
      total: 1,
      skipped: [{ deviceId: deviceIds[0], code: "INVALID_STATE" }]
    })
  })

  test("is refused if none has failed", async () => {
    const { act, ids, settle } = await arrange(1)
    await settle(ids[0]!, "completed")
    expectError(await act("retry-failed"), 400, "INVALID_STATE")
  })
})
