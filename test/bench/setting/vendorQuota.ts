/** Calls that the manufacturer `limited` takes in a window of this many seconds. */
export const QUOTA_CALLS = 250
export const QUOTA_SECONDS = 1
