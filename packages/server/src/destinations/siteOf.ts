import type { Event } from "@edp/domain/events/Event"
import type { Coordinates } from "@edp/domain/shared/Coordinates"

interface Told {
  readonly location?: Coordinates | null
  readonly siteId?: string | null
  readonly deviceId?: string
}

/** What an event says of its site: where it is, or at least which one it is, or that of which device. */
export const siteOf = ({ data }: Pick<Event, "data">): Told => {
  if ("site" in data && data.site !== null) return { location: data.site.location, siteId: data.site.id }
  if ("command" in data) return { deviceId: data.deviceId }
  if ("alert" in data) return { siteId: data.alert.siteId }
  if ("enrollment" in data) return { siteId: data.enrollment.siteId }
  if ("session" in data) return { siteId: data.session?.siteId ?? null }
  return {}
}
