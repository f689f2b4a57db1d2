import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type CsvCell, csvTable } from "@edp/domain/shared/csv"
import type { Series } from "../../charts/series.ts"
import { stateFields } from "./fields.ts"

const cell = (value: unknown): CsvCell =>
  typeof value === "number" || typeof value === "string" || value === null || value === undefined
    ? value
    : String(value)

/** Readings as CSV: their time, then each field that one of them has, with its unit where it is known. */
export const readingsCsv = (type: DeviceType, readings: ReadonlyArray<RecordedFields>): string => {
  const fields = [...new Set(readings.flatMap((reading) => Object.keys(reading)))].filter(
    (name) => name !== "id" && name !== "createdAt"
  )
  const units = new Map(
    stateFields(type, {}).flatMap((field) => (field.kind === "quantity" ? [[field.name, field.unit] as const] : []))
  )
  return csvTable(
    ["timestamp", ...fields.map((name) => (units.has(name) ? `${name} (${units.get(name)})` : name))],
    readings.map((reading) => [reading.createdAt, ...fields.map((name) => cell(reading[name]))])
  )
}

/** The lines of charts as CSV: the time, then each line with its unit. A time without a value has an empty cell. */
export const seriesCsv = (series: ReadonlyArray<Series>): string => {
  const rows = new Map<number, Map<string, number>>()
  for (const { id, points } of series) {
    for (const [time, value] of points) {
      const row = rows.get(time) ?? new Map<string, number>()
      rows.set(time, value === null ? row : row.set(id, value))
    }
  }
  return csvTable(
    ["timestamp", ...series.map(({ id, unit }) => `${id} (${unit})`)],
    [...rows]
      .toSorted(([a], [b]) => a - b)
      .map(([time, values]) => [new Date(time).toISOString(), ...series.map(({ id }) => values.get(id))])
  )
}

/** The name of a file, without the characters that file systems refuse. */
export const fileName = (name: string) => `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^-|-$/g, "")}.csv`

/** Saves a table in the browser's folder of downloads. */
export const saveCsv = (name: string, csv: string) => {
  const url = URL.createObjectURL(new Blob([csv], { type: "text/csv;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = url
  link.download = fileName(name)
  link.click()
  // The browser has taken the content by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
