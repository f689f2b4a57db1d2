import type { EventData } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"

/** What has just happened, for the transaction in which it does. */
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly type: Type
    readonly workspaceId: string
    readonly data: EventData[Type]
  }
}[EventType]

/** What an event tells of, and by what it is found. */
interface Place {
  /** The device, site, customer or alert, whose events are in order; of a command its device. */
  readonly subject: string
  readonly deviceId: string | null
  readonly siteId: string | null
}

const nowhere = { deviceId: null, siteId: null }

export const placeOf = ({ data }: Pick<NewEvent, "data">): Place => {
  if ("device" in data) {
    return { subject: data.device.id, deviceId: data.device.id, siteId: data.device.siteId }
  }
  if ("alert" in data) {
    const { id, deviceId, siteId } = data.alert
    return { subject: id, deviceId, siteId }
  }
  if ("site" in data) return { subject: data.site.id, deviceId: null, siteId: data.site.id }
  if ("command" in data) return { ...nowhere, subject: data.deviceId, deviceId: data.deviceId }
  if ("enrollment" in data) {
    const { customerId, siteId } = data.enrollment
    return { ...nowhere, subject: customerId, siteId }
  }
  if ("customer" in data) return { ...nowhere, subject: data.customer.id }
  return { ...nowhere, subject: (data.session ?? data.account)!.id, siteId: data.session?.siteId ?? null }
}
