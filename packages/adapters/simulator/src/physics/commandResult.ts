import type { refusableReasons } from "@edp/domain/accounts/Simulator"

/** Reasons with which a simulated device refuses a command. */
export type RefusalReason = (typeof refusableReasons)[number]

export interface Accepted<State> {
  readonly status: "accepted"
  /** `already_so` if the state was so and nothing changed. */
  readonly reason: "already_so" | null
  readonly output: { readonly paired: boolean; readonly required: boolean } | null
  readonly state: State
}

export interface Refused {
  readonly status: "refused"
  readonly reason: RefusalReason
}

/** The result of a command at one device, with the device's state after it. */
export type Applied<State> = Accepted<State> | Refused

export const accept = <State>(state: State): Accepted<State> => ({
  status: "accepted",
  reason: null,
  output: null,
  state
})

export const alreadySo = <State>(state: State): Accepted<State> => ({ ...accept(state), reason: "already_so" })

export const refuse = (reason: RefusalReason): Refused => ({ status: "refused", reason })

/** When a command is given: its time and the step at which a forced mode ends, null if none; milliseconds since 1970. */
export interface Issued {
  readonly at: number
  readonly until: number | null
}
