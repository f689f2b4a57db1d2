import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { type Reply, callAt } from "./callAt.ts"

const timeAt = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString()

/** The time of each reading of the load. */
export const loadSpan = "from=2023-12-01T00:00:00Z&to=2025-12-01T00:00:00Z"

export interface Outcome {
  readonly kind: "single" | "bulk" | "customer" | "command" | "history" | "feed"
  readonly instance: number
  /** An instant of `performance.now()`, as `ended` is. */
  readonly begun: number
  readonly ended: number
  /** Undefined if there was no response. */
  readonly status: number | undefined
  readonly code: string | undefined
}

export const isSuccess = ({ status }: Outcome) => status !== undefined && status < 300

/** An event as a reader of the feed keeps it. */
export interface FeedEvent {
  readonly id: string
  readonly sequence: number
  readonly type: string
}

export interface LoadOptions {
  readonly keys: { readonly serverKey: string; readonly manufacturerKey: string }
  readonly deviceIds: ReadonlyArray<string>
  readonly batteryIds: ReadonlyArray<string>
  /** Milliseconds that each caller waits after a request. */
  readonly pause?: number
  /** Whether callers also read the history and follow the feed of events. */
  readonly reads?: boolean
  /** Called with each response of an instance. */
  readonly check?: (method: string, path: string, response: Reply, instance: number) => void
}

/** A caller gives up a request after this time, in milliseconds. */
const patience = 60_000

/**
 * Callers at several instances, which record what was acknowledged: each instance has one for each kind of request. Readings that fail are not
 * pushed again. Other writes are repeated with their `Idempotency-Key`, at one instance after the other, until they are acknowledged.
 */
export class RecordingLoad {
  /** Acknowledged readings: the device and the time. */
  readonly readings = new Set<string>()
  readonly customers = new Set<string>()
  readonly commands = new Set<string>()
  readonly outcomes: Array<Outcome> = []
  readonly feed: Array<FeedEvent> = []
  readonly #baseUrls: ReadonlyArray<string>
  readonly #options: LoadOptions
  readonly #ending = new AbortController()
  readonly #callers: Array<Promise<void>> = []
  #number = 0
  #isAbandoned = false

  constructor(baseUrls: ReadonlyArray<string>, options: LoadOptions) {
    this.#baseUrls = baseUrls
    this.#options = options
  }

  /** One request; undefined unless it succeeds. */
  async #send(
    kind: Outcome["kind"],
    instance: number,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Reply | undefined> {
    const { check, keys, pause = 0 } = this.#options
    const begun = performance.now()
    const method = body === undefined ? "GET" : "POST"
    const key = kind === "single" || kind === "bulk" ? keys.manufacturerKey : keys.serverKey
    const options = { key, headers, patience, ...(body !== undefined && { body }) }
    const response = await callAt(this.#baseUrls[instance]!, method, path, options).catch(() => undefined)
    const outcome = {
      kind,
      instance,
      begun,
      ended: performance.now(),
      status: response?.status,
      code: response?.body?.code
    }
    this.outcomes.push(outcome)
    if (response !== undefined) check?.(method, path, response, instance)
    const isGood = isSuccess(outcome)
    await setTimeout(isGood ? pause : Math.max(pause, 50))
    return isGood ? response : undefined
  }

  async #untilAcknowledged(kind: "customer" | "command", instance: number, path: string, body: object) {
    const headers = { "Idempotency-Key": randomUUID() }
    for (let turn = instance; !this.#isAbandoned; turn++) {
      const response = await this.#send(kind, turn % this.#baseUrls.length, path, body, headers)
      if (response !== undefined) return response.body.id as string
    }
    return undefined
  }

  async #single(instance: number) {
    const { deviceIds } = this.#options
    const n = this.#number++
    const deviceId = deviceIds[n % deviceIds.length]!
    const timestamp = timeAt(n)
    const body = { timestamp, state: { power: 1 } }
    if (await this.#send("single", instance, `/devices/${deviceId}/telemetry`, body))
      this.readings.add(`${deviceId} ${timestamp}`)
  }

  async #bulk(instance: number) {
    const readings = this.#options.deviceIds.flatMap((deviceId) =>
      Array.from({ length: 5 }, () => ({ deviceId, timestamp: timeAt(this.#number++), state: { power: 2 } }))
    )
    if (await this.#send("bulk", instance, "/devices/telemetry", { readings }))
      for (const { deviceId, timestamp } of readings) this.readings.add(`${deviceId} ${timestamp}`)
  }

  async #customer(instance: number) {
    const body = { firstName: `${this.#number++}` }
    const id = await this.#untilAcknowledged("customer", instance, "/v1/customers", body)
    if (id !== undefined) this.customers.add(id)
  }

  async #command(instance: number) {
    const { batteryIds } = this.#options
    const n = this.#number++
    const body = { type: "battery:set-reserve", input: { chargePercentage: n % 100 } }
    const path = `/v1/devices/${batteryIds[n % batteryIds.length]}/commands`
    const id = await this.#untilAcknowledged("command", instance, path, body)
    if (id !== undefined) this.commands.add(id)
    await setTimeout(100)
  }

  async #history(instance: number) {
    const { deviceIds } = this.#options
    const deviceId = deviceIds[this.#number++ % deviceIds.length]
    await this.#send("history", instance, `/v1/devices/${deviceId}/history?${loadSpan}&perPage=50`)
  }

  /** The next page of the feed. The same caller asks all instances in turn. */
  async #followFeed(turn: number) {
    const path = `/v1/events?after=${this.feed.at(-1)?.sequence ?? 0}&perPage=100`
    const response = await this.#send("feed", turn % this.#baseUrls.length, path)
    for (const { id, sequence, type } of response?.body.data ?? []) this.feed.push({ id, sequence, type })
  }

  async #repeatedly(step: (turn: number) => Promise<void>) {
    for (let turn = 0; !this.#ending.signal.aborted; turn++) await step(turn)
  }

  start() {
    for (const instance of this.#baseUrls.keys()) {
      this.#callers.push(
        this.#repeatedly(() => this.#single(instance)),
        this.#repeatedly(() => this.#bulk(instance)),
        this.#repeatedly(() => this.#customer(instance)),
        this.#repeatedly(() => this.#command(instance))
      )
      if (this.#options.reads) this.#callers.push(this.#repeatedly(() => this.#history(instance)))
    }
    if (this.#options.reads) this.#callers.push(this.#repeatedly((turn) => this.#followFeed(turn)))
  }

  /** The longest time since an instant for which an instance had no success, up to the last success. */
  longestGap(instance: number, since: number): number {
    let newest = since
    let longest = 0
    for (const outcome of this.outcomes) {
      if (outcome.instance !== instance || outcome.ended < since || !isSuccess(outcome)) continue
      longest = Math.max(longest, outcome.ended - newest)
      newest = outcome.ended
    }
    return longest
  }

  /** Whether a request of an instance that began after an instant has succeeded. */
  hasSucceeded(instance: number, after: number): boolean {
    return this.outcomes.some((one) => one.instance === instance && one.begun > after && isSuccess(one))
  }

  async end() {
    this.#ending.abort()
    await Promise.all(this.#callers)
  }

  /** Ends without waiting until every write is acknowledged. */
  async abandon() {
    this.#isAbandoned = true
    await this.end()
  }
}
