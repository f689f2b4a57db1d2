import { AdapterError } from "@edp/server/adapters/AdapterError"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { acceptedCommand, scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "./arrangeCommands.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })
const arrange = (script = {}) => arrangeCommands(app, scripted, script)

const unavailable = { statusCode: 503, errorCode: null, errorMessage: "Later", requestId: null }
const refusal = { statusCode: 422, errorCode: "E1", errorMessage: "No", requestId: "r-1" }

describe("handing over", () => {
  test("sends a command once, with its id as the token, and shows the acceptance", async () => {
    const { perform, read, reserve, sent } = await arrange()
    const { id } = await reserve(30)
    await perform()
    await perform()
    expect(sent()).toEqual([
      expect.objectContaining({ id, type: "battery:set-reserve", input: { chargePercentage: 30 } })
    ])
    const command = await read(id)
    expect(command.transitions.map(({ status }: { status: string }) => status)).toEqual(["pending", "delivered"])
  })

  test("completes a command at once that the adapter has confirmed", async () => {
    const output = { reserve: 30 }
    const { events, perform, read, reserve } = await arrange({
      send: () => Effect.succeed({ status: "completed", reason: "already_so", output, upstream: null })
    })
    const { id } = await reserve(30)
    await perform()
    expect(await read(id)).toMatchObject({ status: "completed", reason: "already_so", output })
    expect(await events("COMMAND_SUCCEEDED")).toHaveLength(1)
  })

  test("waits for the time of a scheduled command", async () => {
    const { perform, reserve, sent } = await arrange()
    await reserve(30, { scheduledFor: new Date(Date.now() + 3_600_000).toISOString() })
    await reserve(40)
    await perform()
    expect(sent().map(({ input }) => input)).toEqual([{ chargePercentage: 40 }])
  })

  test("repeats a command that the manufacturer could not take, with the same token, and shows the last answer", async () => {
    let failures = 2
    const { hasten, perform, read, reserve, sent } = await arrange({
      send: () =>
        Effect.suspend(() =>
          failures-- > 0
            ? Effect.fail(AdapterError.of("vendor_fault", "Down", { upstream: unavailable }))
            : Effect.succeed(acceptedCommand)
        )
    })
    const { id } = await reserve(30)
    await perform()
    expect(await read(id)).toMatchObject({ status: "pending", upstream: unavailable })
    await perform()
    expect(sent()).toHaveLength(1)
    await hasten()
    await perform()
    await hasten()
    await perform()
    expect(sent().map((each) => each.id)).toEqual([id, id, id])
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test("fails at once what the manufacturer refuses, with its answer", async () => {
    const { events, perform, read, reserve } = await arrange({
      send: () => Effect.fail(AdapterError.of("refused", "No", { upstream: refusal }))
    })
    const { id } = await reserve(30)
    await perform()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "refused", upstream: refusal })
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
  })
})

describe("an answer with text that no database takes", () => {
  const odd = { statusCode: 422, errorCode: "E\0", errorMessage: `No\0 ${"x".repeat(20_000)}`, requestId: "\uD800" }

  test("is recorded without it, and the command is not sent again", async () => {
    const { hasten, perform, read, reserve, sent } = await arrange({
      send: () => Effect.fail(AdapterError.of("refused", "No", { upstream: odd }))
    })
    const { id } = await reserve(30)
    await perform()
    await hasten()
    await perform()
    expect(sent()).toHaveLength(1)
    const { reason, upstream } = await read(id)
    expect([reason, upstream.errorCode, upstream.requestId]).toEqual(["refused", "E", "\uFFFD"])
    expect(upstream.errorMessage).toMatch(/^No x+$/)
    expect(upstream.errorMessage).toHaveLength(10_000)
  })

  test("is recorded with the rest of its output", async () => {
    const { perform, read, send } = await arrange({
      send: () =>
        Effect.succeed({
          status: "completed",
          reason: null,
          output: { note: "a\0b", "k\0": [1, "\0"] },
          upstream: null
        })
    })
    const { id } = await send("battery:set-reserve", { chargePercentage: 40 })
    await perform()
    expect(await read(id)).toMatchObject({ status: "completed", output: { note: "ab", k: [1, ""] } })
  })
})

describe("a forced mode", () => {
  const before = { mode: "self-consumption", reserve: 20 }

  const arrangeMode = () =>
    arrange({
      send: (request: any) =>
        Effect.as(request.snapshot === null ? request.saveSnapshot(before) : Effect.void, acceptedCommand)
    })

  test("stores the settings before its first write, is shown, and restores them when its time is over", async () => {
    const { forcedMode, hasten, mode, perform, read, restored } = await arrangeMode()
    const { id } = await mode("charge", { revertAfter: 3600 })
    await perform()
    const shown = { mode: "charge", then: "restore", source: "user" }
    expect(await forcedMode()).toMatchObject(shown)
    expect((await read(id)).forcedMode).toMatchObject(shown)
    expect(restored()).toEqual([])
    await hasten()
    await perform()
    expect(restored()).toEqual([before])
    expect(await forcedMode()).toBeUndefined()
  })

  test("over another one keeps the first settings", async () => {
    const { forcedMode, hasten, mode, perform, restored } = await arrangeMode()
    await mode("charge")
    await perform()
    await mode("discharge")
    await perform()
    expect(await forcedMode()).toMatchObject({ mode: "discharge" })
    await hasten()
    await perform()
    expect(restored()).toEqual([before])
  })

  test("is restored when its command fails after the settings were stored", async () => {
    const { forcedMode, mode, perform, restored } = await arrange({
      send: (request: any) =>
        Effect.andThen(
          request.saveSnapshot(before),
          Effect.fail(AdapterError.of("refused", "No", { upstream: refusal }))
        )
    })
    await mode("charge")
    await perform()
    await perform()
    expect(restored()).toEqual([before])
    expect(await forcedMode()).toBeUndefined()
  })

  test("goes on being restored until the manufacturer has taken it", async () => {
    let failures = 2
    const { forcedMode, hasten, mode, perform, person, restored } = await arrangeMode()
    person.account.restore = () =>
      Effect.suspend(() =>
        failures-- > 0
          ? Effect.fail(AdapterError.of("unreachable", "Away"))
          : Effect.succeed({ ...acceptedCommand, status: "completed" as const })
      )
    await mode("idle", { revertAfter: 60 })
    await perform()
    for (const _ of [1, 2, 3]) {
      await hasten()
      await perform()
    }
    expect(restored()).toEqual([before, before, before])
    expect(await forcedMode()).toBeUndefined()
  })
})
