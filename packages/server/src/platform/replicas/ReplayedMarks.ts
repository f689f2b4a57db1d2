/** A position in the log of the primary, with a time at which the primary had reached it. */
interface Mark {
  readonly at: number
  readonly position: bigint
}

/** More than the greatest allowed lag has. */
const MOST = 1000

/**
 * The lag of a replica: the time since the latest mark of the primary that the replica has replayed. Unlike the time of the last replayed
 * transaction it does not grow while nothing is written. Times are milliseconds of the monotonic clock.
 */
export class ReplayedMarks {
  readonly #marks: Array<Mark> = []
  #replayed = 0n
  #isAhead = false
  #asOf: number | undefined

  /** `at` is a time before the primary was asked. */
  mark(at: number, position: bigint) {
    // The replica was further: another server leads now, which lacks what the replica holds.
    this.#isAhead = position < this.#replayed
    if (this.#isAhead) this.#marks.length = 0
    this.#marks.push({ at, position })
    if (this.#marks.length > MOST) this.#marks.shift()
  }

  /** Returns false if the replica has another history than the primary. */
  replay(position: bigint): boolean {
    this.#replayed = position
    if (this.#isAhead) return false
    const latest = this.#marks.findLastIndex((mark) => mark.position <= position)
    if (latest >= 0) {
      this.#asOf = this.#marks[latest]!.at
      this.#marks.splice(0, latest)
    }
    return true
  }

  /** Undefined if it is unknown. */
  lag(now: number): number | undefined {
    return this.#asOf === undefined ? undefined : now - this.#asOf
  }

  /** Makes the lag unknown until the next replay. */
  forget() {
    this.#asOf = undefined
  }
}
