import { describe, expect, test } from "vitest"
import { scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { moment } from "../../devices/arrangeDevices.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"
import { commandSweeps } from "../arrangeConfirmations.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ env: { EDP_COMMAND_TIMEOUT: "90 seconds" }, adapters: [scripted.adapter] })

const arrange = async () => {
  const place = await arrangeCommands(app, scripted)
  const sweeps = commandSweeps(app)
  /** Lets seconds pass for a command, as far as its time-out goes. */
  const pass = (id: string, seconds: number) =>
    app.sql(
      (sql) => sql`UPDATE commands SET deadline = deadline - ${seconds} * interval '1 second',
        executed_at = executed_at - ${seconds} * interval '1 second' WHERE id = ${id} RETURNING 1`
    )
  const delivered = async (chargePercentage: number) => {
    const { id } = await place.reserve(chargePercentage)
    await place.perform()
    return id as string
  }
  const timedOut = async (chargePercentage: number) => {
    const id = await delivered(chargePercentage)
    await pass(id, 91)
    await sweeps.timeOut()
    expect(await place.read(id)).toMatchObject({ status: "failed", reason: "timeout" })
    return id
  }
  return { ...place, ...sweeps, delivered, pass, timedOut }
}

describe("a command", () => {
  test("fails when it was not sent by its expiry, which is the time-out after its issue", async () => {
    const { events, pass, read, reserve, timeOut } = await arrange()
    const { expiresAt, id, issuedAt } = await reserve(30)
    expect(Date.parse(expiresAt) - Date.parse(issuedAt)).toBe(90_000)
    await pass(id, 60)
    await timeOut()
    expect(await read(id)).toMatchObject({ status: "pending" })
    await pass(id, 31)
    await timeOut()
    const command = await read(id)
    expect(command).toMatchObject({ status: "failed", reason: "timeout", executedAt: moment })
    const [event] = await events("COMMAND_FAILED")
    expect(event.data.command).toEqual(command)
  })

  test("has the time-out anew to be confirmed, however late it was sent", async () => {
    const { perform, pass, read, reserve, timeOut } = await arrange()
    const { id } = await reserve(30)
    await pass(id, 60)
    await perform()
    await pass(id, 60)
    await timeOut()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await pass(id, 31)
    await timeOut()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "timeout" })
  })

  test("in the lease of a living worker is left to it, and times out when the worker is dead", async () => {
    const { deviceId, pass, read, reserve, timeOut } = await arrange()
    const { id } = await reserve(30)
    await app.sql((sql) => sql`UPDATE commands SET in_hand = true WHERE id = ${id} RETURNING 1`)
    await app.sql(
      (sql) => sql`UPDATE device_work SET claim = gen_random_uuid(), lease_until = now() + interval '2 minutes'
        WHERE device_id = ${deviceId} RETURNING 1`
    )
    await pass(id, 91)
    await timeOut()
    expect(await read(id)).toMatchObject({ status: "pending" })
    await app.sql(
      (sql) =>
        sql`UPDATE device_work SET lease_until = now() - interval '1 second' WHERE device_id = ${deviceId} RETURNING 1`
    )
    await timeOut()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "timeout" })
  })

  test("times out with hundreds of others, 500 at a time", async () => {
    const { deviceId, reserve, timeOut, workspaceId } = await arrange()
    const { id } = await reserve(30)
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO commands (id, workspace_id, device_id, type, input, source, status, issued_at, expires_at, due_at, deadline)
        SELECT 'c' || lpad(n::text, 24, '0'), ${workspaceId}, ${deviceId}, type, input, source, 'pending', issued_at, expires_at, due_at, now() - interval '1 second'
        FROM commands, generate_series(1, 700) n WHERE id = ${id}`
    )
    expect([await timeOut(), await timeOut(), await timeOut()]).toEqual([500, 200, 0])
  })
})

describe("after the time-out", () => {
  test("a state that shows the effect is kept as the late result, and the status stays", async () => {
    const { findLate, observe, read, timedOut } = await arrange()
    const id = await timedOut(30)
    await observe({ backupReserve: 20 })
    await findLate()
    expect(await read(id)).not.toHaveProperty("lateResult")
    await observe({ backupReserve: 30 })
    await findLate()
    const command = await read(id)
    expect(command).toMatchObject({
      status: "failed",
      reason: "timeout",
      lateResult: { status: "completed", at: moment }
    })
    expect(command.lateResult).not.toHaveProperty("reason")
    await observe({ backupReserve: 40 })
    await findLate()
    expect(await read(id)).toEqual(command)
  })

  test("no state is a late result of a command that was never sent", async () => {
    const { findLate, observe, pass, read, reserve, timeOut } = await arrange()
    const { id } = await reserve(30)
    await pass(id, 91)
    await timeOut()
    await observe({ backupReserve: 30 })
    await findLate()
    expect(await read(id)).not.toHaveProperty("lateResult")
  })

  test("no state is a late result after an hour, or once a newer command of the type was delivered", async () => {
    const { delivered, findLate, observe, pass, read, timedOut } = await arrange()
    const old = await timedOut(30)
    await pass(old, 3601)
    const replaced = await timedOut(30)
    await delivered(40)
    await observe({ backupReserve: 30 })
    await findLate()
    expect(await read(old)).not.toHaveProperty("lateResult")
    expect(await read(replaced)).not.toHaveProperty("lateResult")
  })
})
