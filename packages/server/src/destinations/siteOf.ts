import type { Event } from "@edp/domain/events/Event"
import type { Coordinates } from "@edp/domain/shared/Coordinates"

/** What an event says of its site: where it is, or at least which one it is. */
export const siteOf = ({
  data
}: Pick<Event, "data">): { readonly location?: Coordinates | null; readonly siteId?: string | null } => {
  if ("site" in data && data.site !== null) return { location: data.site.location, siteId: data.site.id }
  if ("alert" in data) return { siteId: data.alert.siteId }
  if ("enrollment" in data) return { siteId: data.enrollment.siteId }
  if ("session" in data) return { siteId: data.session?.siteId ?? null }
  return {}
}
