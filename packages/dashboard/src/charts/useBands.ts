import { useMemo } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { annotationsQuery, type Subject } from "../resources/annotations.ts"
import { shownCommandsQuery } from "../resources/commands.ts"
import { currentValue, useAtomValue, useCurrent } from "../state/atoms.ts"
import { annotationBand, commandBand } from "./bands.ts"
import type { Band } from "./series.ts"

interface Span {
  readonly from: number
  readonly to: number
}

interface Bands {
  readonly bands: ReadonlyArray<Band>
  /** Says that bands are missing. */
  readonly remark: string | undefined
}

/**
 * Outages, alerts, dispatches and changes of the clock of a device or a site in a time, and the commands to devices. The charts are
 * shown without them until they are read.
 */
export const useBands = (subject: Subject, { from, to }: Span, deviceIds: ReadonlyArray<string>): Bands => {
  const t = useMessages("charts")
  const { names } = useMessages("deviceCommands")
  const { words } = useMessages("fields")
  const deviceId = "deviceId" in subject ? subject.deviceId : undefined
  const result = useAtomValue(annotationsQuery(subject, { from, to }))
  const found = currentValue(result)
  const sent = useCurrent(deviceIds.length === 0 ? undefined : shownCommandsQuery(deviceIds, { from, to }))?.body
  const bands = useMemo(
    () =>
      [
        ...(found?.annotations ?? []).map((each) => annotationBand(each, t.bands, deviceId)),
        ...(sent?.data ?? []).map((each) =>
          commandBand(each, t.bands, words[String(each.input["operatingMode"])] ?? names[each.type])
        )
      ]
        .filter((band) => band.from < to && (band.to ?? to) >= from)
        .toSorted((a, b) => a.from - b.from),
    [found, sent, t, names, words, deviceId, from, to]
  )
  return { bands, remark: result._tag === "Failure" ? t.noBands : found?.isTruncated ? t.bandsTruncated : undefined }
}
