import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { type CsvCell, csvTable } from "@edp/domain/shared/csv"
import { fileName, saveText } from "../../kit/download.ts"
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

/** Saves a table in the browser's folder of downloads. */
export const saveCsv = (name: string, csv: string) => saveText(`${fileName(name)}.csv`, "text/csv", csv)
