import { type PostResult, startBarePoster } from "../baselines/BarePoster.ts"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { inTurns } from "../rounds.ts"
import { awaitRolled } from "../setting/awaitRolled.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { startRival } from "../setting/rival.ts"
import { createWebhook, openDeliveries } from "../setting/webhook.ts"
import { median } from "../statistics.ts"

const DEVICES = 1000
/** Concurrent deliveries of the platform to one destination. */
const CONCURRENCY = 32
/** Each has a new state of every device. */
const PUSHES = 20
const ROUNDS = 5
const DAY = 86_400_000

const speed = (results: ReadonlyArray<PostResult>) => median(results.map(({ perSecond }) => perSecond))

const measure = async (on: PostgresSetting, { note, patience }: Setting): Promise<ReadonlyArray<Figure>> => {
  const { deviceIds, platform, postgres } = on
  const load = startLoad()
  const bare = startBarePoster()
  const receiver = await startRival("emptyServer.ts")
  const deliveries = await openDeliveries(postgres.url)
  let from = Date.now() - 20 * DAY
  /** Pushes new states of all devices, each a reading and an event, until the last event has arrived. */
  const deliver = async (pushes: number): Promise<PostResult> => {
    const webhook = await createWebhook(on, receiver.port)
    const began = performance.now()
    await load.ask({
      port: platform.port,
      key: platform.credentials.manufacturerKey,
      traffic: { kind: "bulk", deviceIds, readings: DEVICES, from },
      connections: 1,
      seconds: 60,
      requests: pushes
    })
    from += DAY / 24
    const count = pushes * DEVICES
    await deliveries.awaitArrived(webhook.id, count)
    const perSecond = count / ((performance.now() - began) / 1000)
    await webhook.remove()
    return { answered: count, perSecond }
  }
  // As long as an event of a new state.
  const event = { id: "c000000000000000000000000", data: { filler: "x".repeat(1450) } }
  const post = () =>
    bare.ask({ url: `http://127.0.0.1:${receiver.port}/`, event, concurrency: CONCURRENCY, seconds: 4 * patience })
  try {
    note("warms up")
    await deliver(2)
    // The devices' states are weeks old: the gap is rolled up once, outside of the measurement.
    await awaitRolled(postgres.url)
    const pushes = Math.max(1, Math.round(PUSHES * patience))
    // The platform is idle while the bare loop runs, so each round warms up; the loop does, too.
    const ours = async () => {
      await deliver(Math.ceil(pushes / 2))
      return deliver(pushes)
    }
    const results = await inTurns({ ours, bare: post }, ROUNDS)
    return [
      {
        name: `events a second from the push to the receiver's response, against a bare loop of the same sender, ${CONCURRENCY} at once`,
        measured: speed(results.ours) / speed(results.bare),
        unit: "×",
        target: { atLeast: 0.4 },
        behind: `${Math.round(speed(results.ours))}/s against ${Math.round(speed(results.bare))}/s`
      }
    ]
  } finally {
    await deliveries.close()
    await receiver.stop()
    await bare.stop()
    await load.stop()
  }
}

/** Events from a push through the outbox, fan-out, runner and HTTP to a receiver on the same machine. */
export const deliveries: Benchmark = {
  name: "deliveries",
  run: (setting) =>
    onPostgres(setting, { devices: DEVICES, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } }, (on) =>
      measure(on, setting)
    )
}
