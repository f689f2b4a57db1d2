import type { SetClock } from "@edp/domain/accounts/Simulator"

/** The clock of an account: it showed `virtual` at `real`, milliseconds since 1970. Null is the present at real speed. */
export interface RunningClock {
  readonly real: number
  readonly virtual: number
  /** Simulated seconds in a second; 0: it stands. */
  readonly speed: number
}
export type VirtualClock = RunningClock | null

/**
 * The time on a clock. It never goes ahead of the present, so that no reading lies in the future: a fast clock runs until it
 * reaches the present, and then keeps it.
 */
export const timeOn = (clock: VirtualClock, now: number): number =>
  clock === null ? now : Math.min(now, clock.virtual + Math.round(Math.max(0, now - clock.real) * clock.speed))

export const currentSpeed = (clock: VirtualClock, now: number): number =>
  clock === null || (clock.speed >= 1 && timeOn(clock, now) === now) ? 1 : clock.speed

/** Changes a clock. In the present at real speed or faster, it becomes the present for good. */
export const setClock = (clock: VirtualClock, change: SetClock, now: number): VirtualClock => {
  const started = change.behind === undefined ? timeOn(clock, now) : now - change.behind * 1000
  const virtual = Math.min(now, started + (change.advance ?? 0) * 1000)
  const speed = change.speed ?? currentSpeed(clock, now)
  return virtual === now && speed >= 1 ? null : { real: now, virtual, speed }
}
