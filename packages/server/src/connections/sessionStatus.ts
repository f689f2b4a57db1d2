import {
  type ConnectSessionStatus as Status,
  type ConnectTransition,
  TRANSITIONS_LIMIT,
  connectSessionStatuses
} from "@edp/domain/connections/ConnectSession"

/** The steps that a person takes. Each may end in ERROR or EXPIRED. */
const steps: Partial<Record<Status, ReadonlyArray<Status>>> = {
  // Headless sessions have no pages: they go on with the return from the manufacturer.
  PENDING: ["STARTED", "AUTHORIZING_MANUFACTURER"],
  STARTED: ["ENTERING_CUSTOMER_INFO", "SELECTING_MANUFACTURER"],
  ENTERING_CUSTOMER_INFO: ["SELECTING_MANUFACTURER"],
  SELECTING_MANUFACTURER: ["AUTHORIZING_MANUFACTURER", "UNSUPPORTED_MANUFACTURER"],
  UNSUPPORTED_MANUFACTURER: ["SELECTING_MANUFACTURER"],
  AUTHORIZING_MANUFACTURER: ["ENTERING_SYSTEM_INFO", "DUPLICATE_CONNECTION", "SUCCESS"],
  ENTERING_SYSTEM_INFO: ["SUCCESS"]
}

/** The step that failed is tried once more, or the manufacturer is chosen again. */
const afterError: ReadonlyArray<Status> = [
  "ENTERING_CUSTOMER_INFO",
  "SELECTING_MANUFACTURER",
  "AUTHORIZING_MANUFACTURER",
  "ENTERING_SYSTEM_INFO",
  "EXPIRED"
]

const finalStatuses: ReadonlyArray<Status> = ["SUCCESS", "EXPIRED", "DUPLICATE_CONNECTION"]

export const isFinal = (status: Status) => finalStatuses.includes(status)

/** The statuses of sessions that a person can go on with. */
export const openStatuses = connectSessionStatuses.filter((status) => !isFinal(status))

export const nextStatuses = (status: Status): ReadonlyArray<Status> => {
  if (isFinal(status)) return []
  return status === "ERROR" ? afterError : [...(steps[status] ?? []), "ERROR", "EXPIRED"]
}

export const canMove = (from: Status, to: Status) => nextStatuses(from).includes(to)

/**
 * The transitions after a session has passed through some statuses.
 *
 * @throws for a transition that there is not: the caller must know the status.
 */
export const moveThrough = (
  transitions: ReadonlyArray<ConnectTransition>,
  path: ReadonlyArray<Status>,
  at: string
): ReadonlyArray<ConnectTransition> => {
  let all = transitions
  for (const status of path) {
    const from = all.at(-1)!.status
    if (!canMove(from, status)) throw new Error(`A connect session does not go from ${from} to ${status}`)
    const next = [...all, { status, at }]
    all = next.length <= TRANSITIONS_LIMIT ? next : [next[0]!, ...next.slice(2)]
  }
  return all
}
