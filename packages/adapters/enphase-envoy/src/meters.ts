import { asNumber, isObject } from "@edp/adapter-kit/decoding/jsonPath"

/** The location of the current transformers of a meter. Others exist: storage, backfeed, load, evse, pv3p. */
export type MeterKind = "production" | "net-consumption" | "total-consumption"

/** A meter that is switched on. */
export interface Meter {
  readonly eid: number
  readonly kind: MeterKind
  readonly phases: number
}

const kinds: ReadonlyArray<string> = [
  "production",
  "net-consumption",
  "total-consumption"
] satisfies ReadonlyArray<MeterKind>

/** The meters of `/ivp/meters` that are switched on and of a known kind; undefined if the response is no list. */
export const readMeters = (body: unknown): ReadonlyArray<Meter> | undefined =>
  Array.isArray(body)
    ? body.flatMap((one: unknown) => {
        if (!isObject(one) || one["state"] !== "enabled" || one["meteringStatus"] === "not-metering") return []
        const { eid, measurementType, phaseCount } = one
        return typeof eid === "number" && typeof measurementType === "string" && kinds.includes(measurementType)
          ? [{ eid, kind: measurementType as MeterKind, phases: asNumber(phaseCount) ?? 1 }]
          : []
      })
    : undefined

/** Values of a meter. Power and energy flow to the switchboard where they are delivered: from the sun, from the grid. */
export interface MeterValues {
  /** Milliseconds since 1970. */
  readonly measuredAt: number
  /** W; positive where it is delivered. */
  readonly power: number
  readonly delivered: number | undefined
  readonly received: number | undefined
  /** Voltage of the first phase: the gateway adds up those of several. */
  readonly voltage: number | undefined
  /** A; undefined for several phases. */
  readonly current: number | undefined
}

/** The values of a meter in `/ivp/meters/readings`; undefined if it has measured nothing. */
export const meterValues = (body: unknown, { eid, phases }: Meter): MeterValues | undefined => {
  const found: unknown = Array.isArray(body) ? body.find((one) => isObject(one) && one["eid"] === eid) : undefined
  if (!isObject(found)) return undefined
  const time = asNumber(found["timestamp"])
  const power = asNumber(found["activePower"])
  // A meter that has never measured shows zeros and no time.
  if (time === undefined || time <= 0 || power === undefined) return undefined
  const channels: unknown = found["channels"]
  const first: unknown = Array.isArray(channels) ? channels[0] : undefined
  const voltage = isObject(first) ? first["voltage"] : phases === 1 ? found["voltage"] : undefined
  return {
    measuredAt: time * 1000,
    power,
    delivered: asNumber(found["actEnergyDlvd"]),
    received: asNumber(found["actEnergyRcvd"]),
    voltage: asNumber(voltage),
    current: phases === 1 ? asNumber(found["current"]) : undefined
  }
}
