import { verb, confirmDeletion } from "../kernel/verb.ts"
import type { Customer } from "@edp/domain/customers/Customer"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { importCommand } from "../import/importCommand.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showRecord } from "../kernel/Output.ts"
import { customerArgument, customerId, siteId } from "../kernel/find.ts"
import { clearFlag, several, text, withCleared, yes } from "../kernel/flags.ts"
import { given, pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { customersImport } from "../import/importKinds.ts"

const customerColumns: ReadonlyArray<Column<Customer>> = [
  { title: "ID", value: (customer) => customer.id, whole: true },
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

const customerName = ({ email, firstName, id, lastName, referenceId }: Customer) =>
  [firstName, lastName].filter((part) => part !== null).join(" ") || (email ?? referenceId ?? id)

const deviceLines = ({ devices = [] }: Customer) =>
  devices.map(({ id, name, onlineStatus, type }) => [`device ${id}`, `${type}, ${name}, ${onlineStatus}`] as const)

export const customerFields = (customer: Customer) => [
  ["id", customer.id] as const,
  ["reference", customer.referenceId] as const,
  ["first name", customer.firstName] as const,
  ["last name", customer.lastName] as const,
  ["e-mail", customer.email] as const,
  ["e-mail unconfirmed", customer.emailUnconfirmed] as const,
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
  referenceId: several("reference-id", "Reference in your system"),
  email: text("email", "The whole e-mail address, any case"),
  siteId: several("site", "Site id"),
  q: text("q", "Beginning of the first or last name or of the e-mail, any case")
}

const list = verb(
  "customers list",
  "List customers, newest first",
  { ...pagingFlags, ...filters },
  (flags) => showList(flags, "customers", customerColumns, (query) => request("customers", "list", { query })),
  ["edp customers list --q okafor"]
)

const show = verb(
  "customers show",
  "Show a customer",
  {
    customer: customerArgument,
    devices: Flag.Boolean("devices").pipe(
      Flag.withDescription("Include the newest 1000 devices with their states"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ customer, devices }) {
    const query = devices ? ({ include: ["devices"] } as const) : {}
    yield* showRecord(
      request("customers", "get", { params: { id: yield* customerId(customer) }, query }),
      customerFields
    )
  })
)

const create = verb(
  "customers create",
  "Create a customer",
  { ...plainFlags, sites: several("site", "Site to link the customer to, by id or referenceId") },
  Effect.fnUntraced(function* ({ sites, ...fields }) {
    const siteIds = yield* Effect.forEach(sites, siteId)
    yield* showRecord(
      request("customers", "create", { payload: { ...given(fields), ...given({ siteIds }) } }),
      customerFields
    )
  }),
  ["edp customers create --reference-id user-1 --first-name Ada --last-name Okafor --site home-1"]
)

const clearable = {
  "reference-id": { referenceId: null },
  "first-name": { firstName: null },
  "last-name": { lastName: null },
  email: { email: null },
  phone: { phone: null }
} as const

const update = verb(
  "customers update",
  "Change a customer",
  { customer: customerArgument, ...plainFlags, clear: clearFlag(clearable) },
  Effect.fnUntraced(function* ({ clear, customer, ...fields }) {
    const payload = yield* withCleared(given(fields), clearable, clear)
    yield* showRecord(
      request("customers", "update", { params: { id: yield* customerId(customer) }, payload }),
      customerFields
    )
  }),
  ['edp customers update user-1 --phone "+1 916 555 0142" --clear email']
)

const remove = verb(
  "customers delete",
  "Delete a customer; their sites and devices stay",
  { customer: customerArgument, yes },
  Effect.fnUntraced(function* ({ customer, yes }) {
    const id = yield* customerId(customer)
    const name = customerName(yield* request("customers", "get", { params: { id }, query: {} }))
    yield* confirmDeletion({
      id,
      yes,
      question: `Delete the customer "${name}"? Their sites and devices stay.`,
      call: request("customers", "remove", { params: { id } }),
      done: `The customer "${name}" is deleted.`
    })
  })
)

const site = Flag.String("site").pipe(Flag.withDescription("Site, by id or referenceId"))

const link = verb(
  "customers link",
  "Link a customer to a site",
  { customer: customerArgument, site },
  Effect.fnUntraced(function* ({ customer, site }) {
    const params = { id: yield* siteId(site), customerId: yield* customerId(customer) }
    yield* showRecord(request("customers", "linkSite", { params }), customerFields)
  }),
  ["edp customers link user-1 --site home-1"]
)

const unlink = verb(
  "customers unlink",
  "Unlink a customer from a site; both stay",
  { customer: customerArgument, site },
  Effect.fnUntraced(function* ({ customer, site }) {
    const { show } = yield* Output
    const params = { id: yield* siteId(site), customerId: yield* customerId(customer) }
    yield* request("customers", "unlinkSite", { params })
    yield* show(
      { siteId: params.id, customerId: params.customerId, unlinked: true },
      () => "Unlinked; both still exist."
    )
  })
)

const importCustomers = importCommand(customersImport, [
  "edp customers import customers.csv --dry-run",
  "edp customers import customers.jsonl --look-up"
])

export const customers = Command.make("customers").pipe(
  Command.withDescription("Customers who own or use devices"),
  Command.withSubcommands([list, show, create, update, remove, link, unlink, importCustomers])
)
