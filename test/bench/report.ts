import { type Figure, passes } from "./Figure.ts"

export interface Measured extends Figure {
  readonly benchmark: string
}

const digits = { "×": 2, MB: 0, s: 2, ms: 1, "%": 1 } as const

const amount = (value: number, unit: Figure["unit"]) =>
  `${value.toFixed(digits[unit])}${unit === "×" ? "" : " "}${unit}`

const promised = ({ target, unit }: Figure) => {
  if (target === undefined) return ""
  return "atLeast" in target ? `≥ ${amount(target.atLeast, unit)}` : `≤ ${amount(target.atMost, unit)}`
}

const verdict = (figure: Figure) => {
  const passed = passes(figure)
  return passed === undefined ? "" : passed ? "pass" : "MISS"
}

const line = (figure: Figure) =>
  `  ${verdict(figure).padEnd(5)}${amount(figure.measured, figure.unit).padStart(9)}  ${promised(figure).padEnd(11)}  ${figure.name}` +
  (figure.behind === undefined ? "" : `\n${" ".repeat(30)}${figure.behind}`)

/** The figures for a person: each with its target and whether it is kept. */
export const table = (benchmark: string, figures: ReadonlyArray<Figure>): string =>
  `${benchmark}\n${figures.map(line).join("\n")}\n`

/** The figures for a program. */
export const document = (figures: ReadonlyArray<Measured>, machine: string, disturbance: object): string =>
  `${JSON.stringify(
    {
      measuredAt: new Date().toISOString(),
      machine,
      disturbance,
      figures: figures.map((figure) => ({ ...figure, pass: passes(figure) ?? null }))
    },
    null,
    2
  )}\n`
