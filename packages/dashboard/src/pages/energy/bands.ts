import type { Annotation } from "@edp/domain/dashboard/Annotation"
import type { Band } from "../../charts/series.ts"
import type { Period } from "../../i18n/period.ts"

interface Words {
  readonly silence: string
  readonly disconnected: string
  readonly clock: string
  readonly dispatch: (name: string) => string
}

const looks = (annotation: Annotation, words: Words): Pick<Band, "label" | "state"> => {
  switch (annotation.kind) {
    case "outage":
      return { label: words[annotation.cause], state: "outage" }
    case "alert":
      return { label: annotation.title, state: "alert" }
    case "dispatch":
      return { label: words.dispatch(annotation.name), state: "dispatch" }
    case "clock_change":
      return { label: words.clock, state: "clock" }
  }
}

/** The part of a chart's width that an instant takes, so that it can be seen. */
const INSTANT = 1 / 200

/** Annotations as bands within a period. */
export const bandsFrom = (
  annotations: ReadonlyArray<Annotation>,
  period: Pick<Period, "from" | "to">,
  words: Words
): ReadonlyArray<Band> =>
  annotations.map((annotation) => {
    const start = Date.parse(annotation.from)
    const end = annotation.to === null ? null : Date.parse(annotation.to)
    return {
      ...looks(annotation, words),
      from: Math.max(start, period.from),
      to: end === null ? null : Math.min(period.to, Math.max(end, start + (period.to - period.from) * INSTANT))
    }
  })
