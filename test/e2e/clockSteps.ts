/**
 * Loaded into a server before its own program: its clock is set two hours ahead at SIGUSR2, two hours back at SIGPWR, and 70 seconds
 * ahead at SIGIO. The embedded database goes by the same clock; the monotonic clock runs on.
 */
const System = Date
let offset = 0

class SteppedDate extends System {
  constructor(...values: ReadonlyArray<never>) {
    if (values.length === 0) super(SteppedDate.now())
    else super(...(values as unknown as [number]))
  }

  static override now() {
    return System.now() + offset
  }
}

globalThis.Date = SteppedDate as unknown as DateConstructor

const steps = { SIGUSR2: 2 * 3_600_000, SIGPWR: -2 * 3_600_000, SIGIO: 70_000 } as const
for (const [signal, step] of Object.entries(steps)) {
  process.on(signal, () => {
    offset += step
  })
}
