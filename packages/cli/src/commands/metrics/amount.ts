import { isKnown, type NamedSeries } from "./view.ts"

export interface Unit {
  readonly symbol: "Wh" | "kWh" | "MWh"
  /** Wh in one. */
  readonly size: number
}

const wh: Unit = { symbol: "Wh", size: 1 }
const kwh: Unit = { symbol: "kWh", size: 1000 }
const mwh: Unit = { symbol: "MWh", size: 1_000_000 }

/** The unit in which the largest of some energies, Wh, reads well. */
export const unitFor = (energies: ReadonlyArray<number>): Unit => {
  const largest = energies.reduce((most, energy) => Math.max(most, Math.abs(energy)), 0)
  if (largest < 2000) return wh
  return largest < 100_000_000 ? kwh : mwh
}

export const unitOf = (series: ReadonlyArray<NamedSeries>): Unit =>
  unitFor(series.flatMap(({ points }) => points.filter(isKnown).map(({ value }) => value!)))

/** An energy given in Wh, to the Wh where it has no finer part; in MWh to the kWh. */
export const amount = (
  energy: number,
  { size }: Unit,
  digits = size === 1 && Number.isInteger(energy) ? 0 : 3
): string => (energy / size).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** A share as percent, cut: what is not whole is never called 100 %. */
export const percent = (share: number): string => `${Math.floor(share * 1000 + 1e-6) / 10} %`
