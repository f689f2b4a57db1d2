import type { Command } from "@edp/domain/commands/Command"
import type { Annotation } from "@edp/domain/dashboard/Annotation"
import type { RecordTarget } from "../kit/recordLinks.tsx"
import type { Band } from "./series.ts"

export interface BandWords {
  readonly silence: string
  readonly disconnected: string
  readonly clock: string
  readonly dispatch: (values: { name: string }) => string
  readonly command: (values: { name: string }) => string
}

const alertLink = (alert: string): RecordTarget => ({ to: "/dashboard/alerts", search: { alert, status: "all" } })
const deviceLink = (id: string): RecordTarget => ({ to: "/dashboard/devices/$id", params: { id } })

/** `deviceId`: the device whose page shows the chart, to which no link leads. */
const looks = (
  annotation: Annotation,
  words: BandWords,
  deviceId: string | undefined
): Pick<Band, "label" | "state" | "link"> => {
  switch (annotation.kind) {
    case "outage": {
      const look = { label: words[annotation.cause], state: "outage" } as const
      if (annotation.alertId !== null) return { ...look, link: alertLink(annotation.alertId) }
      const isElsewhere = annotation.deviceId !== null && annotation.deviceId !== deviceId
      return isElsewhere ? { ...look, link: deviceLink(annotation.deviceId) } : look
    }
    case "alert":
      return { label: annotation.title, state: "alert", link: alertLink(annotation.alertId) }
    case "dispatch":
      return {
        label: words.dispatch({ name: annotation.name }),
        state: "dispatch",
        link: { to: "/dashboard/dispatches/$id", params: { id: annotation.dispatchId } }
      }
    case "clock_change":
      return { label: words.clock, state: "clock" }
  }
}

/** An annotation as a band. */
export const annotationBand = (annotation: Annotation, words: BandWords, deviceId?: string): Band => ({
  ...looks(annotation, words, deviceId),
  from: Date.parse(annotation.from),
  to: annotation.to === null ? null : Date.parse(annotation.to)
})

/** A command as a band: from its acceptance to the restoration of the previous settings, or the instant of its end. */
export const commandBand = (command: Command, words: BandWords, name: string): Band => {
  const { executedAt, id, issuedAt, revertAfter, scheduledFor, status } = command
  const begin = Date.parse(executedAt ?? scheduledFor ?? issuedAt)
  const isHeld = status === "completed" && revertAfter !== undefined
  return {
    label: words.command({ name }),
    state: "command",
    link: { to: "/dashboard/commands", search: { command: id } },
    from: begin,
    to: isHeld ? begin + revertAfter * 1000 : begin
  }
}
