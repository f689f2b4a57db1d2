import type { Directive } from "../plan/directives.ts"
import type { ReportPayloadDescriptor, ReportDescriptor, ValuesMap } from "@edp/domain/openadr/values"

/** The payload types that the platform measures, with the unit of each and the kind of its readings. */
export const reportable = {
  USAGE: { units: "KWH", readingType: "DIRECT_READ", needs: "use" },
  DEMAND: { units: "KW", readingType: "MEAN", needs: "use" },
  BASELINE: { units: "KWH", readingType: "ESTIMATED", needs: "baseline" },
  OPERATING_STATE: { units: null, readingType: "DIRECT_READ", needs: "states" },
  STORAGE_CHARGE_LEVEL: { units: "PERCENT", readingType: "DIRECT_READ", needs: "storage" },
  STORAGE_USABLE_CAPACITY: { units: "KWH", readingType: "DIRECT_READ", needs: "storage" },
  STORAGE_MAX_DISCHARGE_POWER: { units: "KW", readingType: "DIRECT_READ", needs: "storage" },
  STORAGE_MAX_CHARGE_POWER: { units: "KW", readingType: "DIRECT_READ", needs: "storage" }
} as const satisfies Record<
  string,
  {
    readonly units: string | null
    readonly readingType: string
    readonly needs: "use" | "baseline" | "states" | "storage"
  }
>
export type ReportableType = keyof typeof reportable

export const isReportable = (type: string): type is ReportableType => Object.hasOwn(reportable, type)

/** Why the platform can't make the report that a descriptor asks for; undefined if it can. */
export const refusal = ({ aggregate, historical, payloadType, units }: ReportDescriptor): string | undefined => {
  if (!isReportable(payloadType)) return `The platform does not measure ${payloadType}`
  if (historical === false) return "The platform makes no forecasts"
  const own = reportable[payloadType].units
  if (units !== undefined && units !== null && own !== null && units !== own) {
    return `${payloadType} is reported in ${own}, not in ${units}`
  }
  return payloadType === "BASELINE" && aggregate !== true
    ? "BASELINE is reported for all resources together: ask for aggregate true"
    : undefined
}

/** A value of an interval with its quality. Without a value the data is missing. */
export interface ReportedValue {
  readonly value: number | string | undefined
  readonly quality: "OK" | "ESTIMATED" | "BAD"
}

/** An interval without a value has its quality alone: a missing value is never 0. */
export const toPayloads = (type: string, { quality, value }: ReportedValue): ReadonlyArray<ValuesMap> =>
  value === undefined
    ? [{ type: "DATA_QUALITY", values: ["MISSING"] }]
    : [
        { type, values: [value] },
        { type: "DATA_QUALITY", values: [quality] }
      ]

/** Micro-watt-hours in a kWh. */
const KWH = 1e9

/** Energies in kWh and powers in kW, to the milliwatt-hour and the milliwatt. */
const rounded = (value: number) => Math.round(value * 1e6) / 1e6

export const toKwh = (amount: bigint): number => rounded(Number(amount) / KWH)

/** The mean power of an energy, kW. */
export const toKw = (amount: bigint, milliseconds: number): number =>
  rounded((Number(amount) / KWH) * (3_600_000 / milliseconds))

/** All of the time is covered, but for readings that come a moment apart. */
const WHOLE = 0.999

interface Use {
  readonly amount: bigint | null
  readonly coverage: number
}

/** The use of one resource. */
export const useValue = (type: "USAGE" | "DEMAND", { amount, coverage }: Use, milliseconds: number): ReportedValue => ({
  value: amount === null ? undefined : type === "USAGE" ? toKwh(amount) : toKw(amount, milliseconds),
  quality: coverage >= WHOLE ? "OK" : "ESTIMATED"
})

/** The sum of several resources. A sum that lacks some of them is known to be wrong. */
export const sumValue = (type: "USAGE" | "DEMAND", uses: ReadonlyArray<Use>, milliseconds: number): ReportedValue => {
  const known = uses.flatMap(({ amount }) => (amount === null ? [] : [amount]))
  if (known.length === 0) return { value: undefined, quality: "OK" }
  const amount = known.reduce((sum, each) => sum + each, 0n)
  const whole = useValue(type, { amount, coverage: Math.min(...uses.map(({ coverage }) => coverage)) }, milliseconds)
  return known.length < uses.length ? { ...whole, quality: "BAD" } : whole
}

interface Battery {
  readonly staticState: Readonly<Record<string, unknown>>
  readonly state: Readonly<Record<string, unknown>>
}

const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

const storageFields = {
  STORAGE_USABLE_CAPACITY: "capacity",
  STORAGE_MAX_DISCHARGE_POWER: "maxDischargeRate",
  STORAGE_MAX_CHARGE_POWER: "maxChargeRate"
} as const

/** Batteries together, by their newest readings; the charge is that of the whole capacity. */
export const storageValue = (
  type: Extract<ReportableType, `STORAGE_${string}`>,
  batteries: ReadonlyArray<Battery>
): ReportedValue => {
  const quality = (found: number) => (found < batteries.length ? "BAD" : "OK")
  if (type === "STORAGE_CHARGE_LEVEL") {
    const known = batteries.flatMap(({ state, staticState }) => {
      const [charge, capacity] = [number(state["chargePercentage"]), number(staticState["capacity"])]
      return charge === undefined || capacity === undefined ? [] : [{ charge, capacity }]
    })
    const capacity = known.reduce((sum, each) => sum + each.capacity, 0)
    if (capacity === 0) return { value: undefined, quality: "OK" }
    const charged = known.reduce((sum, each) => sum + each.charge * each.capacity, 0)
    return { value: rounded(charged / capacity / 100), quality: quality(known.length) }
  }
  const known = batteries.flatMap(({ staticState }) => number(staticState[storageFields[type]]) ?? [])
  return known.length === 0
    ? { value: undefined, quality: "OK" }
    : { value: rounded(known.reduce((sum, each) => sum + each, 0) / 1000), quality: quality(known.length) }
}

/** Whether a directive makes devices use more. */
const raises = (directive: Directive) =>
  directive.kind === "share"
    ? directive.watts > 0
    : Object.entries(directive.actions).some(([type, action]) => {
        const power = "targetPowerW" in action ? (action.targetPowerW ?? 0) : 0
        const isCharging =
          "operatingMode" in action && ["charge", "start-charging"].includes(String(action.operatingMode))
        return isCharging || (type === "battery" ? power < 0 : power > 0)
      })

/** The operating state of a resource by its state in the dispatch that follows the event, and what that asked for. */
export const operatingState = (state: string | undefined, directives: ReadonlyArray<Directive> = []): string => {
  if (state === "running" || state === "done") {
    return directives.some(raises) ? "RUNNING_HEIGHTENED" : "RUNNING_CURTAILED"
  }
  if (state === "opted_out") return "RUNNING_OPTED_OUT"
  return state === "failed" || state === "unresponsive" ? "ERROR" : "NORMAL"
}

/** Describes the payloads of a report. `measured` is the share of the resources that have a value, percent. */
export const payloadDescriptors = (
  type: ReportableType,
  measured: number | undefined
): ReadonlyArray<ReportPayloadDescriptor> => [
  {
    objectType: "REPORT_PAYLOAD_DESCRIPTOR",
    payloadType: type,
    readingType: reportable[type].readingType,
    ...(reportable[type].units !== null && { units: reportable[type].units }),
    ...(measured !== undefined && { confidence: measured })
  },
  { objectType: "REPORT_PAYLOAD_DESCRIPTOR", payloadType: "DATA_QUALITY" }
]
