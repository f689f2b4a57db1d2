import type { EventType } from "@edp/domain/events/EventType"
import { useMessages } from "../i18n/useMessages.ts"

/** Names types of events in words. A type of a later version keeps its code. */
export const useEventName = () => {
  const names = useMessages("eventTypes")
  return (type: string): string => names[type as EventType] ?? type
}
