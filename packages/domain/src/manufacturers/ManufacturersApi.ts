import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { catalogueKeys, describe } from "../auth/annotations.ts"
import { Forbidden, NotFound, ValidationError } from "../errors/ApiErrors.ts"
import { PathSlug } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { CreateManufacturer, Manufacturer, ManufacturerFilters, UpdateManufacturer } from "./Manufacturer.ts"

export class ManufacturersApi extends HttpApiGroup.make("manufacturers")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: ManufacturerFilters,
      success: Page(Manufacturer),
      error: ValidationError
    }).annotateMerge(describe(catalogueKeys, "List manufacturers", "By slug.")),
    HttpApiEndpoint.get("get", "/:slug", {
      params: { slug: PathSlug },
      success: Manufacturer,
      error: NotFound
    }).annotateMerge(describe(catalogueKeys, "Get a manufacturer", "By its slug.")),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateManufacturer,
      success: Manufacturer.pipe(HttpApiSchema.status(201)),
      error: ValidationError
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Create a manufacturer",
        "Read by all workspaces, changed by keys of this organization alone. A slug that is taken is VALIDATION_ERROR (`details.slug`)."
      )
    ),
    HttpApiEndpoint.patch("update", "/:slug", {
      params: { slug: PathSlug },
      payload: UpdateManufacturer,
      success: Manufacturer,
      error: [ValidationError, NotFound, Forbidden]
    }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Update a manufacturer",
        "An absent field stays as it is. A type of which there are device models can't be left out of `deviceTypes`. Only the organization that made it changes it; who changes those of the catalogue is a setting of the deployment, at first the first organization alone. Others get FORBIDDEN."
      )
    )
  )
  .prefix("/v1/manufacturers")
  .annotateMerge(
    OpenApi.annotations({
      title: "Manufacturers",
      description:
        "The makers of devices, shared by all workspaces. Their slugs appear in filters, in the scope of MANUFACTURER keys and on every device. A catalogue of real makers is there from the start; `generic` and `simulator` serve for everything else."
    })
  ) {}
