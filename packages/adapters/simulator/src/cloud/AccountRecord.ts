import type { AccountFaultKind } from "@edp/domain/accounts/Simulator"
import type { CommandResult } from "../physics/commands.ts"
import type { Timeline } from "../physics/simulate.ts"
import type { SiteProfile } from "../physics/SiteProfile.ts"
import type { SiteState } from "../physics/SiteState.ts"
import type { VirtualClock } from "./virtualClock.ts"

/** A scripted fault of an account. Times are on the account's clock, milliseconds since 1970, the end exclusive. */
export interface AccountFault {
  readonly kind: AccountFaultKind
  readonly seconds?: number
  readonly from: number
  readonly until: number | null
}

/** A home of an account: its state at one time, and all later changes that do not follow from its seed. */
export interface StoredSite {
  readonly profile: SiteProfile
  readonly state: SiteState
  readonly timeline: Timeline
}

/** An account of the simulated manufacturer, as it is stored in JSON. */
export interface AccountRecord {
  /** Identifies this write. A version number would not, because a rolled back one is used again. */
  readonly revision: string
  readonly name: string
  readonly clock: VirtualClock
  readonly faults: ReadonlyArray<AccountFault>
  readonly sites: ReadonlyArray<StoredSite>
  /** Results of the newest commands, by the platform's ids: a repeated command is not executed twice. */
  readonly given: ReadonlyArray<{ readonly id: string; readonly result: CommandResult }>
  /**
   * The account's first report begins at this time, milliseconds since 1970, as with manufacturers that keep a history. Until that
   * report is stored, the homes keep their initial state.
   */
  readonly past?: number
}

export const accountKey = (id: string) => `account/${id}`

/** The faults of an account that are in force. */
export const findAccountFault = (
  { faults }: Pick<AccountRecord, "faults">,
  kind: AccountFaultKind,
  time: number
): AccountFault | undefined =>
  faults.find((fault) => fault.kind === kind && fault.from <= time && (fault.until === null || fault.until > time))
