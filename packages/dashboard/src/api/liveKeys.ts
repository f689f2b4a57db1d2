import type { StreamEvent } from "@edp/domain/dashboard/StreamMessage"

/** The key of the lists that an event changes, by the first word of its type. */
const lists = {
  ALERT: "alerts",
  COMMAND: "commands",
  CONNECTION: "connections",
  CUSTOMER: "customers",
  DEVICE: "devices",
  ENROLLMENT: "enrollments",
  SITE: "sites"
} as const

type Subject = keyof typeof lists

/**
 * The reactivity keys of an event: the list of its subject, the events, and each record that it names. A device that is connected or
 * removed also changes the site and the customer that it belongs to, an alert or a command its device.
 */
export const eventKeys = (event: StreamEvent): ReadonlyArray<string> => {
  const list = lists[event.type.slice(0, event.type.indexOf("_")) as Subject] ?? "events"
  const records: ReadonlyArray<readonly [name: string, id: string | undefined]> = [
    ["device", event.deviceId],
    ["site", event.siteId],
    ["customer", event.customerId],
    ["alert", event.alertId],
    ["command", event.commandId],
    ["enrollment", event.enrollmentId],
    ["connection", event.sessionId],
    ["account", event.accountId]
  ]
  return [list, "events", ...records.flatMap(([name, id]) => (id === undefined ? [] : [`${name}:${id}`]))]
}
