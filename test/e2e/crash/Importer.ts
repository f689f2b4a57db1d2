import { callAt } from "../../support/callAt.ts"
import type { Random } from "../../support/Random.ts"

export interface Reading {
  readonly deviceId: string
  readonly timestamp: string
  readonly state: Readonly<Record<string, number>>
}

/** One request: a reading, several of one device, or several of any. */
export interface Push {
  readonly path: string
  readonly body: object
  readonly readings: ReadonlyArray<Reading>
}

const withoutDevice = ({ timestamp, state }: Reading) => ({ timestamp, state })

const single = (reading: Reading): Push => ({
  path: `/devices/${reading.deviceId}/telemetry`,
  body: withoutDevice(reading),
  readings: [reading]
})

const many = (readings: ReadonlyArray<Reading>): Push => ({
  path: `/devices/${readings[0]!.deviceId}/telemetry`,
  body: { readings: readings.map(withoutDevice) },
  readings
})

const bulk = (readings: ReadonlyArray<Reading>): Push => ({ path: "/devices/telemetry", body: { readings }, readings })

/** All readings as requests of all three forms, in random order. */
export const asPushes = (devices: ReadonlyArray<ReadonlyArray<Reading>>, random: Random): Array<Push> => {
  const rest = devices.map((readings) => shuffle(readings, random))
  const pushes: Array<Push> = []
  while (rest.some((readings) => readings.length > 0)) {
    const form = random.below(3)
    const open = rest.filter((readings) => readings.length > 0)
    const one = random.pick(open)
    if (form === 0) pushes.push(single(one.pop()!))
    else if (form === 1) pushes.push(many(one.splice(-1 - random.below(40))))
    else pushes.push(bulk(open.flatMap((readings) => readings.splice(-1 - random.below(20)))))
  }
  return pushes
}

const shuffle = <A>(items: ReadonlyArray<A>, random: Random) =>
  items
    .map((item) => ({ item, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)

const inFlight = 6

/** Sends requests, several at a time, and records acknowledged readings. Failed requests are queued again. */
export class Importer {
  readonly acknowledged: Array<Reading> = []
  /** Requests that got no response, or 502. */
  failed = 0
  private readonly baseUrl: string
  private readonly key: string
  private readonly waiting: Array<Push>
  private isHalted = false

  constructor(baseUrl: string, key: string, pushes: ReadonlyArray<Push>) {
    this.baseUrl = baseUrl
    this.key = key
    this.waiting = [...pushes]
  }

  get left(): number {
    return this.waiting.length
  }

  /** Begins no further request until the next run. */
  halt() {
    this.isHalted = true
  }

  /** Sends until nothing is left, every sender has failed or `halt` is called; calls `onResponse` for each success. */
  async run(onResponse: () => void = () => undefined): Promise<void> {
    this.isHalted = false
    const sender = async () => {
      while (!this.isHalted) {
        const push = this.waiting.pop()
        if (push === undefined || !(await this.send(push))) return
        onResponse()
      }
    }
    await Promise.all(Array.from({ length: inFlight }, sender))
  }

  private async send(push: Push): Promise<boolean> {
    const response = await callAt(this.baseUrl, "POST", push.path, { key: this.key, body: push.body }).catch(
      () => undefined
    )
    if (response === undefined || response.status === 502) {
      this.failed += 1
      this.waiting.unshift(push)
      return false
    }
    const { accepted, duplicates } = response.body ?? {}
    if (response.status !== 200 || accepted + duplicates !== push.readings.length) {
      throw new Error(`${push.path} answered ${response.status}: ${response.text}`)
    }
    this.acknowledged.push(...push.readings)
    return true
  }
}
