import type { FiledReading } from "../platform/archive/partContents.ts"

/** The row of a reading as JSON, whose time keeps its microseconds and whose state keeps its text. */
export const readingLine = ({ at, device_id, id, state }: FiledReading): string => {
  const fraction = ((at % 1000n) + 1000n) % 1000n
  const milliseconds = Number((at - fraction) / 1000n)
  const time = new Date(milliseconds).toISOString().replace("Z", `${String(fraction).padStart(3, "0")}Z`)
  return `{"device_id":${JSON.stringify(device_id)},"at":"${time}","id":${JSON.stringify(id)},"state":${state}}`
}
