import { Client } from "pg"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { startRival } from "../setting/rival.ts"
import { createWebhook, openDeliveries } from "../setting/webhook.ts"
import { median } from "../statistics.ts"

const HANGING = 8
const ROUNDS = 3
/** One at a time: what is measured is how long an event takes, and not how many there are. */
const CONNECTIONS = 1
const PUSHES = 300

/** Milliseconds from an event to its delivery, for 99 of 100. */
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
  try {
    await latency(0)
    const { alone, among } = await inTurns({ alone: () => latency(0), among: () => latency(HANGING) }, ROUNDS)
    return [
      {
        name: `p99 from an event to its delivery beside ${HANGING} webhooks that never answer, against none`,
        measured: median(among) / median(alone),
        unit: "×",
        target: { atMost: 2 },
        behind: `${median(among).toFixed(0)} ms against ${median(alone).toFixed(0)} ms`
      }
    ]
  } finally {
    await deliveries.close()
    await receiver.stop()
    await hanging.stop()
    await load.stop()
  }
}

/** What bad neighbours cost a healthy destination. */
export const neighbours: Benchmark = {
  name: "neighbours",
  run: (setting) =>
    onPostgres(setting, { devices: 1000, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } }, (on) =>
      measure(on, setting)
    )
}
