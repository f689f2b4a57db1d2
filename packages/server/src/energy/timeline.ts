export interface EnergyReading {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly state: Readonly<Record<string, unknown>>
  /** Between it and the span that is asked for others were left out: it stands for one of its fields alone. */
  readonly apart?: boolean
}

/** What is known of the time from the reading before until a reading. */
export const UNKNOWN = 0
export const KNOWN = 1
/** A figure that can't be true took it. */
export const REFUSED = 2

/** Two readings by their places: both carry a field, and none between them does. */
export type Pair = (from: number, to: number, first: number, last: number) => void

/** Readings in the order of their time, with what has been found out about the times between them. */
export const timelineOf = (readings: ReadonlyArray<EnergyReading>) => {
  const known = new Uint8Array(readings.length)
  const number = (index: number, field: string) => {
    const value = readings[index]!.state[field]
    return typeof value === "number" ? value : undefined
  }
  return {
    length: readings.length,
    at: (index: number) => readings[index]!.at,
    number,
    isApart: (index: number) => readings[index]!.apart === true,
    /** Whether the reading before is the one that the device sent before. */
    follows: (index: number) => index > 0 && readings[index]!.apart !== true && readings[index - 1]!.apart !== true,
    known: (index: number) => known[index],
    mark: (from: number, to: number, as: number) => void known.fill(as, from + 1, to + 1),
    pairs: (field: string, visit: Pair) => {
      let before = -1
      let first = 0
      for (let index = 0; index < readings.length; index++) {
        const value = number(index, field)
        if (value === undefined) continue
        if (before >= 0) visit(before, index, first, value)
        before = index
        first = value
      }
    }
  }
}

export type Timeline = ReturnType<typeof timelineOf>
