import { Schema } from "effect"
import { Device } from "../devices/Device.ts"
import { BulkFailure, bulkCounts, bulkIndex, bulkItems, bulkResults } from "../errors/Bulk.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { Several, SeveralReferences, paging } from "../shared/Page.ts"
import { Email, StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"

const orNull = Schema.NullOr
const optional = Schema.optionalKey

const reference = "Identifier of the customer in the caller's system; unique in the workspace"

export const Customer = Schema.Struct({
  id: Cuid.annotate({ examples: [exampleIds.customer] }),
  workspaceId: Cuid.annotate({ description: "The workspace of the key", examples: [exampleIds.workspace] }),
  referenceId: orNull(StoredText(1000)).annotate({ description: reference }),
  firstName: orNull(StoredText(100)).annotate({ description: "Given name" }),
  lastName: orNull(StoredText(100)).annotate({ description: "Family name" }),
  email: orNull(StoredText(254)).annotate({ description: "E-mail address" }),
  emailUnconfirmed: optional(Schema.Boolean).annotateKey({
    description:
      "`true` while a visitor of a public page has typed the e-mail address, and neither a link sent to it nor the operator has confirmed it: look-ups by address leave the customer out. Absent in events of earlier releases"
  }),
  phone: orNull(StoredText(20)).annotate({ description: "Telephone number" }),
  devices: optional(Schema.Array(Device).check(documents({ maxItems: 1000 }))).annotateKey({
    description: "Only with `include=devices`: the connected devices, newest first, at most 1000"
  }),
  createdAt: orNull(Timestamp),
  updatedAt: orNull(Timestamp).annotate({
    description: "Time of the last change of its own fields; associations do not count"
  }),
  connectedSiteIds: Schema.Array(Cuid).annotate({ description: "Sites associated with the customer, newest first" }),
  connectedDeviceIds: Schema.Array(Cuid).annotate({
    description: "Devices at those sites or connected by the customer, newest first"
  })
}).annotate({
  identifier: "Customer",
  description: "A person or firm that owns or uses devices",
  examples: [
    {
      id: exampleIds.customer,
      workspaceId: exampleIds.workspace,
      referenceId: "user-1",
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      emailUnconfirmed: false,
      phone: "+1 916 555 0142",
      createdAt: "2026-03-01T12:00:00.000Z",
      updatedAt: "2026-03-01T12:00:00.000Z",
      connectedSiteIds: [exampleIds.site],
      connectedDeviceIds: [exampleIds.device]
    }
  ]
})
export type Customer = typeof Customer.Type

const fields = {
  referenceId: optional(orNull(Text(1, 1000)).annotate({ description: reference })),
  firstName: optional(orNull(Text(1, 100)).annotate({ description: "Given name" })),
  lastName: optional(orNull(Text(1, 100)).annotate({ description: "Family name" })),
  email: optional(orNull(Email).annotate({ description: "E-mail address" })),
  phone: optional(orNull(Text(5, 20)).annotate({ description: "Telephone number" }))
}

export const CreateCustomer = Schema.Struct({
  ...fields,
  siteIds: optional(
    Schema.Array(Text(1, 100))
      .check(Schema.isMaxLength(100, { message: "Must be at most 100 sites" }))
      .annotate({ description: "Sites of the workspace to associate the customer with, at most 100" })
  )
}).annotate({
  identifier: "CreateCustomer",
  examples: [
    {
      referenceId: "user-1",
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      siteIds: [exampleIds.site]
    }
  ]
})
export type CreateCustomer = typeof CreateCustomer.Type

export const UpdateCustomer = Schema.Struct(fields).annotate({
  identifier: "UpdateCustomer",
  examples: [{ phone: "+1 916 555 0142", email: null }]
})
export type UpdateCustomer = typeof UpdateCustomer.Type

export const CustomerFilters = {
  ...paging(),
  referenceId: optional(
    SeveralReferences(1000).annotate({ description: "Identifiers of the customers in the caller's system" })
  ),
  email: optional(Text(1, 254).annotate({ description: "Complete e-mail address, case-insensitive" })),
  siteId: optional(Several(Text(1, 100)).annotate({ description: "Customers associated with one of these sites" })),
  q: optional(
    Text(1, 255).annotate({ description: "Prefix of the first name, last name or e-mail address, case-insensitive" })
  )
}

export const CustomerIncludes = {
  include: optional(
    Several(oneOf(["devices", "commandDetails"])).annotate({
      description:
        "`devices` adds the connected devices with their newest states; `devices,commandDetails` also adds `inputSchema`, `confirmWithin` and `limits` to their `availableCommands`"
    })
  )
}
export type CustomerInclude = "devices" | "commandDetails"

export const CreateCustomers = Schema.Struct({ customers: bulkItems(CreateCustomer, "customers") }).annotate({
  identifier: "CreateCustomers",
  examples: [
    {
      customers: [
        { referenceId: "user-1", firstName: "Ada", lastName: "Okafor", siteIds: [exampleIds.site] },
        { referenceId: "user-1", email: "ada@example.com" }
      ]
    }
  ]
})
export type CreateCustomers = typeof CreateCustomers.Type

export const CustomerCreated = Schema.Struct({
  index: bulkIndex,
  status: Schema.Literal("created").annotate({ description: "The customer was created" }),
  customer: Customer
}).annotate({ identifier: "CustomerCreated", description: "The item was created" })

export const CustomersCreated = Schema.Struct({
  ...bulkCounts,
  results: bulkResults(Schema.Union([CustomerCreated, BulkFailure]))
}).annotate({
  identifier: "CustomersCreated",
  description: "Outcome of the request",
  examples: [
    {
      created: 1,
      failed: 1,
      results: [
        {
          index: 0,
          status: "created",
          customer: {
            id: exampleIds.customer,
            workspaceId: exampleIds.workspace,
            referenceId: "user-1",
            firstName: "Ada",
            lastName: "Okafor",
            email: null,
            emailUnconfirmed: false,
            phone: null,
            createdAt: "2026-03-01T12:00:00.000Z",
            updatedAt: "2026-03-01T12:00:00.000Z",
            connectedSiteIds: [exampleIds.site],
            connectedDeviceIds: [exampleIds.device]
          }
        },
        {
          index: 1,
          status: "error",
          code: "VALIDATION_ERROR",
          message: "The request is not valid",
          details: { referenceId: "Another customer of the workspace has this referenceId" }
        }
      ]
    }
  ]
})
export type CustomersCreated = typeof CustomersCreated.Type
