import { Flag } from "effect/cli"

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** The seconds of a duration such as 30m, 6h or 2d; undefined for another text. */
export const toSeconds = (duration: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)([smhd])$/.exec(duration)
  return match === null ? undefined : Number(match[1]) * units[match[2]!]!
}

/** A duration such as 30m, 6h or 2d, in seconds. */
export const durationFlag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filter(
      (duration) => toSeconds(duration) !== undefined,
      () => "Must be a duration such as 90s, 30m, 6h or 2d"
    ),
    Flag.map((duration) => toSeconds(duration)!),
    Flag.withDescription(description),
    Flag.withMetavar("duration"),
    Flag.optional
  )
