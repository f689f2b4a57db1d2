import { Effect, Exit } from "effect"
import { describe, expect, test } from "vitest"
import { discovered, observation, report, scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeAccounts } from "../arrangeAccounts.ts"

const scripted = scriptedAdapter()
const app = useTestApp({ own: true, adapters: [scripted.adapter] })
const arrange = () => arrangeAccounts(app, scripted)

const types = async (events: (type?: string) => Promise<ReadonlyArray<any>>) =>
  (await events()).map(({ type }) => type).toReversed()

describe("linking", () => {
  test("imports the chosen devices alone, also after later listings", async () => {
    const { link, perform } = await arrange()
    const person = scripted.account()
    person.account.devices = ["a", "b"].map((name) => discovered(`${person.device}-${name}`))
    const { deviceIds, id } = await link(person, { chosen: [`${person.device}-a`] } as never)
    expect(deviceIds).toHaveLength(1)
    await perform(id, { discovery: true })
    expect(await app.sql((sql) => sql`SELECT id FROM devices WHERE account_id = ${id}`)).toHaveLength(1)
  })

  test("leaves out devices that the platform cannot read", async () => {
    const { link } = await arrange()
    const person = scripted.account()
    person.account.devices = [
      discovered(person.device),
      discovered(`${person.device}-old`, { incompatible: "Its firmware is too old" })
    ]
    expect((await link(person)).deviceIds).toHaveLength(1)
  })

  test("refuses a device of another connected account, and changes nothing", async () => {
    const { begin, finish, link } = await arrange()
    const first = scripted.account()
    await link(first)
    const second = scripted.account({ devices: first.account.devices })
    const pending = await begin(second, { referenceId: "user-2" })
    const exit = await finish(pending, second).then(Exit.succeed, Exit.fail)
    expect(JSON.stringify(exit)).toContain("DeviceTaken")
    const [row] = await app.sql<any>((sql) => sql`SELECT status FROM accounts WHERE id = ${pending}`)
    expect(row.status).toBe("pending")
  })

  test("brings a device of a disconnected account back with its id and its history", async () => {
    const { accounts, call, device, link, perform, workspaceId } = await arrange()
    const person = scripted.account()
    const { deviceId, id } = await link(person)
    await perform(id)
    await accounts((service) => service.disconnect(workspaceId, id))
    expect((await device(deviceId)).disconnectedAt).not.toBeNull()
    const again = await link(person)
    expect(again).toMatchObject({ id, deviceId })
    expect((await call("GET", `/v1/devices/${deviceId}/telemetry`)).body.data ?? []).toBeDefined()
    expect((await device(deviceId)).state).toMatchObject({ power: 100 })
  })

  test("goes on with one of two persons who link the same account at once", async () => {
    const { begin, finish } = await arrange()
    const person = scripted.account()
    const [one, other] = [await begin(person), await begin(person)]
    const results = await Promise.allSettled([finish(one, person), finish(other, person)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
  })

  test("finds the account of the same identity, and the connected account of a reference", async () => {
    const { accounts, begin, link, workspaceId } = await arrange()
    const person = scripted.account()
    const { id } = await link(person, { referenceId: "user-7" })
    const pending = await begin(person, { referenceId: "user-8" })
    const place = { workspaceId, manufacturer: "scripted" }
    const same = { id, status: "connected", referenceId: "user-7" }
    expect(await accounts((one) => one.linkedElsewhere({ ...place, accountId: pending }))).toEqual(same)
    expect(await accounts((one) => one.linkedElsewhere({ ...place, accountId: id }))).toBeUndefined()
    expect(await accounts((one) => one.linkedElsewhere({ ...place, externalId: person.externalId }))).toEqual(same)
    expect(await accounts((one) => one.connectedNames({ ...place, referenceId: "user-7" }))).toHaveLength(1)
    expect(await accounts((one) => one.connectedNames({ ...place, referenceId: "user-8" }))).toEqual([])
  })
})

describe("a listing", () => {
  test("imports devices that were added at the manufacturer", async () => {
    const { events, link, perform } = await arrange()
    const person = scripted.account()
    const { id } = await link(person)
    person.account.devices = [...person.account.devices, discovered(`${person.device}-new`)]
    await perform(id, { discovery: true })
    expect(await types(events)).toEqual(
      expect.arrayContaining(["DEVICE_DISCOVERED", "DEVICE_CONNECTED", "DEVICE_DISCOVERED", "DEVICE_CONNECTED"])
    )
    expect(await events("DEVICE_DISCOVERED")).toHaveLength(2)
  })

  test("changes what differs, and leaves a name that a person has chosen", async () => {
    const { call, device, events, link, perform } = await arrange()
    const person = scripted.account()
    person.account.devices = ["a", "b"].map((name) => discovered(`${person.device}-${name}`))
    person.account.read = () => Effect.succeed(report([]))
    const { deviceIds, id } = await link(person)
    const [renamed, other] = deviceIds
    await call("PATCH", `/v1/devices/${renamed}`, { name: "Mine" })
    person.account.devices = person.account.devices.map((one) => ({ ...one, name: "New", model: "M2" }))
    await perform(id, { discovery: true })
    expect(await device(renamed!)).toMatchObject({ name: "Mine", model: "M2" })
    expect(await device(other!)).toMatchObject({ name: "New", model: "M2" })
    const changed = (await events("DEVICE_UPDATED")).map(({ data }) => data.changed.toSorted().join())
    expect(changed.toSorted()).toEqual(["model", "model,name", "name"])
  })

  test("disconnects a device that two listings in a row leave out, and connects it again once it is back", async () => {
    const { device, events, link, perform } = await arrange()
    const person = scripted.account()
    const all = [discovered(person.device), discovered(`${person.device}-b`)]
    person.account.devices = all
    const { deviceIds, id } = await link(person)
    const gone = deviceIds[1]!
    person.account.devices = all.slice(0, 1)
    await perform(id, { discovery: true })
    expect((await device(gone)).disconnectedAt).toBeNull()
    await perform(id, { discovery: true })
    expect((await device(gone)).disconnectedAt).not.toBeNull()
    expect(await events("DEVICE_DISCONNECTED")).toHaveLength(1)
    await perform(id, { discovery: true })
    expect(await events("DEVICE_DISCONNECTED")).toHaveLength(1)
    person.account.devices = all
    await perform(id, { discovery: true })
    expect((await device(gone)).disconnectedAt).toBeNull()
    expect(await events("DEVICE_CONNECTED")).toHaveLength(3)
  })

  test("does not import a deleted device again until its account is linked again", async () => {
    const { call, finish, begin, link, perform } = await arrange()
    const person = scripted.account()
    const { deviceId, id } = await link(person)
    expect((await call("DELETE", `/v1/devices/${deviceId}`)).status).toBe(204)
    await perform(id, { discovery: true })
    const count = () => app.sql((sql) => sql`SELECT id FROM devices WHERE account_id = ${id}`)
    expect(await count()).toHaveLength(0)
    const again = await begin(person)
    await finish(again, person, { reconnect: id })
    expect(await count()).toHaveLength(1)
  })
})

describe("alerts of an adapter", () => {
  const alert = (externalId: string, more = {}) => ({
    manufacturerDeviceId: null,
    externalId,
    type: "GRID_STATUS" as const,
    subtype: null,
    severity: "WARNING" as const,
    title: "The grid is away",
    description: null,
    providerCode: "E1",
    resolved: false,
    ...more
  })

  test("are raised once, settled when they have ended, and raised anew when they come back", async () => {
    const { alerts, link, perform } = await arrange()
    const person = scripted.account()
    let resolved = false
    person.account.read = () =>
      Effect.sync(() =>
        report([observation(person.device)], {
          alerts: [alert("grid", { resolved, manufacturerDeviceId: person.device })]
        })
      )
    const { deviceId, id } = await link(person)
    await perform(id)
    await perform(id)
    expect(await alerts()).toMatchObject([{ status: "OPEN", deviceId, providerCode: "E1", occurrenceCount: 1 }])
    resolved = true
    await perform(id)
    await perform(id)
    expect(await alerts()).toMatchObject([{ status: "RESOLVED", resolvedBy: "scripted" }])
    resolved = false
    await perform(id)
    expect((await alerts()).map(({ status }) => status).toSorted()).toEqual(["OPEN", "RESOLVED"])
  })

  test("stay resolved if a person has resolved them and the manufacturer still reports them", async () => {
    const { alerts, call, link, perform } = await arrange()
    const person = scripted.account()
    person.account.read = () => Effect.sync(() => report([observation(person.device)], { alerts: [alert("grid")] }))
    const { id } = await link(person)
    await perform(id)
    const [{ id: alertId }] = (await alerts()) as [any]
    await call("PATCH", `/v1/alerts/${alertId}/resolve`)
    await perform(id)
    expect(await alerts()).toMatchObject([{ status: "RESOLVED" }])
  })
})

describe("the end of an account", () => {
  test("disconnects its devices, forgets its credentials, and revokes the permission", async () => {
    const { account, accounts, device, events, link, workspaceId, work } = await arrange()
    const { deviceId, externalId, id } = await link()
    await accounts((service) => service.disconnect(workspaceId, id))
    await accounts((service) => service.disconnect(workspaceId, id))
    expect(await account(id)).toMatchObject({ status: "disconnected", sealed_credentials: null })
    expect((await device(deviceId)).disconnectedAt).not.toBeNull()
    expect(await events("DEVICE_DISCONNECTED")).toHaveLength(1)
    expect(await work(id)).toMatchObject({ dueInSeconds: null })
    await expect.poll(() => scripted.revoked.filter((one) => one === externalId)).toHaveLength(1)
  })

  test("is not for another workspace", async () => {
    const { account, accounts, link } = await arrange()
    const other = await app.workspace()
    const { id } = await link()
    await accounts((service) => service.disconnect(other.workspaceId, id))
    expect(await account(id)).toMatchObject({ status: "connected" })
  })

  test("deletes one that was never finished and revokes the permission", async () => {
    const { account, accounts, begin } = await arrange()
    const person = scripted.account()
    const id = await begin(person)
    await accounts((service) => service.discard(id))
    expect(await account(id)).toBeUndefined()
    await expect.poll(() => scripted.revoked).toContain(person.externalId)
  })

  test("deletes one that a crash has left unfinished, once no connect session can be open any more", async () => {
    const { account, accounts, begin } = await arrange()
    const [old, young] = [await begin(scripted.account()), await begin(scripted.account())]
    await app.sql(
      (sql) => sql`UPDATE accounts SET created_at = now() - interval '32 days' WHERE id = ${old} RETURNING 1`
    )
    await accounts((service) => service.discardAbandoned)
    expect([await account(old), (await account(young)) === undefined]).toEqual([undefined, false])
  })

  test("comes with its workspace, and leaves no rows", async () => {
    const { link, workspaceId } = await arrange()
    const { id } = await link()
    await app.sql((sql) => sql`DELETE FROM workspaces WHERE id = ${workspaceId} RETURNING 1`)
    const left = await app.sql((sql) => sql`SELECT account_id FROM account_work WHERE account_id = ${id}`)
    expect(left).toEqual([])
  })
})
