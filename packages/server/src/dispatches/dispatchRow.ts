import {
  type Baseline,
  type Dispatch,
  type DispatchInterval,
  DispatchStatus,
  type Participant,
  ParticipantState
} from "@edp/domain/dispatches/Dispatch"
import { participantStates } from "@edp/domain/dispatches/Dispatch"
import { iso, isoOrNull } from "../platform/sql/records.ts"
import { reasonMessage } from "./participantReasons.ts"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"
import { selectList } from "../platform/sql/selectList.ts"

/** A dispatch as it is stored. */
export const DispatchRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  programInstanceId: Schema.String,
  name: Schema.String,
  startsAt: Schema.Date,
  endsAt: Schema.Date,
  intervals: Schema.Array(JsonColumn<DispatchInterval>()),
  priority: Schema.Finite,
  randomizeStartSeconds: Schema.Finite,
  voluntary: Schema.Boolean,
  test: Schema.Boolean,
  nominatedPowerW: Schema.NullOr(Schema.Finite),
  baseline: JsonColumn<Baseline>(),
  status: DispatchStatus,
  reason: Schema.NullOr(Schema.String),
  /** The next time at which the runner checks it. */
  dueAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type DispatchRow = typeof DispatchRow.Type

/** A dispatch's columns in statements that read the table `dispatches`. */
export const dispatchColumns = selectList(DispatchRow)

export const StateCount = Schema.Struct({ state: ParticipantState, n: Schema.Finite })
export type StateCount = typeof StateCount.Type

const toCounts = (counted: ReadonlyArray<StateCount>): Dispatch["participants"] => {
  const counts = new Map(counted.map(({ n, state }) => [state, n]))
  return Object.fromEntries(
    participantStates.map((state) => [state, counts.get(state) ?? 0])
  ) as Dispatch["participants"]
}

export const isEnded = (status: DispatchRow["status"]) => status === "completed" || status === "cancelled"

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
export const SiteReason = Schema.Struct({ code: Schema.String, message: Schema.String })
export type SiteReason = typeof SiteReason.Type

/** A participant as it is stored. */
export const DispatchSiteRow = Schema.Struct({
  dispatchId: Schema.String,
  siteId: Schema.String,
  customerId: Schema.String,
  enrollmentId: Schema.String,
  state: ParticipantState,
  heldOut: Schema.Boolean,
  /** With the random delay; null before the dispatch has begun. */
  startsAt: Schema.NullOr(Schema.Date),
  optedOutAt: Schema.NullOr(Schema.Date),
  reasons: Schema.Array(SiteReason),
  updatedAt: Schema.Date
})
export type DispatchSiteRow = typeof DispatchSiteRow.Type

/** A participant's columns in statements that read the table `dispatch_sites s`. */
export const siteColumns = selectList(DispatchSiteRow, {}, "s")

/** A reason why a device takes no part. */
export const DeviceReason = Schema.Struct({ siteId: Schema.String, deviceId: Schema.String, code: Schema.String })
export type DeviceReason = typeof DeviceReason.Type

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
