import { confirmByState } from "@edp/domain/commands/confirmByState"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { acceptedCommand, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { moment } from "../../devices/arrangeDevices.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"
import { commandSweeps } from "../arrangeConfirmations.ts"

const BROKEN = 77

/** A discharge is confirmed by any state. A reserve of 0 % contradicts everything; the adapter fails for commands of one reserve. */
const scripted = scriptedAdapter({
  commands: batteryCommands,
  confirms: ({ input, type }, { state }, before) => {
    if (input["operatingMode"] === "discharge") return "met"
    if (input["chargePercentage"] === BROKEN) throw new Error("a fault of the adapter")
    if ((state as { backupReserve?: number }).backupReserve === 0) return "contradicted"
    return confirmByState(type, input, state, before)
  }
})
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

const arrange = async (script = {}) => {
  const place = await arrangeCommands(app, scripted, script)
  const sweeps = commandSweeps(app)
  /** A command that the manufacturer has accepted. */
  const delivered = async (chargePercentage: number) => {
    const { id } = await place.reserve(chargePercentage)
    await place.perform()
    return id as string
  }
  /** Looks at all commands as if their turn had come. */
  const confirm = async () => {
    await app.sql((sql) => sql`UPDATE commands SET due_at = now() WHERE status = 'delivered' RETURNING 1`)
    await sweeps.confirm()
  }
  const row = async (id: string): Promise<any> => {
    const [found] = await app.sql<any>(
      (
        sql
      ) => sql`SELECT handed_at, delivered_at, due_at, seen_reading_id, extract(epoch FROM due_at - now())::float8 AS wait
        FROM commands WHERE id = ${id}`
    )
    return found
  }
  /** Lets the time pass in which a state may still show something else. */
  const age = (id: string) =>
    app.sql(
      (sql) => sql`UPDATE commands SET handed_at = handed_at - interval '61 seconds',
        delivered_at = delivered_at - interval '61 seconds' WHERE id = ${id} RETURNING 1`
    )
  return { ...place, ...sweeps, age, confirm, delivered, row }
}

describe("a delivered command", () => {
  test("completes with the first state that shows its effect", async () => {
    const { confirm, delivered, events, observe, read } = await arrange()
    const id = await delivered(30)
    await observe({ backupReserve: 20 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await observe({ backupReserve: 30 })
    await confirm()
    const command = await read(id)
    expect(command).toMatchObject({ status: "completed", executedAt: moment })
    expect(command.transitions.map(({ status }: { status: string }) => status)).toEqual([
      "pending",
      "delivered",
      "completed"
    ])
    const [event] = await events("COMMAND_SUCCEEDED")
    expect(event.data.command).toEqual(command)
  })

  test("fails with a state that contradicts it", async () => {
    const { confirm, delivered, events, observe, read } = await arrange()
    const id = await delivered(30)
    await observe({ backupReserve: 0 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "contradicted_by_state", executedAt: moment })
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
  })

  test("is neither confirmed nor contradicted by readings from before it was sent, whenever they arrive", async () => {
    const { confirm, delivered, observe, read, row } = await arrange()
    await observe({ backupReserve: 30 }, Date.now() - 1000)
    const id = await delivered(30)
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    const handed = (await row(id)).handed_at.getTime()
    await observe({ backupReserve: 0 }, handed - 2)
    await confirm()
    await observe({ backupReserve: 30 }, handed - 1)
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await observe({ backupReserve: 30 }, handed)
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed" })
  })

  test("is not confirmed by a reading that had arrived before with a time that was ahead", async () => {
    const { confirm, delivered, observe, read } = await arrange()
    await observe({ backupReserve: 30 }, Date.now() + 60_000)
    const id = await delivered(30)
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test("is confirmed, but not contradicted, by a reading from between the call and its acceptance", async () => {
    const { confirm, delivered, observe, read, row } = await arrange({
      send: () => Effect.as(Effect.sleep("20 millis"), acceptedCommand)
    })
    const [id, other] = [await delivered(30), await delivered(40)]
    const first = await row(id)
    expect(first.handed_at.getTime()).toBeLessThan(first.delivered_at.getTime())
    const handed = (await row(other)).handed_at.getTime()
    await observe({ backupReserve: 0 }, handed)
    await confirm()
    expect(await read(other)).toMatchObject({ status: "delivered" })
    await observe({ backupReserve: 40 }, handed + 1)
    await confirm()
    expect(await read(other)).toMatchObject({ status: "completed" })
  })

  test("is left to its time-out when its adapter fails, which stops no other command", async () => {
    const broken = await arrange()
    const other = await arrange()
    const [id, theirs] = [await broken.delivered(BROKEN), await other.delivered(30)]
    await broken.observe({ backupReserve: BROKEN })
    await other.observe({ backupReserve: 30 })
    await other.confirm()
    expect(await broken.read(id)).toMatchObject({ status: "delivered" })
    expect(await other.read(theirs)).toMatchObject({ status: "completed" })
  })

  test("is compared once with each reading, after a second at first, every ten later", async () => {
    const { confirm, delivered, observe, row } = await arrange()
    const id = await delivered(30)
    await observe({ backupReserve: 20 })
    await confirm()
    const first = await row(id)
    expect(first.wait).toBeGreaterThan(0)
    expect(first.wait).toBeLessThanOrEqual(1.1)
    expect(first.seen_reading_id).toEqual(expect.any(String))
    await app.sql(
      (sql) => sql`UPDATE commands SET delivered_at = now() - interval '10 minutes' WHERE id = ${id} RETURNING 1`
    )
    await confirm()
    const later = await row(id)
    expect(later.wait).toBeGreaterThan(8)
    expect(later.wait).toBeLessThanOrEqual(10.1)
    expect(later.seen_reading_id).toBe(first.seen_reading_id)
  })
})

test("a command that is completed while the device does nothing says why, in its event, too", async () => {
  const { confirm, events, mode, observe, perform, read } = await arrange()
  const { id } = await mode("discharge")
  await perform()
  await observe({ chargePercentage: 49.8, backupReserve: 50 })
  await confirm()
  const command = await read(id)
  expect(command).toMatchObject({
    status: "completed",
    note: { code: "battery_at_reserve", sentence: "The battery was idle at 49.8 %, and discharging stops at 50 %." }
  })
  const [event] = await events("COMMAND_SUCCEEDED")
  expect(event.data.command).toEqual(command)
})

describe("a reading within the device's resolution of what was asked", () => {
  test.each([
    ["20 before and after it", 20, 21, 20],
    ["80 before and after it", 80, 79, 80],
    ["40 before and after it", 40, 40.5, 40],
    ["a value that has moved away from the asked one", 20.4, 21, 20]
  ])("does not complete a command: %s", async (_, before, asked, shown) => {
    const { confirm, delivered, observe, read } = await arrange()
    await observe({ backupReserve: before }, Date.now() - 1000)
    const id = await delivered(asked)
    await observe({ backupReserve: shown })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test("completes a command if the value has moved there from another", async () => {
    const { confirm, delivered, observe, read } = await arrange()
    await observe({ backupReserve: 20 }, Date.now() - 1000)
    const id = await delivered(40.4)
    await observe({ backupReserve: 40 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed" })
  })

  test("does not complete a command of a device that never reported before", async () => {
    const { confirm, delivered, observe, read } = await arrange()
    const id = await delivered(40.4)
    await observe({ backupReserve: 40 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await observe({ backupReserve: 40.4 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed" })
  })

  test("completes a command whose first call may have arrived, by the state from before that call", async () => {
    let calls = 0
    const { confirm, expedite, observe, perform, read, reserve } = await arrange({
      send: () =>
        calls++ === 0 ? Effect.fail(AdapterError.of("unreachable", "no response")) : Effect.succeed(acceptedCommand)
    })
    await observe({ backupReserve: 20 }, Date.now() - 1000)
    const { id } = await reserve(40.4)
    await perform()
    await observe({ backupReserve: 40 })
    await expedite()
    await perform()
    await observe({ backupReserve: 40 })
    await confirm()
    expect(calls).toBe(2)
    expect(await read(id)).toMatchObject({ status: "completed" })
  })

  test("completes a command whose adapter says that the device got this value", async () => {
    const { confirm, delivered, observe, read } = await arrange({
      send: () => Effect.succeed({ ...acceptedCommand, sentInput: { chargePercentage: 40 } })
    })
    await observe({ backupReserve: 40 }, Date.now() - 1000)
    const id = await delivered(40.4)
    await observe({ backupReserve: 40 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed", input: { chargePercentage: 40.4 } })
  })
})

describe("a reading that shows another value after the time for the confirmation", () => {
  test("fails the command, and an earlier one does not", async () => {
    const { age, confirm, delivered, events, observe, read } = await arrange()
    await observe({ backupReserve: 20 }, Date.now() - 1000)
    const id = await delivered(40)
    await observe({ backupReserve: 20 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await age(id)
    await observe({ backupReserve: 20 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "contradicted_by_state" })
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
  })

  test("does not fail it while the value is on its way", async () => {
    const { age, confirm, delivered, observe, read } = await arrange()
    await observe({ backupReserve: 20 }, Date.now() - 1000)
    const id = await delivered(40)
    await age(id)
    await observe({ backupReserve: 30 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "delivered" })
    await observe({ backupReserve: 30 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "contradicted_by_state" })
  })

  test("does not fail it once a later command may have changed the value", async () => {
    const { age, confirm, delivered, observe, read } = await arrange()
    const first = await delivered(40)
    const second = await delivered(60)
    await age(first)
    await age(second)
    await observe({ backupReserve: 60 })
    await confirm()
    expect(await read(second)).toMatchObject({ status: "completed" })
    expect(await read(first)).toMatchObject({ status: "delivered" })
  })
})

describe("a command whose calls were interrupted twice", () => {
  const interrupted = async () => {
    const place = await arrange()
    const { id } = await place.reserve(30)
    // As two workers that died during their calls leave it.
    await app.sql(
      (sql) =>
        sql`UPDATE commands SET in_hand = true, interruptions = 1, handed_at = now() WHERE id = ${id} RETURNING 1`
    )
    await place.perform()
    expect(place.sent()).toEqual([])
    return { ...place, id: id as string }
  }

  test("is completed by a state that shows its effect", async () => {
    const { confirm, events, id, observe, read } = await interrupted()
    await observe({ backupReserve: 20 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "pending" })
    await observe({ backupReserve: 30 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "completed" })
    expect(await events("COMMAND_SUCCEEDED")).toHaveLength(1)
  })

  test("is not failed by a state: it may never have been sent", async () => {
    const { confirm, id, observe, read } = await interrupted()
    await observe({ backupReserve: 0 })
    await confirm()
    expect(await read(id)).toMatchObject({ status: "pending" })
  })
})
