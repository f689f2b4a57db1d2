import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Logger } from "effect"
import { describe, expect, test } from "vitest"
import { discovered, observation, report, scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "./arrangeAccounts.ts"
import { gate } from "../../support/races.ts"

const scripted = scriptedAdapter({ subscribes: true, polling: null })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })
const arrange = () => arrangeAccounts(app, scripted)
const step = () =>
  app.run(Effect.flatMap(AccountRunner, (runner) => runner.step).pipe(Effect.provide(Logger.layer([]))))

describe("a connection on which devices report", () => {
  test("is held by one worker, stores reports, and is made again after it broke", async () => {
    const { account, device, link, work } = await arrange()
    const person = scripted.account()
    const { entered, open, wait } = gate()
    person.account.subscribe = (_, receive) =>
      receive(report([observation(person.device, { state: { power: 7 } })])).pipe(
        Effect.andThen(wait),
        Effect.andThen(Effect.fail(AdapterError.of("unreachable", "The connection was closed")))
      )
    const { deviceId, id } = await link(person)
    await step()
    await entered
    expect((await device(deviceId)).state).toMatchObject({ power: 7 })
    expect((await work(id)).claim).not.toBeNull()
    expect(await step()).toBe(0)
    open()
    await expect.poll(async () => (await work(id)).claim).toBeNull()
    expect(await work(id)).toMatchObject({ failures: 1 })
    expect(await account(id)).toMatchObject({ last_error: { failure: "unreachable" } })
    const before = scripted.counts.subscribe
    await app.sql((sql) => sql`UPDATE account_work SET due_at = now() WHERE account_id = ${id} RETURNING 1`)
    await step()
    await expect.poll(() => scripted.counts.subscribe).toBe(before + 1)
  })
})

describe("a device that reports by itself", () => {
  const receive = (id: string, of: ReturnType<typeof report>) => app.run(scripted.host().report(id, of))

  test("is known while it is being linked, and its readings count once it is", async () => {
    const { accounts, begin, device, finish } = await arrange()
    const person = scripted.account({ devices: [] })
    const id = await begin(person)
    const found = await app.run(scripted.host().findAccount(person.externalId))
    expect(found).toMatchObject({ id, pending: true, credentials: { token: "secret-token" } })
    const reported = report([observation(person.device)], { devices: [discovered(person.device)], memory: { n: 1 } })
    await receive(id, reported)
    const { deviceIds } = await finish(id, person, { chosen: [person.device] })
    await receive(id, reported)
    expect((await device(deviceIds[0]!)).state).toMatchObject({ power: 100 })
    expect(await app.run(scripted.host().findAccount(person.externalId))).toMatchObject({
      pending: false,
      memory: { n: 1 }
    })
    expect(await accounts((service) => service.manufacturers)).toHaveLength(1)
  })

  test("is imported with the report that names it first, together with its reading", async () => {
    const { events, link } = await arrange()
    const person = scripted.account()
    const { id } = await link(person)
    const added = `${person.device}-2`
    await receive(id, report([observation(added)], { devices: [...person.account.devices, discovered(added)] }))
    const [row] = await app.sql<any>(
      (sql) =>
        sql`SELECT state FROM devices JOIN device_states ON device_id = id WHERE manufacturer_device_id = ${added}`
    )
    expect(row.state).toMatchObject({ power: 100 })
    expect(await events("DEVICE_DISCOVERED")).toHaveLength(2)
  })

  test("stores nothing after its account was disconnected", async () => {
    const { accounts, device, link, workspaceId } = await arrange()
    const person = scripted.account()
    const { deviceId, id } = await link(person)
    await accounts((service) => service.disconnect(workspaceId, id))
    await receive(id, report([observation(person.device)]))
    expect((await device(deviceId)).state).toEqual({})
    expect(await app.run(scripted.host().findAccount(person.externalId))).toBeUndefined()
  })
})
