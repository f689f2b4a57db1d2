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
        "Every field is optional. A referenceId that another customer of the workspace has is VALIDATION_ERROR. `siteIds` associates the customer with sites of the workspace."
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
          "Up to 500 customers, each as in the creation of one. A refused item does not sink the others: `results` tells of each what became of it, with the code that a request of its own would have been answered. Of several items with one referenceId the first is created."
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
        "One customer of the workspace. With `include=devices` its newest 1000 devices come along; `GET /v1/devices?customerId=` lists all of them."
      )
    ),
    HttpApiEndpoint.patch("update", "/v1/customers/:id", {
      params,
      payload: UpdateCustomer,
      success: Customer,
      error: [ValidationError, CustomerNotFound]
    }).annotateMerge(describe(workspaceKeys, "Update a customer", "An absent field stays as it is, null clears it.")),
    HttpApiEndpoint.delete("remove", "/v1/customers/:id", {
      params,
      success: HttpApiSchema.NoContent,
      error: [CustomerNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(workspaceKeys, "Delete a customer", "The customer's sites and devices stay, without the customer.")
    ),
    HttpApiEndpoint.put("linkSite", "/v1/sites/:id/customers/:customerId", {
      params: link,
      success: Customer,
      error: [SiteNotFound, CustomerNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Associate a customer with a site",
        "A site may have several customers and a customer several sites. Associating them again changes nothing."
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
        "Both stay. A customer who is not associated with the site is CUSTOMER_NOT_FOUND."
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
