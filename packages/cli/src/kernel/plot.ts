export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly value: number
}

export interface PlotOptions {
  /** The value for the time between two instants; undefined for a gap. */
  readonly curve: (from: number, to: number) => number | undefined
  /** A second curve, drawn as a line over the first. */
  readonly line?: PlotOptions["curve"]
  readonly from: number
  readonly to: number
  readonly ticks: ReadonlyArray<{ readonly at: number; readonly label: string }>
  readonly unit: string
  /** Columns of the whole plot, and about how many rows the curve has. */
  readonly columns: number
  readonly rows: number
}

interface Scale {
  readonly low: number
  readonly high: number
  readonly step: number
  readonly rowsOfStep: number
  readonly rows: number
}

/** Longer gaps between readings, in milliseconds, are drawn as gaps. */
const LONGEST_BRIDGE = 90 * 60_000
const MARGIN = 10
const dots = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80]
] as const

/** A value axis with round steps of equal height, about one every three rows; it always includes zero. */
export const chooseScale = (values: ReadonlyArray<number>, rows: number): Scale => {
  const lowest = values.reduce((least, value) => Math.min(least, value), 0)
  const highest = values.reduce((most, value) => Math.max(most, value), 0)
  const rough = (highest - lowest || 1) / Math.max(2, Math.floor(rows / 3))
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const below = Math.ceil(-lowest / step)
  const above = Math.max(Math.ceil(highest / step), below === 0 ? 1 : 0)
  const rowsOfStep = Math.max(1, Math.floor(rows / (below + above)))
  return { low: -below * step, high: above * step, step, rowsOfStep, rows: rowsOfStep * (below + above) }
}

/** The value at an instant, by linear interpolation. */
export const valueAt = (points: ReadonlyArray<Point>, at: number): number | undefined => {
  const next = points.findIndex((point) => point.at >= at)
  const right = points[next]
  if (right === undefined) return undefined
  const left = points[next - 1]
  if (right.at === at) return right.value
  if (left === undefined || right.at - left.at > LONGEST_BRIDGE) return undefined
  return left.value + ((right.value - left.value) * (at - left.at)) / (right.at - left.at)
}

const thousands = (scale: Scale) => Math.max(Math.abs(scale.low), scale.high) >= 2000

const label = (value: number, scale: Scale) => {
  const shown = thousands(scale) ? value / 1000 : value
  const step = thousands(scale) ? scale.step / 1000 : scale.step
  const digits = Number.isInteger(step) ? 0 : Number.isInteger(step * 10) ? 1 : 2
  return (Object.is(shown, -0) ? 0 : shown).toFixed(digits)
}

/** Linear interpolation between readings. */
export const lineThrough =
  (points: ReadonlyArray<Point>): PlotOptions["curve"] =>
  (from, to) =>
    valueAt(points, (from + to) / 2)

const sampled = ({ from, to }: PlotOptions, curve: PlotOptions["curve"], count: number) => {
  const step = (to - from) / count
  return Array.from({ length: count }, (_, x) => curve(from + x * step, from + (x + 1) * step))
}

/** The upper, middle and lower third of a row. */
const lineCharacters = ["▔", "━", "▁"] as const

/** The row of a line's value, and its character there. */
const lineCellAt = (value: number, { high, low, rows }: Scale) => {
  const height = ((high - value) / (high - low)) * rows
  const row = Math.min(rows - 1, Math.floor(height))
  return { row, character: lineCharacters[Math.min(2, Math.floor((height - row) * 3))]! }
}

/** Braille characters of two by four dots, filled from zero to the curve. */
const area = (values: ReadonlyArray<number | undefined>, scale: Scale, columns: number) => {
  const { rows } = scale
  const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => 0))
  const height = rows * 4
  const toDot = (value: number) => ((scale.high - value) / (scale.high - scale.low)) * height
  const zero = toDot(0)
  for (const [x, value] of values.entries()) {
    if (value === undefined) continue
    const [top, bottom] = [Math.min(zero, toDot(value)), Math.max(zero, toDot(value))]
    for (let y = Math.round(top); y < Math.round(bottom); y++) {
      const row = cells[Math.min(rows - 1, Math.floor(y / 4))]!
      row[x >> 1] = row[x >> 1]! | dots[(x & 1) as 0 | 1][(y % 4) as 0 | 1 | 2 | 3]
    }
  }
  return cells
}

const hourAxis = ({ from, ticks, to }: PlotOptions, columns: number) => {
  const line = Array.from({ length: columns + 1 }, () => "─")
  const labels = Array.from({ length: columns + 3 }, () => " ")
  for (const tick of ticks) {
    const at = Math.round(((tick.at - from) / (to - from)) * columns)
    const start = Math.max(0, at - 1)
    const end = start + tick.label.length
    if (end > columns + 3 || labels.slice(Math.max(0, start - 1), end + 1).some((taken) => taken !== " ")) continue
    line[at] = "┬"
    for (const [offset, character] of [...tick.label].entries()) labels[start + offset] = character
  }
  return [line.join(""), labels.join("").trimEnd()] as const
}

/** Draws a curve over time as text, filled from zero, with a value axis and a time axis; it needs no colour. */
export const renderPlot = (options: PlotOptions): string => {
  const { rows, unit } = options
  const columns = Math.max(20, options.columns - MARGIN - 3)
  // Two values per column.
  const values = sampled(options, options.curve, columns * 2)
  const lineValues = options.line === undefined ? [] : sampled(options, options.line, columns)
  const scale = chooseScale(
    [...values, ...lineValues].filter((value) => value !== undefined),
    rows
  )
  const line = lineValues.map((value) => (value === undefined ? undefined : lineCellAt(value, scale)))
  const cells = area(values, scale, columns)
  const valueOfRow = (row: number) => scale.high - (row / scale.rowsOfStep) * scale.step
  const gutter = (row: number) =>
    row % scale.rowsOfStep === 0 ? `${label(valueOfRow(row), scale).padStart(MARGIN)} ┤` : `${" ".repeat(MARGIN)} │`
  const body = cells.map((bits, row) => {
    const blank = valueOfRow(row) === 0 ? "─" : " "
    const text = bits
      .map((dots, x) => {
        if (line[x]?.row === row) return line[x].character
        return dots === 0 ? blank : String.fromCodePoint(0x2800 + dots)
      })
      .join("")
    return `${gutter(row)}${text}`.trimEnd()
  })
  const [axis, hours] = hourAxis(options, columns)
  const lowest = `${label(scale.low, scale).padStart(MARGIN)} └${axis}`
  const title = `${(thousands(scale) ? `k${unit}` : unit).padStart(MARGIN)}`
  return [title, ...body, lowest, `${" ".repeat(MARGIN + 2)}${hours}`].join("\n")
}
