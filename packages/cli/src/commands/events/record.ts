import type { Event, EventData } from "@edp/domain/events/Event"
import { cell, type Column } from "../../table.ts"

type Data = EventData[keyof EventData]

const joined = (...words: ReadonlyArray<string | null>) => words.filter((word) => word !== null).join(" ")

/** Of what it tells, in a few words. */
const subjectOf = (data: Data): string => {
  if ("device" in data) return data.device.name
  if ("alert" in data) return data.alert.title
  if ("site" in data) return data.site.name ?? data.site.address.streetOne
  if ("command" in data) return data.command.type
  if ("enrollment" in data) return data.enrollment.id
  if ("error" in data) return data.error.message
  const { email, firstName, id, lastName, referenceId } = data.customer
  return joined(firstName, lastName) || referenceId || email || id
}

/** What else there is to know at a glance. */
const detailOf = (data: Data): string => {
  if ("changed" in data) return data.changed.join(", ")
  if ("alert" in data) return `${data.alert.severity} ${data.alert.status}`
  return "command" in data ? data.command.status : ""
}

export const eventColumns: ReadonlyArray<Column<Event>> = [
  { title: "SEQUENCE", value: (event) => event.sequence, whole: true, right: true },
  { title: "TIME", value: (event) => event.timestamp, time: true, whole: true },
  { title: "TYPE", value: (event) => event.type, whole: true },
  { title: "OF", value: ({ data }) => subjectOf(data) },
  { title: "DETAIL", value: ({ data }) => detailOf(data) },
  { title: "ID", value: (event) => event.id, wide: true, whole: true }
]

const TYPE_WIDTH = 19

/** An event as one line that may follow any other. */
export const eventLine = ({ data, timestamp, type }: Event): string =>
  [timestamp, type.padEnd(TYPE_WIDTH), cell(subjectOf(data)), detailOf(data)].join("  ").trimEnd()
