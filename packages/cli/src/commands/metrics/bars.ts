/** Ends of a bar, by eighths of a cell. */
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

export interface BarScale {
  readonly low: number
  readonly high: number
  /** Cells below zero and above. */
  readonly below: number
  readonly above: number
}

/** Shares a width between what is below zero and what is above; zero lies between two cells. */
export const barScale = (values: ReadonlyArray<number>, width: number): BarScale => {
  const low = values.reduce((least, value) => Math.min(least, value), 0)
  const high = values.reduce((most, value) => Math.max(most, value), 0)
  const below = low === high ? 0 : Math.round((width * -low) / (high - low))
  return { low, high, below, above: width - below }
}

/** A value as a bar to the right of zero, or to the left of it. */
export const bar = (value: number, { above, below, high, low }: BarScale): string => {
  if (value < 0) {
    const halves = Math.round((value / low) * below * 2)
    const text = `${halves % 2 === 1 ? "▐" : ""}${"█".repeat(halves >> 1)}`
    return text.padStart(below)
  }
  const parts = high === 0 ? 0 : Math.round((value / high) * above * 8)
  return `${" ".repeat(below)}${"█".repeat(parts >> 3)}${eighths[parts & 7]!}`
}
