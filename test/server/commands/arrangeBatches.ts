import { BatchWatch } from "@edp/server/commands/batches/BatchWatch"
import { CommandOutcomes } from "@edp/server/commands/CommandOutcomes"
import type { CommandReason } from "@edp/domain/commands/CommandReason"
import { Effect } from "effect"
import { expect } from "vitest"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeDevices, type GivenDevice } from "../devices/arrangeDevices.ts"

const reserve = { type: "battery:set-reserve", input: { chargePercentage: 30 } }

/** A workspace with batteries, and what is done with batches of commands for them. */
export const arrangeBatches = async (app: TestApp) => {
  const place = await arrangeDevices(app)
  const { call } = place
  const battery = (more: GivenDevice = {}) =>
    place.device({ type: "battery", commands: ["battery:set-reserve", "battery:set-operating-mode"], ...more })
  const batteries = async (count: number, more: GivenDevice = {}) => {
    const ids: Array<string> = []
    for (let n = 0; n < count; n++) ids.push(await battery(more))
    return ids
  }
  const create = (body: object) => call("POST", "/v1/batch-commands", { ...reserve, ...body })
  const created = async (body: object) => {
    const { body: batch, status, text } = await create(body)
    expect([status, text]).toEqual([202, expect.anything()])
    return batch
  }
  const show = async (id: string) => (await call("GET", `/v1/batch-commands/${id}`)).body
  /** The commands of a batch in the order of their devices. */
  const commands = async (batchId: string): Promise<ReadonlyArray<any>> => {
    const { data } = (await call("GET", `/v1/commands?batchId=${batchId}&perPage=100`)).body
    return data.toReversed()
  }
  const settle = (id: string, status: "delivered" | "completed" | "failed", reason: CommandReason | null = null) =>
    app.run(
      Effect.flatMap(CommandOutcomes, ({ record }) => record([{ id, status, reason, output: null, upstream: null }]))
    )
  const sweep = () => app.run(Effect.flatMap(BatchWatch, (watch) => watch.sweep))
  const eventTypes = async (): Promise<ReadonlyArray<string>> => {
    const { data } = (await call("GET", "/v1/events?perPage=100")).body
    return data.map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith("COMMAND"))
  }
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  return { ...place, battery, batteries, create, created, show, commands, settle, sweep, eventTypes, inMinutes }
}
