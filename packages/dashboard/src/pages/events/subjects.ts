import type { StoredEvent } from "../../resources/events.ts"

/** A record that an event concerns. */
export interface Subject {
  readonly kind: "device" | "site" | "customer" | "alert" | "command" | "connection" | "account" | "enrollment"
  readonly id: string
  /** How people know it; null if the event does not say. */
  readonly name: string | null
}

type Fields = Readonly<Record<string, unknown>>

const asRecord = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const textField = (record: Fields, name: string): string | null => {
  const value = record[name]
  return typeof value === "string" && value !== "" ? value : null
}

const personName = (customer: Fields): string | null =>
  [textField(customer, "firstName"), textField(customer, "lastName")].filter((part) => part !== null).join(" ") ||
  textField(customer, "email") ||
  textField(customer, "referenceId")

/** The fields of an event's data that hold a record, in the order in which people look for them, and how the record is named. */
const holders: ReadonlyArray<readonly [field: string, kind: Subject["kind"], name: (record: Fields) => string | null]> =
  [
    ["alert", "alert", (record) => textField(record, "title") ?? textField(record, "type")],
    ["command", "command", (record) => textField(record, "type")],
    ["session", "connection", (record) => textField(record, "referenceId")],
    ["account", "account", (record) => textField(record, "referenceId")],
    ["enrollment", "enrollment", (record) => textField(record, "referenceId")],
    ["device", "device", (record) => textField(record, "name")],
    ["customer", "customer", personName],
    ["site", "site", (record) => textField(record, "name")]
  ]

/** Records that another record names only by id. */
const references = [
  ["deviceId", "device"],
  ["siteId", "site"],
  ["customerId", "customer"]
] as const

/** The records that an event concerns, the main one first. */
export const eventSubjects = ({ data }: Pick<StoredEvent, "data">): ReadonlyArray<Subject> => {
  const found = new Map<string, Subject>()
  const add = (subject: Subject) => {
    if (!found.has(subject.id)) found.set(subject.id, subject)
  }
  for (const [field, kind, name] of holders) {
    const record = asRecord(data[field])
    const id = record && textField(record, "id")
    if (record && id) add({ kind, id, name: name(record) })
  }
  for (const record of [data, ...holders.map(([field]) => asRecord(data[field]))]) {
    for (const [field, kind] of references) {
      const id = record && textField(record, field)
      if (id) add({ kind, id, name: null })
    }
  }
  return [...found.values()]
}
