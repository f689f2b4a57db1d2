import type { Coordinates } from "@edp/domain/shared/Address"

/** What a change of a site is to its devices. */
export interface SiteChange {
  /** Where the site was before. */
  readonly location: Coordinates | null
  /** Names of the fields that change for every device. */
  readonly changed: ReadonlyArray<string>
}

/** What devices have of their site: its address and its coordinates are their location. */
export const changedForDevices = (changed: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(changed.includes("address") || changed.includes("location") ? ["location"] : []),
  ...(changed.includes("timezone") ? ["timezone"] : [])
]
