import { Effect } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { showTable } from "../../Output.ts"
import type { Column } from "../../table.ts"
import type { FileResult } from "./importFile.ts"

const SHOWN_ERRORS = 20

const columns: ReadonlyArray<Column<FileResult>> = [
  { title: "FILE", value: ({ file }) => file },
  { title: "DEVICES", value: ({ devices }) => devices.length, right: true, whole: true },
  { title: "READINGS", value: ({ readings }) => readings, right: true, whole: true },
  { title: "ACCEPTED", value: ({ accepted }) => accepted, right: true, whole: true },
  { title: "DUPLICATES", value: ({ duplicates }) => duplicates, right: true, whole: true },
  { title: "ERRORS", value: ({ refused }) => refused, right: true, whole: true }
]

const sum = (files: ReadonlyArray<FileResult>, field: "readings" | "accepted" | "duplicates" | "refused") =>
  files.reduce((total, file) => total + file[field], 0)

/** Shows what became of the files; refused readings are told by their lines. */
export const summarise = Effect.fnUntraced(function* (files: ReadonlyArray<FileResult>) {
  const refused = sum(files, "refused")
  const totals = {
    readings: sum(files, "readings"),
    accepted: sum(files, "accepted"),
    duplicates: sum(files, "duplicates")
  }
  yield* showTable({ files, ...totals, refused }, columns, files)
  if (refused === 0) return
  const lines = files.flatMap(({ errors, file }) =>
    errors.map(({ code, line, message }) => `${file} line ${line}: ${code}: ${message}`)
  )
  const more = refused > SHOWN_ERRORS ? [`and ${refused - SHOWN_ERRORS} more`] : []
  return yield* new CliFailure({
    code: "READINGS_REFUSED",
    message: `The service refused ${refused} readings; the others are stored`,
    details: [...lines.slice(0, SHOWN_ERRORS), ...more]
  })
})
