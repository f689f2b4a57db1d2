import type { Event } from "@edp/domain/events/Event"

/** An event as text: a headline and facts. */
export interface EventText {
  readonly headline: string
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
}

type Fact = readonly [name: string, value: string | number | null | undefined]

/** Values come from devices and callers: made one line, without control characters that terminals or mail programs would obey. */
const oneLine = (text: string, limit: number) => {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .toWellFormed()
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`
}

const spaced = (code: string) => code.toLowerCase().replaceAll("_", " ")
const sentence = (code: string) => spaced(code).replace(/^./u, (letter) => letter.toUpperCase())

const describeSubject = (event: Event): string => {
  const { data } = event
  if ("alert" in data) return data.alert.title
  if ("device" in data) return data.device.name
  if ("command" in data)
    return `${data.command.type}${data.command.reason === undefined ? "" : ` (${data.command.reason})`}`
  if ("error" in data) return data.error.message
  if ("enrollment" in data) return data.enrollment.id
  if ("site" in data) return data.site.name ?? data.site.id
  return [data.customer.firstName, data.customer.lastName].filter(Boolean).join(" ") || data.customer.id
}

const describeChange = (event: Event): string => {
  if (event.type === "ALERT_CREATED") return `${sentence(event.data.alert.severity)} alert`
  if (event.type === "ALERT_UPDATED") return `Alert ${spaced(event.data.alert.status)}`
  return sentence(event.type)
}

const listFacts = (event: Event): ReadonlyArray<Fact> => {
  const { data } = event
  if ("alert" in data) {
    const { alert } = data
    return [
      ["Severity", spaced(alert.severity)],
      ["Status", spaced(alert.status)],
      ["What", alert.subtype === null ? spaced(alert.type) : `${spaced(alert.type)}, ${spaced(alert.subtype)}`],
      ["Description", alert.description],
      ["Device", alert.deviceName ?? alert.deviceId],
      ["Site", alert.siteId],
      ["Source", alert.sourceSystem],
      ["Occurrences", alert.occurrenceCount > 1 ? alert.occurrenceCount : null]
    ]
  }
  if ("device" in data) {
    return [
      ["Changed", "changed" in data ? data.changed.join(", ") : null],
      ["Manufacturer", data.device.manufacturer],
      ["Model", data.device.model],
      ["Serial number", data.device.serialNumber],
      ["Site", data.site === null ? null : (data.site.name ?? data.site.id)],
      ["Device", data.device.id]
    ]
  }
  if ("command" in data) {
    return [
      ["Status", data.command.status],
      ["Reason", data.command.reason],
      ["Scheduled for", data.command.scheduledFor],
      ["Device", data.deviceId],
      ["Command", data.command.id]
    ]
  }
  if ("error" in data) {
    return [
      ["Error", data.error.code],
      ["Manufacturer", data.account?.manufacturer ?? data.session?.manufacturer],
      ["Connection", data.session?.id ?? data.account?.id]
    ]
  }
  if ("enrollment" in data) {
    return [
      ["Status", spaced(data.enrollment.status)],
      ["Reason", data.enrollment.statusReason],
      ["Customer", data.enrollment.customerId]
    ]
  }
  if ("site" in data) {
    const { address, id } = data.site
    return [
      ["Address", [address.streetOne, address.city, address.state, address.postalCode].filter(Boolean).join(", ")],
      ["Site", id]
    ]
  }
  return [
    ["Reference", data.customer.referenceId],
    ["Customer", data.customer.id]
  ]
}

/** Describes an event in plain text, without line breaks. */
export const eventText = (event: Event): EventText => {
  const facts: ReadonlyArray<Fact> = [
    ...listFacts(event),
    ["Time", event.timestamp],
    ["Workspace", event.workspaceId],
    ["Event", `${event.type} ${event.id}`]
  ]
  return {
    headline: oneLine(`${describeChange(event)}: ${describeSubject(event)}`, 200),
    facts: facts.flatMap(([name, value]) => {
      const text = value === null || value === undefined ? "" : oneLine(String(value), 2000)
      return text === "" ? [] : [[name, text] as const]
    })
  }
}
