import type { Customer } from "@edp/domain/customers/Customer"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { importCommand } from "../import/importCommand.ts"
import { Connection } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { confirm } from "../kernel/ask.ts"
import { customerArgument, customerId, siteId } from "../kernel/find.ts"
import { clearFlag, several, text, withCleared, yes } from "../kernel/flags.ts"
import { byPage, given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { customersImport } from "../import/importKinds.ts"

const customerColumns: ReadonlyArray<Column<Customer>> = [
  { title: "ID", value: (customer) => customer.id, whole: true, wide: true },
  { title: "REFERENCE", value: (customer) => customer.referenceId },
  {
    title: "NAME",
    value: ({ firstName, lastName }) => [firstName, lastName].filter((part) => part !== null).join(" ")
  },
  { title: "E-MAIL", value: (customer) => customer.email },
  { title: "PHONE", value: (customer) => customer.phone, wide: true },
  { title: "SITES", value: (customer) => customer.connectedSiteIds.length, right: true, whole: true },
  { title: "DEVICES", value: (customer) => customer.connectedDeviceIds.length, right: true, whole: true },
  { title: "CREATED", value: (customer) => customer.createdAt, time: true, wide: true }
]

const nameOf = ({ email, firstName, id, lastName, referenceId }: Customer) =>
  [firstName, lastName].filter((part) => part !== null).join(" ") || (email ?? referenceId ?? id)

const deviceLines = ({ devices = [] }: Customer) =>
  devices.map(({ id, name, onlineStatus, type }) => [`device ${id}`, `${type}, ${name}, ${onlineStatus}`] as const)

export const customerFields = (customer: Customer) => [
  ["id", customer.id] as const,
  ["reference", customer.referenceId] as const,
  ["first name", customer.firstName] as const,
  ["last name", customer.lastName] as const,
  ["e-mail", customer.email] as const,
  ["phone", customer.phone] as const,
  ["sites", customer.connectedSiteIds] as const,
  ["devices", customer.connectedDeviceIds] as const,
  ["created", customer.createdAt] as const,
  ["updated", customer.updatedAt] as const,
  ...deviceLines(customer)
]

const plainFlags = {
  referenceId: text("reference-id", "Reference in your system, unique in the workspace"),
  firstName: text("first-name", "Given name"),
  lastName: text("last-name", "Family name"),
  email: text("email", "E-mail address"),
  phone: text("phone", "Telephone number")
}

const filters = {
  referenceId: several("reference-id", "Reference in the caller's system"),
  email: text("email", "The whole e-mail address, any case"),
  siteId: several("site", "Site id"),
  q: text("q", "Beginning of the first or last name or of the e-mail, any case")
}

const list = Command.make(
  "list",
  { ...pagingFlags, ...filters },
  Effect.fn("customers.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("customers", "list")
    yield* showList({ all, page, perPage }, "customers", customerColumns, (position) =>
      call({ query: { ...given(filters), ...byPage(position) } })
    )
  })
).pipe(
  Command.withDescription("List customers, newest first"),
  Command.withExamples([{ command: "edp customers list --q okafor" }])
)

const show = Command.make(
  "show",
  {
    customer: customerArgument,
    devices: Flag.Boolean("devices").pipe(
      Flag.withDescription("With the customer's newest 1000 devices and their states"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("customers.show")(function* ({ customer, devices }) {
    const call = yield* (yield* Connection).endpoint("customers", "get")
    const query = devices ? ({ include: "devices" } as const) : {}
    yield* showRecord(yield* call({ params: { id: yield* customerId(customer) }, query }), customerFields)
  })
).pipe(Command.withDescription("Show a customer"))

const create = Command.make(
  "create",
  { ...plainFlags, sites: several("site", "Site to associate the customer with, by id or referenceId") },
  Effect.fn("customers.create")(function* ({ sites, ...fields }) {
    const siteIds = yield* Effect.forEach(sites, siteId)
    const call = yield* (yield* Connection).endpoint("customers", "create")
    yield* showRecord(yield* call({ payload: { ...given(fields), ...given({ siteIds }) } }), customerFields)
  })
).pipe(
  Command.withDescription("Create a customer"),
  Command.withExamples([
    { command: "edp customers create --reference-id user-1 --first-name Ada --last-name Okafor --site home-1" }
  ])
)

const clearable = {
  "reference-id": { referenceId: null },
  "first-name": { firstName: null },
  "last-name": { lastName: null },
  email: { email: null },
  phone: { phone: null }
} as const

const update = Command.make(
  "update",
  { customer: customerArgument, ...plainFlags, clear: clearFlag(clearable) },
  Effect.fn("customers.update")(function* ({ clear, customer, ...fields }) {
    const payload = yield* withCleared(given(fields), clearable, clear)
    const call = yield* (yield* Connection).endpoint("customers", "update")
    yield* showRecord(yield* call({ params: { id: yield* customerId(customer) }, payload }), customerFields)
  })
).pipe(
  Command.withDescription("Change a customer"),
  Command.withExamples([{ command: 'edp customers update user-1 --phone "+1 916 555 0142" --clear email' }])
)

const remove = Command.make(
  "delete",
  { customer: customerArgument, yes },
  Effect.fn("customers.delete")(function* ({ customer, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const id = yield* customerId(customer)
    const name = nameOf(yield* (yield* connection.endpoint("customers", "get"))({ params: { id }, query: {} }))
    yield* confirm({
      yes,
      message: `Delete the customer "${name}"? Their sites and devices stay.`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("customers", "remove"))({ params: { id } })
    yield* show({ id, deleted: true }, () => `The customer "${name}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a customer; their sites and devices stay"))

const site = Flag.String("site").pipe(Flag.withDescription("Site, by id or referenceId"))

const link = Command.make(
  "link",
  { customer: customerArgument, site },
  Effect.fn("customers.link")(function* ({ customer, site }) {
    const params = { id: yield* siteId(site), customerId: yield* customerId(customer) }
    const call = yield* (yield* Connection).endpoint("customers", "linkSite")
    yield* showRecord(yield* call({ params }), customerFields)
  })
).pipe(
  Command.withDescription("Associate a customer with a site"),
  Command.withExamples([{ command: "edp customers link user-1 --site home-1" }])
)

const unlink = Command.make(
  "unlink",
  { customer: customerArgument, site },
  Effect.fn("customers.unlink")(function* ({ customer, site }) {
    const { show } = yield* Output
    const params = { id: yield* siteId(site), customerId: yield* customerId(customer) }
    yield* (yield* (yield* Connection).endpoint("customers", "unlinkSite"))({ params })
    yield* show(
      { siteId: params.id, customerId: params.customerId, unlinked: true },
      () => "They are separated; both stay."
    )
  })
).pipe(Command.withDescription("Separate a customer from a site; both stay"))

const importCustomers = importCommand(customersImport, [
  "edp customers import customers.csv --dry-run",
  "edp customers import customers.jsonl --look-up"
])

export const customers = Command.make("customers").pipe(
  Command.withDescription("Customers: who owns or uses devices"),
  Command.withSubcommands([list, show, create, update, remove, link, unlink, importCustomers])
)
