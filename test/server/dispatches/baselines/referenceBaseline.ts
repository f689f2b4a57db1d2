/**
 * Baselines a second time, as plainly as possible: Temporal for all times, numbers for all energies, no sharing of code with the
 * service. Energies are µWh, whole numbers below 2 ** 53, so that equal sums are equal.
 */
export interface Used {
  readonly amount: number
  /** Share of the time that readings cover. */
  readonly covered: number
}

export interface ReferenceQuestion {
  readonly timezone: string
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly now: number
  readonly method: "x-of-y" | "10-of-10" | "middle-8-of-10" | "match-day-3" | "device-metered"
  readonly x?: number
  readonly y?: number
  readonly lookbackDays: number
  readonly adjustment: boolean
  readonly holidays: ReadonlyArray<string>
  readonly disturbances: ReadonlyArray<{ readonly from: number; readonly to: number; readonly reason: string }>
  /** The net use between two instants of one quarter of an hour. */
  readonly use: (from: number, to: number) => Used
}

export interface ReferenceDay {
  readonly date: string
  readonly dayType: string
  readonly daysUsed: ReadonlyArray<string>
  readonly daysLeftOut: ReadonlyArray<{ readonly date: string; readonly reason: string }>
  readonly factor: number | null
  readonly offsetW: number | null
  /** Undefined if too few days are usable. */
  readonly baseline: ReadonlyArray<number | null> | undefined
}

const HOUR = 3_600_000
const QUARTER = 900_000

interface Piece {
  readonly from: number
  readonly to: number
}

const pieces = (from: number, to: number): Array<Piece> => {
  const found: Array<Piece> = []
  for (let at = from; at < to;) {
    const end = Math.min(to, at - (at % QUARTER) + QUARTER)
    found.push({ from: at, to: end })
    at = end
  }
  return found
}

const zoned = (at: number, timezone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone)

