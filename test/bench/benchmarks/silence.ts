import { setTimeout } from "node:timers/promises"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"
import { openSilences, type Sweep } from "../setting/silences.ts"
import { quietly } from "../setting/quietly.ts"
import { median } from "../statistics.ts"

/** Those that fall silent, and those that go on speaking. */
const WATCHED = 100_000
const SPEAKING = 1000
const FEW = 1000
const ROUNDS = 3
const CONNECTIONS = 64
const SECONDS = 20
/** The time before the check of silent devices at which all is arranged, in milliseconds. */
const AHEAD = 2000

const deviceId = (number: number) => `c0d${`${number}`.padStart(22, "0")}`

const measure = async (
  { postgres, platform, deviceIds }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const load = startLoad()
  const silences = await openSilences(postgres.url)
  const push = () =>
    load.ask({
      port: platform.port,
      key: platform.credentials.manufacturerKey,
      traffic: { kind: "single", deviceIds },
      connections: CONNECTIONS,
      seconds: SECONDS * patience
    })

  try {
    note("all devices are heard")
    await silences.speakAll()
    note("some of them fall silent")
    const few: Array<Sweep> = []
    let silent = 0
    for (let round = 0; round < ROUNDS; round++) {
      // Others each time: those that are silent can't fall silent again.
      const { result } = await quietly(async () => {
        await silences.fallSilent(deviceId(SPEAKING + silent), FEW, new Date(Date.now() + AHEAD))
        silent += FEW
        return await silences.noticed(FEW)
      })
      few.push(result)
    }
    note("pushes without a sweep")
    await push()
    const { result: alone } = await quietly(push)
    note("all of the others fall silent while others push")
    const left = WATCHED - silent
    await silences.fallSilent(deviceId(SPEAKING + silent), left, new Date(Date.now() + 15_000))
    await setTimeout(14_000)
    const during = await push()
    const all = await silences.noticed(left)
    const seconds = median(few.map((sweep) => sweep.seconds))
    return [
      {
        name: `sweep of ${FEW} devices that fell silent, of ${WATCHED} watched`,
        measured: seconds,
        unit: "s",
        target: { atMost: 1 },
        behind: `${few[0]!.batches} batches`
      },
      {
        name: `p99 of single pushes while ${left} devices are swept`,
        measured: during.p99,
        unit: "ms",
        target: { atMost: 100 },
        behind: `${alone.p99.toFixed(1)} ms without; p50 ${during.p50.toFixed(1)} ms against ${alone.p50.toFixed(1)} ms`
      },
      {
        name: "the longest of these pushes, beyond the longest without",
        measured: Math.max(0, during.longest - alone.longest),
        unit: "ms",
        target: { atMost: 100 },
        behind: `${during.longest.toFixed(1)} ms against ${alone.longest.toFixed(1)} ms`
      },
      {
        name: `sweep of ${left} devices beside the pushes`,
        measured: all.seconds,
        unit: "s",
        behind: `${all.batches} batches; ${during.perSecond.toFixed(0)} pushes/s against ${alone.perSecond.toFixed(0)}/s`
      }
    ]
  } finally {
    await silences.close()
    await load.stop()
  }
}

/** Silent devices are detected without a measurable effect on requests. */
export const silence: Benchmark = {
  name: "silence",
  run: (setting) => {
    setting.note("makes a hundred thousand devices")
    return onPostgres(setting, { devices: SPEAKING + WATCHED }, (on) => measure(on, setting))
  }
}
