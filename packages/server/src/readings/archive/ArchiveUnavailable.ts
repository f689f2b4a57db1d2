import { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"

/** Seconds after which callers may try again. */
export const RETRY_AFTER = 30

/**
 * The archive does not respond. It passes through services like an unavailable database, which it is for what needs old readings; work on other
 * readings goes on.
 */
export class ArchiveUnavailable extends DatabaseUnavailable {
  /** `archivedUntil` is where the readings begin that are still available, in milliseconds since 1970. */
  constructor(archivedUntil: number) {
    super(
      `The archive of readings is not available; readings from ${new Date(archivedUntil).toISOString()} on are. Try again`
    )
  }
}
