import { Effect } from "effect"
import { HttpEffect } from "effect/http"
import { varyingBy } from "./compression.ts"

interface Range {
  readonly type: string
  readonly weight: number
}

const member = /^([\w.+*-]+\/[\w.+*-]+)(?:;.*?)?$/

const parseRanges = (accept: string): ReadonlyArray<Range> =>
  accept
    .toLowerCase()
    .split(",")
    .flatMap((part) => {
      const text = part.replaceAll(/[ \t]/g, "")
      const type = member.exec(text)?.[1]
      const weight = Number(/;q=([01](?:\.\d{0,3})?)(?:;|$)/.exec(text)?.[1] ?? "1")
      return type === undefined ? [] : [{ type, weight }]
    })

/** The weight of a media type by the most specific range that matches it. */
const findWeight = (ranges: ReadonlyArray<Range>, type: string) => {
  const fitting = [type, `${type.split("/")[0]}/*`, "*/*"]
  const particular = fitting.find((name) => ranges.some((range) => range.type === name))
  return ranges.find((range) => range.type === particular)?.weight ?? 0
}

/** Whether Accept prefers CSV to JSON. The first one of equal weights wins. */
export const prefersCsv = (accept: string | undefined): boolean => {
  if (accept === undefined) return false
  const ranges = parseRanges(accept)
  const [csv, json] = [findWeight(ranges, "text/csv"), findWeight(ranges, "application/json")]
  if (csv !== json) return csv > json
  const named = ranges.find(({ type }) => ["text/csv", "application/json", "*/*"].includes(type))
  return csv > 0 && named?.type === "text/csv"
}

/** One URL returns JSON or CSV, so caches must distinguish by Accept. */
export const varyingByAccept = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(varyingBy(response, "Accept"))
)
