import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, workspaceKeys } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import {
  CustomerNotFound,
  DeletionProtectionEnabled,
  InvalidLocation,
  LocationServiceError,
  SiteAlreadyExists,
  SiteNotFound,
  ValidationError
} from "../errors/ApiErrors.ts"
import { PathId } from "../shared/Cuid.ts"
import { Page } from "../shared/Page.ts"
import { CreateSite, CreateSites, Site, SiteFilters, SiteIncludes, SitesCreated, UpdateSite } from "./Site.ts"

export class SitesApi extends HttpApiGroup.make("sites")
  .add(
    HttpApiEndpoint.get("list", "/", { query: SiteFilters, success: Page(Site), error: ValidationError }).annotateMerge(
      describe(workspaceKeys, "List sites", "Sites of the workspace, newest first.")
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: CreateSite,
      success: Site.pipe(HttpApiSchema.status(201)),
      error: [ValidationError, CustomerNotFound, InvalidLocation, SiteAlreadyExists, LocationServiceError]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Create a site",
        "The address is normalised (case, spaces, abbreviations of street suffixes; US, USA and United States are one country); a second site with the same address is SITE_ALREADY_EXISTS. If `location` is absent or null, the address is geocoded: a US postal code that does not exist or contradicts the state is INVALID_LOCATION."
      )
    ),
    HttpApiEndpoint.post("createMany", "/bulk", {
      payload: CreateSites,
      success: SitesCreated,
      error: ValidationError
    })
      .annotate(RateClassOf, "bulk")
      .annotateMerge(
        describe(
          workspaceKeys,
          "Create many sites",
          "Creates up to 500 sites. An invalid item does not affect the others: `results` has the outcome of each item, with the error code that a single request would have returned. If several items have the same address, the first that can be geocoded is created. Items that are not geocoded within 20 seconds fail with LOCATION_SERVICE_ERROR: send them again."
        )
      ),
    HttpApiEndpoint.get("get", "/:id", {
      params: { id: PathId },
      query: SiteIncludes,
      success: Site,
      error: [ValidationError, SiteNotFound]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Get a site",
        "Returns a site of the workspace. `include=weather` adds the current weather; it is null if the site has no location or the weather service is not configured or does not respond."
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", {
      params: { id: PathId },
      payload: UpdateSite,
      success: Site,
      error: [ValidationError, SiteNotFound, InvalidLocation, SiteAlreadyExists, LocationServiceError]
    }).annotateMerge(
      describe(
        workspaceKeys,
        "Update a site",
        "A merge patch (RFC 7396): an absent field is unchanged, null clears it; `address` and `location` are merged and the results are validated. A new address is geocoded unless `location` (or null) is given with it; another spelling of the same address keeps its location."
      )
    ),
    HttpApiEndpoint.delete("remove", "/:id", {
      params: { id: PathId },
      success: HttpApiSchema.NoContent,
      error: [SiteNotFound, DeletionProtectionEnabled]
    }).annotateMerge(
      describe(workspaceKeys, "Delete a site", "Its devices are kept without a site; its alerts keep their siteId.")
    )
  )
  .prefix("/v1/sites")
  .annotateMerge(
    OpenApi.annotations({
      title: "Sites",
      description:
        "A site is a physical location of devices: a home, a shop, a substation. Its address is unique in the workspace and is geocoded; its time zone determines where its days begin."
    })
  ) {}
