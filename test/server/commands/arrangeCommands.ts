import { CommandRunner } from "@edp/server/commands/CommandRunner"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import { eventually } from "../../support/eventually.ts"
import {
  discovered,
  observation,
  report,
  type scriptedAdapter,
  type ScriptedAccount
} from "../../support/scriptedAdapter.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeAccounts } from "../accounts/arrangeAccounts.ts"

export const batteryCommands: ReadonlyArray<CommandSlug> = ["battery:set-reserve", "battery:set-operating-mode"]

/** A connected battery of a scripted manufacturer, and the steps of the runner of commands. */
export const arrangeCommands = async (
  app: TestApp,
  scripted: ReturnType<typeof scriptedAdapter>,
  script: Partial<ScriptedAccount> = {}
) => {
  const place = await arrangeAccounts(app, scripted)
  const person = scripted.account(script)
  person.account.devices = [discovered(person.device, { type: "battery", commands: batteryCommands })]
  const { deviceId, id: accountId } = await place.link(person)

  const must = async (status: number, method: string, path: string, body?: unknown): Promise<any> => {
    const response = await place.call(method, path, body)
    expect({ status: response.status, body: response.body }).toMatchObject({ status })
    return response.body
  }
  const send = (type: CommandSlug, input: object, more: object = {}) =>
    must(201, "POST", `/v1/devices/${deviceId}/commands`, { type, input, ...more })
  const reserve = (chargePercentage: number, more: object = {}) =>
    send("battery:set-reserve", { chargePercentage }, more)
  const mode = (operatingMode: string, more: object = {}) => send("battery:set-operating-mode", { operatingMode }, more)
  const read = (id: string) => must(200, "GET", `/v1/commands/${id}`)

  const work = async () => {
    const [row] = await app.sql<any>(
      (sql) => sql`SELECT claim, lease_until, due_at FROM device_work WHERE device_id = ${deviceId}`
    )
    return row
  }

  /** Lets this process's runner work on everything that is due, until nothing of the device is under way. */
  const perform = async () => {
    await app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the device's work ends", async () => ((await work())?.claim === null ? true : undefined))
  }

  /** Makes all of the device's work due now. */
  const expedite = async () => {
    await app.sql((sql) => sql`UPDATE commands SET due_at = now() WHERE device_id = ${deviceId} RETURNING 1`)
    await app.sql(
      (sql) =>
        sql`UPDATE forced_modes SET due_at = now() WHERE device_id = ${deviceId} AND phase IN ('holding', 'ending') RETURNING 1`
    )
    await app.sql((sql) => sql`UPDATE device_work SET due_at = now() WHERE device_id = ${deviceId} RETURNING 1`)
  }

  /** Lets the manufacturer report a state of the battery. */
  const observe = async (more: object, observedAt = Date.now()) => {
    const state = { chargingState: "idle", charge: 5000, chargePercentage: 50, whConsumed: null, ...more }
    person.account.read = () => Effect.succeed(report([observation(person.device, { observedAt, state })]))
    await place.perform(accountId)
  }

  const sent = () => scripted.sent.filter(({ externalId }) => externalId === person.externalId)
  const restored = () =>
    scripted.restored.filter(({ externalId }) => externalId === person.externalId).map(({ snapshot }) => snapshot)
  const forcedMode = async () => (await place.device(deviceId)).forcedMode

  return {
    ...place,
    accountId,
    deviceId,
    forcedMode,
    expedite,
    mode,
    must,
    observe,
    perform,
    person,
    read,
    reserve,
    restored,
    send,
    sent,
    work
  }
}
