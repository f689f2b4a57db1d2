import { Schema } from "effect"
import { BulkFailure, bulkIndex } from "../errors/BulkFailure.ts"
import { bulkCounts, bulkItems, bulkResults } from "../shared/Bulk.ts"
import { exampleIds } from "../shared/exampleIds.ts"
import { Customer } from "./Customer.ts"

export const CreateCustomers = Schema.Struct({ customers: bulkItems("customers") }).annotate({
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
  status: Schema.Literal("created").annotate({ description: "The customer exists now" }),
  customer: Customer
}).annotate({ identifier: "CustomerCreated", description: "The item was created" })

export const CustomersCreated = Schema.Struct({
  ...bulkCounts,
  results: bulkResults(Schema.Union([CustomerCreated, BulkFailure]))
}).annotate({
  identifier: "CustomersCreated",
  description: "What became of the items",
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
