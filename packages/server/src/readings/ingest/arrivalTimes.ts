import { MOST_AHEAD, type ResolvedReading } from "./readingBatch.ts"

/** The times at which devices already have readings, in milliseconds since 1970. */
export type TakenTimes = ReadonlyMap<string, ReadonlySet<number>>

/** More devices than this push within one millisecond only if the clock stands still. */
const MOST_REMEMBERED = 10_000

const isUntimed = ({ isUntimed: untimed }: ResolvedReading) => untimed === true

const collectTimes = (readings: ReadonlyArray<ResolvedReading>) => {
  const devices = new Map<string, Set<number>>()
  for (const reading of readings) if (isUntimed(reading)) devices.set(reading.deviceId, new Set())
  for (const reading of readings) if (!isUntimed(reading)) devices.get(reading.deviceId)?.add(reading.at)
  return devices
}

/**
 * Two readings without timestamps are two readings, even if they arrive in the same millisecond: each gets the first free
 * time from its arrival on. The last time of each device is remembered, so that the database is rarely asked which times
 * are free.
 */
export const arrivalTimes = () => {
  const last = new Map<string, number>()

  const forgetBefore = (now: number) => {
    if (last.size <= MOST_REMEMBERED) return
    for (const [deviceId, at] of last) if (at < now) last.delete(deviceId)
  }

  /** A time further ahead is of a clock that was set back since. */
  const lastBefore = (deviceId: string, limit: number) => {
    const at = last.get(deviceId) ?? Number.NEGATIVE_INFINITY
    return at < limit ? at : Number.NEGATIVE_INFINITY
  }

  return {
    /** The same readings; those without timestamps get times that are not taken. */
    settle: (readings: ReadonlyArray<ResolvedReading>, taken: TakenTimes): ReadonlyArray<ResolvedReading> => {
      if (!readings.some(isUntimed)) return readings
      const timed = collectTimes(readings)
      const next = new Map<string, number>()
      return readings.map((reading) => {
        if (!isUntimed(reading)) return reading
        const { deviceId } = reading
        let at = Math.max(reading.at, next.get(deviceId) ?? lastBefore(deviceId, reading.at + MOST_AHEAD) + 1)
        while (timed.get(deviceId)!.has(at) || taken.get(deviceId)?.has(at) === true) at++
        next.set(deviceId, at + 1)
        return at === reading.at ? reading : { ...reading, at }
      })
    },
    /** Remembers the times of stored readings; `arrived` are the same readings as they arrived. */
    remember: (settled: ReadonlyArray<ResolvedReading>, arrived: ReadonlyArray<ResolvedReading>) => {
      let now = Number.NEGATIVE_INFINITY
      for (const [place, reading] of settled.entries()) {
        if (!isUntimed(reading)) continue
        last.set(reading.deviceId, Math.max(reading.at, lastBefore(reading.deviceId, reading.at + MOST_AHEAD)))
        now = Math.max(now, arrived[place]!.at)
      }
      forgetBefore(now)
    }
  }
}

/** The first and last time of each device's readings without timestamps. */
export const untimedSpans = (readings: ReadonlyArray<ResolvedReading>) => {
  const spans = new Map<string, { readonly from: number; readonly to: number }>()
  for (const { at, deviceId } of readings.filter(isUntimed)) {
    const { from, to } = spans.get(deviceId) ?? { from: at, to: at }
    spans.set(deviceId, { from: Math.min(from, at), to: Math.max(to, at) })
  }
  return Array.from(spans, ([deviceId, span]) => ({ deviceId, ...span }))
}
