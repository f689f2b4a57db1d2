import { type Cell, CsvProblem } from "../../../csv/cells.ts"
import { momentOf } from "./moment.ts"
import type { LineReader } from "./Reading.ts"

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/u

/** A cell's value: a number, true, false, null, else a string. A quoted cell is a string, and an empty one is absent. */
export const valueOf = ({ quoted, text }: Cell): unknown => {
  if (quoted) return text
  if (text === "") return undefined
  if (text === "true" || text === "false") return text === "true"
  if (text === "null") return null
  return number.test(text) ? Number(text) : text
}

/** The names of the state columns, or what is wrong with the header. */
export const generalHeader = (cells: ReadonlyArray<Cell>): ReadonlyArray<string> | CsvProblem => {
  const names = cells.map(({ text }) => text)
  const [device, timestamp, ...state] = names
  if (device !== "device" || timestamp !== "timestamp" || state.length === 0) {
    return new CsvProblem(
      "header",
      "interval_start,load_wh,solar_wh (a home) or device,timestamp,<state columns> (any devices)"
    )
  }
  const bad = state.find((name, at) => name === "" || state.indexOf(name) !== at)
  return bad === undefined ? state : new CsvProblem("header", `each state column named, and once; "${bad}" is not`)
}

/** Readings of any devices: each line names its device and its time. */
export const generalReader =
  (names: ReadonlyArray<string>, latest: number): LineReader =>
  (cells, line) => {
    if (cells.length !== names.length + 2) {
      return new CsvProblem("every column", `${names.length + 2} cells as in the header; there are ${cells.length}`)
    }
    const [device, timestamp, ...values] = cells
    if (device === undefined || device.text === "") {
      return new CsvProblem("device", "a device id or a manufacturer's id of a device")
    }
    const moment = momentOf(timestamp?.text, latest)
    if (typeof moment === "string" || timestamp === undefined) return new CsvProblem("timestamp", `${moment}`)
    const state = names.flatMap((name, at) => {
      const value = valueOf(values[at] ?? { text: "", quoted: false })
      return value === undefined ? [] : [[name, value] as const]
    })
    return [{ device: device.text, timestamp: timestamp.text, line, state: Object.fromEntries(state) }]
  }
