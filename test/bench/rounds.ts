import { quietly } from "./setting/quietly.ts"

/**
 * Measures the contestants in turns, A B C A B C, so that what slows the machine for a while slows them all; and the
 * order is reversed every second time, so that none always follows the same other. Where a measurement is long, one
 * round of it is enough.
 */
export const inTurns = async <Name extends string, Result>(
  contestants: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number
): Promise<Readonly<Record<Name, ReadonlyArray<Result>>>> => {
  const names = Object.keys(contestants) as Array<Name>
  const results = Object.fromEntries(names.map((name) => [name, [] as Array<Result>])) as Record<Name, Array<Result>>
  for (let round = 0; round < rounds; round++) {
    let long = false
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const measured = await quietly(contestants[name])
      results[name].push(measured.result)
      long ||= measured.long
    }
    if (long) break
  }
  return results
}
