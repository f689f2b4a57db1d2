import type { SampledValue16 } from "./messages16.ts"
import type { SampledValue201 } from "./messages201.ts"

/** A measured value in base units (W, V, A, Wh), whatever unit the station sent. */
export interface Sample {
  readonly measurand: string
  readonly phase: string | null
  readonly value: number
}

/** The values of one connector at one time. Null: not measured. */
export interface Measured {
  /** W, drawn by charging. */
  readonly power: number | null
  /** V between a phase and neutral; of a DC station, of its output. */
  readonly voltage: number | null
  /** A of one phase. */
  readonly current: number | null
  /** Wh, the cumulative register of the connector's meter. */
  readonly importedEnergy: number | null
}

/** Factors to the base unit. A unit that is not here is not converted but dropped: Celsius, Percent, Wh of reactive energy. */
const factors: Readonly<Record<string, number>> = { W: 1, kW: 1000, V: 1, A: 1, Wh: 1, kWh: 1000 }

const baseUnits: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Energy.Active.Import.Register": ["Wh", "kWh"],
  "Power.Active.Import": ["W", "kW"],
  Voltage: ["V"],
  "Current.Import": ["A"]
}

const DEFAULT_MEASURAND = "Energy.Active.Import.Register"

const toBase = (measurand: string, unit: string | undefined, value: number): number | null => {
  const units = baseUnits[measurand]
  if (units === undefined || !Number.isFinite(value)) return null
  // The standard's default unit is the base unit of each measurand.
  const sent = unit ?? units[0]!
  return units.includes(sent) ? value * factors[sent]! : null
}

const sample = (measurand: string, phase: string | undefined, value: number | null): ReadonlyArray<Sample> =>
  value === null ? [] : [{ measurand, phase: phase ?? null, value }]

/** Only what is measured at the outlet is the charger's; inlets also feed the station, and the vehicle's values are its own. */
const atOutlet = (location: string | undefined) => location === undefined || location === "Outlet"

/** The samples of a 1.6 meter value that are ours. Signed values are opaque texts and are left out. */
export const samples16 = (values: ReadonlyArray<SampledValue16>): ReadonlyArray<Sample> =>
  values.flatMap(({ format, location, measurand = DEFAULT_MEASURAND, phase, unit, value }) => {
    if (format === "SignedData" || !atOutlet(location)) return []
    const number = typeof value === "number" ? value : value.trim() === "" ? Number.NaN : Number(value)
    return sample(measurand, phase, toBase(measurand, unit, number))
  })

/** The samples of a 2.0.1 meter value that are ours; 12 with multiplier 3 is 12,000. */
export const samples201 = (values: ReadonlyArray<SampledValue201>): ReadonlyArray<Sample> =>
  values.flatMap(({ location, measurand = DEFAULT_MEASURAND, phase, unitOfMeasure, value }) =>
    atOutlet(location)
      ? sample(measurand, phase, toBase(measurand, unitOfMeasure?.unit, value * 10 ** (unitOfMeasure?.multiplier ?? 0)))
      : []
  )

const phaseToNeutral = new Set(["L1", "L2", "L3", "L1-N", "L2-N", "L3-N"])

/** Values by phase, those of the neutral wire and between phases left out. */
const byPhase = (samples: ReadonlyArray<Sample>) =>
  samples.filter(({ phase }) => phase !== null && phaseToNeutral.has(phase)).map(({ value }) => value)

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

/** The value without a phase; else what `combine` makes of the phases. */
const combined = (
  samples: ReadonlyArray<Sample>,
  measurand: string,
  combine: (values: ReadonlyArray<number>) => number
): number | null => {
  const ours = samples.filter((one) => one.measurand === measurand)
  const total = ours.findLast(({ phase }) => phase === null)
  if (total !== undefined) return total.value
  const phases = byPhase(ours)
  return phases.length === 0 ? null : combine(phases)
}

/** Meters show some watts below zero while nothing flows; more than that is a flow in the other direction. */
const POWER_NOISE_W = 50

const inRange = (value: number | null, maximum: number, noise = 0) =>
  value === null || value < -noise || value > maximum ? null : Math.max(0, value)

/**
 * The values of samples of one time. Power and energy of phases add up; voltage is their mean (absent phases of a
 * one-phase station report 0 V and do not count); current is the largest phase, which is what limits the circuit.
 */
export const measured = (samples: ReadonlyArray<Sample>): Measured => ({
  power: inRange(combined(samples, "Power.Active.Import", sum), 1_000_000, POWER_NOISE_W),
  voltage: inRange(
    combined(samples, "Voltage", (values) => {
      const live = values.filter((value) => value > 0)
      return live.length === 0 ? 0 : sum(live) / live.length
    }),
    1000
  ),
  current: inRange(
    combined(samples, "Current.Import", (values) => Math.max(...values)),
    1000,
    1
  ),
  importedEnergy: inRange(combined(samples, DEFAULT_MEASURAND, sum), Number.MAX_SAFE_INTEGER)
})

/** A register in Wh as StartTransaction and StopTransaction give it; null if it is no count. */
export const register = (wattHours: number): number | null => inRange(wattHours, Number.MAX_SAFE_INTEGER)
