import type { RecordedState } from "@edp/domain/devices/DeviceState"
import { cell } from "../../../table.ts"

const GAP = "  "
const NARROWEST = 8

const fieldsOf = (reading: RecordedState) =>
  Object.keys(reading).filter((name) => name !== "id" && name !== "createdAt")

/** Lines that come one after the other: a title line whenever there is a field that had no column, and the reading's own. */
export const readingLines = () => {
  let columns: ReadonlyArray<readonly [name: string, width: number]> = []
  return (reading: RecordedState): ReadonlyArray<string> => {
    const names = columns.map(([name]) => name)
    const added = fieldsOf(reading).filter((name) => !names.includes(name))
    columns = [
      ...columns,
      ...added.map((name) => [name, Math.max(NARROWEST, name.length, cell(reading[name]).length)] as const)
    ]
    const values = columns.map(([name, width]) => cell(reading[name]).padStart(width))
    const titles = columns.map(([name, width]) => name.padStart(width))
    return [
      ...(added.length > 0 ? [["TIME".padEnd(reading.createdAt.length), ...titles].join(GAP)] : []),
      [reading.createdAt, ...values].join(GAP)
    ]
  }
}
