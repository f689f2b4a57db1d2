import { Client } from "pg"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { callAt } from "../../support/callAt.ts"
import { freePort } from "../../support/freePort.ts"
import { startRival } from "../setting/rival.ts"
import { createWebhook, openDeliveries } from "../setting/webhook.ts"
import { median } from "../statistics.ts"

const HANGING = 8
/** Destinations of another workspace: a third each never respond, refuse connections, and respond late. */
const DEAD = 100
/** Events of that workspace, each for all of its destinations: before the measurement, and per second during it. */
const EVENTS_BEFORE = 20
const EVENTS_A_SECOND = 1
const ROUNDS = 3
/** One at a time: the latency of an event is measured, not the throughput. */
const CONNECTIONS = 1
const PUSHES = 300

/** Another workspace in which events happen all the time and all destinations are dead. */
const startDead = async ({ platform }: PostgresSetting, ports: ReadonlyArray<number>) => {
  const call = async (key: string, method: string, path: string, body: object) => {
    const response = await callAt(`http://127.0.0.1:${platform.port}`, method, path, { key, body })
    if (response.status !== 201) throw new Error(`${path}: ${response.text}`)
    return response.body
  }
  const { managementKey } = platform.credentials
  const workspace = await call(managementKey, "POST", "/v1/workspaces", { name: "Dead" })
  const server = { name: "Dead", type: "SERVER", workspaceId: workspace.id }
  const { key } = await call(managementKey, "POST", "/v1/api-keys", server)
  const eventTypes = ["CUSTOMER_CREATED"]
  for (let n = 0; n < DEAD; n++) {
    const url = `http://127.0.0.1:${ports[n % ports.length]}/`
    await call(key, "POST", "/v1/destinations", { destinationType: "WEBHOOK", url, eventTypes })
  }
  const happen = () => call(key, "POST", "/v1/customers", {})
  for (let n = 0; n < EVENTS_BEFORE; n++) await happen()
  const timer = setInterval(() => void happen(), 1000 / EVENTS_A_SECOND)
  return {
    stop: async () => {
      clearInterval(timer)
      await callAt(`http://127.0.0.1:${platform.port}`, "DELETE", `/v1/workspaces/${workspace.id}`, {
        key: managementKey
      })
    }
  }
}

/** The p99 from an event to its delivery, in milliseconds. */
const p99 = async (databaseUrl: string, destinationId: string): Promise<number> => {
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  const { rows } = await database.query(
    `SELECT percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM d.completed_at - e.created_at)) * 1000 AS ms
     FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.destination_id = $1`,
    [destinationId]
  )
  await database.end()
  return Number(rows[0].ms)
}

const measure = async (on: PostgresSetting, { patience }: Setting): Promise<ReadonlyArray<Figure>> => {
  const { deviceIds, platform, postgres } = on
  const load = startLoad()
  const [receiver, hanging] = [await startRival("emptyServer.ts"), await startRival("hangingServer.ts")]
  const slow = await startRival("slowServer.ts")
  const refusing = await freePort()
  const deliveries = await openDeliveries(postgres.url)
  const pushes = Math.max(50, Math.round(PUSHES * patience))
  const latency = async (neighbours: number) => {
    const others = []
    for (let n = 0; n < neighbours; n++) others.push(await createWebhook(on, hanging.port))
    const webhook = await createWebhook(on, receiver.port)
    await load.ask({
      port: platform.port,
      key: platform.credentials.manufacturerKey,
      traffic: { kind: "single", deviceIds },
      connections: CONNECTIONS,
      seconds: 60,
      requests: pushes
    })
    await deliveries.awaitArrived(webhook.id, pushes)
    const ms = await p99(postgres.url, webhook.id)
    for (const each of [webhook, ...others]) await each.remove()
    return ms
  }
  const besideDead = async () => {
    const dead = await startDead(on, [hanging.port, refusing, slow.port])
    const ms = await latency(0)
    await dead.stop()
    return ms
  }
  try {
    await latency(0)
    const { alone, among, dead } = await inTurns(
      { alone: () => latency(0), among: () => latency(HANGING), dead: besideDead },
      ROUNDS
    )
    return [
      {
        name: `p99 from an event to its delivery beside ${HANGING} webhooks that never respond, against none`,
        measured: median(among) / median(alone),
        unit: "×",
        target: { atMost: 2 },
        behind: `${median(among).toFixed(0)} ms against ${median(alone).toFixed(0)} ms`
      },
      {
        name: `the same beside ${DEAD} destinations of another workspace that never respond, are refused or respond late`,
        measured: median(dead) / median(alone),
        unit: "×",
        target: { atMost: 2 },
        behind: `${median(dead).toFixed(0)} ms against ${median(alone).toFixed(0)} ms`
      }
    ]
  } finally {
    await deliveries.close()
    await receiver.stop()
    await hanging.stop()
    await slow.stop()
    await load.stop()
  }
}

/** The cost of bad neighbours for a healthy destination. */
export const neighbours: Benchmark = {
  name: "neighbours",
  run: (setting) =>
    onPostgres(setting, { devices: 1000, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } }, (on) =>
      measure(on, setting)
    )
}
