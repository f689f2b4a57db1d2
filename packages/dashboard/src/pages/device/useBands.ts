import type { Annotation } from "@edp/domain/dashboard/Annotation"
import { annotationsQuery } from "../../resources/annotations.ts"
import type { Band } from "../../charts/series.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import type { Period } from "../../i18n/period.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"
import { type DeviceMessages, messages } from "./messages.ts"

const label = (annotation: Annotation, t: DeviceMessages): Pick<Band, "label" | "state"> => {
  switch (annotation.kind) {
    case "outage":
      return { label: t.bands[annotation.cause], state: "outage" }
    case "alert":
      return { label: annotation.title, state: "alert" }
    case "dispatch":
      return { label: `${t.bands.dispatch}: ${annotation.name}`, state: "dispatch" }
    case "clock_change":
      return { label: t.bands.clock, state: "clock" }
  }
}

/** The part of a chart's width that an instant takes, so that it can be seen. */
const INSTANT = 1 / 200

/** An annotation as a band within the time of a chart. */
export const toBand = (annotation: Annotation, period: Pick<Period, "from" | "to">, t: DeviceMessages): Band => {
  const from = Date.parse(annotation.from)
  const to = annotation.to === null ? null : Date.parse(annotation.to)
  const least = (period.to - period.from) * INSTANT
  return {
    ...label(annotation, t),
    from: Math.max(from, period.from),
    to: to === null ? null : Math.min(period.to, Math.max(to, from + least))
  }
}

const NONE: ReadonlyArray<Annotation> = []

/** Outages, dispatches, clock changes and alerts of the device in a time. The charts are shown without them until they are read. */
export const useBands = (deviceId: string, period: Period): ReadonlyArray<Band> => {
  const t = useMessages(messages)
  const found = currentValue(useAtomValue(annotationsQuery({ deviceId }, period)))
  return (found?.annotations ?? NONE).map((annotation) => toBand(annotation, period, t))
}
