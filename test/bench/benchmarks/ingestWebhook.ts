import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { type LoadResult, startLoad } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { startRival } from "../setting/rival.ts"
import { createWebhook } from "../setting/webhook.ts"
import { median } from "../statistics.ts"

const CONNECTIONS = 64
const ROUNDS = 5

const summary = (results: ReadonlyArray<LoadResult>) =>
  `${Math.round(median(results.map(({ perSecond }) => perSecond)))}/s, p99 ${median(results.map(({ p99 }) => p99)).toFixed(1)} ms`

const measure = async (on: PostgresSetting, { patience }: Setting): Promise<ReadonlyArray<Figure>> => {
  const { deviceIds, platform } = on
  const load = startLoad()
  const receiver = await startRival("emptyServer.ts")
  const push = (seconds: number) =>
    load.ask({
      port: platform.port,
      key: platform.credentials.manufacturerKey,
      traffic: { kind: "single", deviceIds },
      connections: CONNECTIONS,
      seconds: seconds * patience
    })
  const subscribed = async () => {
    const webhook = await createWebhook(on, receiver.port)
    const result = await push(4)
    await webhook.remove()
    return result
  }
  try {
    await push(3)
    const { alone, together } = await inTurns({ alone: () => push(4), together: subscribed }, ROUNDS)
    const speed = (results: ReadonlyArray<LoadResult>) => median(results.map(({ perSecond }) => perSecond))
    return [
      {
        name: "single pushes a second with a webhook that gets each new state, against none",
        measured: speed(together) / speed(alone),
        unit: "×",
        target: { atLeast: 0.6 },
        behind: `${summary(together)} against ${summary(alone)}`
      }
    ]
  } finally {
    await receiver.stop()
    await load.stop()
  }
}

/** The cost of deliveries for pushes. */
export const ingestWebhook: Benchmark = {
  name: "ingest-webhook",
  run: (setting) =>
    onPostgres(setting, { devices: 1000, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } }, (on) =>
      measure(on, setting)
    )
}
