import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import {
  CustomerNotFound,
  DeletionProtectionEnabled,
  SiteNotFound,
  SiteNotInWorkspace,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import {
  CreateCustomer,
  CreateCustomers,
  Customer,
  CustomerFilters,
  CustomerIncludes,
  CustomersCreated,
  UpdateCustomer
} from "./Customer.ts"

const params = { id: PathId }
const link = { id: PathId, customerId: PathId }

export class CustomersApi extends HttpApiGroup.make("customers")
  .add(
    HttpApiEndpoint.get("list", "/v1/customers", {
      query: CustomerFilters,
      success: Page(Customer),
      error: ValidationError
    }).annotateMerge(describe(workspaceKeys, "List customers", "Customers of the workspace, newest first.")),
    HttpApiEndpoint.post("create", "/v1/customers", {
      payload: CreateCustomer,
      success: Customer.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, SiteNotFound, SiteNotInWorkspace]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a customer",
        "Every field is optional. A referenceId that another customer of the workspace already has is VALIDATION_ERROR. `siteIds` associates the customer with sites of the workspace."
      )
    ),
    HttpApiEndpoint.post("createMany", "/v1/customers/bulk", {
      payload: CreateCustomers,
      success: CustomersCreated,
      error: ValidationError
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Create many customers",
          "Creates up to 500 customers. An invalid item does not affect the others: `results` has the outcome of each item, with the error code that a single request would have returned. If several items have the same referenceId, the first is created."
        )
      ),
    HttpApiEndpoint.get("get", "/v1/customers/:id", {
      params,
      query: CustomerIncludes,
      success: Customer,
      error: [ValidationError, CustomerNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get a customer",
        "Returns a customer of the workspace. `include=devices` adds its newest 1000 devices; `GET /v1/devices?customerId=` lists all of them."
      )
    ),
    HttpApiEndpoint.patch("update", "/v1/customers/:id", {
      params,
      payload: UpdateCustomer,
      success: Customer,
      error: [ValidationError, CustomerNotFound]
    }).annotateMerge(describe(workspaceKeys, "Update a customer", "An absent field is unchanged; null clears it.")),
    HttpApiEndpoint.delete("remove", "/v1/customers/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [CustomerNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(workspaceKeys, "Delete a customer", "The customer's sites and devices are kept without the customer.")
    ),
    HttpApiEndpoint.put("linkSite", "/v1/sites/:id/customers/:customerId", {
      params: link,
      success: Customer,
      error: [SiteNotFound, CustomerNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Associate a customer with a site",
        "A site may have several customers and a customer several sites. Repeating the request has no effect."
      )
    ),
    HttpApiEndpoint.delete("unlinkSite", "/v1/sites/:id/customers/:customerId", {
      params: link,
      success: HttpApiSchema.NoContent,
      error: [SiteNotFound, CustomerNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Separate a customer from a site",
        "Neither record is deleted. A customer who is not associated with the site is CUSTOMER_NOT_FOUND."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Customers",
      description:
        "A customer is a person or firm that owns or uses devices. A customer's devices are those at the sites that the customer is associated with, and those that the customer connected."
    })
  ) {}
