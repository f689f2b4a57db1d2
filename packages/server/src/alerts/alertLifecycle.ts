import type { AlertStatus } from "@edp/domain/alerts/Alert"

/** Who moves an alert, when, and until when follow-up is to pause. */
interface Occasion {
  readonly at: Date
  readonly by: string
}

/** What a move writes. The fields that it leaves out stay: an alert keeps when and by whom its earlier moves were made. */
export type AlertChange = Readonly<
  { status: AlertStatus; snoozedUntil: Date | null; updatedAt: Date } & (
    | { acknowledgedAt: Date; acknowledgedBy: string }
    | { ignoredAt: Date; ignoredBy: string }
    | { resolvedAt: Date; resolvedBy: string }
  )
>

/**
 * The three moves of an alert. Each leads from any status to its own, which renews its time, and each decides anew
 * about the pause: only an acknowledgement can ask for one.
 */
export const acknowledged = ({ at, by }: Occasion, snoozedUntil: Date | null): AlertChange => ({
  status: "ACKNOWLEDGED",
  acknowledgedAt: at,
  acknowledgedBy: by,
  snoozedUntil,
  updatedAt: at
})

export const ignored = ({ at, by }: Occasion): AlertChange => ({
  status: "IGNORED",
  ignoredAt: at,
  ignoredBy: by,
  snoozedUntil: null,
  updatedAt: at
})

export const resolved = ({ at, by }: Occasion): AlertChange => ({
  status: "RESOLVED",
  resolvedAt: at,
  resolvedBy: by,
  snoozedUntil: null,
  updatedAt: at
})
