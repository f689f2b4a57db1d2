/** Codes of ESPI 4.0 (NAESB REQ.21, `espi.xsd`), as far as an import depends on them. */

export const WATT = 38
export const WATT_HOUR = 72

/** `ServiceCategory.kind`. */
export const ELECTRICITY = 0
const services = ["electricity", "gas", "water", "time", "heat", "refuse", "sewerage", "rates", "TV", "internet"]
export const serviceName = (kind: number) => services[kind] ?? `service ${kind}`

/** `ReadingType.commodity`: none, or electricity at the secondary side, the primary side or the transmission grid. */
export const isElectricity = (commodity: number) => [0, 1, 2, 26].includes(commodity)

/** `ReadingType.flowDirection`: delivered to the customer, received from it, or the signed difference. */
export const flows = { none: 0, forward: 1, net: 4, reverse: 19 } as const

/** `ReadingType.accumulationBehaviour`: the energy or power of each interval. */
export const isOfInterval = (behaviour: number) => [0, 4, 6, 9, 12].includes(behaviour)
/** The state of a register that counts on. */
export const isRegister = (behaviour: number) => [1, 2, 3, 13].includes(behaviour)

/** `ReadingType.dataQualifier`: neither an extreme nor a threshold. */
export const isWholeValue = (qualifier: number) => [0, 2, 12, 26].includes(qualifier)

/** `ReadingQuality.quality`: values that were not measured. */
const notMeasured: Readonly<Record<number, string>> = {
  8: "estimated",
  9: "estimated",
  10: "questionable",
  12: "projected",
  15: "normalized for weather"
}
/** Why a value of the quality is left out. */
export const qualityProblem = (quality: number): string | undefined => notMeasured[quality]
