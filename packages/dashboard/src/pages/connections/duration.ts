import type { Language } from "@edp/domain/shared/Language"
import { formatNumber } from "../../i18n/format.ts"

const units = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60]
] as const

/** A duration in its two largest units, such as `1 min 35 s`; the abbreviations are those of both languages. */
export const formatDuration = (language: Language, seconds: number): string => {
  const found = units.findIndex(([, length]) => seconds >= length)
  if (found === -1) return `${formatNumber(language, seconds, seconds < 10 ? 1 : 0)}\u00a0s`
  const [unit, length] = units[found]!
  const [smaller, smallerLength] = units[found + 1] ?? (["s", 1] as const)
  const whole = Math.floor(seconds / length)
  const rest = Math.floor((seconds - whole * length) / smallerLength)
  const head = `${formatNumber(language, whole)}\u00a0${unit}`
  return rest === 0 ? head : `${head} ${rest}\u00a0${smaller}`
}
