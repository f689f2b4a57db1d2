import type { Delivery, DeliveryStatus } from "@edp/domain/destinations/Delivery"
import type { EventType } from "@edp/domain/events/EventType"

export interface DeliveryRow {
  readonly id: string
  readonly destinationId: string
  readonly eventId: string
  readonly eventType: EventType
  readonly status: DeliveryStatus
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  readonly completedAt: Date | null
  readonly attempts: ReadonlyArray<{
    /** As JSON has it, with an offset. */
    readonly attemptedAt: string
    readonly statusCode: number | null
    readonly durationMs: number
    readonly error: string | null
    readonly responseBody: string | null
  }>
}

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  destinationId: row.destinationId,
  eventId: row.eventId,
  eventType: row.eventType,
  status: row.status,
  nextAttemptAt: row.status === "pending" ? isoOrNull(row.nextAttemptAt) : null,
  attempts: row.attempts.map((attempt) => ({ ...attempt, attemptedAt: new Date(attempt.attemptedAt).toISOString() })),
  createdAt: row.createdAt.toISOString(),
  completedAt: isoOrNull(row.completedAt)
})
