import type { GridTimelineSegment } from "@edp/domain/grid/GridEvent"
import type { Language } from "@edp/domain/shared/Language"
import { formatNumber, formatQuantity, formatShare, type Unit } from "../../../i18n/format.ts"

type Payload = GridTimelineSegment["payloads"][number]
type Value = Payload["values"][number]

/** The units of OpenADR that the page writes as elsewhere. Others stand as they are. */
const shownUnits: Readonly<Record<string, Unit>> = {
  KW: "kW",
  KWH: "kWh",
  W: "W",
  WH: "Wh",
  VOLTS: "V",
  AMPS: "A",
  HERTZ: "Hz"
}

/** Values of a payload that are written out. */
const SHOWN_VALUES = 5

const valueText = (language: Language, value: Value, units: string | null): string => {
  if (typeof value === "object") return `(${formatNumber(language, value.x, 4)}; ${formatNumber(language, value.y, 4)})`
  if (typeof value !== "number") return String(value)
  if (units === "PERCENT") return formatShare(language, value, 1)
  const unit = units === null ? undefined : shownUnits[units]
  if (unit !== undefined) return formatQuantity(language, value, unit)
  return [formatNumber(language, value, 6), units ?? ""].join("\u00a0").trim()
}

/** A payload in words, such as "SIMPLE 2" or "DISPATCH_SETPOINT -10 kW". */
export const payloadText = (language: Language, { type, units, values }: Payload): string => {
  const shown = values.slice(0, SHOWN_VALUES).map((value) => valueText(language, value, units))
  return [type, shown.join(", ") + (values.length > SHOWN_VALUES ? " …" : "")].join(" ").trim()
}

export const payloadsText = (language: Language, payloads: ReadonlyArray<Payload>): string =>
  payloads.map((payload) => payloadText(language, payload)).join(" · ")
