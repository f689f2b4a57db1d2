import type { AccountReport } from "@edp/adapter-kit/Account"
import type { Polling } from "@edp/adapter-kit/ManufacturerAdapter"
import { accountLimits } from "./accountLimits.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Share by which times vary to either side, so that accounts which were linked together are not read together. */
const JITTER = 0.1

/** Varies a duration, given a random number from 0 to 1. */
export const spread = (durationMs: number, random: number): number => durationMs * (1 + JITTER * (2 * random - 1))

/**
 * Milliseconds until the next reading: the interval for the account's activity, but not faster than the quotas last. Intervals
 * only vary downwards unless a quota has set them, so that a device is never read later than its manifest says.
 */
export const readingPause = (
  polling: Polling,
  activity: AccountReport["activity"],
  sustainableSeconds: number,
  random: number
): number => {
  const own = polling[activity] * SECOND
  const least = sustainableSeconds * SECOND
  return least > own ? least * (1 + JITTER * random) : Math.max(least, own * (1 - JITTER * random))
}

/** Milliseconds until an account is listed again. */
export const discoveryPause = (polling: Polling | null, random: number): number =>
  spread((polling?.discovery ?? 86_400) * SECOND, random)

/** Milliseconds until the next attempt after a number of failures in a row, from 1. */
export const failurePause = (failures: number, pollingSeconds: number, random: number): number => {
  const first = Math.max(5, pollingSeconds) * SECOND
  return (
    Math.min(accountLimits.longestPauseSeconds * SECOND, first * 2 ** Math.min(failures - 1, 10)) * (0.5 + random / 2)
  )
}

/**
 * When to renew credentials, in milliseconds since 1970: a tenth of their life before the end, at least a minute, and earlier
 * by up to a twentieth so that accounts which were linked together are not renewed together. Credentials that live for less
 * than four minutes are renewed after half of their life.
 */
export const renewalTime = (now: number, expiresAt: number, random: number): number => {
  const life = Math.max(0, expiresAt - now)
  return life < 4 * MINUTE ? now + life / 2 : expiresAt - Math.max(MINUTE, life / 10) - random * (life / 20)
}
