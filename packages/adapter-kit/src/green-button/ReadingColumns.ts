/** The most interval readings of a file: 28 years of quarters of an hour. */
const MOST_READINGS = 1_000_000

/** Interval readings in columns of numbers: 30 bytes each, so that a file of many years fits into memory. */
export class ReadingColumns {
  /** Seconds since 1970; NaN if the reading has no time. */
  start = new Float64Array(1024)
  /** Seconds; NaN if the reading has none. */
  duration = new Float64Array(1024)
  /** In the unit of the reading type; NaN without a value. */
  value = new Float64Array(1024)
  /** The code of the worst quality; -1 without one. */
  quality = new Int16Array(1024)
  line = new Uint32Array(1024)
  length = 0

  /** False where the file has too many. */
  add(start: number, duration: number, value: number, quality: number, line: number): boolean {
    if (this.length >= MOST_READINGS) return false
    if (this.length === this.start.length) this.#grow()
    const at = this.length++
    this.start[at] = start
    this.duration[at] = duration
    this.value[at] = value
    this.quality[at] = quality
    this.line[at] = line
    return true
  }

  #grow() {
    const size = this.length * 2
    const grown = <A extends Float64Array | Int16Array | Uint32Array>(larger: A, column: A): A => {
      larger.set(column)
      return larger
    }
    this.start = grown(new Float64Array(size), this.start)
    this.duration = grown(new Float64Array(size), this.duration)
    this.value = grown(new Float64Array(size), this.value)
    this.quality = grown(new Int16Array(size), this.quality)
    this.line = grown(new Uint32Array(size), this.line)
  }
}
