import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { Effect, Logger } from "effect"
import { describe, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { acceptedCommand, discovered, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeAccounts } from "../../accounts/arrangeAccounts.ts"
import { arrangeCommands, batteryCommands } from "../arrangeCommands.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })
const arrange = (script = {}) => arrangeCommands(app, scripted, script)

const unavailable = { statusCode: 503, errorCode: null, errorMessage: "Later", requestId: null }
const refusal = { statusCode: 422, errorCode: "E1", errorMessage: "No", requestId: "r-1" }

describe("sending", () => {
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

  test("repeats a command that the manufacturer could not take, with the same token, and shows the last response", async () => {
    let failures = 2
    const { expedite, perform, read, reserve, sent } = await arrange({
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
    await expedite()
    await perform()
    await expedite()
    await perform()
    expect(sent().map((each) => each.id)).toEqual([id, id, id])
    expect(await read(id)).toMatchObject({ status: "delivered" })
  })

  test.each([{ paired: "yes" }, null])(
    "does not complete a pairing check with the output %o of an adapter",
    async (output) => {
      const person = scripted.account({
        send: () => Effect.succeed({ status: "completed", reason: null, output, upstream: null })
      })
      person.account.devices = [
        discovered(person.device, { type: "vehicle", commands: ["vehicle:check-pairing-status"] })
      ]
      const place = await arrangeAccounts(app, scripted)
      const { deviceId } = await place.link(person)
      const body = { type: "vehicle:check-pairing-status", input: {} }
      const { id } = (await place.call("POST", `/v1/devices/${deviceId}/commands`, body)).body
      await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
      const command = await eventually("the command ends", async () => {
        const found = (await place.call("GET", `/v1/commands/${id}`)).body
        return found.status === "pending" ? undefined : found
      })
      expect(command).toMatchObject({ status: "failed", reason: "refused", output: null })
    }
  )

  test("fails at once what the manufacturer refuses, with its response", async () => {
    const { events, perform, read, reserve } = await arrange({
      send: () => Effect.fail(AdapterError.of("refused", "No", { upstream: refusal }))
    })
    const { id } = await reserve(30)
    await perform()
    expect(await read(id)).toMatchObject({ status: "failed", reason: "refused", upstream: refusal })
    expect(await events("COMMAND_FAILED")).toHaveLength(1)
  })
})

describe("a response with text that no database takes", () => {
  const odd = { statusCode: 422, errorCode: "E\0", errorMessage: `No\0 ${"x".repeat(20_000)}`, requestId: "\uD800" }

  test("is recorded without it, and the command is not sent again", async () => {
    const { expedite, perform, read, reserve, sent } = await arrange({
      send: () => Effect.fail(AdapterError.of("refused", "No", { upstream: odd }))
    })
    const { id } = await reserve(30)
    await perform()
    await expedite()
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

describe("a reserve that a user sets during a forced mode", () => {
  /** A battery with a mode and a reserve. Restoring writes the reserve before the mode. */
  const arrangeBattery = async () => {
    const battery = { mode: "self-consumption", reserve: 25 }
    const script = { isCut: false, refusesReserve: false }
    const place = await arrange({
      send: ({ input, saveSnapshot, snapshot, type }: CommandRequest) =>
        Effect.gen(function* () {
          if (type === "battery:set-reserve") {
            if (script.refusesReserve) return yield* AdapterError.of("refused", "No", { upstream: refusal })
            battery.reserve = Number(input["chargePercentage"])
          } else {
            if (snapshot === null) yield* saveSnapshot({ ...battery })
            battery.mode = String(input["operatingMode"])
            battery.reserve = 10
          }
          return acceptedCommand
        }),
      restore: (snapshot: unknown, taken: CommandRequest["takenSince"]) =>
        Effect.suspend(() => {
          const before = snapshot as typeof battery
          const reserve = taken.find(({ type }) => type === "battery:set-reserve")
          battery.reserve = Number(reserve?.input["chargePercentage"] ?? before.reserve)
          if (script.isCut) return Effect.fail(AdapterError.of("unreachable", "Away"))
          battery.mode = before.mode
          return Effect.succeed({ ...acceptedCommand, status: "completed" as const })
        })
    })
    const end = async () => {
      await place.expedite()
      await place.perform()
    }
    return { ...place, battery, end, script }
  }

  test("stays when the mode ends, whether it is confirmed yet or not", async () => {
    const { battery, end, mode, perform, reserve } = await arrangeBattery()
    await mode("charge", { revertAfter: 3600 })
    await perform()
    await reserve(44)
    await perform()
    await end()
    expect(battery).toEqual({ mode: "self-consumption", reserve: 44 })
  })

  test("stays when it is taken while the settings are half restored", async () => {
    const { battery, end, forcedMode, mode, perform, reserve, script } = await arrangeBattery()
    await mode("charge", { revertAfter: 3600 })
    await perform()
    script.isCut = true
    await end()
    expect(battery).toEqual({ mode: "charge", reserve: 25 })
    await reserve(44)
    await perform()
    script.isCut = false
    await end()
    expect(battery).toEqual({ mode: "self-consumption", reserve: 44 })
    expect(await forcedMode()).toBeUndefined()
  })

  test("is the newest of several, and is not the one that a mode over it asks for", async () => {
    const { battery, end, mode, perform, reserve } = await arrangeBattery()
    await mode("charge", { revertAfter: 3600 })
    await perform()
    for (const percent of [60, 44]) {
      await reserve(percent)
      await perform()
    }
    await mode("discharge", { revertAfter: 3600 })
    await perform()
    expect(battery.reserve).toBe(10)
    await end()
    expect(battery.reserve).toBe(44)
  })

  test("is forgotten if the manufacturer refuses it, or if it was set before the mode", async () => {
    const { battery, end, mode, perform, reserve, script } = await arrangeBattery()
    const { id } = await reserve(70)
    await perform()
    await app.run(
      Effect.flatMap(CommandOutcomes, (outcomes) =>
        outcomes.record([{ id, status: "completed", reason: null, output: null, upstream: null }])
      )
    )
    battery.reserve = 25
    await mode("charge", { revertAfter: 3600 })
    await perform()
    script.refusesReserve = true
    await reserve(44)
    await perform()
    await end()
    expect(battery.reserve).toBe(25)
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
    const { forcedMode, expedite, mode, perform, read, restored } = await arrangeMode()
    const { id } = await mode("charge", { revertAfter: 3600 })
    await perform()
    const shown = { mode: "charge", then: "restore", source: "user" }
    expect(await forcedMode()).toMatchObject(shown)
    expect((await read(id)).forcedMode).toMatchObject(shown)
    expect(restored()).toEqual([])
    await expedite()
    await perform()
    expect(restored()).toEqual([before])
    expect(await forcedMode()).toBeUndefined()
  })

  test("over another one keeps the first settings", async () => {
    const { forcedMode, expedite, mode, perform, restored } = await arrangeMode()
    await mode("charge")
    await perform()
    await mode("discharge")
    await perform()
    expect(await forcedMode()).toMatchObject({ mode: "discharge" })
    await expedite()
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
    const { forcedMode, expedite, mode, perform, person, restored } = await arrangeMode()
    person.account.restore = () =>
      Effect.suspend(() =>
        failures-- > 0
          ? Effect.fail(AdapterError.of("unreachable", "Away"))
          : Effect.succeed({ ...acceptedCommand, status: "completed" as const })
      )
    await mode("idle", { revertAfter: 60 })
    await perform()
    for (const _ of [1, 2, 3]) {
      await expedite()
      await perform()
    }
    expect(restored()).toEqual([before, before, before])
    expect(await forcedMode()).toBeUndefined()
  })
})
