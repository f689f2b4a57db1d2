import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { parquetReadObjects } from "hyparquet"
import { parquetWriteBuffer } from "hyparquet-writer"

const zip = promisify(gzip)
const unzip = promisify(gunzip)

/** Decompressed contents may be no longer, whatever a file claims. */
const MOST_BYTES = 256 * 1024 * 1024

/** Lines of JSON, compressed in a thread of Node's pool. */
export const encodeLines = (lines: ReadonlyArray<string>): Promise<Uint8Array> =>
  zip(lines.map((line) => `${line}\n`).join(""), { level: 4 })

export const decodeLines = async (content: Uint8Array): Promise<ReadonlyArray<string>> =>
  (await unzip(content, { maxOutputLength: MOST_BYTES })).toString("utf8").split("\n").slice(0, -1)

/** A reading as it is in files: its time in microseconds since 1970, and its state as JSON. */
export interface FiledReading {
  readonly device_id: string
  readonly at: bigint
  readonly id: string
  readonly state: string
}

const schema = [
  { name: "root", num_children: 4 },
  { name: "device_id", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
  { name: "at", type: "INT64", converted_type: "TIMESTAMP_MICROS", repetition_type: "REQUIRED" },
  { name: "id", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
  { name: "state", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" }
] as const

/** Readings as Parquet. */
export const encodeReadings = (readings: ReadonlyArray<FiledReading>): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      schema: [...schema],
      columnData: [
        { name: "device_id", data: readings.map((reading) => reading.device_id) },
        { name: "at", data: readings.map(({ at }) => at) },
        { name: "id", data: readings.map(({ id }) => id) },
        { name: "state", data: readings.map(({ state }) => state) }
      ]
    })
  )

export const decodeReadings = async (content: Uint8Array): Promise<ReadonlyArray<FiledReading>> => {
  const file = content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength) as ArrayBuffer
  // A Date would lose microseconds.
  const parsers = { timestampFromMicroseconds: (micros: bigint) => micros }
  return (await parquetReadObjects({ file, parsers } as never)) as unknown as ReadonlyArray<FiledReading>
}
