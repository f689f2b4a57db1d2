import type {
  Baseline,
  Dispatch,
  DispatchInterval,
  DispatchStatus,
  Participant,
  ParticipantState
} from "@edp/domain/dispatches/Dispatch"
import { participantStates } from "@edp/domain/dispatches/Dispatch"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { reasonMessage } from "./participantReasons.ts"

/** A dispatch as it is stored. */
export interface DispatchRow {
  readonly id: string
  readonly workspaceId: string
  readonly programInstanceId: string
  readonly name: string
  readonly startsAt: Date
  readonly endsAt: Date
  readonly intervals: ReadonlyArray<DispatchInterval>
  readonly priority: number
  readonly randomizeStartSeconds: number
  readonly voluntary: boolean
  readonly test: boolean
  readonly nominatedPowerW: number | null
  readonly baseline: Baseline
  readonly status: DispatchStatus
  readonly reason: string | null
  /** The next time at which the runner looks at it. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A dispatch's columns in statements that read the table `dispatches`. */
export const dispatchColumns = `id, workspace_id AS "workspaceId", program_instance_id AS "programInstanceId", name,
  starts_at AS "startsAt", ends_at AS "endsAt", intervals, priority, randomize_start_seconds AS "randomizeStartSeconds",
  voluntary, test, nominated_power_w AS "nominatedPowerW", baseline, status, reason, due_at AS "dueAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`

export interface StateCount {
  readonly state: ParticipantState
  readonly n: number
}

const toCounts = (counted: ReadonlyArray<StateCount>): Dispatch["participants"] => {
  const counts = new Map(counted.map(({ n, state }) => [state, n]))
  return Object.fromEntries(
    participantStates.map((state) => [state, counts.get(state) ?? 0])
  ) as Dispatch["participants"]
}

export const toDispatch = (row: DispatchRow, counted: ReadonlyArray<StateCount>): Dispatch => ({
  id: row.id,
  programInstanceId: row.programInstanceId,
  name: row.name,
  startsAt: iso(row.startsAt),
  endsAt: iso(row.endsAt),
  intervals: row.intervals,
  priority: row.priority,
  randomizeStartSeconds: row.randomizeStartSeconds,
  voluntary: row.voluntary,
  test: row.test,
  nominatedPowerW: row.nominatedPowerW,
  baseline: row.baseline,
  status: row.status,
  reason: row.reason,
  participants: toCounts(counted),
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt)
})

/** Why a site takes no part, or no longer. */
export interface SiteReason {
  readonly code: string
  readonly message: string
}

/** A participant as it is stored. */
export interface DispatchSiteRow {
  readonly dispatchId: string
  readonly siteId: string
  readonly customerId: string
  readonly enrollmentId: string
  readonly state: ParticipantState
  readonly heldOut: boolean
  /** With the random delay; null before the dispatch has begun. */
  readonly startsAt: Date | null
  readonly optedOutAt: Date | null
  readonly reasons: ReadonlyArray<SiteReason>
  readonly updatedAt: Date
}

/** A participant's columns in statements that read the table `dispatch_sites s`. */
export const siteColumns = `s.dispatch_id AS "dispatchId", s.site_id AS "siteId", s.customer_id AS "customerId",
  s.enrollment_id AS "enrollmentId", s.state, s.held_out AS "heldOut", s.starts_at AS "startsAt",
  s.opted_out_at AS "optedOutAt", s.reasons, s.updated_at AS "updatedAt"`

/** A reason why a device takes no part. */
export interface DeviceReason {
  readonly siteId: string
  readonly deviceId: string
  readonly code: string
}

/** Reasons that a participant shows. */
export const REASONS_SHOWN = 100

export const toParticipant = (
  row: DispatchSiteRow & { readonly deviceCount: number },
  reasons: ReadonlyArray<DeviceReason>
): Participant => ({
  siteId: row.siteId,
  customerId: row.customerId,
  enrollmentId: row.enrollmentId,
  state: row.state,
  heldOut: row.heldOut,
  startsAt: isoOrNull(row.startsAt),
  deviceCount: row.deviceCount,
  reasons: [
    ...row.reasons.map((reason) => ({ deviceId: null, ...reason })),
    ...reasons.map(({ code, deviceId }) => ({ deviceId, code, message: reasonMessage(code) }))
  ].slice(0, REASONS_SHOWN),
  updatedAt: iso(row.updatedAt)
})
