import { toDuration } from "@edp/domain/openadr/durations"
import type { FakeVtn } from "../../support/peers/FakeVtn.ts"
import type { Random } from "../../support/Random.ts"

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/** The modes of batteries at the levels 1, 2 and 3. */
export const modes = ["discharge", "charge", "idle"] as const

interface Planned {
  readonly priority: number | null
  readonly createdAt: number
  readonly start: number
  readonly minutes: number
  readonly levels: ReadonlyArray<number>
}

/** Events of a VTN that are added, changed and removed at random, and what they mean, minute by minute. */
export class ChangingEvents {
  readonly #vtn: FakeVtn
  readonly #programId: string
  readonly #random: Random
  readonly #left = new Map<string, Planned>()

  constructor(vtn: FakeVtn, programId: string, random: Random) {
    this.#vtn = vtn
    this.#programId = programId
    this.#random = random
  }

  /** Events that have begun, of which some intervals have ended. None of their levels is normal operation. */
  now(count: number) {
    for (let n = 0; n < count; n++) this.#add(-12 + n, this.#random.pick([4, 5]), 6, [1, 2, 3])
  }

  change() {
    const kind = this.#left.size < 4 ? "add" : this.#random.pick(["add", "change", "change", "remove"])
    if (kind === "add") return this.#add(...this.#draw())
    const id = this.#random.pick([...this.#left.keys()])
    if (kind === "remove") {
      this.#vtn.remove(id)
      this.#left.delete(id)
      return
    }
    const [fields, times] = this.#fields(...this.#draw())
    this.#vtn.update(id, fields)
    this.#left.set(id, { ...this.#left.get(id)!, ...times })
  }

  #draw(): [number, number, number] {
    const random = this.#random
    return [
      random.pick([-10, -2, 1, 3, random.below(600), random.below(2800)]),
      random.pick([2, 5, 15, 60, 600]),
      1 + random.below(6)
    ]
  }

  #fields(offset: number, minutes: number, count: number, from: ReadonlyArray<number> = [0, 1, 2, 3]) {
    const random = this.#random
    const start = Math.floor(Date.now() / MINUTE + offset) * MINUTE
    const levels = Array.from({ length: count }, () => random.pick(from))
    const priority = random.pick([null, 0, 1, 2])
    const fields = {
      priority,
      intervalPeriod: { start: new Date(start).toISOString(), duration: toDuration(minutes * 60) },
      intervals: levels.map((level, id) => ({ id, payloads: [{ type: "SIMPLE", values: [level] }] })),
      reportDescriptors: [{ payloadType: "USAGE", aggregate: true, startInterval: 1, numIntervals: 1, repeat: -1 }]
    }
    return [fields, { priority, start, minutes, levels }] as const
  }

  #add(offset: number, minutes: number, count: number, from?: ReadonlyArray<number>) {
    const [fields, times] = this.#fields(offset, minutes, count, from)
    const { createdDateTime, id } = this.#vtn.event(this.#programId, fields)
    this.#left.set(id, { ...times, createdAt: Date.parse(createdDateTime) })
  }

  /** The event that governs at a time, and its mode; undefined for normal operation. */
  governing(at: number) {
    const [first] = [...this.#left]
      .filter(([, { levels, minutes, start }]) => start <= at && at < start + levels.length * minutes * MINUTE)
      .toSorted(
        ([, one], [, other]) => (one.priority ?? 1e9) - (other.priority ?? 1e9) || one.createdAt - other.createdAt
      )
    if (first === undefined) return undefined
    const [id, { levels, minutes, start }] = first
    const level = levels[Math.floor((at - start) / (minutes * MINUTE))]!
    return level === 0 ? undefined : { id, mode: modes[level - 1]! }
  }

  /** The day of an event, counted from its start. */
  dayOf(id: string, at: number) {
    const start = this.#left.get(id)?.start
    return start === undefined ? `${id} was removed` : `${id} ${Math.floor((at - start) / DAY)}`
  }

  /** The reports on the intervals that ended before a time: the event and the end of each. */
  reported(before: number): ReadonlyArray<string> {
    return [...this.#left].flatMap(([id, { levels, minutes, start }]) =>
      levels.flatMap((_, index) => {
        const end = start + (index + 1) * minutes * MINUTE
        return end < before ? [reportKey(id, end)] : []
      })
    )
  }
}

export const reportKey = (eventId: string, end: number) => `${eventId} ${new Date(end).toISOString()}`