/** The piece on an earlier day at the same time by the clock; null if clocks do not show that time. */
const onEarlierDay = ({ from, to }: Piece, days: number, timezone: string): Piece | null => {
  const wanted = zoned(from, timezone).toPlainDateTime().subtract({ days })
  const found = wanted.toZonedDateTime(timezone, { disambiguation: "earlier" })
  if (!found.toPlainDateTime().equals(wanted)) return null
  return { from: found.epochMilliseconds, to: found.epochMilliseconds + (to - from) }
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
const length = (list: ReadonlyArray<Piece>) => sum(list.map(({ from, to }) => to - from))

interface Day {
  readonly date: Temporal.PlainDate
  readonly window: ReadonlyArray<number | null>
  readonly before: ReadonlyArray<number | null>
  readonly rest: ReadonlyArray<number | null>
}

export const referenceBaseline = (question: ReferenceQuestion): ReadonlyArray<ReferenceDay> => {
  const { disturbances, end, lookbackDays, method, now, start, timezone, use } = question
  const isFree = (date: Temporal.PlainDate) => date.dayOfWeek > 5 || question.holidays.includes(date.toString())
  const known = (piece: Piece | null) => {
    if (piece === null) return null
    const { amount, covered } = use(piece.from, piece.to)
    return covered >= 0.9 ? amount : null
  }
  const coverage = (list: ReadonlyArray<Piece>) =>
    sum(list.map((piece) => use(piece.from, piece.to).covered * (piece.to - piece.from))) / length(list)
  const disturbance = (from: number, to: number) =>
    disturbances.find((each) => Math.min(each.to, to) > Math.max(each.from, from))?.reason

  const firstLocal = zoned(start, timezone).toPlainDateTime()
  const firstDate = firstLocal.toPlainDate()
  const isAdjusted = ["x-of-y", "10-of-10", "middle-8-of-10"].includes(method)

  // A part begins where clocks first show the time of the start again, and none begins twice.
  const windows: Array<Array<Piece>> = [[]]
  for (const piece of pieces(start, end)) {
    const local = zoned(piece.from, timezone).toPlainDateTime()
    while (Temporal.PlainDateTime.compare(local, firstLocal.add({ days: windows.length })) >= 0) windows.push([])
    windows.at(-1)!.push(piece)
  }

  const days: Array<ReferenceDay> = []
  for (let number = 0; number < 9; number++) {
    const date = firstDate.add({ days: number })
    const window = windows[number] ?? []
    if (window.length === 0) continue
    const before = isAdjusted && number === 0 ? pieces(start - 3 * HOUR, start - HOUR) : []
    const midnight = date.toZonedDateTime(timezone).epochMilliseconds
    const nextMidnight = date.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds
    const rest =
      method === "match-day-3"
        ? [
            ...pieces(midnight, Math.min(nextMidnight, window[0]!.from - HOUR)),
            ...pieces(Math.max(midnight, window.at(-1)!.to + HOUR), nextMidnight)
          ].filter(({ to }) => to <= now)
        : []
    const restThen = rest.map(known)

    const wanted =
      method === "match-day-3"
        ? 1000
        : method === "x-of-y"
          ? Math.max(question.x ?? 0, question.y ?? (isFree(date) ? 5 : 10))
          : 10
    const usable: Array<Day> = []
    const leftOut: Array<{ date: string; reason: string }> = []
    for (let back = 1; back <= lookbackDays && usable.length < wanted; back++) {
      const day = firstDate.subtract({ days: back })
      if (isFree(day) !== isFree(date)) continue
      const earlier = (piece: Piece) => onEarlierDay(piece, back + number, timezone)
      const found = window.map(earlier)
      if (found.includes(null)) {
        leftOut.push({ date: day.toString(), reason: "clock_change" })
        continue
      }
      const there = found as Array<Piece>
      const from = Math.min(day.toZonedDateTime(timezone).epochMilliseconds, ...there.map((piece) => piece.from))
      const to = Math.max(
        day.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds,
        ...there.map((piece) => piece.to)
      )
      const reason = disturbance(from, to)
      if (reason !== undefined) leftOut.push({ date: day.toString(), reason })
      else if (coverage(there) < 0.9 - 1e-12) leftOut.push({ date: day.toString(), reason: "low_coverage" })
      else {
        usable.push({
          date: day,
          window: there.map(known),
          before: before.map((piece) => known(earlier(piece))),
          rest: rest.map((piece) => known(earlier(piece)))
        })
      }
    }

    const meanPower = (day: Day) => {
      const indices = window.map((_, index) => index).filter((index) => day.window[index] !== null)
      return sum(indices.map((index) => day.window[index]!)) / length(indices.map((index) => window[index]!))
    }
    const highestFirst = usable.toSorted(
      (one, other) => meanPower(other) - meanPower(one) || Temporal.PlainDate.compare(other.date, one.date)
    )
    let used = usable
    if (method === "x-of-y") {
      const x = question.x ?? (isFree(date) ? 3 : 5)
      used = highestFirst.slice(0, x)
      for (const day of highestFirst.slice(x))
        leftOut.push({ date: day.date.toString(), reason: "not_among_the_highest" })
    }
    if (method === "middle-8-of-10") {
      used = highestFirst.slice(1, -1)
      if (highestFirst.length >= 3) {
        leftOut.push({ date: highestFirst[0]!.date.toString(), reason: "highest" })
        leftOut.push({ date: highestFirst.at(-1)!.date.toString(), reason: "lowest" })
      }
    }
    let usableCount = usable.length
    if (method === "match-day-3") {
      const difference = (day: Day) => {
        const indices = rest
          .map((_, index) => index)
          .filter((index) => day.rest[index] !== null && restThen[index] !== null)
        const time = length(indices.map((index) => rest[index]!))
        if (time < 0.9 * length(rest)) return undefined
        if (time === 0) return 0
        const squares = indices.map((index) => {
          const hours = (rest[index]!.to - rest[index]!.from) / HOUR
          return ((day.rest[index]! - restThen[index]!) / hours) ** 2 * hours
        })
        return Math.sqrt(sum(squares) / (time / HOUR))
      }
      const comparable = usable.filter((day) => difference(day) !== undefined)
      usableCount = comparable.length
      const alike = comparable.toSorted(
        (one, other) => difference(one)! - difference(other)! || Temporal.PlainDate.compare(other.date, one.date)
      )
      used = alike.slice(0, 3)
      for (const day of usable) {
        if (used.includes(day)) continue
        if (difference(day) === undefined) leftOut.push({ date: day.date.toString(), reason: "low_coverage" })
        else if (usableCount >= 3) leftOut.push({ date: day.date.toString(), reason: "less_alike" })
      }
    }
    const result = {
      date: date.toString(),
      dayType: isFree(date) ? "weekend" : "weekday",
      factor: null,
      offsetW: null,
      daysLeftOut: leftOut.toSorted((one, other) => (one.date < other.date ? 1 : -1))
    }
    if (usableCount < 3) {
      const chosen = ["not_among_the_highest", "highest", "lowest", "less_alike"]
      const daysLeftOut = result.daysLeftOut.filter(({ reason }) => !chosen.includes(reason))
      days.push({ ...result, daysLeftOut, daysUsed: [], baseline: undefined })
      continue
    }
    const latestFirst = used.toSorted((one, other) => Temporal.PlainDate.compare(other.date, one.date))
    const averages = (series: (day: Day) => ReadonlyArray<number | null>, size: number) =>
      Array.from({ length: size }, (_, index) => {
        const values = used.map((day) => series(day)[index]!).filter((value) => value !== null)
        return values.length === 0 ? null : mean(values)
      })
    const baseline = averages((day) => day.window, window.length)
    const common = { ...result, daysUsed: latestFirst.map((day) => day.date.toString()) }
    const mayAdjust =
      isAdjusted && question.adjustment && number === 0 && disturbance(start - 3 * HOUR, start - HOUR) === undefined
    const then = before.map(known)
    const usual = averages((day) => day.before, before.length)
    const both = before.map((_, index) => index).filter((index) => then[index] !== null && usual[index] !== null)
    const time = length(both.map((index) => before[index]!))
    if (!mayAdjust || time < 0.9 * 2 * HOUR) {
      days.push({ ...common, baseline })
      continue
    }
    const signs = new Set(
      [...both.map((index) => usual[index]!), ...baseline.filter((value) => value !== null)].map(Math.sign)
    )
    const [actual, expected] = [sum(both.map((index) => then[index]!)), sum(both.map((index) => usual[index]!))]
    if (signs.size === 1 && !signs.has(0)) {
      const factor = Math.min(1.2, Math.max(0.8, Math.round((actual / expected) * 1e6) / 1e6))
      days.push({ ...common, factor, baseline: baseline.map((value) => value && value * factor) })
    } else {
      const power = (actual - expected) / (time / HOUR)
      days.push({
        ...common,
        offsetW: power / 1e6,
        baseline: baseline.map((value, index) =>
          value === null ? null : value + (power * (window[index]!.to - window[index]!.from)) / HOUR
        )
      })
    }
  }
  return days
}
