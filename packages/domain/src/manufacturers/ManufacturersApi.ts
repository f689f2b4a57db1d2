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
        "All workspaces can read the manufacturer; only keys of this organization can change it. A slug that is already in use is VALIDATION_ERROR (`details.slug`)."
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
        "An absent field is unchanged. `deviceTypes` must keep every type that has device models. Only the organization that created the manufacturer can change it. A setting of the deployment says who can change the built-in catalogue; by default that is the first organization. Other organizations get FORBIDDEN."
      )
    )
  )
  .prefix("/v1/manufacturers")
  .annotateMerge(
    OpenApi.annotations({
      title: "Manufacturers",
      description:
        "The makers of devices, shared by all workspaces. Their slugs appear in filters, in the scope of MANUFACTURER keys and on every device. A catalogue of manufacturers is built in; `generic` and `simulator` are for all other devices."
    })
  ) {}
