const units = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** Milliseconds of a duration such as `30s`, `5m` or `1h`. */
export const readDuration = (text: string): number => {
  const [, amount, unit] = /^(\d+)([smh])$/u.exec(text) ?? []
  if (amount === undefined) throw new Error(`${text} is no duration, such as 30s, 5m or 1h`)
  return Number(amount) * units[unit as keyof typeof units]
}
