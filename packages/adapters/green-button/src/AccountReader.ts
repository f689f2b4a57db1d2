import { Clock, Effect, Result } from "effect"
import type { AccountReport, DeviceObservation, LinkedDevice, PastReading } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { RESPONSE_TOO_LARGE } from "@edp/adapter-kit/http/httpResponse"
import { type BatchMemory, type Memory, type MeterMemory, newMeter, readMemory } from "./memory.ts"
import type { GreenButtonAccount } from "./credentials.ts"
import { type GreenButtonSettings, readingLimits } from "./settings.ts"
import type { UsageApi } from "./UsageApi.ts"
import { listUsagePoints, meterUsage } from "./usage.ts"
import { afterWindow, beginHistory, nextWindow, smallerWindow } from "./windows.ts"

/** Readings of one report, beyond which the other batches wait for the next one. */
const MOST_READINGS = 50_000

/** Meters that one call reads. */
interface Batch {
  readonly key: string
  readonly link: string | null
  readonly meters: ReadonlyArray<string>
  readonly memory: BatchMemory
}

interface BatchRead {
  readonly memory: BatchMemory
  readonly meters: Readonly<Record<string, MeterMemory>>
  readonly history: ReadonlyArray<PastReading>
  readonly problems: ReadonlyMap<string, ReadonlyArray<string>>
  /** Whether older data than the newest is left to read. */
  readonly isBehind: boolean
  readonly isPreparing: boolean
}

const observation = (
  manufacturerDeviceId: string,
  problems: ReadonlyArray<string>,
  observedAt: number
): DeviceObservation => ({
  manufacturerDeviceId,
  observedAt,
  state: null,
  asleep: false,
  coordinates: null,
  staticState: null,
  commands: null,
  interventions: [],
  problems
})

/** Failures that the next batch would meet as well. */
const isOfAccess = ({ failure }: AdapterError) =>
  ["throttled", "quota_exhausted", "unreachable", "elsewhere", "misconfigured"].includes(failure)

export const makeAccountReader = (api: UsageApi, settings: GreenButtonSettings) => {
  const limits = readingLimits(settings)

  /** The batches of an account, the one that is furthest behind first. */
  const listBatches = (memory: Memory, meters: ReadonlyArray<string>, now: number): ReadonlyArray<Batch> => {
    const groups =
      settings.batch === "usage-point"
        ? meters.map((id) => ({ key: id, link: memory.meters[id]?.link ?? null, meters: [id] }))
        : [{ key: "subscription", link: null, meters }]
    return groups
      .map((group) => {
        const known = memory.batches[group.key]
        const isKnown = known !== undefined && group.meters.every((id) => known.meters.includes(id))
        return { ...group, memory: isKnown ? known : beginHistory(group.meters, now, limits) }
      })
      .toSorted((one, other) => one.memory.cursor - other.memory.cursor)
  }

  /** Notes the addresses of the usage points, where each is read by its own. */
  const withLinks = Effect.fnUntraced(function* (
    account: GreenButtonAccount,
    memory: Memory,
    meters: ReadonlyArray<string>
  ) {
    if (settings.batch !== "usage-point" || meters.every((id) => (memory.meters[id]?.link ?? null) !== null))
      return memory
    const names = new Map((yield* api.usagePoints(account)).map(({ id, name }) => [id, name]))
    const linked = meters.map((id) => {
      const meter = memory.meters[id] ?? newMeter
      return [id, { ...meter, link: names.get(id) ?? meter.link }] as const
    })
    return { ...memory, meters: { ...memory.meters, ...Object.fromEntries(linked) } }
  })

  /** Reads the next window of a batch, in smaller parts where the response is too large. */
  const readBatch = Effect.fnUntraced(function* (
    account: GreenButtonAccount,
    { link, memory, meters }: Batch,
    known: Memory["meters"],
    now: number
  ) {
    let batch = memory
    for (;;) {
      const window = nextWindow(batch, now)
      const response = yield* Effect.result(api.batch(account, link, window, batch.validator))
      if (Result.isFailure(response)) {
        const smaller = smallerWindow(batch)
        if (response.failure.upstream?.errorCode !== RESPONSE_TOO_LARGE || smaller === undefined)
          return yield* response.failure
        batch = smaller
        continue
      }
      const nothing = { meters: {}, history: [], problems: new Map(), isBehind: false, isPreparing: false }
      const { success } = response
      if (success.kind === "unchanged") return { ...nothing, memory: batch } satisfies BatchRead
      if (success.kind === "preparing") return { ...nothing, memory: batch, isPreparing: true } satisfies BatchRead
      const points = yield* Effect.fromResult(
        Result.mapError(listUsagePoints(success.feed), (problem) => AdapterError.of("contract", problem))
      )
      const byId = new Map(points.map((point) => [point.id, point]))
      const wrong = success.feed.problems.map(({ text }) => text)
      const used = meters.flatMap((id) => {
        const point = byId.get(id)
        return point === undefined ? [] : [[id, meterUsage(success.feed, point, known[id], now)] as const]
      })
      const read = Object.fromEntries(used.map(([id, usage]) => [id, usage.memory]))
      const newest = meters.map((id) => (read[id] ?? known[id])?.covered.at(-1)?.[1])
      return {
        memory: {
          ...afterWindow(batch, window, newest, now, limits),
          validator: window.isLast ? success.validator : null
        },
        meters: read,
        history: used.flatMap(([, usage]) => usage.history),
        problems: new Map(used.map(([id, usage]) => [id, [...wrong, ...usage.problems]])),
        isBehind: !window.isLast,
        isPreparing: false
      } satisfies BatchRead
    }
  })

  /**
   * Reads the next window of each batch. A batch that fails for itself leaves the others as they are, and is read again; the whole fails
   * with what concerns the access, or when nothing could be read.
   */
  return Effect.fn("GreenButton.readAccount")(function* (
    account: GreenButtonAccount,
    devices: ReadonlyArray<LinkedDevice>
  ) {
    const now = yield* Clock.currentTimeMillis
    const meters = devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    let memory = yield* withLinks(account, readMemory(account.memory), meters)
    const history: Array<PastReading> = []
    const problems = new Map<string, ReadonlyArray<string>>()
    let firstFailure: AdapterError | undefined
    let [done, isBehind, isWaiting] = [0, false, false]
    for (const batch of listBatches(memory, meters, now)) {
      if (history.length > MOST_READINGS) {
        isBehind = true
        break
      }
      const read = yield* Effect.result(readBatch(account, batch, memory.meters, now))
      if (Result.isFailure(read)) {
        const { failure } = read
        isWaiting = true
        if (["token_refused", "grant_lost"].includes(failure.failure)) return yield* failure
        firstFailure ??= failure
        if (isOfAccess(failure)) break
        for (const id of batch.meters) problems.set(id, [failure.message])
        continue
      }
      const { success } = read
      done++
      memory = {
        meters: { ...memory.meters, ...success.meters },
        batches: { ...memory.batches, [batch.key]: success.memory }
      }
      for (const reading of success.history) history.push(reading)
      for (const [id, its] of success.problems) problems.set(id, its)
      isBehind ||= success.isBehind
      isWaiting ||= success.isPreparing
    }
    if (done === 0 && firstFailure !== undefined) return yield* firstFailure
    return {
      observations: meters.map((id) => observation(id, problems.get(id) ?? [], now)),
      history,
      alerts: [],
      devices: null,
      activity: isBehind ? "busy" : isWaiting ? "normal" : "idle",
      memory
    } satisfies AccountReport
  })
}
