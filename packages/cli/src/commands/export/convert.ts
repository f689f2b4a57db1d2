import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { createInterface } from "node:readline"
import { renderCsv } from "../../kernel/table.ts"

type Row = Readonly<Record<string, unknown>>

/** The kind of the values of a column. A column of several kinds is text. */
type Kind = "DOUBLE" | "BOOLEAN" | "TIMESTAMP" | "STRING"

/** Rows of a group in memory, of which a Parquet file has many. */
const GROUP = 20_000

const isMoment = (name: string, value: string) =>
  (name === "timestamp" || name.endsWith("At")) && !Number.isNaN(Date.parse(value))

const detectKind = (name: string, value: unknown): Kind => {
  if (typeof value === "number") return "DOUBLE"
  if (typeof value === "boolean") return "BOOLEAN"
  return typeof value === "string" && isMoment(name, value) ? "TIMESTAMP" : "STRING"
}

async function* rowsIn(path: string): AsyncGenerator<Row> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    yield JSON.parse(line) as Row
  }
}

async function* groupsIn(path: string): AsyncGenerator<ReadonlyArray<Row>> {
  let group: Array<Row> = []
  for await (const row of rowsIn(path)) {
    if (group.push(row) < GROUP) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** The columns of all rows, in the order in which they are first seen. */
const columnsIn = async (path: string): Promise<ReadonlyMap<string, Kind>> => {
  const columns = new Map<string, Kind | undefined>()
  for await (const row of rowsIn(path)) {
    for (const [name, value] of Object.entries(row)) {
      const known = columns.get(name)
      const kind = value === null || value === undefined ? known : detectKind(name, value)
      if (known !== kind || !columns.has(name)) columns.set(name, known === undefined ? kind : "STRING")
    }
  }
  return new Map([...columns].map(([name, kind = "STRING"]) => [name, kind]))
}

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

/** A value as its column holds it. */
const stored = (kind: Kind, value: unknown) => {
  if (value === null || value === undefined) return null
  if (kind === "STRING") return text(value)
  return kind === "TIMESTAMP" ? new Date(value as string) : value
}

/** Writes rows of NDJSON as CSV; objects and lists in cells are JSON. */
export const toCsv = async (from: string, to: string): Promise<void> => {
  const names = [...(await columnsIn(from)).keys()]
  const columns = names.map((name) => ({
    title: name,
    value: (row: Row) => {
      const value = row[name]
      return typeof value === "object" && value !== null ? JSON.stringify(value) : (value as string | number | null)
    }
  }))
  const file = await open(to, "w", 0o600)
  try {
    let hasHeader = false
    for await (const group of groupsIn(from)) {
      const csv = renderCsv(columns, group)
      await file.write(`${hasHeader ? csv.slice(csv.indexOf("\n") + 1) : csv}\n`)
      hasHeader = true
    }
    if (!hasHeader) await file.write("")
  } finally {
    await file.close()
  }
}

/** Writes rows of NDJSON as Parquet; objects and lists in cells are JSON. */
export const toParquet = async (from: string, to: string): Promise<void> => {
  const { ParquetWriter, fileWriter } = await import("hyparquet-writer")
  const columns = await columnsIn(from)
  const types = {
    DOUBLE: { type: "DOUBLE" },
    BOOLEAN: { type: "BOOLEAN" },
    STRING: { type: "BYTE_ARRAY", converted_type: "UTF8" },
    TIMESTAMP: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" }
  } as const
  const schema = [
    { name: "root", num_children: columns.size },
    ...[...columns].map(([name, kind]) => ({ name, repetition_type: "OPTIONAL" as const, ...types[kind] }))
  ]
  const writer = new ParquetWriter({ writer: fileWriter(to), schema })
  for await (const group of groupsIn(from)) {
    await writer.write({
      columnData: [...columns].map(([name, kind]) => ({ name, data: group.map((row) => stored(kind, row[name])) }))
    })
  }
  await writer.finish()
}
