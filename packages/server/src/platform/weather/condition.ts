import type { Weather } from "@edp/domain/sites/Weather"

type Condition = Weather["condition"]

/** Codes of the World Meteorological Organization's table 4677, as far as forecasts use them. */
const conditions: ReadonlyArray<readonly [condition: Condition, codes: ReadonlyArray<number>]> = [
  ["clear", [0]],
  ["mostly_clear", [1]],
  ["partly_cloudy", [2]],
  ["overcast", [3]],
  ["fog", [45, 48]],
  ["drizzle", [51, 53, 55]],
  ["freezing_drizzle", [56, 57]],
  ["rain", [61, 63, 65, 80, 81, 82]],
  ["freezing_rain", [66, 67]],
  ["snow", [71, 73, 75, 77, 85, 86]],
  ["thunderstorm", [95]],
  ["hail", [96, 99]]
]

const byCode = new Map(conditions.flatMap(([condition, codes]) => codes.map((code) => [code, condition] as const)))

export const conditionOf = (code: number): Condition => byCode.get(code) ?? "unknown"
