import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { discovered, observation, report, scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "./arrangeAccounts.ts"

const scripted = scriptedAdapter()
const app = useTestApp({ own: true, adapters: [scripted.adapter] })
const arrange = () => arrangeAccounts(app, scripted)

describe("an account that was linked", () => {
  test("has its devices, with what the manufacturer says of them, and events in order", async () => {
    const { account, device, events, link } = await arrange()
    const { deviceId, id } = await link()
    expect(await account(id)).toMatchObject({ status: "connected", reference_id: "user-1" })
    expect(await device(deviceId)).toMatchObject({
      manufacturer: "scripted",
      type: "meter",
      model: "Scripted meter",
      referenceId: "user-1",
      tags: ["solar"],
      rawType: "METER",
      disconnectedAt: null,
      onlineStatus: "unknown"
    })
    expect((await events()).map(({ type }) => type).toReversed()).toEqual(["DEVICE_DISCOVERED", "DEVICE_CONNECTED"])
  })

  test("is read: the state, its time, and one event", async () => {
    const { device, events, link, perform, work } = await arrange()
    const { deviceId, id } = await link()
    await perform(id)
    expect((await device(deviceId)).state).toMatchObject({ power: 100 })
    expect((await device(deviceId)).onlineStatus).toBe("online")
    expect(await events("DEVICE_UPDATED")).toHaveLength(1)
    const { dueInSeconds } = await work(id)
    expect(dueInSeconds).toBeGreaterThan(50)
    expect(dueInSeconds).toBeLessThanOrEqual(60)
  })

  test("stores a state whose time is unchanged once, without another event", async () => {
    const { events, link, perform } = await arrange()
    const person = scripted.account()
    const observedAt = Date.now() - 1000
    person.account.read = () => Effect.succeed(report([observation(person.device, { observedAt })]))
    const { id } = await link(person)
    await perform(id)
    await perform(id)
    await perform(id)
    expect(await events("DEVICE_UPDATED")).toHaveLength(1)
  })

  test("leaves out a value that does not fit the contract, raises one alert, and settles it when all fits again", async () => {
    const { alerts, device, link, perform } = await arrange()
    const person = scripted.account()
    const state: Record<string, unknown> = { power: 100, energy: "much" }
    person.account.read = () => Effect.sync(() => report([observation(person.device, { state })]))
    const { deviceId, id } = await link(person)
    await perform(id)
    await perform(id)
    expect((await device(deviceId)).state).toMatchObject({ power: 100 })
    expect(await alerts()).toMatchObject([{ type: "SOFTWARE_PROCESS", status: "OPEN", occurrenceCount: 1 }])
    delete state.energy
    await perform(id)
    expect(await alerts()).toMatchObject([{ status: "RESOLVED" }])
    state.energy = "much"
    await perform(id)
    expect((await alerts()).map(({ status }) => status).toSorted()).toEqual(["OPEN", "RESOLVED"])
  })

  test("survives an adapter that throws", async () => {
    const { alerts, link, perform, work } = await arrange()
    const person = scripted.account({ read: () => Effect.die(new Error("secret-token")) })
    const { id } = await link(person)
    await perform(id)
    expect(await work(id)).toMatchObject({ failures: 1 })
    expect(JSON.stringify(await alerts())).not.toContain("secret-token")
  })

  test("reports asleep and awake, also without a new state", async () => {
    const { device, link, perform } = await arrange()
    const person = scripted.account()
    const at = Date.now()
    let asleep = false
    person.account.read = () => Effect.sync(() => report([observation(person.device, { observedAt: at, asleep })]))
    const { deviceId, id } = await link(person)
    await perform(id)
    asleep = true
    await perform(id)
    expect((await device(deviceId)).onlineStatus).toBe("asleep")
    asleep = false
    await perform(id)
    expect((await device(deviceId)).onlineStatus).toBe("online")
  })

  test("reports a device offline once it does not respond to its manufacturer, and online with its next state", async () => {
    const { device, link, perform } = await arrange()
    const person = scripted.account()
    let at = Date.now()
    let isUnreachable = false
    person.account.read = () =>
      Effect.sync(() =>
        report([observation(person.device, { observedAt: at, ...(isUnreachable && { isUnreachable, state: null }) })])
      )
    const { deviceId, id } = await link(person)
    await perform(id)
    expect((await device(deviceId)).onlineStatus).toBe("online")
    isUnreachable = true
    await perform(id)
    expect((await device(deviceId)).onlineStatus).toBe("offline")
    isUnreachable = false
    at += 1000
    await perform(id)
    expect((await device(deviceId)).onlineStatus).toBe("online")
  })

  test("is offline at once when its permission is lost", async () => {
    const { device, link, perform } = await arrange()
    const person = scripted.account()
    const { deviceId, id } = await link(person)
    await perform(id)
    expect(await device(deviceId)).toMatchObject({ onlineStatus: "online", disconnectedAt: null })
    person.account.read = () => Effect.fail(AdapterError.of("grant_lost", "Revoked"))
    await perform(id)
    expect(await device(deviceId)).toMatchObject({ onlineStatus: "offline", disconnectedAt: expect.any(String) })
  })

  test("publishes changed static states, commands and interventions by name, once", async () => {
    const { device, events, link, perform } = await arrange()
    const person = scripted.account()
    person.account.devices = [discovered(person.device, { type: "battery", commands: [] })]
    const intervention = {
      code: "storm_mode" as const,
      blocks: ["battery:set-reserve" as const],
      title: "Storm mode holds the charge",
      steps: ["Wait"],
      actor: "owner" as const
    }
    person.account.read = () =>
      Effect.sync(() =>
        report([
          observation(person.device, {
            state: null,
            staticState: { capacity: 13_500 },
            commands: ["battery:set-reserve"],
            interventions: [intervention]
          })
        ])
      )
    const { deviceId, id } = await link(person)
    await perform(id)
    await perform(id)
    const updates = await events("DEVICE_UPDATED")
    expect(updates).toHaveLength(1)
    expect(updates[0].data.changed.toSorted()).toEqual(["availableCommands", "interventions", "staticState"])
    expect(await device(deviceId)).toMatchObject({ staticState: { capacity: 13_500 }, interventions: [intervention] })
  })

  test("shows an obstacle that its manufacturer names at all of its devices, until it can be read again", async () => {
    const { device, events, link, perform } = await arrange()
    const person = scripted.account()
    const { deviceId, id } = await link(person)
    const codes = async () => (await device(deviceId)).interventions.map(({ code }: { readonly code: string }) => code)
    const read = () => Effect.succeed(report([observation(person.device, { interventions: [] })]))
    person.account.read = () =>
      Effect.fail(AdapterError.of("terms_not_accepted", "New terms", { intervention: "terms_not_accepted" }))
    await perform(id)
    await perform(id)
    expect((await device(deviceId)).interventions).toMatchObject([
      { code: "terms_not_accepted", blocks: ["telemetry"], actor: "owner" }
    ])
    person.account.read = read
    await perform(id)
    expect(await codes()).toEqual([])
    const changed = (await events("DEVICE_UPDATED")).map(({ data }: any) => data.changed)
    expect(changed.filter((names: ReadonlyArray<string>) => names.includes("interventions"))).toHaveLength(2)
  })

  test("keeps the adapter's memory for the next reading", async () => {
    const { link, perform } = await arrange()
    const person = scripted.account()
    const seen: Array<unknown> = []
    person.account.read = ({ memory }) =>
      Effect.sync(() => {
        seen.push(memory)
        return report([observation(person.device)], { memory: { n: seen.length } })
      })
    const { id } = await link(person)
    await perform(id)
    await perform(id)
    expect(seen).toEqual([null, { n: 1 }])
  })

  test("is read faster while busy and slower while idle or asleep", async () => {
    const { link, perform, work } = await arrange()
    for (const [activity, seconds] of [
      ["busy", 10],
      ["idle", 300],
      ["asleep", 600]
    ] as const) {
      const person = scripted.account()
      person.account.read = () => Effect.sync(() => report([observation(person.device)], { activity }))
      const { id } = await link(person)
      await perform(id)
      const { dueInSeconds } = await work(id)
      expect(dueInSeconds).toBeGreaterThan(seconds * 0.85)
      expect(dueInSeconds).toBeLessThanOrEqual(seconds)
    }
  })

  test("backs off after failures, more each time, up to an hour", async () => {
    const { account, link, perform, work } = await arrange()
    const person = scripted.account({ read: () => Effect.fail(AdapterError.of("unreachable", "No response")) })
    const { id } = await link(person)
    const pauses: Array<number> = []
    for (let n = 0; n < 8; n++) {
      await perform(id)
      pauses.push((await work(id)).dueInSeconds!)
    }
    expect(pauses[0]).toBeLessThanOrEqual(60)
    expect(pauses[4]).toBeGreaterThan(300)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(3600)
    expect((await account(id)).last_error).toMatchObject({ failure: "unreachable" })
    person.account.read = () => Effect.sync(() => report([observation(person.device)]))
    await perform(id)
    expect(await account(id)).toMatchObject({ last_error: null })
    expect(await work(id)).toMatchObject({ failures: 0 })
  })
})
