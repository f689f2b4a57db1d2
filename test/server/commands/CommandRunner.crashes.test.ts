import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Logger } from "effect"
import { describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { acceptedCommand, scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "./arrangeCommands.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

const before = { mode: "self-consumption" }

const arrange = async () => {
  const place = await arrangeCommands(app, scripted)
  const { deviceId, person } = place
  /** The worker dies in its call, after it has stored the settings of a forced mode. Its lease ends. */
  const crash = async () => {
    let isDead = false
    person.account.send = (request: CommandRequest) =>
      (request.type === "battery:set-operating-mode" && request.snapshot === null
        ? request.saveSnapshot(before)
        : Effect.void
      ).pipe(Effect.andThen(Effect.sync(() => (isDead = true))), Effect.andThen(Effect.interrupt))
    await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the worker dies in its call", () => (isDead ? true : undefined))
    person.account.send = () => Effect.succeed(acceptedCommand)
    await app.sql(
      (sql) =>
        sql`UPDATE device_work SET lease_until = clock_timestamp() WHERE device_id = ${deviceId} RETURNING device_id`
    )
  }
  /** Lets time pass until after the command's expiry. */
  const expire = (id: string) =>
    app.sql(
      (sql) => sql`UPDATE commands SET expires_at = now() - interval '1 second', deadline = now() - interval '1 second'
        WHERE id = ${id} RETURNING 1`
    )
  return { ...place, crash, expire }
}

describe("a command whose worker died in its call", () => {
  test("is repeated once, with the same token", async () => {
    const { crash, perform, read, reserve, sent } = await arrange()
    const { id } = await reserve(30)
    await crash()
    await perform()
    await perform()
    expect(sent().map((each) => each.id)).toEqual([id, id])
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test("is not sent a third time when the repetition dies, too", async () => {
    const { crash, expedite, perform, read, reserve, sent } = await arrange()
    const { id } = await reserve(30)
    await crash()
    await crash()
    await perform()
    await expedite()
    await perform()
    expect(sent()).toHaveLength(2)
    expect((await read(id)).status).toBe("pending")
  })

  test("can neither be cancelled nor be overridden until it is known what became of it", async () => {
    const { call, crash, perform, read, reserve } = await arrange()
    const { id } = await reserve(30)
    await crash()
    expect((await call("POST", `/v1/commands/${id}/cancel`)).status).toBe(400)
    const { id: next } = await reserve(40)
    expect((await read(id)).status).toBe("pending")
    await perform()
    expect([(await read(id)).status, (await read(next)).status]).toEqual(["delivered", "delivered"])
  })

  test("fails at its expiry, and what it had changed is restored", async () => {
    const { crash, events, expire, forcedMode, mode, perform, read, restored, sent } = await arrange()
    const { id } = await mode("charge")
    await crash()
    await expire(id)
    await app.run(Effect.flatMap(CommandOutcomes, ({ timeOut }) => timeOut))
    await perform()
    await perform()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "timeout" })
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
    expect(sent()).toHaveLength(1)
    expect(restored()).toEqual([before])
    expect(await forcedMode()).toBeUndefined()
  })

  test("begins its forced mode when the repetition finds that the device is already so", async () => {
    const { crash, forcedMode, expedite, mode, perform, person, restored } = await arrange()
    await mode("charge", { revertAfter: 600 })
    await crash()
    person.account.send = () => Effect.succeed({ ...acceptedCommand, status: "completed", reason: "already_so" })
    await perform()
    expect(await forcedMode()).toMatchObject({ mode: "charge" })
    await expedite()
    await perform()
    expect(restored()).toEqual([before])
  })
})

test("a forced mode that is overridden after a failed attempt is restored before the next one", async () => {
  const { expedite, mode, perform, person, read, restored, sent } = await arrange()
  person.account.send = (request) =>
    Effect.andThen(request.saveSnapshot(before), Effect.fail(AdapterError.of("unreachable", "Away")))
  const { id } = await mode("charge")
  await perform()
  person.account.send = () => Effect.fail(AdapterError.of("refused", "No"))
  await mode("discharge")
  await expedite()
  await perform()
  expect((await read(id)).reason).toBe("overridden")
  expect(sent()).toHaveLength(2)
  expect(restored()).toEqual([before])
})
